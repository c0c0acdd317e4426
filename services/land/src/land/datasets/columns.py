"""Columns of CSV files whose names have several forms."""

from collections.abc import Sequence

from land.addresses.normalise import fold
from land.errors import WrongHeader
from land.sources.files import CsvTable


def positions(table: CsvTable, required: Sequence[Sequence[str]], optional: Sequence[Sequence[str]] = ()) -> list[int]:
    """The place of each column, by any form of its name; -1 for an optional one that is missing. Names are compared
    without accents, capitals and punctuation. Raises WrongHeader naming the missing columns by their first form.
    """
    where = {plain(name): place for place, name in reversed(list(enumerate(table.header)))}
    places = [next((where[name] for name in names if name in where), -1) for names in (*required, *optional)]
    missing = [names[0] for names, place in zip(required, places, strict=False) if place < 0]
    if missing:
        raise WrongHeader(table.file, missing)
    return places


def plain(name: str) -> str:
    """The words without accents, capitals and signs, joined by underscores."""
    return fold(name).replace(" ", "_")
