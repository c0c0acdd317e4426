import pytest
from hypothesis import given
from hypothesis import strategies as st

from land.datasets.partitions import filing_commune
from land.datasets.permits.records import ParcelReference
from land.datasets.permits.references import commune_of, reference_of


@pytest.mark.parametrize(
    ("section", "number", "expected"),
    [
        ("AM", "493", (None, "AM", "0493")),
        ("A", "25", (None, "0A", "0025")),
        ("0A", "0025", (None, "0A", "0025")),
        (" t ", " 7 ", (None, "0T", "0007")),
        ("846", "AP15", ("846", "AP", "0015")),
        ("842", "BH121", ("842", "BH", "0121")),
        ("846AP", "15", ("846", "AP", "0015")),
        ("", "AP15", (None, "AP", "0015")),
        ("AP", "AP 15", (None, "AP", "0015")),
        ("837", "", None),
        ("94", "806", None),
        ("AK", "79P", None),
        ("AK", "", None),
        ("AK", "0", None),
        ("AK", "12345", None),
        ("", "15", None),
        ("ABC", "15", None),
        ("AP", "AB15", None),
        ("AK", "٣", None),
    ],
)
def test_references_are_read_as_written_or_not_at_all(
    section: str, number: str, expected: tuple[str | None, str, str] | None
) -> None:
    reference = reference_of("31555", section, number)
    assert reference == (ParcelReference("31555", *expected) if expected else None)


def test_numeric_sections_exist_in_alsace_moselle_only() -> None:
    assert reference_of("67482", "22", "5") == ParcelReference("67482", None, "22", "0005")
    assert reference_of("31555", "22", "5") is None


@given(
    st.from_regex(r"[A-Z]{1,2}", fullmatch=True),
    st.integers(1, 9999),
    st.none() | st.integers(0, 999).map("{:03}".format),
)
def test_what_is_written_is_read_back_padded(section: str, number: int, prefix: str | None) -> None:
    expected = ParcelReference("31555", prefix, section.zfill(2), f"{number:04}")
    columns = (section, str(number)) if prefix is None else (prefix, f"{section}{number}")
    assert reference_of("31555", *columns) == expected


@pytest.mark.parametrize(
    ("filing", "number", "postcode", "expected"),
    [
        ("44109", "0441091200392", "44100", "44109"),
        ("75056", "07510523V0019", "75005", "75105"),
        ("75056", "07512012V0029", "", "75120"),
        ("75056", "07505612V0029", "75116", "75116"),
        ("75056", "07505612V0029", "75016", "75116"),
        ("75056", "07505612V0029", "75021", None),
        ("69123", "06938212V0029", "69001", "69382"),
        ("69123", "06912312V0029", "69009", "69389"),
        ("69123", "06912312V0029", "69100", None),
        ("13055", "01305512V0029", "13001", "13201"),
        ("13055", "01305512V0029", "13016", "13216"),
        ("13055", "01305512V0029", "13090", None),
        ("13055", "01321512V0029", "13001", "13215"),
        ("13055", "01305512V0029", "13", None),
    ],
)
def test_permits_of_the_three_cities_belong_to_an_arrondissement(
    filing: str, number: str, postcode: str, expected: str | None
) -> None:
    assert commune_of(filing, number, postcode) == expected


def test_an_arrondissement_files_with_its_city() -> None:
    assert [filing_commune(code) for code in ("75118", "69381", "13216", "44109", "75056")] == [
        "75056",
        "69123",
        "13055",
        "44109",
        "75056",
    ]
