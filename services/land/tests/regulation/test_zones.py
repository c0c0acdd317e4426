"""Zones of invented plans, in the layouts that plans have: what is read of each, on which page, in which words."""

import json
import re
from pathlib import Path

import pytest

from land.regulation.opening import open_document
from land.regulation.reading import read_zone
from land.regulation.states import CORE_SUBJECTS

ZONES = Path(__file__).parent / "zones"
EXPECTED = json.loads((ZONES / "expected.json").read_text())
MEASURED = {*CORE_SUBJECTS, "height_annex", "impermeable_ratio", "impermeable_area"}


def read(name: str) -> dict[str, list[dict[str, object]]]:
    """Reads a zone of the table as the command does."""
    zone = EXPECTED[name]
    general = open_document(ZONES / zone["general"]) if "general" in zone else None
    return read_zone(open_document(ZONES / zone["file"]), zone["zone"], "", general)  # type: ignore[return-value]


def main_values(answer: dict[str, list[dict[str, object]]]) -> set[tuple[object, ...]]:
    """Returns subject, operator, value and page of the main rules that are no words."""
    return {
        (subject, rule["operator"], rule.get("value"), rule["page"])
        for rule in answer["rules"]
        if rule["kind"] == "main" and rule["operator"] != "qualitative"
        for subject in (rule["subject"], *rule.get("also", []))  # type: ignore[misc]
        if subject in MEASURED
    }


def letters(text: str) -> str:
    """Returns the letters and digits of a text."""
    return re.sub(r"[\W_]", "", text.lower())


@pytest.mark.parametrize("name", EXPECTED)
def test_all_main_rules_are_read_on_their_page(name: str) -> None:
    expected = {tuple(rule) for rule in EXPECTED[name]["main"]}
    assert expected <= main_values(read(name))


@pytest.mark.parametrize("name", EXPECTED)
def test_no_value_is_given_that_the_zone_does_not_have(name: str) -> None:
    zone = EXPECTED[name]
    assert main_values(read(name)) <= {tuple(rule) for rule in (*zone["main"], *zone["also"])}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_quote_stands_in_its_text(name: str) -> None:
    zone = EXPECTED[name]
    texts = "".join(letters((ZONES / zone[key]).read_text()) for key in ("file", "general") if key in zone)
    answer = read(name)
    assert answer["rules"]
    for entry in (*answer["rules"], *answer["not_regulated"], *answer["needs_map"]):
        assert letters(str(entry["quote"])) in texts


@pytest.mark.parametrize("name", EXPECTED)
def test_the_states_of_subjects_never_mix(name: str) -> None:
    zone, answer = EXPECTED[name], read(name)
    assert {entry["subject"] for entry in answer["not_regulated"]} == set(zone["not_regulated"])
    assert set(zone["needs_map"]) <= {entry["subject"] for entry in answer["needs_map"]}
    assert [entry["page"] for entry in answer["unreadable"]] == zone.get("unreadable", [])
    regulated = {subject for subject, *_ in main_values(answer)}
    assert not regulated & set(answer["not_found"])
    assert not {entry["subject"] for entry in answer["not_regulated"]} & regulated
