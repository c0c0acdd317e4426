"""The assistant uses the dataset ids of land's coverage."""

from collections.abc import Iterator
from typing import Any

import corpus
from assistant.rpc.facts import BUILDINGS, PRESCRIPTIONS, SALES, ZONES


def coverages(value: Any) -> Iterator[dict[str, str]]:
    """Every `coverage` of land units within a JSON value."""
    match value:
        case {"coverage": dict(found), **rest}:
            yield found
            yield from coverages(rest)
        case dict():
            for item in value.values():
                yield from coverages(item)
        case list():
            for item in value:
                yield from coverages(item)


def test_the_assistant_reads_dataset_ids_of_land() -> None:
    answered = list(coverages(list(corpus.read_expected().values())))
    named = set().union(*answered)
    assert {ZONES, PRESCRIPTIONS, SALES, *BUILDINGS} <= named
    read = {name for name in named if name.startswith(("gpu-", "cadastre-buildings", "bdtopo", "rnb", "dvf"))}
    assert read == {ZONES, PRESCRIPTIONS, SALES, *BUILDINGS}, "land gives a dataset that the assistant does not read"
