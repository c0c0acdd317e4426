"""The assistant uses the dataset ids of land's coverage."""

from collections.abc import Iterator
from typing import Any

import corpus
from assistant.rpc.facts import (
    BUILDINGS,
    EASEMENTS,
    INFORMATIONS,
    JOINT_OWNERSHIPS,
    OWNERS,
    PERMITS,
    PRESCRIPTIONS,
    RATINGS,
    RISKS,
    SALES,
    TERRAIN,
    ZONES,
)

NOT_FACTS = {"ban", "cadastre-parcels", "gpu-sup-documents"}
"""Facts do not depend on whether these cover the land: parcels are selected, and easements have a coverage."""


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
    read = {
        *(ZONES, PRESCRIPTIONS, INFORMATIONS, EASEMENTS, SALES, OWNERS, JOINT_OWNERSHIPS, RATINGS, TERRAIN, RISKS),
        *(*BUILDINGS, *PERMITS),
    }
    assert read <= named
    assert named - read == NOT_FACTS, "land gives a dataset that the assistant does not read"
