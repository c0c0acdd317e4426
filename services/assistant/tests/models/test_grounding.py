"""Which sentences of a model pass the grounding check."""

from collections.abc import Callable
from pathlib import Path

import pytest
from shapely import box

from assistant.models.base import Brief
from assistant.models.grounding import Grounding, Ungrounded
from assistant.models.rules import CLEAR_HEADING, MISSING_HEADING, passages
from assistant.models.sources import facts_by_code
from assistant.text import split_sentences
from landpartner.land.v1 import land_pb2
from servicekit.languages import Language

MakeUnit = Callable[..., land_pb2.LandUnit]
MakeBrief = Callable[..., Brief]
QUESTIONS: dict[Language, str] = {
    "fr": "Diviser en 2 lots. Combien vaut ce terrain ? Quels délais, pente, préemption, risques, taxes, piscine, "
    "propriétaires, permis accordés, pièces, bâtiments, dernière vente ?",
    "en": "Divide in 2 lots. Value, time limits, slope, pre-emption, risks, taxes, pool, who owns it, permits granted, "
    "documents, existing buildings, last sale?",
}


def read_sentences() -> dict[str, list[tuple[Language, str]]]:
    statements: dict[str, list[tuple[Language, str]]] = {"honest": [], "invented": []}
    for line in (Path(__file__).parent / "sentences.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        verdict, language, sentence = line.split("\t")
        statements[verdict].append(("fr" if language == "fr" else "en", sentence))
    return statements


SENTENCES = read_sentences()
TOO_STRICT = {
    "La division en 2 lots relève d'une déclaration préalable si le lotisseur ne crée pas de voie commune "
    "[lotissement_procedure].",
    "Les maisons se vendent au prix médian de 3 120 € par m² bâti [comparable_sales].",
    "La zone UB, urbaine, couvre tout le terrain [zone_type].",
    "La procédure est une déclaration préalable, sauf ouvrages communs à plusieurs lots [lotissement_procedure].",
    "Trois mois pour un permis d'aménager [law].",
}
"""Honest sentences that the check refuses: a number of another fact, words that no fact has, and a duty for a right."""


@pytest.fixture
def check(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief
) -> Callable[[Language, str], tuple[str, tuple[str, ...]]]:
    groundings = {
        language: Grounding(make_brief(rich_unit, language, question)) for language, question in QUESTIONS.items()
    }
    return lambda language, sentence: groundings[language].check(sentence)


Check = Callable[[Language, str], tuple[str, tuple[str, ...]]]


@pytest.mark.parametrize(
    ("language", "sentence", "text", "codes"),
    [
        ("en", "The area is 1,200 m² [unit_area]. ", "The area is 1,200 m². ", ("unit_area",)),
        ("en", "The zone is open to building. [`zone_type`]", "The zone is open to building.", ("zone_type",)),
        (
            "fr",
            "La contenance est de 1\u202f200\u00a0m² [unit_area].",
            "La contenance est de 1\u202f200\u00a0m².",
            None,
        ),
        ("fr", "Voir l'article L.442-1 du code [lotissement_definition].", "Voir l'article L.442-1 du code.", None),
        ("en", "1. ", "1. ", ()),
        ("en", "\n\n", "\n\n", ()),
    ],
)
def test_a_sentence_that_the_facts_support_passes_without_its_citations(
    check: Check, language: Language, sentence: str, text: str, codes: tuple[str, ...] | None
) -> None:
    passage, cited = check(language, sentence)
    assert passage == text
    assert codes is None or cited == codes


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The area is 1,200 m² [unit_area][1]."),
        ("en", "See https://example.org [access]."),
        ("en", "The zone is <b>open</b> to building [zone_type]."),
        ("en", "![x](y)"),
        ("en", "## Zone"),
        *SENTENCES["invented"],
    ],
)
def test_a_sentence_that_the_facts_do_not_support_is_refused(check: Check, language: Language, sentence: str) -> None:
    with pytest.raises(Ungrounded):
        check(language, sentence)


def test_few_honest_sentences_are_refused(check: Check) -> None:
    refused = set()
    for language, sentence in SENTENCES["honest"]:
        try:
            check(language, sentence)
        except Ungrounded:
            refused.add(sentence)
    assert refused == TOO_STRICT


@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_sentence_of_the_rules_passes(
    rich_unit: land_pb2.LandUnit, land_unit: MakeUnit, make_brief: MakeBrief, language: Language
) -> None:
    bare = land_pb2.LandUnit(parcel_ids=["45234000AB0012"])
    house = land_unit(buildings=[box(8, 6, 20, 16)])
    count = 0
    for unit in (
        rich_unit,
        bare,
        house,
        land_unit(zone_type="N"),
        land_unit(8, 10, front=False),
        land_unit(zone_type=None),
    ):
        brief = make_brief(unit, language, QUESTIONS[language])
        grounding = Grounding(brief)
        sentences = [
            (sentence, code)
            for code, texts in facts_by_code(brief).items()
            for text in texts
            for sentence in split_sentences(text)
        ]
        printed = [
            (p.text.split("###")[-1].split("\n\n")[-1], ",".join(p.grounded_on))
            for p in passages(brief)
            if len(p.grounded_on) < 2
            and all(heading.read(language) not in p.text for heading in (CLEAR_HEADING, MISSING_HEADING))
        ]
        for sentence, codes in [*sentences, *printed]:
            if codes and not sentence.startswith(("**", "\n**")):  # the summary is printed by the service
                grounding.check(f"{sentence.rstrip()} [{codes}]")
                count += 1
    assert count > 500


def test_names_of_publishers_do_not_let_other_words_pass(rich_unit: land_pb2.LandUnit, make_brief: MakeBrief) -> None:
    rich_unit.land.owners[0].name = "SCI DES LILAS"
    grounding = Grounding(make_brief(rich_unit, "fr", "Qui est propriétaire ?"))
    assert grounding.check("Le titulaire au fichier des personnes morales est SCI DES LILAS [owners].").grounded_on == (
        "owners",
    )
    with pytest.raises(Ungrounded):
        grounding.check("Le titulaire au fichier des personnes morales est SCI DES ROSES [owners].")
