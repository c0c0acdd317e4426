"""Which street of a commune a typed name means, and which it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from land.addresses.normalise import canonical_street
from land.addresses.streets import SAME, CommuneStreets, Street

ALIKE = 0.72
"""Between the typed names that mean a street here and those that do not."""
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
)


def streets() -> CommuneStreets:
    return CommuneStreets(
        [
            Street("75000", f"75000_{index:04}", name, (canonical_street(name),), ("75000",), False, 2.0, 48.0)
            for index, name in enumerate(NAMES)
        ]
    )


def meant(typed: str) -> list[str]:
    ranked = streets().ranked(canonical_street(typed))
    return [street.name for likeness, street in ranked if likeness.similarity >= ALIKE]


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
    assert meant(typed)[0] == street


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
        "rue zorbrixquel",
        "rue",
        "place",
        "de la",
        "",
    ],
)
def test_another_street_is_not_taken_for_it(typed: str) -> None:
    assert meant(typed) == []


WORDS = ("rue", "place", "pierre", "curie", "marie", "henri", "4", "11", "novembre", "p", "de", "l", "maur")


@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_likeness_is_a_share_and_the_best_comes_first(words: list[str]) -> None:
    ranked = streets().ranked(" ".join(words))
    shares = [likeness.similarity for likeness, _ in ranked]
    assert all(0 <= share <= 1 for share in shares)
    assert shares == sorted(shares, reverse=True)
    assert len({street.id for _, street in ranked}) == len(ranked)


def test_a_name_itself_is_wholly_alike() -> None:
    for name in NAMES:
        likeness, street = streets().ranked(canonical_street(name))[0]
        assert (likeness, street.name) == (SAME, name)
