from collections import Counter

import pytest

from demoland.communes import sized_communes
from demoland.vocabularies import VOCABULARIES, Region


@pytest.mark.parametrize("region", VOCABULARIES)
def test_names_and_codes_of_communes_are_unique(region: Region) -> None:
    communes = [sized.commune for sized in sized_communes(1_296 if region != "mainland" else 36_000, 10**6, region)]
    assert len({commune.name for commune in communes}) == len({commune.code for commune in communes}) == len(communes)


def test_no_code_or_postcode_is_a_real_one() -> None:
    communes = [sized.commune for sized in sized_communes(36_000, 10**6, "mainland")]
    assert {commune.code[:2] for commune in communes} == {"00"}
    assert {commune.postcode[:2] for commune in communes} == {"00", "96"}
    assert Counter(commune.code.isdigit() for commune in communes) == {True: 998, False: 35_002}


def test_no_two_regions_share_a_postcode() -> None:
    postcodes = Counter(
        postcode
        for region in VOCABULARIES
        for postcode in {sized.commune.postcode for sized in sized_communes(90, 1, region)}
    )
    assert set(postcodes.values()) == {1}


def test_a_demo_of_the_size_of_france_has_communes_of_its_sizes() -> None:
    counts = [sized.address_count for sized in sized_communes(35_000, 26_000_000, "mainland")]
    assert sum(counts) == 26_000_000
    assert 100_000 < counts[0] < 200_000
    assert counts == sorted(counts, reverse=True)
