"""Results CSVs: what each column means, appending rows as they are measured, reading a file back.

One file is one run, one row is one measurement, values are in base units (s, B, 1/s). A row is on disk
before the next measurement starts, so a run that is killed loses nothing that it knew.
"""

from distsampler.results.provenance import environment, new_run_id
from distsampler.results.reader import ResultsError, read
from distsampler.results.schema import COLUMNS, ENVIRONMENT, METRICS, NAMES, PARAMETERS, STATUSES, Column
from distsampler.results.writer import ResultsWriter

__all__ = [
    "COLUMNS",
    "ENVIRONMENT",
    "METRICS",
    "NAMES",
    "PARAMETERS",
    "STATUSES",
    "Column",
    "ResultsError",
    "ResultsWriter",
    "environment",
    "new_run_id",
    "read",
]
