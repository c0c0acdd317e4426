"""Land's readers read the demo's files, and find each case of its old quarter in them."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

import demoland
from demoland import quarter
from demoland.names import commune_name
from demoland.vocabularies import VOCABULARIES, Region
from land.facts.sales import aggregate
from land.records.addresses import AddressRecord
from land.records.parcels import ParcelRecord
from land.records.permits import PermitRecord
from land.records.sales import DvfRow, Sale
from land.registry import DATASETS
from land.sources.base import ReadReport

NEAREST_M = 30.0
LAMBERT_93 = Transformer.from_crs(4326, 2154, always_xy=True)


def in_metres(geometry: BaseGeometry) -> BaseGeometry:
    return shapely.transform(geometry, lambda xy: np.column_stack(LAMBERT_93.transform(xy[:, 0], xy[:, 1])))


def point_of(address: AddressRecord) -> shapely.Point:
    assert address.lon is not None
    assert address.lat is not None
    return shapely.Point(LAMBERT_93.transform(address.lon, address.lat))


class Loaded:
    """The records that the readers of land's sources give for a demo."""

    def __init__(self, demo: demoland.Demo) -> None:
        self.demo = demo
        self.accounts: dict[str, ReadReport] = {}
        self.records: dict[str, list[Any]] = {}
        for source, path in demo.files:
            account = self.accounts[path.name] = ReadReport(path.name)
            read = [record for _, record in DATASETS[source].source.read(path, account)]
            self.records.setdefault(source, []).extend(read)
        self.addresses: list[AddressRecord] = self.records["ban"]
        self.parcels: dict[str, ParcelRecord] = {p.parcel_id: p for p in self.records.get("cadastre-parcels", [])}
        self.rows: list[DvfRow] = self.records.get("dvf", [])
        self.sales: dict[tuple[str, str], Sale] = {
            (sale.id_parcelle, sale.id_mutation): sale for sale in aggregate(self.rows)
        }
        self.permits: dict[tuple[str, str], PermitRecord] = {
            (source, permit.number): permit
            for source, records in self.records.items()
            if source.startswith("sitadel")
            for permit in records
        }

    def address(self, label: str) -> AddressRecord:
        [found] = [a for a in self.addresses if label_of(a) == label]
        return found

    def shape(self, parcel_id: str) -> BaseGeometry:
        geometry = self.parcels[parcel_id].geometry
        assert geometry is not None
        return in_metres(shapely.from_wkb(geometry))


def label_of(address: AddressRecord) -> str:
    number = f"{address.number} {address.suffix}".strip()
    return f"{number} {address.street_name} {address.postcode} {address.commune_name}"


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(demoland.write(tmp_path_factory.mktemp("demo")))


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(demoland.write(tmp_path_factory.mktemp("several"), communes=5, addresses=4_000))


NOT_WRITTEN = {"cog", "postcodes", "ban-localities", "rnb", "gpu-in-force", "cadastre-communes"}
"""No national list has the fictional commune. All its addresses have numbers. The ids of its buildings are in BD TOPO.
Its planning document covers no other commune, and it has no neighbour."""


def test_every_file_reads_back_without_a_rejection(one: Loaded, several: Loaded) -> None:
    for loaded in (one, several):
        assert {source for source, _ in loaded.demo.files} == set(DATASETS) - NOT_WRITTEN
        for account in loaded.accounts.values():
            assert account.rejections == []
            assert not account.unknown_values
            assert account.row_count > 0


def test_counts_are_those_of_the_arguments(one: Loaded, several: Loaded) -> None:
    assert one.demo.address_count == len(one.addresses) == 600
    assert one.demo.parcel_count == len(one.parcels)
    assert 350 <= len(one.parcels) <= 450
    assert 20 <= len({a.street_id for a in one.addresses}) <= 40
    assert several.demo.address_count == len(several.addresses) == 4_000
    sizes = [count for _, count in Counter(a.commune_code for a in several.addresses).most_common()]
    assert len(sizes) == 5
    assert sizes[0] > 1.8 * sizes[1] > 1.8 * sizes[4]


def test_addresses_and_parcels_are_unique_and_of_the_fictional_department(one: Loaded, several: Loaded) -> None:
    for loaded in (one, several):
        keys = [(a.street_id, a.number, a.suffix) for a in loaded.addresses]
        assert len(set(keys)) == len(keys)
        assert len({a.id for a in loaded.addresses}) == len(keys)
        assert len(loaded.parcels) == loaded.demo.parcel_count
        assert {a.commune_code[:2] for a in loaded.addresses} == {key[:2] for key in loaded.parcels} == {"00"}
        names: dict[tuple[str, str], set[str]] = {}
        for address in loaded.addresses:
            names.setdefault((address.commune_code, address.street_name), set()).add(address.street_id)
        assert all(len(ids) == 1 for ids in names.values())


def test_parcels_cover_the_blocks_without_overlap_and_share_their_borders(one: Loaded, several: Loaded) -> None:
    for loaded in (one, several):
        drawn = [p for p in loaded.parcels.values() if p.geometry is not None and not p.is_repaired]
        assert len(loaded.parcels) - len(drawn) == 2
        shapes = shapely.from_wkb([p.geometry for p in drawn])
        assert shapely.is_valid(shapes).all()
        assert shapely.coverage_is_valid(shapes)
        whole = shapely.union_all(shapes)
        assert whole.area == pytest.approx(shapely.area(shapes).sum(), rel=1e-12)
        # Streets are left out: there are many more blocks than one.
        assert len(shapely.get_parts(whole)) >= 30


def test_declared_areas_are_close_to_the_drawn_ones(one: Loaded) -> None:
    for parcel in one.parcels.values():
        if parcel.geometry and parcel.cadastral_area_m2 and not parcel.is_repaired:
            drawn = one.shape(parcel.parcel_id).area
            assert drawn == pytest.approx(parcel.cadastral_area_m2, rel=0.03)
            assert 100 < drawn < 60_000


def test_addresses_are_on_their_parcels_except_those_on_the_street(one: Loaded) -> None:
    tree = shapely.STRtree([one.shape(key) for key, parcel in one.parcels.items() if parcel.geometry])
    keys = [key for key, parcel in one.parcels.items() if parcel.geometry]
    found = Counter[str]()
    for address in one.addresses:
        point = point_of(address)
        inside = [keys[place] for place in tree.query(point, predicate="intersects")]
        assert len(inside) <= 1
        distance = float(tree.query_nearest(point, return_distance=True)[1][0])
        found["inside" if inside else "near" if distance <= NEAREST_M else "far"] += 1
        declared = [key for key in address.parcel_ids.split("|") if key in one.parcels]
        if declared and inside:
            assert inside[0] in declared
    assert found["inside"] > 500
    assert found["near"] >= 10
    assert found["far"] == 3


def test_addresses_declare_no_parcel_one_two_or_a_retired_one(one: Loaded) -> None:
    declared = [address.parcel_ids.split("|") for address in one.addresses if address.parcel_ids]
    assert 250 < len(declared) < 550
    assert sum(len(keys) == 2 for keys in declared) >= 2
    assert sum(any(key not in one.parcels for key in keys) for keys in declared) >= 2


def test_street_names_have_what_address_searches_get_wrong(one: Loaded) -> None:
    names = {address.street_name for address in one.addresses}
    for kind in ("Rue", "Avenue", "Impasse", "Chemin", "Place", "Allée", "Boulevard", "Quai", "Lieu-dit"):
        assert any(name.startswith(f"{kind} ") for name in names), kind
    for trap in ("Louis XIV", "8 Mai 1945", "l'É", "Œuvre"):
        assert any(trap in name for name in names), trap
    assert {address.suffix for address in one.addresses} == {"", "bis", "ter"}
    assert "RUE DE L HOTEL DE VILLE" in {address.street_name_afnor for address in one.addresses}
    assert all(address.street_name_afnor.isascii() for address in one.addresses)


def test_every_address_case_resolves_to_its_parcels(one: Loaded) -> None:
    missing = {"address_without_number", "address_unknown_number"}
    for name, case in demoland.CASES.items():
        if case.address is None:
            continue
        if name in missing:
            assert not any(label_of(a) == case.address for a in one.addresses)
            continue
        address = one.address(case.address)
        point = point_of(address)
        declared = [key for key in address.parcel_ids.split("|") if key in one.parcels]
        if declared:
            assert tuple(declared) == case.parcel_ids, name
            continue
        near = sorted((one.shape(key).distance(point), key) for key, p in one.parcels.items() if p.geometry)
        expected = (near[0][1],) if near[0][0] <= NEAREST_M else ()
        assert expected == case.parcel_ids, name
        assert (near[0][0] == 0) == (name in ("address_containing", "address_declared_retired")), name


def test_every_parcel_of_a_case_exists_except_the_retired_one(one: Loaded) -> None:
    for name, case in demoland.CASES.items():
        assert all((key in one.parcels) == (key != quarter.RETIRED) for key in case.parcel_ids), name


def only(name: str) -> str:
    [key] = demoland.CASES[name].parcel_ids
    return key


def test_parcels_of_the_old_quarter_have_the_shapes_of_their_cases(one: Loaded) -> None:
    outside = shapely.union_all([one.shape(key) for key, p in one.parcels.items() if p.geometry])
    landlocked = one.shape(only("parcel_landlocked"))
    assert landlocked.boundary.intersection(outside.boundary.buffer(0.05)).length < 0.5
    flag = one.shape(only("parcel_flag"))
    assert flag.area < 0.8 * flag.minimum_rotated_rectangle.area
    for name in ("parcel_multi_part", "parcel_multi_part_field"):
        assert len(shapely.get_parts(one.shape(only(name)))) == 2
    assert one.parcels[only("parcel_no_contenance")].cadastral_area_m2 is None
    assert one.parcels[only("parcel_invalid_ring")].is_repaired
    assert one.parcels[only("parcel_null_geometry")].geometry is None
    assert one.shape(only("parcel_field")).area > 20_000
    twins = [one.parcels[key] for key in demoland.CASES["parcel_same_number_twice"].parcel_ids]
    assert len({(p.section, p.number) for p in twins}) == 1
    assert {p.prefix for p in twins} == {"000", "042"}


@pytest.mark.parametrize(
    ("case", "mutation", "expected"),
    [
        ("sale_house", "2021-1", ("Maison", 96, 4, 900, 212_500, False, 0, 1)),
        ("sale_flat_with_lots", "2021-2", ("Appartement", 51, 2, None, 148_000, True, 2, 1)),
        ("sale_bare_land", "2022-1", (None, None, None, 800, 61_000, False, 0, 1)),
        ("sale_dispositions", "2023-1", ("Maison", 70, 3, 1000, 120_000, False, 0, 1)),
        ("sale_cartesian", "2023-2", ("Appartement", 174, 3, 800, 275_000, False, 0, 1)),
        ("sale_symbolic_price", "2024-1", ("Maison", 45, 2, 1000, 1, False, 0, 1)),
        ("sale_off_plan", "2024-2", ("Appartement", None, None, None, 236_400, False, 2, 1)),
        ("sale_former_id", "2025-1", ("Maison", 82, 4, 1760, 99_000, False, 0, 1)),
        ("parcel_retired", "2021-3", (None, None, None, 410, 15_000, False, 0, 1)),
    ],
)
def test_each_sale_of_the_old_quarter_is_its_case(
    one: Loaded, case: str, mutation: str, expected: tuple[object, ...]
) -> None:
    sale = one.sales[only(case), mutation]
    assert (
        sale.type_local,
        sale.surface_reelle_bati,
        sale.nombre_pieces_principales,
        sale.surface_terrain,
        sale.valeur_fonciere,
        sale.has_dependance,
        sale.lot_count,
        sale.parcel_count,
    ) == expected


def test_sales_of_several_parcels_off_plan_and_under_a_former_id(one: Loaded) -> None:
    together = [one.sales[key, "2022-2"] for key in demoland.CASES["sale_several_parcels"].parcel_ids]
    assert [(sale.valeur_fonciere, sale.parcel_count) for sale in together] == [(330_000, 3)] * 3
    assert one.sales[only("sale_off_plan"), "2024-2"].nature_mutation == "Vente en l'état futur d'achèvement"
    assert one.sales[only("sale_former_id"), "2025-1"].ancien_id_parcelle == quarter.FORMER_HAMLET_HOUSE


def references(permit: PermitRecord) -> list[str]:
    return [f"{r.prefix or '???'}{r.section}{r.number}" for r in permit.references]


def test_permits_of_the_old_quarter_have_every_state_and_every_kind_of_reference(one: Loaded) -> None:
    hand_written = [permit for key, permit in one.permits.items() if permit.number[8] in "AD0"]
    assert {permit.etat_dau for permit in hand_written} == {"autorisé", "annulé", "commencé", "terminé"}
    assert {permit.type_dau for permit in hand_written} == {"PC", "DP", "PA", "PD"}
    housing, development = "sitadel-housing", "sitadel-development"
    assert references(one.permits[housing, "00000121A0001"]) == ["???AA0001"]
    assert references(one.permits[housing, "00000123A0005"]) == ["???AA0024"]
    assert references(one.permits[housing, "00000120A0006"]) == [f"???AA{quarter.RETIRED_NUMBER:04}"]
    assert references(one.permits[development, "00000124A0003"]) == ["042AA0024"]
    assert len(references(one.permits[housing, "00000122A0004"])) == 3
    assert one.permits[housing, "00000124A0008"].unreadable_references == 1
    assert one.permits[development, "00000124A0004"].unreadable_references == 1


def test_a_mixed_project_is_in_both_files_under_one_number(one: Loaded) -> None:
    homes, shops = (one.permits[source, "00000123A0007"] for source in ("sitadel-housing", "sitadel-premises"))
    assert (homes.destination_principale, shops.destination_principale) == ("logements", "commerce")
    assert homes.references == shops.references


def test_only_one_reference_is_ambiguous_between_two_prefixes(one: Loaded) -> None:
    numbers = Counter((p.section, p.number) for p in one.parcels.values())
    assert [key for key, count in numbers.items() if count > 1] == [("AA", "0024")]


def test_generated_permits_name_parcels_that_exist(one: Loaded) -> None:
    generated = [p for p in one.permits.values() if p.number[8] not in "AD0"]
    assert len(generated) > 10
    for permit in generated:
        for reference in permit.references:
            assert f"{reference.commune_code}000{reference.section}{reference.number}" in one.parcels


def built_on(loaded: Loaded, source: str, case: str) -> list[float]:
    """The shares of a source's buildings that are on the parcels of the case, without those that are 0."""
    ground = shapely.union_all([loaded.shape(parcel_id) for parcel_id in demoland.CASES[case].parcel_ids])
    shapes = [in_metres(shapely.from_wkb(building.geometry)) for building in loaded.records[source]]
    shares = [shape.intersection(ground).area / shape.area for shape in shapes if shape.intersects(ground)]
    return sorted(round(share, 2) for share in shares if share > 0)


def test_buildings_of_the_old_quarter_are_their_cases(one: Loaded) -> None:
    assert built_on(one, "cadastre-buildings", "building_with_annexe") == [1, 1]
    assert built_on(one, "cadastre-buildings", "building_on_two_parcels") == [1]
    left = shapely.union_all([one.shape(quarter.DECLARED_LEFT)])
    [astride] = [
        shape
        for building in one.records["cadastre-buildings"]
        if (shape := in_metres(shapely.from_wkb(building.geometry))).overlaps(left)
    ]
    assert astride.intersection(left).area / astride.area == pytest.approx(0.5, abs=0.01)
    assert built_on(one, "cadastre-buildings", "building_not_in_cadastre") == []
    assert built_on(one, "bdtopo", "building_not_in_cadastre") == [1]
    assert built_on(one, "cadastre-buildings", "building_invalid_ring") == [1]
    assert one.accounts["cadastre-00-batiments.json.gz"].repaired_count == 1
    assert built_on(one, "cadastre-buildings", "building_none") == built_on(one, "bdtopo", "building_none") == []


def test_each_generated_house_is_on_one_lot(one: Loaded) -> None:
    lots = [one.shape(parcel_id) for parcel_id, parcel in one.parcels.items() if parcel.geometry]
    tree = shapely.STRtree(lots)
    houses = [in_metres(shapely.from_wkb(building.geometry)) for building in one.records["cadastre-buildings"]]
    astride = [
        house
        for house in houses
        if max(house.intersection(lots[place]).area for place in tree.query(house)) < 0.99 * house.area
    ]
    assert len(houses) > 0.8 * len(lots)
    assert len(astride) <= 0.02 * len(houses)


def test_a_very_small_demo_still_has_its_old_quarter(tmp_path: Path) -> None:
    loaded = Loaded(demoland.write(tmp_path, addresses=1))
    assert set(demoland.CASES["parcels_contiguous"].parcel_ids) <= set(loaded.parcels)
    assert 20 < len(loaded.addresses) < 40


@pytest.mark.parametrize(
    ("region", "words"),
    [
        ("brittany", ("Straed", "Hent", "Ker", "c'h")),
        ("alsace", ("strasse", "Am Holderstock", "Général")),
        ("corsica", ("Strada", " di u ", "Lotissement")),
        ("overseas", ("Ravine", "Morne", "Chemin", "Lotissement")),
    ],
)
def test_a_region_has_its_own_street_names(tmp_path: Path, region: Region, words: tuple[str, ...]) -> None:
    loaded = Loaded(demoland.write(tmp_path, communes=8, addresses=4_000, region=region))
    assert [source for source, _ in loaded.demo.files] == ["ban"]
    assert [account.rejections for account in loaded.accounts.values()] == [[]]
    assert len(loaded.addresses) == loaded.demo.address_count == 4_000
    names = {address.street_name for address in loaded.addresses}
    for word in words:
        assert any(word in name for name in names), word
    assert {address.commune_code[:3] for address in loaded.addresses} == {f"00{VOCABULARIES[region].letter}"}


def test_more_than_998_communes_have_addresses_of_every_region(tmp_path: Path) -> None:
    loaded = Loaded(demoland.write(tmp_path, communes=1_100, addresses=22_000))
    assert [source for source, _ in loaded.demo.files] == ["ban"]
    assert [account.rejections for account in loaded.accounts.values()] == [[]]
    assert len({address.commune_code for address in loaded.addresses}) == 1_100
    firsts = {commune_name(1, VOCABULARIES[region]) for region in VOCABULARIES}
    assert {address.commune_name for address in loaded.addresses} >= firsts


def zone_shares(loaded: Loaded, parcel_id: str) -> list[tuple[str, float]]:
    parcel = loaded.shape(parcel_id)
    zones = [(zone.label, in_metres(shapely.from_wkb(zone.geometry))) for zone in loaded.records["gpu-zones"]]
    shares = [(label, round(shape.intersection(parcel).area / parcel.area, 2)) for label, shape in zones]
    return sorted(share for share in shares if share[1] > 0)


@pytest.mark.parametrize(
    ("case", "shares"),
    [
        ("zone_whole", [("UA", 1.0)]),
        ("zone_cut", [("1AU", 0.33), ("UB", 0.67)]),
        ("zone_hole", [("Nj", 1.0)]),
        ("zone_unknown", []),
        ("parcel_field", [("A", 1.0)]),
    ],
)
def test_each_zone_case_has_its_shares(one: Loaded, case: str, shares: list[tuple[str, float]]) -> None:
    assert zone_shares(one, demoland.CASES[case].parcel_ids[0]) == shares


@pytest.mark.parametrize("kind", ["surface", "line", "point"])
def test_each_prescription_case_has_one_of_its_kind(one: Loaded, kind: str) -> None:
    (parcel_id,) = demoland.CASES[f"prescription_{kind}"].parcel_ids
    found = [
        record
        for record in one.records["gpu-prescriptions"]
        if record.geometry_kind == kind
        and in_metres(shapely.from_wkb(record.geometry)).intersects(one.shape(parcel_id))
    ]
    assert len(found) == 1


def test_zones_cover_every_town_and_do_not_overlap(one: Loaded, several: Loaded) -> None:
    for loaded in (one, several):
        zones = [shapely.from_wkb(zone.geometry) for zone in loaded.records["gpu-zones"]]
        assert shapely.union_all(zones).area == pytest.approx(sum(zone.area for zone in zones), rel=1e-9)
        lots = [p for p in loaded.parcels.values() if p.parcel_id[8:10] not in ("AA", "ZA") and p.prefix == "000"]
        town = shapely.union_all(zones)
        shapely.prepare(town)
        assert all(p.geometry is None or town.covers(shapely.from_wkb(p.geometry)) for p in lots)
