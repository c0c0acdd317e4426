"""The block `urbanism`, from records in the store to the answer."""

import json
from collections.abc import Sequence

import pytest
import shapely
from land_builders import (
    COMMUNE,
    DOCUMENT,
    PARTITION,
    coverage,
    land_unit,
    load,
    on_sqlite,
    parcel,
    prescription,
    square,
    warning_codes,
    zone,
)
from shapely.geometry import LineString, Point, Polygon
from sqlalchemy import Engine

from land.datasets.planning.codes import prescription_label
from land.datasets.planning.queries import MAX_ROWS
from land.datasets.planning.records import (
    DocumentRecord,
    InForceRecord,
    PlanFeatureRecord,
    PlanningCommuneRecord,
    ZoneRecord,
)
from land.rpc import messages
from land.units.model import LandUnit
from land.units.overlap import Overlap
from land.units.urbanism import MAX_ITEMS, UrbanismBlock

PLAN_DATASETS = ("gpu-zones", "gpu-prescriptions", "gpu-informations")
A, B, C = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3))


@pytest.fixture
def lots(store: Engine) -> Engine:
    """Three lots of 20 m by 20 m in a row."""
    load(store, "cadastre-parcels", COMMUNE, [parcel(n + 1, square(20 * n, 0)) for n in range(3)])
    return store


def plan(store: Engine, *zones: ZoneRecord, partition: str = PARTITION, edition: str = "e1") -> None:
    load(store, "gpu-zones", partition, zones, edition=edition)


def prescribe(store: Engine, *items: PlanFeatureRecord) -> None:
    """Loads these prescriptions, and no informations."""
    for part in ("surface", "line", "point"):
        load(store, "gpu-prescriptions", PARTITION, [i for i in items if i.geometry_kind == part], part=part)
        load(store, "gpu-informations", PARTITION, [], part=part)


def urbanism_of(store: Engine, *parcel_ids: str) -> LandUnit:
    return land_unit(store, *parcel_ids, blocks=["urbanism"])


def block_of(store: Engine, *parcel_ids: str) -> UrbanismBlock:
    block = urbanism_of(store, *parcel_ids).urbanism
    assert block is not None
    return block


def ratios(zones: Sequence[Overlap[ZoneRecord]]) -> list[tuple[str, object]]:
    return [(z.record.label, z.ratio) for z in zones]


def planning_coverage(unit: LandUnit) -> dict[str, tuple[str, str | None]]:
    """The statuses of documents, without easements."""
    of_documents = [
        entry for entry in coverage(unit) if entry.startswith("gpu") and not entry.startswith(("gpu-sup", "gpu-reg"))
    ]
    return {dataset: coverage(unit)[dataset] for dataset in of_documents}


def urbanism_warnings(unit: LandUnit) -> list[str]:
    return [code for code in warning_codes(unit, "urbanism") if code != "easements_not_covered"]


def test_a_parcel_inside_one_zone_has_ratio_1(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    prescribe(lots)
    unit = urbanism_of(lots, A)
    assert unit.urbanism is not None
    (only,) = unit.urbanism.zones
    assert (only.record.zone_type, only.record.long_label, only.record.document_id) == ("U", "Zone UB", DOCUMENT)
    assert only.area_m2 == pytest.approx(400, abs=0.2)
    assert only.ratio == 1
    (document,) = unit.urbanism.documents
    assert (document.document_id, document.document_type, document.approved_on) == (DOCUMENT, "PLU", "2024-01-31")
    assert planning_coverage(unit) == dict.fromkeys(PLAN_DATASETS, ("covered", None))
    assert urbanism_warnings(unit) == []
    assert {source.id for source in unit.sources} == {"cadastre-parcels", *PLAN_DATASETS}


@on_sqlite
def test_a_parcel_in_two_zones_lists_the_larger_share_first(lots: Engine) -> None:
    plan(lots, zone("A", square(-100, -100, 105, 300), "A"), zone("UB", square(5, -100, 200, 300)))
    zones = block_of(lots, A).zones
    assert ratios(zones) == [("UB", pytest.approx(0.75, abs=1e-3)), ("A", pytest.approx(0.25, abs=1e-3))]
    assert [zone.area_m2 for zone in zones] == pytest.approx([300, 100], abs=0.3)
    assert [zone.metric.area for zone in zones if zone.metric] == pytest.approx([300, 100], abs=0.3)
    message = messages.land_unit(urbanism_of(lots, A))
    assert [json.loads(zone.geometry)["type"] for zone in message.urbanism.zones] == ["Polygon", "Polygon"]
    assert {zone.geometry for zone in messages.without_outlines(message).urbanism.zones} == {b""}
    assert [zone.metric for zone in block_of(lots, C).zones] == [None]  # the zone covers all of it


def test_a_hole_is_outside_its_zone(lots: Engine) -> None:
    around = Polygon(square(-100, -100, 300, 300).exterior, [square(20, 0).exterior])
    plan(lots, zone("UB", around), zone("N", square(20, 0), "N"))
    assert [z.record.label for z in block_of(lots, B).zones] == ["N"]
    assert [z.record.label for z in block_of(lots, A).zones] == ["UB"]
    plan(lots, zone("UB", around), edition="e2")
    assert urbanism_of(lots, B).urbanism is None
    assert planning_coverage(urbanism_of(lots, B))["gpu-zones"] == ("not_loaded", "not_loaded")


def test_a_land_unit_in_three_planning_documents_lists_all_three(store: Engine) -> None:
    for place, commune in enumerate((COMMUNE, "18998", "18997")):
        load(store, "cadastre-parcels", commune, [parcel(1, square(20 * place, 0), commune=commune)])
        plan_zone = zone("U", square(20 * place, -50, 20, 100), partition=f"DU_{commune}", document_id=f"{commune}_PLU")
        plan(store, plan_zone, partition=f"DU_{commune}")
    ids = [f"{commune}000AB0001" for commune in (COMMUNE, "18998", "18997")]
    block = block_of(store, *ids)
    assert [d.document_id for d in block.documents] == ["18997_PLU", "18998_PLU", f"{COMMUNE}_PLU"]
    assert [z.record.document_id for z in block.zones] == ["18997_PLU", "18998_PLU", f"{COMMUNE}_PLU"]
    assert [z.ratio for z in block.zones] == pytest.approx([1 / 3] * 3, abs=1e-3)
    editions = [s.edition for s in urbanism_of(store, *ids).sources if s.id == "gpu-zones"]
    assert editions == ["e1"]


@on_sqlite
def test_parts_of_a_zone_are_merged_within_one_document_only(lots: Engine) -> None:
    halves = [square(-100, -100, 110, 300), square(10, -100, 200, 300)]
    plan(lots, *(zone("UB", half) for half in halves))
    assert [z.ratio for z in block_of(lots, A).zones] == [1]
    elsewhere = zone("UB", halves[1], partition="DU_200011781", document_id="200011781_PLUi_20180101")
    plan(lots, zone("UB", halves[0]), edition="e2")
    plan(lots, elsewhere, partition="DU_200011781")
    assert [z.ratio for z in block_of(lots, A).zones] == pytest.approx([0.5, 0.5], abs=1e-3)


@on_sqlite
def test_slivers_are_omitted_and_large_ones_have_a_warning(lots: Engine) -> None:
    whole = zone("UB", square(-100, -100, 300, 300))
    under_a_percent = zone("N", square(0, 0, 0.15, 20), "N")
    under_a_metre = zone("A", square(0, 0, 0.045, 20), "A")
    plan(lots, whole, under_a_percent, under_a_metre)
    unit = urbanism_of(lots, A)
    assert unit.urbanism is not None
    assert [z.record.label for z in unit.urbanism.zones] == ["UB"]
    assert "planning_sliver" not in urbanism_warnings(unit)
    load(lots, "cadastre-parcels", "18998", [parcel(1, square(0, 200, 60, 60), commune="18998")])
    plan(lots, zone("UB", square(-100, -100, 500, 500)), zone("N", square(0, 200, 0.5, 60), "N"), edition="e2")
    unit = urbanism_of(lots, "18998000AB0001")
    assert [str(w.detail) for w in unit.warnings if w.code == "planning_sliver"] == [
        "“N” reaches in by 30 m² only, less than 1 % of the land unit: this overlap is left out."
    ]


@on_sqlite
def test_a_parcel_as_small_as_a_sliver_has_its_zone(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 0.9, 0.9))])
    plan(store, zone("UB", square(-5, -5, 10, 10)))
    assert [z.record.label for z in block_of(store, A).zones] == ["UB"]


@on_sqlite
def test_zones_that_cover_part_of_the_land_are_partial(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 115, 300)))
    unit = urbanism_of(lots, A)
    assert planning_coverage(unit)["gpu-zones"] == ("partial", "not_loaded")
    assert [str(w.detail) for w in unit.warnings if w.code == "zoning_partial"] == [
        "The known zones cover 75 % of the land unit; the rules of the rest are not known."
    ]


@on_sqlite
def test_two_plans_of_one_authority_have_a_warning(lots: Engine) -> None:
    older = f"{COMMUNE}_PLU_20140131"
    plan(lots, zone("UA", square(0, 0)), zone("NA", square(0, 0), document_id=older))
    assert "plans_several" in urbanism_warnings(urbanism_of(lots, A))
    plan(lots, zone("UA", square(0, 0)), zone("NA", square(0, 0)))
    assert "plans_several" not in urbanism_warnings(urbanism_of(lots, A))


@on_sqlite
def test_overlapping_zones_have_a_warning(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)), zone("N", square(0, 0, 10, 20), "N"))
    assert "zones_overlap" in urbanism_warnings(urbanism_of(lots, A))


def test_urbanism_is_unknown_without_a_planning_document(lots: Engine) -> None:
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, False)])
    unit = urbanism_of(lots, A)
    assert unit.urbanism is None
    assert set(planning_coverage(unit).values()) == {("not_loaded", "not_loaded")}
    assert urbanism_warnings(unit) == ["zoning_not_covered"]
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]


def test_prescriptions_are_given_without_the_zones_of_their_document(lots: Engine) -> None:
    prescribe(lots, prescription("ER 11", square(-10, 15, 40, 20), "05", subtype_code="01"))
    unit = urbanism_of(lots, A)
    assert unit.urbanism is not None
    assert len(unit.urbanism.prescriptions) == 1
    assert planning_coverage(unit)["gpu-zones"] == ("not_loaded", "not_loaded")
    assert "covered" not in [status for status, _ in planning_coverage(unit).values()]
    assert "zoning_not_covered" in urbanism_warnings(unit)


def test_a_document_in_force_without_its_zones_is_unknown(lots: Engine) -> None:
    load(lots, "gpu-in-force", COMMUNE, [InForceRecord(COMMUNE, DOCUMENT)])
    assert set(planning_coverage(urbanism_of(lots, A)).values()) == {("not_loaded", "not_loaded")}


def test_a_commune_under_the_national_rules_is_covered_without_a_zone(lots: Engine) -> None:
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, True)])
    unit = urbanism_of(lots, A)
    assert unit.urbanism == UrbanismBlock((), (), (), (), None, True)
    assert set(planning_coverage(unit).values()) == {("covered", None)}
    assert [source.id for source in unit.sources] == ["cadastre-parcels", "gpu-communes"]


@on_sqlite
def test_national_rules_are_unknown_until_their_list_is_loaded(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    assert block_of(lots, A).is_rnu is None
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, False)])
    assert block_of(lots, A).is_rnu is False


def test_prescriptions_have_their_official_label_and_size(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    prescribe(
        lots,
        prescription("ER 11", square(-10, 15, 40, 20), "05", subtype_code="01"),
        prescription("Haie", LineString([(-10, 5), (50, 5)]), "07", subtype_code="04"),
        prescription("Puits", Point(3, 3), "07", subtype_code="01"),
        prescription("Puits voisin", Point(23, 3), "07"),
        prescription("Code d'ailleurs", square(0, 0, 20, 20), "73"),
    )
    unit = urbanism_of(lots, A)
    assert unit.urbanism is not None
    labels = [
        (
            p.record.label,
            p.record.type_code,
            prescription_label(p.record.type_code, p.record.subtype_code),
            p.record.geometry_kind,
            p.area_m2,
            p.length_m,
        )
        for p in unit.urbanism.prescriptions
    ]
    heritage = (
        "Patrimoine bâti, paysager ou éléments de paysages à protéger pour des motifs d'ordre culturel, historique, "
        "architectural ou écologique"
    )
    assert labels == [
        ("ER 11", "05", "Emplacement réservé", "surface", pytest.approx(100, abs=0.2), None),
        ("Puits", "07", heritage, "point", None, None),
        ("Haie", "07", heritage, "line", None, pytest.approx(20.4, abs=0.1)),
        ("Code d'ailleurs", "73", None, "surface", pytest.approx(400, abs=0.5), None),
    ]
    assert planning_coverage(unit)["gpu-prescriptions"] == ("covered", None)


def test_missing_and_partial_prescriptions_have_a_warning(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    unit = urbanism_of(lots, A)
    assert planning_coverage(unit)["gpu-prescriptions"] == ("not_loaded", "not_loaded")
    assert urbanism_warnings(unit) == ["prescriptions_not_covered", "informations_not_covered"]
    load(lots, "gpu-prescriptions", PARTITION, [prescription("ER 1", square(0, 0))], part="surface")
    unit = urbanism_of(lots, A)
    assert planning_coverage(unit)["gpu-prescriptions"] == ("partial", "not_loaded")
    assert urbanism_warnings(unit) == ["prescriptions_partial", "informations_not_covered"]


@on_sqlite
def test_a_line_along_the_boundary_counts_and_one_that_touches_does_not(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    along = prescription("Alignement", LineString([(-10, -0.1), (50, -0.1)]), "15")
    touching = prescription("Voisin", LineString([(20, -10), (20.5, 30)]).parallel_offset(1.0, "right"), "15")
    prescribe(lots, along, touching)
    (overlap,) = block_of(lots, A).prescriptions
    assert overlap.record.label == "Alignement"
    assert overlap.length_m == pytest.approx(20.3, abs=0.2)


@on_sqlite
def test_prescriptions_above_the_limit_are_truncated_with_a_warning(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    prescribe(lots, *(prescription(f"{n:04}", Point(3, 3), "07") for n in range(MAX_ITEMS + 1)))
    unit = urbanism_of(lots, A)
    assert unit.urbanism is not None
    assert [p.record.label for p in unit.urbanism.prescriptions] == [f"{n:04}" for n in range(MAX_ITEMS)]
    assert urbanism_warnings(unit) == ["planning_truncated"]
    prescribe(lots, *(prescription(f"{n:04}", Point(3, 3), "07") for n in range(MAX_ROWS)))
    unit = urbanism_of(lots, A)
    assert unit.urbanism is None
    assert set(planning_coverage(unit).values()) == {("not_covered", "too_many")}


@on_sqlite
def test_zone_shares_add_up_over_the_parts_of_a_parcel(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0), square(100, 0, 20, 60))])
    plan(store, zone("UB", square(-50, -50, 100, 200)), zone("N", square(50, -50, 200, 200), "N"))
    assert ratios(block_of(store, A).zones) == [
        ("N", pytest.approx(0.75, abs=1e-3)),
        ("UB", pytest.approx(0.25, abs=1e-3)),
    ]


@on_sqlite
def test_a_parcel_without_an_outline_has_no_known_zone(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1)])
    plan(store, zone("UB", square(-100, -100, 300, 300)))
    unit = urbanism_of(store, A)
    assert unit.urbanism is None
    assert set(planning_coverage(unit).values()) == {("not_covered", "not_drawn")}


@on_sqlite
def test_a_land_unit_with_a_parcel_without_outline_is_partial(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2)])
    plan(store, zone("UB", square(-100, -100, 300, 300)))
    prescribe(store)
    unit = urbanism_of(store, A, B)
    assert unit.urbanism is not None
    assert [z.record.label for z in unit.urbanism.zones] == ["UB"]
    assert set(planning_coverage(unit).values()) == {("partial", "not_drawn")}


@on_sqlite
def test_zone_areas_use_the_repaired_outline_of_a_parcel(store: Engine) -> None:
    """The repaired ring is two triangles of 100 m²."""
    bow_tie = shapely.make_valid(Polygon([(0, 0), (20, 20), (20, 0), (0, 20)]))
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, *shapely.get_parts(bow_tie), is_repaired=True)])
    plan(store, zone("UB", square(-100, -100, 110, 300)), zone("N", square(10, -100, 110, 300), "N"))
    assert [z.area_m2 for z in block_of(store, A).zones] == pytest.approx([100, 100], abs=0.2)


@on_sqlite
def test_a_zone_with_a_repaired_outline_has_a_warning(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300), is_repaired=True))
    assert "planning_outline_repaired" in urbanism_warnings(urbanism_of(lots, A))


def test_a_new_document_replaces_the_old_one(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)), zone("N", square(-100, 300, 300, 300), "N"))
    plan(lots, zone("AUc", square(-100, -100, 300, 300), "AUc", document_id="new"), edition="e2")
    assert [z.record.label for z in block_of(lots, A).zones] == ["AUc"]


def test_a_plu_replaces_a_carte_communale(lots: Engine) -> None:
    sector = zone("ZC", square(-100, -100, 300, 300), None, document_type="CC")
    load(lots, "gpu-zones", PARTITION, [sector], part="cc")
    assert [(z.record.label, z.record.zone_type) for z in block_of(lots, A).zones] == [("ZC", None)]
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    assert [z.record.label for z in block_of(lots, A).zones] == ["UB"]
    load(lots, "gpu-zones", PARTITION, [], part="cc", edition="e2")  # the publisher's answer once the commune has a PLU
    assert [z.record.label for z in block_of(lots, A).zones] == ["UB"]


def test_the_document_list_takes_precedence_over_the_zones(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300), document_id="18999_PLUI_20240131", document_type=None))
    about = DocumentRecord(
        partition=PARTITION, document_id="18999_PLUi_20240131", document_type="PLUi", approved_on=None,
        url="https://example.invalid/plan",
    )  # fmt: skip
    load(lots, "gpu-documents", PARTITION, [about, about._replace(document_id="18999_POS_19990101")])
    (document,) = block_of(lots, A).documents
    assert (document.document_id, document.document_type, document.approved_on, document.url) == (
        "18999_PLUI_20240131",
        "PLUi",
        "2024-01-31",
        "https://example.invalid/plan",
    )
    assert "gpu-documents" in {source.id for source in urbanism_of(lots, A).sources}


def test_planning_data_is_not_a_source_of_other_blocks(lots: Engine) -> None:
    plan(lots, zone("UB", square(-100, -100, 300, 300)))
    load(lots, "gpu-communes", COMMUNE, [PlanningCommuneRecord(COMMUNE, False)])
    unit = land_unit(lots, A)
    assert [source.id for source in unit.sources] == ["cadastre-parcels"]
    assert planning_coverage(unit) == {}
