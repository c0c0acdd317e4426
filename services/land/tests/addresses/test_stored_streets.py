"""The form in which the store keeps a commune's streets, and what the search reads from it."""

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from land.addresses import name_similarity, stored_streets, streets
from land.addresses.name_similarity import LocalName, TypedName, local_name
from land.addresses.normalise import canonical_street
from land.addresses.stored_streets import FORM_VERSION, StoredStreets, encode
from land.addresses.streets import StreetIndex
from land.addresses.vocabulary import Vocabulary
from land.datasets.addresses.records import NamedStreet, Street

COMMUNE = "75000"
SAMPLE = {
    "Rue de l'Abbé Grégoire": ("Rue Abbé Grégoire",),
    "162P21 Rue des Poissonniers": (),
    "Voie Cx/18": (),
    'Île\td\'"Œssant"\n': ("Ile de Ouessant",),
    "Place Henri IV": ("Pl. du Roi | Henri",),
}
DIGESTS = {1: "d48b080f"}
"""Digests of the form of SAMPLE, by version."""


def named(name: str, *other_names: str, place: int = 0, former: str = "") -> NamedStreet:
    key, postcodes, is_locality = f"{COMMUNE}_{place:04}", ("75001", "75002"), place % 2 == 1
    street = Street(
        commune_code=COMMUNE, id=key, name=name, postcodes=postcodes, is_locality=is_locality, lon=2.5, lat=None,
        address_count=place, former_commune=former,
    )  # fmt: skip
    names = filter(None, map(canonical_street, (name, *other_names)))
    return NamedStreet(street, tuple(dict.fromkeys(names)))


def sample() -> list[NamedStreet]:
    return [named(name, *other_names, place=place) for place, (name, other_names) in enumerate(SAMPLE.items())]


def index_of(streets: Sequence[NamedStreet]) -> StreetIndex:
    return StreetIndex(StoredStreets(COMMUNE, encode(streets)))


def test_every_street_is_found_by_each_of_its_names_as_it_was() -> None:
    index = index_of(sample())
    for street, names in sample():
        for name in names:
            assert index.find_exact(name) == [street]


def test_streets_with_the_same_name_are_all_found() -> None:
    same = [named("Rue Neuve", place=place, former=former) for place, former in enumerate(("Ici", "Là"))]
    assert index_of([*sample(), *same]).find_exact("rue neuve") == [street for street, _ in same]


def test_names_with_the_same_key_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_streets, "_key", lambda _: 7 << 32)
    index = index_of(sample())
    for street, [name, *_] in sample():
        assert index.find_exact(name) == [street]
    assert index.find_exact("rue neuve") == []


def test_a_commune_without_streets_has_none() -> None:
    index = index_of([])
    assert (len(index), index.find_exact("rue neuve"), index.find_similar("rue neuve")) == (0, [], [])


def test_another_form_has_another_version() -> None:
    """A store may have forms of the version that this code had before: increase FORM_VERSION, and add the digest."""
    assert DIGESTS[FORM_VERSION] == hashlib.sha256(encode(sample())).hexdigest()[:8]


WORDS = ("rue", "place", "sentier", "pierre", "piere", "pierrefitte", "curie", "curies", "henri", "saint", "st", "4",
         "11", "novembre", "p", "d", "de", "les", "lesage", "l", "maur", "162p21")  # fmt: skip
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@given(st.lists(NAMES, min_size=1, max_size=40), st.lists(NAMES, min_size=1, max_size=5))
def test_names_that_are_not_compared_are_not_similar(published: list[str], typed: list[str]) -> None:
    index = index_of([NamedStreet(named(name, place=place).street, (name,)) for place, name in enumerate(published)])
    similar_streets = [index.find_similar(name) for name in typed]

    def compared_with_all(name: TypedName, vocabulary: Vocabulary) -> LocalName:
        return local_name(name, vocabulary)._replace(least_name_ratio=-1.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streets, "local_name", compared_with_all)
        assert [index.find_similar(name) for name in typed] == similar_streets
    assert all(
        similarity.similarity >= name_similarity.MIN_SIMILARITY
        for matches in similar_streets
        for similarity, _ in matches
    )
