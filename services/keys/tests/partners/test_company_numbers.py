"""SIREN and VAT numbers, phones and addresses: what is accepted, and what is not."""

import pytest

from keys.values import company_numbers
from keys.values.company_numbers import check_customer, country, normalized, phone, postcode, siren, vat_number
from keys.values.records import Customer, PostalAddress
from servicekit.errors import InvalidPayload


@pytest.mark.parametrize("number", ["732829320", "732 829 320", "356\u00a0000\u00a0000", "356.000.000"])
def test_a_siren_has_nine_digits_with_a_luhn_digit(number: str) -> None:
    """The number of La Poste has one too: only SIRET numbers of its establishments have none."""
    assert siren(number) is None


@pytest.mark.parametrize(
    "number", ["732829321", "73282932", "7328293200", "73282932000074", "000000000", "٧٣٢٨٢٩٣٢٠", "73282932a", "x" * 41]
)
def test_other_numbers_are_no_siren(number: str) -> None:
    assert siren(number) is not None


@pytest.mark.parametrize(
    "number",
    [
        "FR44732829320",
        "fr 44 732 829 320",
        "FR83404833048",
        "FRK7399859412",
        "FR4Z123456782",
        "BE0428759497",
        "DE136695976",
        "ES B-58378431",
        "NL004495445B01",
        "EL094259216",
        "CHE123456789",
        "GB980780684",
    ],
)
def test_vat_numbers_have_the_form_of_their_country(number: str) -> None:
    assert vat_number(number) is None
    assert vat_number(normalized(number)) is None


@pytest.mark.parametrize(
    "number",
    ["FR45732829320", "FR44732829321", "FRO7399859412", "FR4473282932", "FRK8399859412", "DE13669597", "732829320",
     "BE2428759497", "BE0428759498", "DE13669597٥", "DE136695975", "F", "FR" + "0" * 39],
)  # fmt: skip
def test_other_vat_numbers_are_refused(number: str) -> None:
    assert vat_number(number) is not None


def test_phones_postcodes_and_countries() -> None:
    assert not any(map(phone, ["+33 1 23 45 67 89", "01.23.45.67.89", "(0)20-7946-0018", "01\u00a023 45 67 89"]))
    assert all(map(phone, ["1234", "call me", "+" + "1" * 16, "1" * 41, "+", "01 23\n45 67 89"]))
    assert not any(map(postcode, ["69000", "SW1A 1AA", "1011-AC"]))
    assert all(map(postcode, ["", " ", "69000\n1", "x" * 13, "-"]))
    assert not any(map(country, ["FR", "RE", "BE"]))
    assert all(map(country, ["fr", "XX", "FRA", ""]))
    assert len(company_numbers.COUNTRIES) == 249


@pytest.mark.parametrize(
    ("customer", "pointer"),
    [
        (Customer(siren="732829320", vat_number="FR83404833048"), "/vat_number"),
        (Customer(billing_address=PostalAddress(postcode="6900", country="FR")), "/billing_address/postcode"),
    ],
)
def test_members_that_contradict_each_other_are_refused(customer: Customer, pointer: str) -> None:
    with pytest.raises(InvalidPayload) as caught:
        check_customer(customer, Customer())
    assert [(violation.pointer, violation.code) for violation in caught.value.violations] == [(pointer, "malformed")]


def test_a_contradiction_names_the_changed_member() -> None:
    with pytest.raises(InvalidPayload) as caught:
        check_customer(Customer(siren="732829320", vat_number="FR83404833048"), Customer(vat_number="FR83404833048"))
    assert caught.value.violations[0].pointer == "/siren"
    check_customer(Customer(siren="732829320", vat_number="DE136695976"), Customer())
    check_customer(Customer(siren="404833048", vat_number="FR83404833048"), Customer())
