"""Candidates: addresses that a query may stand for, each with its utility."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from land.addresses.confidence import Features, differs, features_of, utility
from land.addresses.evidence import Statement, postcode_agreement
from land.addresses.gazetteer import Commune
from land.addresses.model import Agreement
from land.addresses.name_similarity import EXACT, NameSimilarity
from land.addresses.normalise import NAMESAKE, STREET_TYPE_WORDS, canonical_city, canonical_street
from land.addresses.parsing import HouseNumber, Interpretation
from land.addresses.spellings import city_similarity
from land.datasets.addresses.records import HouseNumberPoint, Street

NAMESAKE_COST = 1.0
"""The cost of a published name with words that the query lacks, and that only tell streets of one name apart."""
CONCLUSIVE_SIMILARITY = 0.85
"""A street this similar, in the place that the query names, ends the search."""


@dataclass(frozen=True)
class Candidate:
    commune: Commune
    street: Street | None
    point: HouseNumberPoint | None
    number: HouseNumber | None
    """The number in the query."""
    agreement: Agreement
    utility: float
    """See `land.addresses.confidence`. Each contradiction reduces it."""
    features: Features
    interpretation: Interpretation
    contradicted: Sequence[Statement] = ()
    """What inputs of the query say that the candidate and other inputs contradict."""

    @property
    def other_name(self) -> str:
        """The name of the street, if it differs from the query; without its type, if the query has none."""
        if not self.street or not differs(self.features):
            return ""
        typed_words = self.interpretation.reading.street.split()
        has_type = not self.features["is_type_omitted"] or not STREET_TYPE_WORDS.isdisjoint(typed_words)
        return self.street.name if has_type else self.street.name.partition(" ")[2]

    def key(self) -> tuple[str, str, str]:
        return self.commune.code, self.street.id if self.street else "", self.point.ban_id if self.point else ""


def has_number(candidate: Candidate) -> bool:
    return candidate.point is not None or candidate.number is None


def is_same_name(candidate: Candidate) -> bool:
    """The exact street name, and the number if the query has one."""
    return candidate.agreement.street == 1.0 and has_number(candidate) and not candidate.contradicted


def is_exact(candidate: Candidate) -> bool:
    """The exact street name, city and postcode. The number may be missing: the street is right all the same."""
    agreement = candidate.agreement
    return agreement.street == 1.0 and not candidate.features["ignored_words"] and _is_in_place(candidate)


def _is_in_place(candidate: Candidate) -> bool:
    """Whether it is in the city and postcode of the query, without any contradiction."""
    return {candidate.agreement.city, candidate.agreement.postcode} <= {None, 1.0} and not candidate.contradicted


def is_likely(candidate: Candidate) -> bool:
    """A very similar street with the number, city and postcode of the query."""
    agreement = candidate.agreement
    return (agreement.street or 0.0) >= CONCLUSIVE_SIMILARITY and has_number(candidate) and _is_in_place(candidate)


def order_of(candidate: Candidate) -> tuple[float, bool, str, str, str]:
    return (-candidate.utility, candidate.point is None, *candidate.key())


def commune_candidate(interpretation: Interpretation, commune: Commune, city: float | None) -> Candidate:
    reading = interpretation.reading
    agreement = Agreement(city=city, postcode=_postcode_agreement(reading.postcode, commune.postcodes))
    features = features_of(EXACT, agreement, commune.address_count, reading)
    return Candidate(commune, None, None, None, agreement, utility(features), features, interpretation)


def street_candidate(
    interpretation: Interpretation,
    commune: Commune,
    city: float | None,
    street: Street,
    similarity: NameSimilarity,
    numbers: Callable[[Street, int], Sequence[HouseNumberPoint]],
    is_name: Callable[[str], bool],
) -> Candidate:
    reading = interpretation.reading
    number, point = reading.number, None
    if number is not None:
        point = house(street, numbers, number)
    postcodes = (point.postcode,) if point else street.postcodes
    agreement = Agreement(
        number=None if number is None else float(point is not None),
        street=similarity.similarity,
        city=city_agreement(reading.city, city_names(street, commune)) if street.former_commune else city,
        postcode=_postcode_agreement(reading.postcode, postcodes),
    )
    is_other_word = any(map(is_name, similarity.other_words))
    features = features_of(similarity, agreement, street.address_count, reading, is_other_word=is_other_word)
    value = utility(features)
    if (
        similarity.similarity == 1.0
        and NAMESAKE.search(street.name)
        and canonical_street(street.name) != reading.street
    ):
        value -= NAMESAKE_COST
    return Candidate(commune, street, point, number, agreement, value, features, interpretation)


def house(
    street: Street, numbers: Callable[[Street, int], Sequence[HouseNumberPoint]], number: HouseNumber
) -> HouseNumberPoint | None:
    """The house of a street with the number; that with the equal suffix before one with the same letter."""
    points = [point for point in numbers(street, number.number) if number.matches(point.number, point.suffix)]
    return min(points, key=lambda point: point.suffix != number.suffix, default=None)


def city_agreement(city: str, names: Collection[str]) -> float | None:
    return city_similarity(city, names) if city else None


def city_names(street: Street, commune: Commune) -> Collection[str]:
    """The names of its commune; after a merger, only of its own former commune, not of the others that merged."""
    return (
        [canonical_city(name) for name in (commune.name, street.former_commune)]
        if street.former_commune
        else commune.search_names
    )


def _postcode_agreement(postcode: str, postcodes: Sequence[str]) -> float | None:
    return postcode_agreement(postcode, postcodes) if postcode else None
