"""The assistant uses the dataset ids of land's coverage."""

from collections.abc import Iterator
from typing import Any

import corpus
from assistant.assessment.facts import DATASETS
from assistant.assessment.rules import RULES
from land import registry

NOT_FACTS = {"ban", "dfi", "cadastre-parcels", "gpu-sup-documents"}
"""Facts do not depend on whether these cover the land: parcels are selected, and easements have a coverage."""
RULES_OF_COMMUNES = {"docurba", "loi-littoral", "loi-montagne", "taxe-amenagement"}
"""An unknown rule of a commune has no value, so its coverage need not be read."""
NEVER_DENIED = {"gpu-regulations", "merimee", "rpg"}
"""No sentence denies monuments, farming or rules of a zone because these have none."""


def coverages(value: Any) -> Iterator[dict[str, str]]:
    """Every `coverage` of land units within a JSON value."""
    match value:
        case {"outputSchema": _}:
            return  # it describes them
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
    read = {dataset for datasets in DATASETS.values() for dataset in datasets}
    assert read <= named
    assert named - read == NOT_FACTS | RULES_OF_COMMUNES | NEVER_DENIED, (
        "land gives a dataset that the assistant does not read"
    )


def test_what_settles_a_check_is_a_dataset_or_is_written_in_two_languages() -> None:
    same = {text.fr for rule in RULES for text in rule.settled_by if text.fr == text.en}
    assert same <= registry.DATASETS.keys()
    assert all(rule.settled_by for rule in RULES)
