"""Each case of the demo's old quarter has its land in the demo's files."""

import pytest
import shapely
from demo_cases import CASES
from demo_records import NEAREST_M, DemoRecords, in_metres, label_of, point_of

from demoland import quarter
from land.datasets.permits.records import PermitRecord


def test_every_address_case_has_its_parcels(small_demo: DemoRecords) -> None:
    without_address = {"address_without_number", "address_unknown_number"}
    for name, case in CASES.items():
        if case.address is None:
            continue
        if name in without_address:
            assert not any(label_of(a) == case.address for a in small_demo.addresses)
            continue
        address = small_demo.address(case.address)
        point = point_of(address)
        declared = [key for key in address.parcel_ids.split("|") if key in small_demo.parcels]
        if declared:
            assert tuple(declared) == case.parcel_ids, name
            continue
        near = sorted(
            (small_demo.shape(key).distance(point), key) for key, p in small_demo.parcels.items() if p.geometry
        )
        expected = (near[0][1],) if near[0][0] <= NEAREST_M else ()
        assert expected == case.parcel_ids, name
        assert (near[0][0] == 0) == (name in ("address_containing", "address_declared_retired")), name


def test_every_parcel_of_a_case_exists_except_the_retired_one(small_demo: DemoRecords) -> None:
    for name, case in CASES.items():
        assert all((key in small_demo.parcels) == (key != quarter.RETIRED) for key in case.parcel_ids), name


def parcel_of(case: str) -> str:
    [key] = CASES[case].parcel_ids
    return key


def test_parcels_of_the_old_quarter_have_the_shapes_of_their_cases(small_demo: DemoRecords) -> None:
    outside = shapely.union_all([small_demo.shape(key) for key, p in small_demo.parcels.items() if p.geometry])
    landlocked = small_demo.shape(parcel_of("parcel_landlocked"))
    assert landlocked.boundary.intersection(outside.boundary.buffer(0.05)).length < 0.5
    flag = small_demo.shape(parcel_of("parcel_flag"))
    assert flag.area < 0.8 * flag.minimum_rotated_rectangle.area
    for name in ("parcel_multi_part", "parcel_multi_part_field"):
        assert len(shapely.get_parts(small_demo.shape(parcel_of(name)))) == 2
    assert small_demo.parcels[parcel_of("parcel_no_contenance")].cadastral_area_m2 is None
    assert small_demo.parcels[parcel_of("parcel_invalid_ring")].is_repaired
    assert small_demo.parcels[parcel_of("parcel_null_geometry")].geometry is None
    assert small_demo.shape(parcel_of("parcel_field")).area > 20_000
    twins = [small_demo.parcels[key] for key in CASES["parcel_same_number_twice"].parcel_ids]
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
def test_each_sale_case_has_its_sale(
    small_demo: DemoRecords, case: str, mutation: str, expected: tuple[object, ...]
) -> None:
    sale = small_demo.sales[parcel_of(case), mutation]
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


def test_sales_of_several_parcels_off_plan_and_under_a_former_id(small_demo: DemoRecords) -> None:
    sales = [small_demo.sales[key, "2022-2"] for key in CASES["sale_several_parcels"].parcel_ids]
    assert [(sale.valeur_fonciere, sale.parcel_count) for sale in sales] == [(330_000, 3)] * 3
    assert (
        small_demo.sales[parcel_of("sale_off_plan"), "2024-2"].nature_mutation == "Vente en l'état futur d'achèvement"
    )
    assert small_demo.sales[parcel_of("sale_former_id"), "2025-1"].ancien_id_parcelle == quarter.FORMER_HAMLET_HOUSE


def references(permit: PermitRecord) -> list[str]:
    return [f"{r.prefix or '???'}{r.section}{r.number}" for r in permit.references]


def test_permits_of_the_old_quarter_have_every_state_and_every_kind_of_reference(small_demo: DemoRecords) -> None:
    old_quarter = [permit for key, permit in small_demo.permits.items() if permit.number[8] in "AD0"]
    assert {permit.etat_dau for permit in old_quarter} == {"autorisé", "annulé", "commencé", "terminé"}
    assert {permit.type_dau for permit in old_quarter} == {"PC", "DP", "PA", "PD"}
    housing, development = "sitadel-housing", "sitadel-development"
    assert references(small_demo.permits[housing, "00000121A0001"]) == ["???AA0001"]
    assert references(small_demo.permits[housing, "00000123A0005"]) == ["???AA0024"]
    assert references(small_demo.permits[housing, "00000120A0006"]) == [f"???AA{quarter.RETIRED_NUMBER:04}"]
    assert references(small_demo.permits[development, "00000124A0003"]) == ["042AA0024"]
    assert len(references(small_demo.permits[housing, "00000122A0004"])) == 3
    assert small_demo.permits[housing, "00000124A0008"].unreadable_references == 1
    assert small_demo.permits[development, "00000124A0004"].unreadable_references == 1


def test_a_mixed_project_is_in_both_files_under_one_number(small_demo: DemoRecords) -> None:
    homes, shops = (small_demo.permits[source, "00000123A0007"] for source in ("sitadel-housing", "sitadel-premises"))
    assert (homes.destination_principale, shops.destination_principale) == ("logements", "commerce")
    assert homes.references == shops.references


def building_shares(loaded: DemoRecords, source: str, case: str) -> list[float]:
    """The shares of buildings on the parcels of the case, in order. Shares of 0 are left out."""
    ground = shapely.union_all([loaded.shape(parcel_id) for parcel_id in CASES[case].parcel_ids])
    shapes = [in_metres(shapely.from_wkb(building.geometry)) for building in loaded.records[source]]
    shares = [shape.intersection(ground).area / shape.area for shape in shapes if shape.intersects(ground)]
    return sorted(round(share, 2) for share in shares if share > 0)


def test_each_building_case_has_its_buildings(small_demo: DemoRecords) -> None:
    assert building_shares(small_demo, "cadastre-buildings", "building_with_annexe") == [1, 1]
    assert building_shares(small_demo, "cadastre-buildings", "building_on_two_parcels") == [1]
    remainder = shapely.union_all([small_demo.shape(quarter.DECLARED_LEFT)])
    [astride] = [
        shape
        for building in small_demo.records["cadastre-buildings"]
        if (shape := in_metres(shapely.from_wkb(building.geometry))).overlaps(remainder)
    ]
    assert astride.intersection(remainder).area / astride.area == pytest.approx(0.5, abs=0.01)
    assert building_shares(small_demo, "cadastre-buildings", "building_not_in_cadastre") == []
    assert building_shares(small_demo, "bdtopo", "building_not_in_cadastre") == [1]
    assert building_shares(small_demo, "cadastre-buildings", "building_invalid_ring") == [1]
    assert small_demo.reports["cadastre-00-batiments.json.gz"].repaired_count == 1
    assert (
        building_shares(small_demo, "cadastre-buildings", "building_none")
        == building_shares(small_demo, "bdtopo", "building_none")
        == []
    )


def zone_shares(loaded: DemoRecords, parcel_id: str) -> list[tuple[str, float]]:
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
def test_each_zone_case_has_its_shares(small_demo: DemoRecords, case: str, shares: list[tuple[str, float]]) -> None:
    assert zone_shares(small_demo, CASES[case].parcel_ids[0]) == shares


@pytest.mark.parametrize("kind", ["surface", "line", "point"])
def test_each_prescription_case_has_one_prescription(small_demo: DemoRecords, kind: str) -> None:
    (parcel_id,) = CASES[f"prescription_{kind}"].parcel_ids
    parcels = [
        record
        for record in small_demo.records["gpu-prescriptions"]
        if record.geometry_kind == kind
        and in_metres(shapely.from_wkb(record.geometry)).intersects(small_demo.shape(parcel_id))
    ]
    assert len(parcels) == 1
