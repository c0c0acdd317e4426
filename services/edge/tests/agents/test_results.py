"""What an agent gets of a long answer."""

from typing import Any

import orjson

from edge.agents.results import reduced, summary

MAX_BYTES = 60_000
PARCELS: list[dict[str, Any]] = [
    {"type": "Feature", "id": f"{number}", "geometry": {"type": "Polygon", "coordinates": [[[2.0, 47.0]] * 40]},
     "properties": {"parcel_id": f"{number}", "area_m2": 500, "note": "x" * 390}}
    for number in range(200)
]  # fmt: skip
SEARCH = {"type": "FeatureCollection", "features": PARCELS, "next_cursor": None}


def test_a_long_answer_is_cut_and_says_what_it_left_out() -> None:
    answer, left_out = reduced(SEARCH, ())
    assert len(orjson.dumps(answer)) <= MAX_BYTES < len(orjson.dumps(SEARCH))
    assert [feature["id"] for feature in answer["features"]] == [f"{number}" for number in range(100)]
    assert left_out == {"features": "100 / 200", "features[].geometry": "outlines"}


def test_an_agent_that_asks_for_details_gets_all_of_them() -> None:
    assert reduced(SEARCH, ["outlines", "texts"]) == (SEARCH, {})
    answer, left_out = reduced(SEARCH, ["outlines"])
    assert answer == SEARCH
    assert left_out == {}


def test_long_texts_are_cut_unless_they_are_asked_for() -> None:
    rule = {"rules": [{"text": "x" * 5_000}]}
    answer, left_out = reduced(rule, ())
    assert answer["rules"][0]["text"] == "x" * 300 + "…"
    assert left_out == {"rules[].text": "texts"}
    assert reduced(rule, ["texts"]) == (rule, {})


def test_a_summary_begins_with_the_reply_and_is_short() -> None:
    division = {"context": SEARCH, "quick_assessment": {"verdict": "favourable"}, "answer": {"text": "Two lots fit."}}
    lines = summary(division).splitlines()
    assert lines[0] == "Two lots fit."
    assert "quick_assessment.verdict: favourable" in lines
    assert "context.features: 200" in lines
    assert len(summary(division)) < 4_000
    assert not any("geometry" in line for line in lines)
