"""Which sentences of a model pass the grounding check."""

from collections.abc import Callable

import pytest

from assistant.models.base import Brief
from assistant.models.grounding import Grounding, Ungrounded
from assistant.models.rules import passages
from assistant.prompts.loader import DIVIDE_LAND, DIVIDE_LAND_VERSION, load_prompt
from assistant.rpc.facts import facts_of
from assistant.rpc.site import site_of
from assistant.study import study
from landpartner.land.v1 import land_pb2
from servicekit.languages import Language

MakeUnit = Callable[..., land_pb2.LandUnit]


@pytest.fixture
def brief(land_unit: MakeUnit) -> Callable[[Language], Brief]:
    """1,200 m², 30 m of frontage, zone U, no building, two lots."""
    unit = land_unit()
    projected = site_of(unit)
    assert projected is not None

    def make(language: Language) -> Brief:
        facts = facts_of(unit)
        done = study(facts, projected.site, "diviser en 2 lots, 777 m²")
        prompt = load_prompt(DIVIDE_LAND, DIVIDE_LAND_VERSION)
        return Brief("777", language, prompt, facts, done.assessment, done.division, done.assumptions, done.replies)

    return make


@pytest.mark.parametrize(
    ("language", "sentence", "text", "codes"),
    [
        ("en", "The land is 1,200 m² [unit_area]. ", "The land is 1,200 m². ", ("unit_area",)),
        ("en", "About 600 m² a lot. [unit_area, access]", "About 600 m² a lot.", ("unit_area", "access")),
        ("fr", "La contenance est de 1 200 m² [unit_area].", "La contenance est de 1 200 m².", ("unit_area",)),
        ("fr", "La contenance est de 1\u202f200\u00a0m².", "La contenance est de 1\u202f200\u00a0m².", ()),
        ("fr", "Voir l'article L.442-1 [`lotissement_definition`].", "Voir l'article L.442-1.", None),
        ("en", "1. First, the zone.\n2. Then, the way.", "1. First, the zone.\n2. Then, the way.", ()),
        ("fr", "L'unité foncière est définie par la décision n° 264667 [contiguity].", None, ("contiguity",)),
    ],
)
def test_a_sentence_that_the_facts_support_passes(
    brief: Callable[[Language], Brief],
    language: Language,
    sentence: str,
    text: str | None,
    codes: tuple[str, ...] | None,
) -> None:
    passage = Grounding(brief(language)).check(sentence)
    assert text is None or passage.text == text
    assert codes is None or passage.grounded_on == codes


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The land is 1,201 m² [unit_area]."),
        ("en", "The land is 1.2 ha [unit_area]."),
        ("fr", "La contenance est de 1 250 m² [unit_area]."),
        ("fr", "Le prix est de 777 € [recent_sales]."),
        ("fr", "Voir l'article R111-2 [access]."),
        ("fr", "Voir l'article L.442 [access]."),
        ("en", "The school is near [schools]."),
        ("en", "It is fine [unit_area][1]."),
        ("en", "See https://example.org [access]."),
        ("en", "See <b>this</b> [access]."),
        ("en", "![x](y)"),
    ],
)
def test_a_sentence_that_the_facts_do_not_support_is_refused(
    brief: Callable[[Language], Brief], language: Language, sentence: str
) -> None:
    with pytest.raises(Ungrounded):
        Grounding(brief(language)).check(sentence)


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_answer_of_the_rules_passes(brief: Callable[[Language], Brief], language: Language) -> None:
    given = brief(language)
    grounding = Grounding(given)
    for passage in passages(given):
        grounding.check(passage.text)
