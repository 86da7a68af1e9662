"""Conformance: does a distributed sampler keep the promises that training code relies on?

A `Case` is a sampling problem, a `Subject` makes one rank's sampler for it, `record` lets every rank draw and
returns a `Trace`, a `Property` judges what was observed, and `examine` gives the `Verdict`.
"""

from distsampler.conformance.case import Case
from distsampler.conformance.catalogue import PROPERTIES
from distsampler.conformance.property import Property
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.conformance.trace import Draws, Trace, record
from distsampler.conformance.verdict import Verdict, examine
from distsampler.conformance.violation import Violation

__all__ = [
    "PROPERTIES",
    "Case",
    "Contract",
    "Draws",
    "Known",
    "Property",
    "Subject",
    "Trace",
    "Verdict",
    "Violation",
    "examine",
    "record",
]
