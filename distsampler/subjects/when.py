"""When pinned counterexamples break a promise: conditions on a case that several samplers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distsampler.conformance.case import Case


def always(_: Case) -> bool:
    """Hold for every case."""
    return True


def empty(case: Case) -> bool:
    """Hold for a dataset without samples."""
    return case.length == 0


def fewer_samples_than_ranks(case: Case) -> bool:
    """Hold when there are samples, but not one for every rank."""
    return 0 < case.length < case.num_replicas


def at_most_one_each(case: Case) -> bool:
    """Hold when no rank has more than one index to draw."""
    return case.length <= case.num_replicas


def left_over(case: Case) -> bool:
    """Hold when the dataset length is no multiple of the number of ranks."""
    return case.length % case.num_replicas > 0


def padded(case: Case) -> bool:
    """Hold when samples are repeated for equal lengths."""
    return case.remainder == "pad" and left_over(case)


def padding_outnumbers_samples(case: Case) -> bool:
    """Hold when padding to equal lengths repeats more samples than there are."""
    return case.remainder == "pad" and -case.length % case.num_replicas > case.length > 0


def shuffled(case: Case) -> bool:
    """Hold when shuffling is asked for."""
    return case.shuffle


def several_ranks(case: Case) -> bool:
    """Hold when there is more than one rank."""
    return case.num_replicas > 1


def shuffled_over_ranks(case: Case) -> bool:
    """Hold when shuffling is asked for on more than one rank."""
    return case.shuffle and case.num_replicas > 1


def unshuffled(case: Case) -> bool:
    """Hold when shuffling is not asked for."""
    return not case.shuffle


def empty_and_shuffled(case: Case) -> bool:
    """Hold for a dataset without samples that is to be shuffled."""
    return case.length == 0 and case.shuffle
