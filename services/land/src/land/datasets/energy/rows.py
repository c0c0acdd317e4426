"""Counts of energy ratings by place, from the diagnoses of a file."""

from collections.abc import Iterable

from land.datasets.energy.records import RatingCountRecord, RatingRecord
from land.datasets.grouping import grouped


def rating_counts(records: Iterable[RatingRecord]) -> list[RatingCountRecord]:
    """Leaves out diagnoses that another one of the file replaces. Of two with one number, the last one counts."""
    replaced: set[str] = set()
    newest: dict[str, RatingCountRecord] = {}
    for number, replaced_number, rating in records:
        if replaced_number not in ("", number):
            replaced.add(replaced_number)
        newest[number] = RatingCountRecord(*rating)  # a plain tuple after the spool
    days_of = grouped(
        (rating._replace(oldest_on="", newest_on=""), rating.oldest_on)
        for number, rating in newest.items()
        if number not in replaced
    )
    return [
        rating._replace(place=place, rating_count=len(days), oldest_on=min(days), newest_on=max(days))
        for place, (rating, days) in enumerate(days_of.items())
    ]
