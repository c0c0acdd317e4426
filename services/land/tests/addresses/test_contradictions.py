"""Inputs that contradict each other: a lower score, what agrees, the fields that do not, or no answer."""

import pytest
from small_index import INDEX

from land.addresses.model import AddressQuery
from land.addresses.resolver import AddressMatch, resolve

LABEL = "10 rue Doudeauville 75018 Paris"
STREET = {"street": "rue Doudeauville", "number": "10"}
MAX_SCORE = 0.8


def found(**query: str) -> AddressMatch:
    answer = resolve(AddressQuery(**query), INDEX)
    assert answer is not None
    return answer


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ({"label": LABEL, "number": "12"}, {"label", "number"}),
        ({"label": LABEL, "number": "999"}, {"label", "number"}),
        ({"label": LABEL, "street": "rue Lepic"}, {"label", "street"}),
        ({"label": LABEL, "street": "rue Ornithorynque"}, {"label", "street"}),
        ({"label": LABEL, "street": "rue Lepic", "number": "12"}, {"label", "street", "number"}),
        ({"label": LABEL, "postcode": "29000"}, {"label", "postcode"}),
        ({"label": LABEL, "postcode": "75011"}, {"label", "postcode"}),
        ({"label": LABEL, "city": "Quimper"}, {"label", "city"}),
        ({"label": LABEL, "city": "Paris 11e"}, {"label", "city"}),
        ({"label": LABEL, "city_code": "29232"}, {"label", "city_code"}),
        ({"label": LABEL, "city_code": "99999"}, {"label", "city_code"}),
        ({**STREET, "postcode": "75018", "city": "Quimper"}, {"postcode", "city"}),
        ({**STREET, "postcode": "29000", "city": "Paris"}, {"postcode", "city"}),
        ({**STREET, "postcode": "75018", "city_code": "29232"}, {"postcode", "city_code"}),
        ({**STREET, "city": "Paris", "city_code": "29232"}, {"city", "city_code"}),
    ],
)
def test_fields_that_disagree_lower_the_score_and_are_named(query: dict[str, str], fields: set[str]) -> None:
    result = found(**query)
    assert result.address.city_code == "75118"
    assert result.address.score <= MAX_SCORE
    assert dict(result.contradictory) == {name: query[name] for name in fields}
    matched = vars(result.address.matched)
    assert None not in [matched[name] for name in query]
    assert min(matched[name] for name in fields) < 1


@pytest.mark.parametrize(
    "query",
    [
        {"label": LABEL, "street": "R. DOUDEAUVILLE", "number": "10", "postcode": "75018", "city": "PARIS 18"},
        {"label": LABEL, "street": "rue Doudauville"},
        {"label": LABEL, "postcode": "75 018"},
        {"label": LABEL, "postcode": "75866", "city": "Paris CEDEX 18"},
        {"label": LABEL, "city_code": "75056"},
        {"label": "10 bis rue Doudeauville, 75018 Paris", "number": "10B"},
        {"label": "10 bis rue Doudeauville, 75018 Paris", "number": "10 bis", "street": "Doudeauville"},
        {"label": "10 rue du 8 mai 1945 Ergué-Armel", "city": "Quimper", "city_code": "29001"},
        {"street": "10 rue du 8 mai 1945", "postcode": "29000", "city": "Ergue Armel", "city_code": "29232"},
        {"label": "75018 Paris", **STREET},
        {**STREET, "city_code": "75056"},
    ],
)
def test_another_form_of_the_same_address_is_no_contradiction(query: dict[str, str]) -> None:
    result = found(**query)
    assert (result.address.type, result.contradictory) == ("housenumber", {})
    assert result.address.score > 0.95


def test_both_addresses_are_candidates() -> None:
    result = found(label=LABEL, street="rue Lepic", number="12")
    both = {candidate.label: candidate.score for candidate in (result.address, *result.alternatives)}
    assert len([score for score in both.values() if score >= 0.25]) > 1
    assert max(both.values()) < 0.5


@pytest.mark.parametrize(
    "query",
    [
        {"label": "10 rue Lepic", "city_code": "29232"},
        {"label": LABEL, "street": "rue Lepic", "number": "12", "city": "Quimper", "postcode": "29000"},
        {"label": LABEL, "city": "Quimper", "city_code": "67447"},
        {"postcode": "29000", "city": "Paris"},
    ],
)
def test_no_likely_reading_is_no_answer(query: dict[str, str]) -> None:
    assert resolve(AddressQuery(**query), INDEX) is None


def test_a_number_that_no_input_names_otherwise_is_only_missing() -> None:
    result = found(label="999 rue Doudeauville 75018 Paris", number="999")
    assert (str(result.missing_number), result.contradictory) == ("999", {})
