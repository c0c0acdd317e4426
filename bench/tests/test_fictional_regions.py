import gzip
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from fictional_names import street_names
from fictional_regions import COUNTRY, REGIONS, Region, Words, realistic_street_names, sized_communes, write


@pytest.mark.parametrize("region", REGIONS)
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
        for region in REGIONS
        for postcode in {sized.commune.postcode for sized in sized_communes(90, 1, region)}
    )
    assert set(postcodes.values()) == {1}


def test_a_demo_of_the_size_of_france_has_communes_of_its_sizes() -> None:
    counts = [sized.address_count for sized in sized_communes(35_000, 26_000_000, "mainland")]
    assert sum(counts) == 26_000_000
    assert 100_000 < counts[0] < 200_000
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("words", [COUNTRY, *REGIONS.values()])
def test_street_names_of_a_commune_are_unique(words: Words) -> None:
    random = Random(1)  # noqa: S311 (reproducible)
    vocabulary = words.streets
    for names in (street_names(vocabulary, random, vocabulary.regional), realistic_street_names(words, random)):
        streets = [next(names) for _ in range(20_000)]
        assert len(set(streets)) == len(streets)


@pytest.mark.parametrize(
    ("communes", "region"), [(0, "mainland"), (-1, "corsica"), (36_001, "mainland"), (1_297, "brittany")]
)
def test_more_communes_than_codes_are_refused(communes: int, region: Region) -> None:
    with pytest.raises(ValueError, match="communes"):
        sized_communes(communes, 600, region)


@pytest.mark.parametrize(
    ("region", "words"),
    [
        ("brittany", ("Straed", "Hent", "Ker", "c'h")),
        ("alsace", ("strasse", "Am Holderstock", "Général")),
        ("corsica", ("Strada", " di u ", "Lotissement")),
        ("overseas", ("Ravine", "Morne", "Chemin", "Lotissement")),
    ],
)
def test_each_region_has_its_street_names(tmp_path: Path, region: Region, words: tuple[str, ...]) -> None:
    rows = gzip.decompress(write(tmp_path, 8, 4_000, region).read_bytes()).decode().splitlines()[1:]
    assert len(rows) == 4_000
    assert all(any(word in row for row in rows) for word in words)
    assert {row[:3] for row in rows} == {f"00{REGIONS[region].letter}"}
