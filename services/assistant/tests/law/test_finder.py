"""How often the right card is found by messages that its words were not taken from, and how often a wrong one is."""

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

import pytest

from assistant.law.asks import decisive
from assistant.law.cards import load_cards
from assistant.law.finder import candidates, found, subjects_of, whom_to_ask

MESSAGES: list[dict[str, Any]] = [
    entry
    for file in sorted(resources.files("assistant").joinpath("law/messages").iterdir(), key=lambda file: file.name)
    for entry in json.loads(file.read_text(encoding="utf-8"))
]
FIT, JUDGE = MESSAGES[::2], MESSAGES[1::2]
"""The threshold is fitted to the first half. The weights are fitted to the last message of no card."""
LEAST_AMONG_THREE, MOST_WRONG, MOST_NEAR_MISSES = 0.9, 0.02, 0.03


def score(entries: Sequence[dict[str, Any]]) -> dict[str, float]:
    outcomes = {"first": 0, "among three": 0, "found": 0, "wrong": 0, "near miss": 0}
    for entry in entries:
        card, message = entry["card"], entry["finds"][-1]
        ids = [candidate.card.id for candidate in candidates(message)[:3]]
        answer = found(message)
        cards = [found_card.id for found_card in answer.cards]
        outcomes["first"] += ids[:1] == [card]
        outcomes["among three"] += card in ids
        outcomes["found"] += card in cards
        outcomes["wrong"] += not answer.is_doubtful and bool(cards) and card not in cards
        near = found(entry["misses"][-1])
        outcomes["near miss"] += not near.is_doubtful and [item.id for item in near.cards[:1]] == [card]
    return {name: count / len(entries) for name, count in outcomes.items()}


@pytest.mark.parametrize("entries", [FIT, JUDGE], ids=["fit", "judge"])
def test_the_right_card_is_found_and_hardly_a_wrong_one(entries: list[dict[str, Any]]) -> None:
    """A wrong card counts if it is shown without doubt. Prints the shares with `pytest -s`."""
    shares = score(entries)
    print(len(entries), shares)  # noqa: T201
    assert shares["among three"] >= LEAST_AMONG_THREE
    assert shares["wrong"] <= MOST_WRONG
    assert shares["near miss"] <= MOST_NEAR_MISSES


def test_messages_are_of_cards_that_exist() -> None:
    assert {entry["card"] for entry in MESSAGES} <= load_cards().keys()
    assert all(len(entry["finds"]) == len(entry["misses"]) == 3 for entry in MESSAGES)


@pytest.mark.parametrize("text", ["", "?!", "qsdf ghjk", "le la les", '"', "a" * 2000])
def test_a_text_without_law_finds_no_card(text: str) -> None:
    assert found(text).cards == ()


def test_twelve_candidates_are_offered_best_first() -> None:
    offered = candidates("Mon frère refuse de signer la vente du terrain de nos parents")
    assert len(offered) == 12
    assert [item.score for item in offered] == sorted((item.score for item in offered), reverse=True)
    assert "indivision" in offered[0].card.subjects


def test_the_text_around_an_ask_counts() -> None:
    alone = {item.card.id: item.score for item in candidates("Qui doit signer ?")}
    of_heirs = candidates("Qui doit signer ?", "Nous sommes trois frères en indivision. Qui doit signer ?")
    assert any(
        item.score > alone.get(item.card.id, 0.0) and "indivision" in item.card.subjects for item in of_heirs[:3]
    )


def test_subjects_and_whom_to_ask() -> None:
    assert {"mortgage", "sale"} <= subjects_of("La banque bloque la vente")
    assert "heirs" in subjects_of("Ma sœur et moi héritons")
    whom = whom_to_ask("Nous sommes héritiers")
    assert whom is not None
    assert "notaire" in whom.fr
    assert whom_to_ask("Bonjour") is None


@pytest.mark.parametrize(
    "text",
    [
        "Will the French notaire accept my cousin's telescope?",
        "L'acheteur peut-il revendre le lot avant d'avoir construit ?",
        "Can we stop the farmer using the track we are selling with the plot?",
    ],
)
def test_a_near_card_is_not_found(text: str) -> None:
    """The best card has the subject, but not most of what the text names."""
    assert candidates(text)[0].card
    assert found(text).cards == ()


def test_land_that_must_stay_free_of_buildings_finds_no_card() -> None:
    assert found("Une servitude non aedificandi grève le lot, peut-on la lever ?").cards == ()


def test_an_ask_that_names_little_is_answered_by_what_is_told_around() -> None:
    told = (
        "A sign went up on the fence opposite us: three houses, permit granted. I drafted a letter to the mayor asking "
        "him to think again. Post it, go to court in the autumn."
    )
    ask = "Anything we must post to the people building?"
    assert "appeal_notify" in {card.id for card in found(ask, told).cards}


@pytest.mark.parametrize(
    ("text", "card"),
    [
        (
            "can I split a field in two while a farmer is renting it, and does he keep both bits",
            "farming_divided_let_plot",
        ),
        ("dad died, does his second wife have to sign for the field", "spouses_widow_rights"),
    ],
)
def test_a_card_that_has_what_a_text_names_is_found(text: str, card: str) -> None:
    assert card in {item.id for item in found(text).cards}


def test_an_ask_without_an_object_finds_no_card() -> None:
    assert found("How long does it take?").cards == ()
    assert found("Elle peut refuser ?").cards == ()


@pytest.mark.parametrize(
    ("text", "told", "card"),
    [
        ("Faut-il un architecte pour cette maison ?", "Notre SCI construit 130 m².", "permit_architect_house"),
        ("Can we live in a mobile home there?", "We bought a plot with a permit.", "light_dwelling_mobile_home"),
        (
            "Ma sœur a raison ?",
            "Le chemin rural, je le laboure, il est à moi après douze ans.",
            "way_rural_path_prescription",
        ),
    ],
)
def test_a_card_has_the_thing_that_the_ask_names_or_is_told_around_it(text: str, told: str, card: str) -> None:
    assert card in {item.id for item in found(text, told).cards}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Au bout de trente ans, le terrain est à nous ?", "La case est sur les cinquante pas depuis 1980."),
        ("Deux tiers des droits suffisent pour vendre sans lui ?", "Terrain en Normandie, mon cousin vit en Guyane."),
        ("Le bail peut-il être résilié pour diviser ?", "C'est un bail emphytéotique de la commune."),
    ],
)
def test_a_card_of_another_regime_is_not_found(text: str, told: str) -> None:
    cards = {item.id for item in found(text, told).cards}
    assert cards.isdisjoint({"prescription_thirty_years", "prescription_coheir", "overseas_half_sale"})
    assert not any(card.startswith("farming") for card in cards)


@pytest.mark.parametrize(
    ("text", "told", "cards"),
    [
        (
            "Faut-il le juge pour les deux ?",
            "Ma nièce de 12 ans et mon oncle sous curatelle vendent leur champ.",
            {"minors_sale_judge", "minors_protected_land"},
        ),
    ],
)
def test_an_ask_about_two_things_is_answered_for_each(text: str, told: str, cards: set[str]) -> None:
    assert {card.id for card in found(text, told).cards} == cards


@pytest.mark.parametrize(
    ("text", "told", "card", "beside"),
    [
        (
            "Peut-elle acheter avant mon acheteur ?",
            "Je vends un champ à un particulier. Une éleveuse le loue par bail rural, je voudrais résilier.",
            "pre_emption_farmer",
            "farming_take_back_urban_zone",
        ),
        (
            "My cousin claims I need a tax agent before the notary signs. Is he right?",
            "I live in Canada and sell a plot in the Creuse, bought in 2014. What tax will France take?",
            "capital_gain_tax_representative",
            "capital_gain_non_resident",
        ),
        (
            "Ses frères peuvent-ils réclamer après notre décès ?",
            "Nous donnons un terrain à notre fille. Y a-t-il des droits de donation ?",
            "gift_counted_later",
            "gift_tax_allowance",
        ),
        (
            "Peut-on faire signer des compromis maintenant, avec un acompte ?",
            "Le permis d'aménager est en cours d'instruction à la mairie.",
            "sale_promise_before_permit",
            "sale_promise_with_declaration",
        ),
        (
            "Pouvons-nous y construire une maison ?",
            "Un pré entre deux maisons d'un hameau, à 700 m de la plage, en zone Ub.",
            "density_coast_continuity",
            "agricultural_building_zone_a_what",
        ),
        (
            "Puis-je vendre son terrain sans le juge ?",
            "Mon père a la maladie d'Alzheimer, j'ai une habilitation familiale. C'est moi qui achèterais.",
            "protected_guardian_buys",
            "protected_how_to_sell",
        ),
        (
            "Deux héritiers sur trois peuvent-ils déposer le dossier sans lui ?",
            "Notre frère ne répond pas, nous voulons diviser le terrain et vendre.",
            "indivision_file_request_alone",
            "indivision_two_thirds_sale",
        ),
    ],
)
def test_a_card_about_another_side_of_the_matter_is_not_found(text: str, told: str, card: str, beside: str) -> None:
    cards = {item.id for item in found(text, told).cards}
    assert card in cards
    assert beside not in cards


def test_a_card_of_several_regimes_is_shown_where_one_is_named() -> None:
    assert "overseas_own_rules" not in decisive("Quelles règles ?", "Terrain à Tahiti")[1]
    assert "overseas_own_rules" in decisive("Quelles règles ?", "Terrain à Lyon")[1]


def test_an_ask_that_names_no_subject_is_for_whom_the_text_around_names() -> None:
    whom = whom_to_ask("Et s'il ne veut pas ?", "Le fermier exploite le pré sans bail écrit.")
    assert whom is not None
    assert "notaire" in whom.fr


def test_a_second_card_about_something_else_is_not_far_from_the_first() -> None:
    told = "Notre chalet d'alpage n'a plus de toit. Est-ce vrai, et pourrions-nous y vivre l'hiver ?"
    [card] = found("Est-ce vrai, et pourrions-nous y vivre l'hiver ?", told).cards
    assert card.id == "density_mountain_chalet"
