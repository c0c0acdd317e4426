"""The recipes of docs/architecture.md are complete: what exists stands in every file that its recipe names.

A step is a file and a mark. The test puts the names of what exists in place of `<…>`. If a step was left out, it fails
and names the file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import api_description
from contract import endpoints
from contract.enums import BLOCKS
from edge.descriptions.document import describe
from land import registry
from landpartner.land.v1 import land_pb2

REPOSITORY = Path(__file__).resolve().parents[2]
STEP = re.compile(r"^\d+\. `([^`]+)`:(?: `([^`]+)`)?", re.MULTILINE)
PLACEHOLDER = re.compile(r"<(\w+)>")
Names = Mapping[str, str]
NO_OWN_FIELDS = ("code_commune", "parcel_count")
"""Fields of a sale that follow another recipe: the commune is that of the partition, the count is for the assistant."""
MOST_STEPS = {"A field of a sale": 6, "A dataset": 12, "A block": 8, "An endpoint": 9}


class Step(NamedTuple):
    path: str
    mark: str
    """Empty if the file needs none."""

    def is_about(self, names: Names) -> bool:
        return {*PLACEHOLDER.findall(self.path + self.mark)} <= set(names)

    def is_done(self, names: Names) -> bool:
        """Whether one of the files has the mark."""
        path, mark = (PLACEHOLDER.sub(lambda placeholder: names[placeholder[1]], text) for text in self)
        return any(mark in file.read_text(encoding="utf-8") for file in REPOSITORY.glob(path))


def steps(recipe: str) -> Sequence[Step]:
    page = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
    after_title = page.partition(f"\n**{recipe}**")[2]
    return [Step(*step) for step in STEP.findall(after_title.partition("\n**")[0])]


def missing_steps(recipe: str, names: Names) -> list[Step]:
    return [step for step in steps(recipe) if step.is_about(names) and not step.is_done(names)]


def sales() -> Iterator[Names]:
    for field in land_pb2.DvfSale.DESCRIPTOR.fields:
        if field.name not in NO_OWN_FIELDS:
            yield {"field": field.name}


def datasets() -> Iterator[Names]:
    for dataset in registry.DATASETS.values():
        reader = type(dataset.reader)
        yield {"folder": reader.__module__.split(".")[-2], "Reader": reader.__name__}


def blocks() -> Iterator[Names]:
    for block in BLOCKS:
        yield {"block": block, "BLOCK": block.upper()}


def metered() -> Iterator[Names]:
    paths = describe(api_description.routes(), "en", consumer_only=True)["paths"]
    paths_of: dict[str, list[str]] = {}
    for path, methods in paths.items():
        for operation in methods.values():
            paths_of.setdefault(operation.get("x-endpoint"), []).append(path.partition("{")[0])
    for constant, endpoint in vars(endpoints).items():
        if endpoint in endpoints.SCOPES:
            for path in paths_of[endpoint]:
                yield {"CONSTANT": constant, "endpoint": endpoint, "path": path}
    for method in land_pb2.DESCRIPTOR.services_by_name["LandService"].methods:
        yield {"Method": method.name}


@pytest.mark.parametrize(
    ("recipe", "things"),
    [
        ("A field of a sale", [*sales()]),
        ("A dataset", [*datasets()]),
        ("A block", [*blocks()]),
        ("An endpoint", [*metered()]),
    ],
)
def test_what_exists_is_in_every_file_of_its_recipe(recipe: str, things: Sequence[Names]) -> None:
    assert 0 < len(steps(recipe)) <= MOST_STEPS[recipe]
    assert things
    assert not [(*names.values(), step) for names in things for step in missing_steps(recipe, names)]


@pytest.mark.parametrize(
    ("recipe", "names"),
    [
        ("A field of a sale", {"field": "prix_du_notaire"}),
        ("A dataset", {"folder": "noise", "Reader": "NoiseMaps"}),
        ("A block", {"block": "noise", "BLOCK": "NOISE"}),
        ("An endpoint", {"CONSTANT": "NOISE", "endpoint": "noise", "path": "/noise", "Method": "GetNoise"}),
    ],
)
def test_a_new_thing_lacks_each_step_of_its_recipe(recipe: str, names: Names) -> None:
    assert missing_steps(recipe, names) == [step for step in steps(recipe) if step.mark]
