"""Rows of INSEE's lists of communes."""

from collections.abc import Sequence

from land.datasets.communes.records import CommuneRecord, MovementRecord
from land.datasets.grouping import last_of_each


def commune_rows(
    records: Sequence[CommuneRecord | MovementRecord],
) -> tuple[list[CommuneRecord], list[MovementRecord]]:
    """The communes and the movements, each once."""
    communes = [record for record in records if isinstance(record, CommuneRecord)]
    movements = [record for record in records if isinstance(record, MovementRecord)]
    keys = ("old_code", "effective_on", "change", "old_kind", "new_code", "new_kind")
    return last_of_each(communes, "code", "kind"), last_of_each(movements, *keys)
