"""The cards of law keep their rules, and a card that breaks one is named."""

import re
import tomllib
from typing import Any

import pytest

from assistant.law.cards import SUBJECTS, WrongCard, cards_of, load_cards
from assistant.law.facts import VALUES
from assistant.law.finder import load_weights
from assistant.text import read_table

GOOD: dict[str, Any] = tomllib.loads("""
subjects = ["sale"]
says = ["Oui.", "Yes."]
not = ["Non.", "No."]
whom = ["notaire", "notary"]
next = ["Demandez.", "Ask."]
words = ["a", "b", "c", "d", "e", "f"]
articles = ["Code civil, art. 815"]
compared = "a copy"
reviewed = 2026-11-28
fact = {name = "zone", values = {u = ["Zone U.", "Zone U."]}}
""")
MANY = " ".join(["mot"] * 61)


def test_every_card_is_read_and_there_are_many() -> None:
    """Reading them checks each."""
    assert len(load_cards()) >= 150


def test_every_card_has_texts_in_both_languages_that_differ_and_end_as_sentences() -> None:
    wrong = [
        card.id
        for card in load_cards().values()
        for text in (card.says, card.near_miss, card.next, *card.values.values())
        if text.fr == text.en or not all(part.endswith((".", "!", "?", "»", "”", ")")) for part in text)
    ]
    assert wrong == []


def test_no_card_opens_with_a_yes_or_a_no() -> None:
    """It would answer an ask of another polarity or condition wrongly."""
    opening = re.compile(r"(?:Oui|Non|Yes)\b|No\b(?! statute)")
    assert [card.id for card in load_cards().values() if any(map(opening.match, card.says))] == []


def test_no_two_cards_say_the_same() -> None:
    says = [card.says.fr for card in load_cards().values()]
    assert len(says) == len(set(says))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, ""),
        ({"says": ["Oui."]}, "wrong form"),
        ({"says": [MANY, "Yes."]}, "says needs 1 to 60 words"),
        ({"says": ["", "Yes."]}, "says needs 1 to 60 words"),
        ({"next": [MANY, "Ask."]}, "next needs 1 to 25 words"),
        ({"subjects": ["weather"]}, "unknown subjects"),
        ({"subjects": []}, "0 subjects"),
        ({"words": ["a"]}, "1 words"),
        ({"articles": []}, "go together"),
        ({"compared": ""}, "go together"),
        ({"reviewed": "today"}, "no date"),
        ({"fact": {"name": "wind", "values": {}}}, "unknown fact wind"),
        ({"fact": {"name": "zone", "values": {"x": ["X.", "X."]}}}, "unknown values"),
        ({"fact": {"name": "zone", "values": {"u": [MANY, "X."]}}}, "u needs 1 to 25 words"),
        ({"fact": {"name": "zone", "values": {}}}, "needs its values"),
    ],
)
def test_a_card_that_breaks_a_rule_is_named(change: dict[str, Any], fault: str) -> None:
    table = {"sale_test": {**GOOD, **change}}
    if not fault:
        assert [card.id for card in cards_of("sale.toml", table)] == ["sale_test"]
        return
    with pytest.raises(WrongCard, match=rf"^sale.toml, sale_test: .*{fault}"):
        list(cards_of("sale.toml", table))


def test_a_missing_member_is_named() -> None:
    with pytest.raises(WrongCard, match="whom"):
        list(cards_of("sale.toml", {"sale_test": {name: value for name, value in GOOD.items() if name != "whom"}}))


def test_weights_are_of_the_cards_that_exist() -> None:
    weights = load_weights()
    assert weights.cards == tuple(sorted(load_cards()))
    assert set(weights.columns.tolist()) == set(range(len(weights.cards)))
    assert len(weights.starts) == len(weights.rows) + 1


def test_subjects_of_topics_are_those_of_cards() -> None:
    subjects = [subject for entry in read_table("questions/topics.toml").values() for subject in entry.get("about", ())]
    assert set(subjects) <= SUBJECTS.keys()
    assert {subject for card in load_cards().values() for subject in card.subjects} <= SUBJECTS.keys()


def test_every_fact_of_a_card_is_known() -> None:
    assert {card.fact for card in load_cards().values() if card.fact} <= VALUES.keys()
