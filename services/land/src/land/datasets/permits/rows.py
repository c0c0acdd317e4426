"""Rows of permits and of their references to parcels."""

from collections.abc import Sequence

from land.datasets.grouping import grouped
from land.datasets.permits.records import ParcelReference, PermitRecord, PermitReferenceRow


def permit_rows(records: Sequence[PermitRecord]) -> tuple[list[PermitRecord], list[PermitReferenceRow]]:
    """The permits of one filing commune, and their references, each once and in order."""
    permits = fold(records)  # a file may have the rows of one number far apart
    references = {
        PermitReferenceRow(
            reference.commune_code, reference.section, reference.number, permit.number, reference.prefix or ""
        )
        for permit in permits
        for reference in map(ParcelReference._make, permit.references)  # plain tuples after the spool
    }
    return permits, sorted(references)


def fold(records: Sequence[PermitRecord]) -> list[PermitRecord]:
    """One record per (series, number), in order of first appearance: files have one row per destination of premises.

    Each field has the first value that is given; `references` has those of all rows.
    """
    groups = grouped(((record.series, record.number), record) for record in records)
    return [group[0] if len(group) == 1 else _folded(group) for group in groups.values()]


def _folded(group: Sequence[PermitRecord]) -> PermitRecord:
    first_values = PermitRecord._make(
        next((value for value in values if value is not None), None) for values in zip(*group, strict=True)
    )
    return first_values._replace(
        references=tuple(dict.fromkeys(reference for record in group for reference in record.references)),
        unreadable_references=max(record.unreadable_references for record in group),
    )
