"""Writes fictional communes as files in the publishers' formats, for any importer to read.

The first commune is the demo. Its old quarter is drawn by hand, with one case for each thing that importers can get
wrong. The rest of the commune is generated. The same arguments give the same bytes. With more communes or
addresses the files are a benchmark, up to the size of France. Writing them takes little memory.

No code of these communes is a real one: France has no department 00. A real commune code has three digits after the
department. Communes of other regions, and those past the 998th, have a letter among the three. Parcel ids have no room
for the letter, so these communes have addresses only.
"""

from demoland.generator import Demo, write
from demoland.quarter import COMMUNE
from demoland.vocabularies import Region

__all__ = ["COMMUNE", "EDITION", "Demo", "Region", "write"]

EDITION = "2026-01-01"
"""The date that the demo's data describe."""
