"""Documents by which parcels became other parcels, from the DGFiP's files of lineage (DFI)."""

from collections.abc import Mapping
from typing import NamedTuple

NATURES: Mapping[str, str] = {
    "1": "Document d'arpentage",
    "2": "Croquis de conservation",
    "4": "Remaniement",
    "5": "Document d'arpentage numérique",
    "6": "Lotissement numérique",
    "7": "Lotissement",
    "8": "Rénovation",
}
REDRAWN = frozenset("48")
"""Natures of a new survey of the plan: parcels get other numbers and limits, and nobody divided them."""


class LineageRecord(NamedTuple):
    """One parcel of one lot of a document. The lot has all its mothers and all its daughters."""

    department: str
    commune_code: str
    parcel_id: str
    lot: str
    """The prefix (3), the number of the document (7) and that of the lot (5): unique in the commune."""
    nature: str
    """The code of the document's nature, in NATURES."""
    validated_on: str | None
    is_mother: bool
