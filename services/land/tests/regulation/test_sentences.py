"""Sentences in the forms that plans use: the right value, or none."""

from pathlib import Path
from typing import Any

import pytest
from regulation.sentences import READINGS

from land.regulation.opening import open_document
from land.regulation.reading import read_zone
from land.regulation.states import CORE_SUBJECTS

VALUES = {*CORE_SUBJECTS, "height_annex", "impermeable_ratio", "impermeable_area"}


@pytest.mark.parametrize(("heading", "text", "expected"), READINGS, ids=[text[:60] for _, text, _ in READINGS])
def test_a_sentence_gives_its_main_values_and_no_others(
    heading: str, text: str, expected: list[tuple[str, str, float | None]], tmp_path: Path
) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(f"ZONE UB\n{heading}\n{text}\n")
    rules: list[dict[str, object]] = read_zone(open_document(path), "UB")["rules"]  # type: ignore[assignment]
    values = [
        (rule["subject"], rule["operator"], rule.get("value"))
        for rule in rules
        if rule["kind"] == "main" and rule["operator"] != "qualitative" and rule["subject"] in VALUES
    ]
    assert sorted(values, key=str) == sorted(expected, key=str)


def test_a_share_of_this_space_is_no_share_of_the_land(tmp_path: Path) -> None:
    path = tmp_path / "plan.txt"
    text = "Un espace libre occupe 45 % du terrain ; la moitié de cet espace reste en pleine terre."
    path.write_text(f"ZONE UB\nArticle UB 13 : Espaces libres\n{text}\n")
    rules: list[dict[str, Any]] = read_zone(open_document(path), "UB")["rules"]  # type: ignore[assignment]
    [rule] = [rule for rule in rules if rule["subject"] == "full_ground_ratio"]
    assert (rule["value"], rule["scope"]["base"]) == (50, "space left free by the buildings")
