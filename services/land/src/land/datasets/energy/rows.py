"""Counts of energy ratings by place, from the diagnoses of a file."""

from collections.abc import Iterable

from land.datasets.energy.records import RatingCountRecord, RatingRecord
from land.datasets.grouping import grouped


def rating_counts(records: Iterable[RatingRecord]) -> list[RatingCountRecord]:
    """Leaves out diagnoses that another one of the file replaces. Of two with one number, the last one counts."""
    replaced: set[str] = set()
    newest: dict[str, tuple[RatingCountRecord, str]] = {}
    for record in records:
        if record.replaced_number not in ("", record.number):
            replaced.add(record.replaced_number)
        newest[record.number] = _of_place(record), record.established_on
    dates = grouped(dated_facts for number, dated_facts in newest.items() if number not in replaced)
    return [
        facts._replace(place=place, rating_count=len(days), oldest_on=min(days), newest_on=max(days))
        for place, (facts, days) in enumerate(dates.items())
    ]


def _of_place(record: RatingRecord) -> RatingCountRecord:
    """What diagnoses that are counted together have in common."""
    return RatingCountRecord(
        lat=record.lat,
        lon=record.lon,
        place=0,
        rnb_id=record.rnb_id,
        street_id=record.street_id,
        house_number=record.house_number,
        suffix=record.suffix,
        is_placed=record.is_placed,
        energy=record.energy,
        greenhouse_gas=record.greenhouse_gas,
        rating_count=0,
        oldest_on="",
        newest_on="",
    )
