"""The tables of sentences agree with the code that uses them."""

import re
from pathlib import Path
from typing import get_args

import pytest

from assistant.assessment import sentences, written_rules
from assistant.assessment.articles import named
from assistant.assessment.assess import PROCEDURES
from assistant.assessment.land_unit import REASONS
from assistant.assessment.result import Verdict
from assistant.assessment.rules import RULES
from assistant.changes import ChangeKind
from assistant.division.proposal import Access, Method, Missing, Term, Turning, Violation
from assistant.division.wording import AssumptionName
from assistant.questions import replies
from assistant.text import read_table

TABLE = read_table("assessment/sentences.toml")
FOLDER = Path(sentences.__file__).parent
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in (*FOLDER.glob("*.py"), FOLDER / "rules.toml"))
EXCEPTIONS = {"neighbour", "built_lots_only", "closed", "one_builder"}
KEYS_OF_VALUES = {
    "division_layout": set(REASONS),
    "protected_surroundings": {"AC1", "AC2", "AC4", "registered"},
    "boundary_survey": {"surveyed_parcel", "surveyed_parcels", "unsurveyed_parcel", "unsurveyed_parcels"},
    "procedure": set(PROCEDURES),
    **{
        table: {
            "conditional_unknown",
            "conditional_by_faults",
            "limited",
            "undrawn",
            "unmet",
            *(verdict.value for verdict in Verdict),
        }
        for table in ("summary", "beside")
    },
    "point": {rule.code for rule in RULES},
    **{key: {"whole_project", "whole_site", "per_lot", "silent"} for key in ("project_reading", "footprint_drawn")},
    "lotissement_definition": {*EXCEPTIONS, "building_plot"},
    "lotissement_procedure": {*EXCEPTIONS - {"one_builder"}, *(f"months_{count}" for count in range(1, 5))},
    "written_rules": {*written_rules.OPERATORS, "setback_boundaries", "article", "page"},
}
"""Names that a check makes from a value."""


def test_every_sentence_of_a_check_is_used_and_every_key_exists() -> None:
    written = {
        f"{table}.{name}"
        for table, pairs in TABLE.items()
        for name in pairs.keys() - {"rule"} - KEYS_OF_VALUES.get(table, set())
    }
    assert set(re.findall(r'"([a-z_]+\.[a-z_]+)"', SOURCES)) == written


def test_every_article_of_a_sentence_is_one_of_its_rule() -> None:
    for code, table in read_table("assessment/rules.toml").items():
        articles = table.get("articles", {})
        assert articles.keys() <= TABLE[code].keys() - {"rule"}, code
        listed = {rule.code: rule.legal_refs for rule in RULES}[code]
        assert {ref for names in articles.values() for ref in named(*names)} <= set(listed), code


def test_every_article_is_named() -> None:
    sources = set(re.findall(r'"([a-z_]+)"', SOURCES))
    assert not read_table("assessment/legal.toml").keys() - sources


def test_the_rules_have_the_order_of_their_table() -> None:
    assert [rule.code for rule in RULES] == [*read_table("assessment/rules.toml")]


def test_every_sentence_of_an_answer_is_used_and_belongs_to_a_fact() -> None:
    table = read_table("questions/sentences.toml")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in Path(replies.__file__).parent.glob("*.py"))
    written = {f"{code}.{name}" for code, pairs in table.items() for name in pairs}
    assert set(re.findall(r'"([a-z_]+\.[a-z_]+)"', sources)) == written
    assert table.keys() <= {*replies.FACTS, *(rule.code for rule in RULES)}


@pytest.mark.parametrize("table", ["procedure", "summary", "beside"])
def test_every_result_has_its_sentence(table: str) -> None:
    assert TABLE[table].keys() >= KEYS_OF_VALUES[table]


def test_every_value_of_a_division_has_its_sentence() -> None:
    table = read_table("division/sentences.toml")
    variants = {"parallel_cut_between_ways", "kept_house_on_way", "detached_lots_behind", "plain_cut"}
    assert {*table["method"]} == {*get_args(Method), *variants}
    assert {*table["change"]} - {"kept_ground"} == {*get_args(ChangeKind)}
    assert {*table["missing"]} == {*get_args(Missing)}
    assert {*table["turning"]} == {*get_args(Turning)}
    assert {*table["score"]} == {*get_args(Term)}
    elsewhere = {"landlocked", "closed_land", "wished_size", "uneven"}
    assert {*table["violation"]} - {"smaller_house"} | elsewhere == {*get_args(Violation)}
    assert {*table["lot"]} == {
        *get_args(Access),
        "lot",
        "lots",
        "brief",
        "named",
        "passage",
        "strip_front",
        "buildable",
        "closed",
        "existing_building",
        "slope",
        "neighbour_plot",
        "closed_land",
        "house",
        "told_house",
        "rest",
    }
    names = {*table["assumption"], *table["stated"], *table["told"], *table["project"]}
    assert names - {"no_shared_way", "keeps_house_unseen"} == {*get_args(AssumptionName)}


@pytest.mark.parametrize(
    "folder",
    [
        "assessment/sentences",
        "division/sentences",
        "drawing/texts",
        "models/texts",
        "questions/sentences",
        "reading/wishes",
    ],
)
def test_both_languages_have_the_same_values(folder: str) -> None:
    for table, pairs in read_table(f"{folder}.toml").items():
        for name, (french, english) in pairs.items():
            assert set(re.findall(r"{\w+}", french)) == set(re.findall(r"{\w+}", english)), f"{table}.{name}"
