"""The streets of a commune that a typed name finds, and those that it does not find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from land.addresses.name_similarity import EXACT
from land.addresses.normalise import canonical_street
from land.addresses.stored_streets import StoredStreets, encode
from land.addresses.streets import StreetIndex
from land.datasets.addresses.records import NamedStreet, Street

SIMILAR = 0.72
"""Separates the typed names that find a street here from the others."""
NAMES = (
    "Rue Pierre Curie",
    "Rue Marie Stuart",
    "Rue Doudeauville",
    "Place Dauphine",
    "Avenue du Général de Gaulle",
    "Rue du 4 Septembre",
    "Rue du 11 Novembre",
    "Boulevard Henri IV",
    "Rue de l'Abbé Grégoire",
    "Rue Adolphe Mille",
    "Impasse des Cloÿs",
    "162P21 Rue des Poissonniers",
    "Rue des Poissonniers",
    "Rue Saint-Maur",
    "Rue Jean Jaurès",
    "Rue Jean Moulin",
    "Rue du Sentier",
    "Rue Anne Le Bihan",
)


def streets() -> StreetIndex:
    matches = [
        NamedStreet(
            Street(
                commune_code="75000",
                id=f"75000_{index:04}",
                name=name,
                postcodes=("75000",),
                is_locality=False,
                lon=2.0,
                lat=48.0,
            ),
            (canonical_street(name),),
        )
        for index, name in enumerate(NAMES)
    ]
    return StreetIndex(StoredStreets("75000", encode(matches)))


def find(typed: str) -> list[str]:
    matches = streets().find_similar(canonical_street(typed))
    return [street.name for similarity, street in matches if similarity.similarity >= SIMILAR]


@pytest.mark.parametrize(
    ("typed", "street"),
    [
        ("rue pierre curie", "Rue Pierre Curie"),
        ("rue curie pierre", "Rue Pierre Curie"),
        ("rue p curie", "Rue Pierre Curie"),
        ("rue curie", "Rue Pierre Curie"),
        ("pierre curie", "Rue Pierre Curie"),
        ("rue piere curi", "Rue Pierre Curie"),
        ("rue pierrecurie", "Rue Pierre Curie"),
        ("rue doude auville", "Rue Doudeauville"),
        ("rue doudoville", "Rue Doudeauville"),
        ("RUE D0UDEAUVILLE", "Rue Doudeauville"),
        ("av gal de gaule", "Avenue du Général de Gaulle"),
        ("rue du quatre septembre", "Rue du 4 Septembre"),
        ("bd henri 4", "Boulevard Henri IV"),
        ("rue de labbe gregoire", "Rue de l'Abbé Grégoire"),
        ("rue sent maur", "Rue Saint-Maur"),
        ("sentier", "Rue du Sentier"),
        ("rue du quatreseptembre", "Rue du 4 Septembre"),
    ],
)
def test_a_street_is_found_however_its_name_is_written(typed: str, street: str) -> None:
    assert find(typed)[0] == street


@pytest.mark.parametrize(
    "typed",
    [
        "rue marie curie",
        "rue dauphine",
        "place doudeauville",
        "rue du 8 mai",
        "boulevard henri ii",
        "passage des cloys",
        "162p20 rue des poissonniers",
        "rue jean mermoz",
        "rue yann le bihan",
        "rue lann bihan",
        "rue zorbrixquel",
        "rue",
        "place",
        "de la",
        "",
    ],
)
def test_the_name_of_another_street_finds_none(typed: str) -> None:
    assert find(typed) == []


WORDS = ("rue", "place", "pierre", "curie", "marie", "henri", "4", "11", "novembre", "p", "de", "l", "maur")


@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_similarity_is_a_ratio_and_the_most_similar_street_is_first(words: list[str]) -> None:
    matches = streets().find_similar(" ".join(words))
    ratios = [similarity.similarity for similarity, _ in matches]
    assert all(0 <= ratio <= 1 for ratio in ratios)
    assert ratios == sorted(ratios, reverse=True)
    assert len({street.id for _, street in matches}) == len(matches)


def test_a_name_finds_its_own_street_as_exact() -> None:
    for name in NAMES:
        similarity, street = streets().find_similar(canonical_street(name))[0]
        assert (similarity, street.name) == (EXACT, name)
