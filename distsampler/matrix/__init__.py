"""The matrix: every sampler that the harness knows against every property, as a CSV and as Markdown.

`python -m distsampler.matrix` examines the samplers that are installed and writes `results/conformance.csv`.
"""

from distsampler.matrix.rows import read, write
from distsampler.matrix.tables import broken_table, matrix_table, parts, samplers_table

__all__ = ["broken_table", "matrix_table", "parts", "read", "samplers_table", "write"]
