"""The generated part of the demo's files: counts, coverage and street names."""

from collections import Counter
from pathlib import Path

import pytest
import shapely
from demo_cases import CASES
from demo_records import NEAREST_M, DemoRecords, in_metres, point_of

import demoland
from land.registry import DATASETS

NOT_WRITTEN = {"cog", "postcodes", "rnb", "gpu-in-force", "pprt-zones"}
"""National lists do not have the fictional commune. BD TOPO has the ids of its buildings, and its planning document
covers no other commune. It has no plan for technological risks."""


@pytest.fixture(scope="module")
def large_demo(tmp_path_factory: pytest.TempPathFactory) -> DemoRecords:
    return DemoRecords(demoland.write(tmp_path_factory.mktemp("large"), 4_000))


def test_every_file_is_read_without_rejections(small_demo: DemoRecords, large_demo: DemoRecords) -> None:
    for loaded in (small_demo, large_demo):
        assert {source for source, _ in loaded.demo.files} == set(DATASETS) - NOT_WRITTEN
        for report in loaded.reports.values():
            assert report.rejections == []
            assert not report.unknown_values
            assert report.row_count > 0


def test_counts_match_the_arguments(small_demo: DemoRecords, large_demo: DemoRecords) -> None:
    assert small_demo.demo.address_count == len(small_demo.addresses) == 600
    assert small_demo.demo.parcel_count == len(small_demo.parcels)
    assert 350 <= len(small_demo.parcels) <= 450
    assert 20 <= len({a.street_id for a in small_demo.addresses}) <= 40
    assert large_demo.demo.address_count == len(large_demo.addresses) == 4_000


def test_addresses_and_parcels_are_unique_and_in_department_00(
    small_demo: DemoRecords, large_demo: DemoRecords
) -> None:
    for loaded in (small_demo, large_demo):
        keys = [(a.street_id, a.number, a.suffix) for a in loaded.addresses]
        assert len(set(keys)) == len(keys)
        assert len({a.id for a in loaded.addresses}) == len(keys)
        assert len(loaded.parcels) == loaded.demo.parcel_count
        assert {a.commune_code[:2] for a in loaded.addresses} == {key[:2] for key in loaded.parcels} == {"00"}
        names: dict[tuple[str, str], set[str]] = {}
        for address in loaded.addresses:
            names.setdefault((address.commune_code, address.street_name), set()).add(address.street_id)
        assert all(len(ids) == 1 for ids in names.values())


def test_parcels_form_a_valid_coverage_with_gaps_for_streets(small_demo: DemoRecords, large_demo: DemoRecords) -> None:
    for loaded in (small_demo, large_demo):
        parcels = [p for p in loaded.parcels.values() if p.geometry is not None and not p.is_repaired]
        assert len(loaded.parcels) - len(parcels) == 2
        shapes = shapely.from_wkb([p.geometry for p in parcels])
        assert shapely.is_valid(shapes).all()
        assert shapely.coverage_is_valid(shapes)
        whole = shapely.union_all(shapes)
        assert whole.area == pytest.approx(shapely.area(shapes).sum(), rel=1e-12)
        # Streets have no parcels, so they separate the blocks.
        assert len(shapely.get_parts(whole)) >= 30


def test_declared_areas_are_close_to_drawn_areas(small_demo: DemoRecords) -> None:
    for parcel in small_demo.parcels.values():
        if parcel.geometry and parcel.cadastral_area_m2 and not parcel.is_repaired:
            area_m2 = small_demo.shape(parcel.parcel_id).area
            assert area_m2 == pytest.approx(parcel.cadastral_area_m2, rel=0.03)
            assert 100 < area_m2 < 60_000


def test_addresses_lie_in_their_parcels_except_those_on_the_street(small_demo: DemoRecords) -> None:
    tree = shapely.STRtree([small_demo.shape(key) for key, parcel in small_demo.parcels.items() if parcel.geometry])
    keys = [key for key, parcel in small_demo.parcels.items() if parcel.geometry]
    counts = Counter[str]()
    for address in small_demo.addresses:
        point = point_of(address)
        inside = [keys[place] for place in tree.query(point, predicate="intersects")]
        assert len(inside) <= 1
        distance = float(tree.query_nearest(point, return_distance=True)[1][0])
        counts["inside" if inside else "near" if distance <= NEAREST_M else "far"] += 1
        declared = [key for key in address.parcel_ids.split("|") if key in small_demo.parcels]
        if declared and inside:
            assert inside[0] in declared
    assert counts["inside"] > 500
    assert counts["near"] >= 10
    assert counts["far"] == 3


def test_addresses_declare_zero_one_two_or_retired_parcels(small_demo: DemoRecords) -> None:
    declared = [address.parcel_ids.split("|") for address in small_demo.addresses if address.parcel_ids]
    assert 250 < len(declared) < 550
    assert sum(len(keys) == 2 for keys in declared) >= 2
    assert sum(any(key not in small_demo.parcels for key in keys) for keys in declared) >= 2


def test_street_names_include_forms_that_are_hard_to_search(small_demo: DemoRecords) -> None:
    names = {address.street_name for address in small_demo.addresses}
    for kind in ("Rue", "Avenue", "Impasse", "Chemin", "Place", "Allée", "Boulevard", "Quai", "Lieu-dit"):
        assert any(name.startswith(f"{kind} ") for name in names), kind
    for text in ("Louis XIV", "8 Mai 1945", "l'É", "Œuvre"):
        assert any(text in name for name in names), text
    assert {address.suffix for address in small_demo.addresses} == {"", "bis", "ter"}
    assert "RUE DE L HOTEL DE VILLE" in {address.street_name_afnor for address in small_demo.addresses}
    assert all(address.street_name_afnor.isascii() for address in small_demo.addresses)


def test_only_one_reference_is_ambiguous_between_two_prefixes(small_demo: DemoRecords) -> None:
    numbers = Counter((p.section, p.number) for p in small_demo.parcels.values())
    assert [key for key, count in numbers.items() if count > 1] == [("AA", "0024")]


def test_generated_permits_refer_to_existing_parcels(small_demo: DemoRecords) -> None:
    generated = [p for p in small_demo.permits.values() if p.number[8] not in "AD0"]
    assert len(generated) > 10
    for permit in generated:
        for reference in permit.references:
            assert f"{reference.commune_code}000{reference.section}{reference.number}" in small_demo.parcels


def test_almost_every_generated_house_is_on_one_parcel(small_demo: DemoRecords) -> None:
    lots = [small_demo.shape(parcel_id) for parcel_id, parcel in small_demo.parcels.items() if parcel.geometry]
    tree = shapely.STRtree(lots)
    houses = [in_metres(shapely.from_wkb(building.geometry)) for building in small_demo.records["cadastre-buildings"]]
    astride = [
        house
        for house in houses
        if max(house.intersection(lots[place]).area for place in tree.query(house)) < 0.99 * house.area
    ]
    assert len(houses) > 0.8 * len(lots)
    assert len(astride) <= 0.02 * len(houses)


def test_the_smallest_demo_has_the_old_quarter(tmp_path: Path) -> None:
    loaded = DemoRecords(demoland.write(tmp_path, 1))
    assert set(CASES["parcels_contiguous"].parcel_ids) <= set(loaded.parcels)
    assert 20 < len(loaded.addresses) < 40


def test_zones_cover_every_town_and_do_not_overlap(small_demo: DemoRecords, large_demo: DemoRecords) -> None:
    for loaded in (small_demo, large_demo):
        zones = [shapely.from_wkb(zone.geometry) for zone in loaded.records["gpu-zones"]]
        assert shapely.union_all(zones).area == pytest.approx(sum(zone.area for zone in zones), rel=1e-9)
        lots = [p for p in loaded.parcels.values() if p.parcel_id[8:10] not in ("AA", "ZA") and p.prefix == "000"]
        town = shapely.union_all(zones)
        shapely.prepare(town)
        assert all(p.geometry is None or town.covers(shapely.from_wkb(p.geometry)) for p in lots)
