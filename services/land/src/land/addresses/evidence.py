"""Compares a candidate with everything that the query gives: each field, and the parts of the label.

Every input is evidence of one address. Two inputs contradict each other if the candidate agrees with one of them and
not with the other. Other spellings, former names and codes, and CEDEX postcodes are no contradiction.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from land.addresses.confidence import COMPLETED
from land.addresses.gazetteer import MIN_CITY_SIMILARITY, Commune, Gazetteer, completes
from land.addresses.model import AddressQuery, Agreement
from land.addresses.normalise import canonical_city, split_arrondissement
from land.addresses.parsing import HouseNumber, Interpretation, Reading
from land.addresses.spellings import city_similarity
from land.datasets.addresses.records import HouseNumberPoint

MAX_SHOWN = 80
"""Characters of a typed value in a warning."""
FURTHER_STATEMENT = 0.25
"""Less than 1: if the street of the label is wrong, its number often is wrong too."""
_OTHER_ARRONDISSEMENT = 0.5
"""The agreement of a city's name with another arrondissement of the city."""
_NO_READING = Reading()
Part = Literal["number", "street", "postcode", "city", "city_code"]
_PLACE = frozenset(("postcode", "city", "city_code"))


class Comparison(NamedTuple):
    agreement: float
    """0 to 1."""
    is_other: bool
    """Whether the input names another number, street or place than the candidate's."""


NameComparison = Callable[[str], Comparison]
"""Compares a canonical street name with the candidate's street."""


@dataclass(frozen=True)
class Statement:
    """What one input says about one part of the address."""

    field: str
    part: Part
    value: object
    comparison: Comparison

    def is_contradicted_by(self, other: "Statement") -> bool:
        if self.field == other.field or _subject(self.part) != _subject(other.part):
            return False
        return not other.comparison.is_other or (self.part == "number" and not _is_same(self.value, other.value))

    def is_in(self, reading: Reading) -> bool:
        """Whether the features of a candidate that was searched with `reading` include the disagreement."""
        return self.part != "city_code" and getattr(reading, self.part) == self.value


@dataclass(frozen=True)
class Place:
    """The place of a candidate."""

    commune: Commune
    postcodes: Sequence[str]
    """The postcodes of the number, or of the street."""
    city_names: Collection[str]
    """Canonical names, of the former commune for a street of a commune that merged."""
    city_codes: frozenset[str]
    """The communes that the city code of the query means."""
    gazetteer: Gazetteer


def has_several_inputs(query: AddressQuery) -> bool:
    """Whether the query has inputs that may contradict each other."""
    places = (query.postcode, query.city, query.city_code)
    return sum(bool(place.strip()) for place in places) > 1 or bool(
        query.label.strip() and any(part.strip() for part in (query.number, query.street, *places))
    )


def statements(
    interpretation: Interpretation, place: Place, point: HouseNumberPoint | None, compare_name: NameComparison
) -> list[Statement]:
    """What each input says about each part of a candidate."""
    readings = [("", interpretation.fields), ("label", interpretation.label or _NO_READING)]
    return [
        Statement(field or part, part, value, comparison)
        for field, reading in readings
        for part, value, comparison in _compare(reading, place, point, compare_name)
    ]


def contradicted(statements: Sequence[Statement]) -> list[Statement]:
    """The statements that the candidate and another input contradict."""
    disagreeing = [statement for statement in statements if statement.comparison.is_other]
    return [statement for statement in disagreeing if any(statement.is_contradicted_by(other) for other in statements)]


def contradiction(wrong: Sequence[Statement]) -> float:
    """How much of the query must be wrong. The first wrong statement of the label counts 1, and so does that of the
    fields. Further ones count a part of 1. The same statement in two inputs counts once.
    """
    sources = {statement.field == "label" for statement in wrong}
    different = {(statement.part, str(statement.value)) for statement in wrong}
    return len(sources) + FURTHER_STATEMENT * max(0, len(different) - len(sources))


def contradictory_fields(
    statements: Sequence[Statement], wrong: Sequence[Statement], query: AddressQuery
) -> dict[str, str]:
    """The typed values of the inputs that contradict each other, by field."""
    subjects = {_subject(statement.part) for statement in wrong}
    fields = {statement.field for statement in statements if _subject(statement.part) in subjects}
    return {name: _shortened(value) for name, value in vars(query).items() if name in fields}


def agreement_with(query: AddressQuery, statements: Sequence[Statement]) -> Agreement:
    """The agreement of each given field, and of the parts of the label for which there is no field."""
    of_fields = {
        statement.part: statement.comparison.agreement for statement in statements if statement.field != "label"
    }
    of_label = {
        statement.part: statement.comparison.agreement for statement in statements if statement.field == "label"
    }
    if query.number.strip():
        of_fields.setdefault("number", 0.0)  # it has no figure
    return Agreement(
        **{**of_label, **of_fields}, label=min(of_label.values(), default=0.0) if query.label.strip() else None
    )


def _compare(
    reading: Reading, place: Place, point: HouseNumberPoint | None, compare_name: NameComparison
) -> Iterator[tuple[Part, object, Comparison]]:
    if reading.number is not None:
        is_equal = point is not None and reading.number.matches(point.number, point.suffix)
        yield "number", reading.number, Comparison(float(is_equal), not is_equal)
    if reading.street:
        yield "street", reading.street, compare_name(reading.street)
    if reading.postcode:
        yield "postcode", reading.postcode, _compare_postcode(reading.postcode, place)
    if reading.city:
        yield "city", reading.city, _compare_city(reading.city, place)
    if reading.city_code:
        is_equal = place.commune.code in place.city_codes
        yield "city_code", reading.city_code, Comparison(float(is_equal), not is_equal)


def _compare_postcode(postcode: str, place: Place) -> Comparison:
    """An unknown postcode of the département, such as a CEDEX, names no other place."""
    agreement = postcode_agreement(postcode, place.postcodes)
    is_in_commune = postcode in {*place.commune.postcodes, *place.postcodes} or agreement == COMPLETED
    is_known = bool(place.gazetteer.with_postcode(postcode))
    is_of_department = any(other[:2] == postcode[:2] for other in place.commune.postcodes)
    return Comparison(agreement, not is_in_commune and (is_known or not is_of_department))


def postcode_agreement(postcode: str, postcodes: Sequence[str]) -> float:
    if postcode in postcodes:
        return 1.0
    if any(completes(postcode, other) for other in postcodes):
        return COMPLETED
    return 0.5 if any(other[:2] == postcode[:2] for other in postcodes) else 0.0


def _compare_city(city: str, place: Place) -> Comparison:
    similarity, names = city_similarity(city, place.city_names), place.commune.search_names
    if city in names:
        return Comparison(similarity, is_other=False)
    typed, published = (split_arrondissement(name)[1] for name in (city, canonical_city(place.commune.name)))
    if typed is not None and published is not None:
        return Comparison(min(similarity, _OTHER_ARRONDISSEMENT), is_other=True)
    if any(set(city.split()) < set(name.split()) for name in names):
        return Comparison(similarity, is_other=False)  # a part of the name, as people shorten it
    return Comparison(similarity, bool(place.gazetteer.named(city)) or similarity < MIN_CITY_SIMILARITY)


def _subject(part: Part) -> str:
    return "place" if part in _PLACE else part


def _is_same(value: object, other: object) -> bool:
    """Whether two house numbers are equal."""
    return (
        isinstance(value, HouseNumber) and isinstance(other, HouseNumber) and value.matches(other.number, other.suffix)
    )


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
