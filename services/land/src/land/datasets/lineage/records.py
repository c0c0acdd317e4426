"""Documents by which parcels became other parcels, from the DGFiP's files of lineage (DFI)."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from land.datasets.grouping import grouped
from land.datasets.parcels.succession import ChangeKind, Lineage, kind_of

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


def documented_changes(records: Iterable[LineageRecord]) -> dict[tuple[str, str], Lineage]:
    """The change of each lot, by commune and lot."""
    lots = grouped(((record.commune_code, record.lot), record) for record in sorted(records))
    changes = {}
    for (commune, lot), parcels in lots.items():
        first = parcels[0]
        mothers = tuple(record.parcel_id for record in parcels if record.is_mother)
        daughters = tuple(record.parcel_id for record in parcels if not record.is_mother)
        kind: ChangeKind = "redrawing" if first.nature in REDRAWN else kind_of(len(mothers), len(daughters))
        nature = NATURES[first.nature]
        changes[commune, lot] = Lineage(mothers, daughters, kind, "dfi", first.validated_on, None, nature, lot[3:10])
    return changes
