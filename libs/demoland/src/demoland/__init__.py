"""Writes a fictional commune, the demo, as files in the publishers' formats, for any importer to read.

Its old quarter is drawn by hand, with one case for each thing that importers can get wrong. The rest is generated. The
same number of addresses gives the same bytes. Writing them takes little memory. The code of the commune is not a real
one: France has no department 00.
"""

from demoland.generator import Demo, write
from demoland.quarter import COMMUNE

__all__ = ["COMMUNE", "EDITION", "Demo", "write"]

EDITION = "2026-01-01"
"""The date that the demo's data describe."""
