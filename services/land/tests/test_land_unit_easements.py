"""Public easements of the block `urbanism`, from records in the store to the answer."""

import json

import pytest
import shapely
from land_builders import COMMUNE, coverage, easement, land_unit, load, on_sqlite, parcel, square, warning_codes
from shapely.geometry import LineString, Point
from sqlalchemy import Engine

from land.datasets.easements import queries as easements
from land.datasets.easements.records import EasementDetailRecord, EasementDocumentRecord, EasementRecord
from land.datasets.easements.rows import MAX_CORNERS, pieces
from land.rpc import messages
from land.units import easements as block
from landpartner.land.v1 import land_pb2 as pb

A, DOCUMENT = f"{COMMUNE}000AB0001", "172014607_SUP_18_AC1"
ACT = "https://example.invalid/f.pdf"


@pytest.fixture
def lot(store: Engine) -> Engine:
    """A lot of 20 m by 20 m."""
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    return store


def bear(store: Engine, *records: EasementRecord, partition: str = COMMUNE) -> None:
    for part in easements.KINDS:
        load(store, "gpu-sup", partition, [record for record in records if record.geometry_kind == part], part=part)


def detail(store: Engine, part: str, *records: EasementDetailRecord, partition: str = DOCUMENT) -> None:
    load(store, "gpu-sup", partition, records, part=part)


def publish(store: Engine, **categories: str) -> None:
    """Documents by category, with their territory."""
    documents = [
        EasementDocumentRecord("18", f"SUP_{service}_{category}", category, service)
        for category, service in categories.items()
    ]
    load(store, "gpu-sup-documents", "18", documents)


def urbanism(store: Engine) -> pb.UrbanismBlock:
    return messages.land_unit(land_unit(store, A, blocks=["urbanism"])).urbanism


def test_easements_have_their_label_size_cause_and_act(lot: Engine) -> None:
    bear(
        lot,
        easement("Tour", square(-10, -10, 20, 40), generator_id="G1", type="Périmètre des abords", act_url=ACT),
        easement("Ligne", LineString([(-10, 5), (50, 5)]), "I4"),
        easement("Puits", Point(3, 3), "AS1", act_file="puits.pdf"),
        easement("Ailleurs", square(30, 30)),
        easement("Bord", square(-10, -10, 10.1, 40)),
    )
    row = EasementDetailRecord(
        document=DOCUMENT, kind="generator", key="G1", refers_to="S1", name="Tour de l'Horloge", type="Monument",
        decided_on=None,
    )  # fmt: skip
    detail(lot, "gen-p", row, partition=COMMUNE)
    detail(lot, "gen-p", row._replace(name="of a neighbour"), partition="18998")
    detail(lot, "links", *(row._replace(kind="link", key="S1", refers_to=act) for act in ("A1", "A2")))
    act = row._replace(kind="act", key="A1", name="Inscription", type="Arrêté ministériel", decided_on="1926-05-04")
    detail(lot, "acts", act, act._replace(key="A2", name="Extension", decided_on="1995-01-02"))
    tour, puits, ligne = urbanism(lot).easements
    assert [easement.category for easement in (tour, puits, ligne)] == ["AC1", "AS1", "I4"]
    assert tour.category_label.startswith("Servitude relative aux monuments historiques")
    assert (tour.name, tour.type, tour.geometry_kind) == ("Tour", "Périmètre des abords", "surface")
    assert tour.overlap_area_m2 == pytest.approx(200, abs=0.2)
    assert tour.overlap_ratio == pytest.approx(0.5, abs=1e-3)
    assert (tour.generator.name, tour.generator.type) == ("Tour de l'Horloge", "Monument")
    assert tour.act == pb.EasementAct(name="Inscription", type="Arrêté ministériel", decided_on="1926-05-04", url=ACT)
    assert not puits.HasField("generator")
    assert puits.act == pb.EasementAct(name="puits.pdf")
    assert not ligne.HasField("act")
    assert ligne.overlap_length_m == pytest.approx(20.4, abs=0.1)
    assert not ligne.HasField("overlap_area_m2")
    shapes = [json.loads(easement.geometry)["type"] for easement in (tour, puits, ligne)]
    assert shapes == ["Polygon", "Point", "LineString"]
    unit = messages.without_outlines(messages.land_unit(land_unit(lot, A, blocks=["urbanism"])))
    assert {easement.geometry for easement in unit.urbanism.easements} == {b""}


def test_an_act_is_found_by_its_file(lot: Engine) -> None:
    bear(lot, easement("Tour", square(0, 0), act_file="f.pdf", act_url=ACT))
    row = EasementDetailRecord(
        document=DOCUMENT, kind="file", key="f.pdf", refers_to=None, name="Inscription", type="Arrêté préfectoral",
        decided_on="1990-06-26",
    )  # fmt: skip
    detail(lot, "acts", row)
    [tour] = urbanism(lot).easements
    assert tour.act == pb.EasementAct(name="Inscription", type="Arrêté préfectoral", decided_on="1990-06-26", url=ACT)


def test_an_easement_of_several_files_is_given_once(lot: Engine) -> None:
    outline = square(-10, -10, 40, 40)
    bear(lot, easement("Plan", outline, "PM1"))
    bear(lot, easement("Plan", outline, "PM1"), partition="18998")
    bear(lot, easement("Plan", outline, "PM1", document="SUP_18_PM1"), partition="SUP_18_PM1")
    [plan] = urbanism(lot).easements
    assert plan.overlap_ratio == 1
    assert plan.overlap_area_m2 == pytest.approx(400, abs=0.2)


def test_only_published_categories_tell_that_there_is_none(lot: Engine) -> None:
    bear(lot)
    assert list(urbanism(lot).published_easement_categories) == []
    publish(lot, AC1="18", PM1="R24", AC2="18998", I4=COMMUNE, T7="45")
    assert list(urbanism(lot).published_easement_categories) == ["AC1", "I4", "PM1"]
    unit = land_unit(lot, A, blocks=["urbanism"])
    assert (coverage(unit)["gpu-sup"], coverage(unit)["gpu-sup-documents"]) == (("covered", None),) * 2
    assert "easements_not_covered" not in warning_codes(unit)
    assert {source.id for source in unit.sources} == {"cadastre-parcels", "gpu-sup", "gpu-sup-documents"}


def test_imported_documents_cover_their_categories_only(lot: Engine) -> None:
    publish(lot, AC1="18", PM1="18")
    unit = land_unit(lot, A, blocks=["urbanism"])
    assert (unit.urbanism, coverage(unit)["gpu-sup"]) == (None, ("not_loaded", "not_loaded"))
    assert "easements_not_covered" in warning_codes(unit)
    load(lot, "gpu-sup", "SUP_18_AC1", [easement("Loin", square(500, 500))], part="surface")
    load(lot, "gpu-sup", "SUP_45_AC2", [easement("Loin", square(900, 900), "AC2")], part="surface")
    load(lot, "gpu-sup", "SUP_18_AC4", [], part="acts")
    unit = land_unit(lot, A, blocks=["urbanism"])
    assert unit.urbanism is not None
    assert unit.urbanism.easements == block.Easements((), ("AC1",))
    assert coverage(unit)["gpu-sup"] == ("partial", "not_loaded")
    assert "easements_partial" in warning_codes(unit)
    assert "gpu-sup" in {source.id for source in unit.sources}
    load(lot, "gpu-sup", "SUP_18_PM1", [easement("Loin", square(500, 500), "PM1")], part="surface")
    unit = land_unit(lot, A, blocks=["urbanism"])
    assert coverage(unit)["gpu-sup"] == ("covered", None)
    assert unit.urbanism is not None
    assert unit.urbanism.easements == block.Easements((), ("AC1", "PM1"))


@on_sqlite
def test_a_unit_in_two_communes_knows_what_both_know(lot: Engine) -> None:
    load(lot, "cadastre-parcels", "18998", [parcel(1, square(20, 0), commune="18998")])
    publish(lot, AC1="18", AC2=COMMUNE)
    bear(lot)
    ids = (A, "18998000AB0001")
    assert coverage(land_unit(lot, *ids, blocks=["urbanism"]))["gpu-sup"] == ("partial", "not_loaded")
    bear(lot, partition="18998")
    unit = land_unit(lot, *ids, blocks=["urbanism"])
    assert coverage(unit)["gpu-sup"] == ("covered", None)
    assert unit.urbanism is not None
    assert unit.urbanism.easements == block.Easements((), ("AC1",))


@on_sqlite
def test_too_many_easements_are_cut_with_a_warning(lot: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    bear(lot, *(easement(f"{n}", square(0, 0)) for n in range(3)))
    monkeypatch.setattr(block, "MAX_ITEMS", 2)
    unit = land_unit(lot, A, blocks=["urbanism"])
    assert [easement.name for easement in messages.land_unit(unit).urbanism.easements] == ["0", "1"]
    assert "easements_truncated" in warning_codes(unit)
    monkeypatch.setattr(easements, "MAX_ROWS", 3)
    assert coverage(land_unit(lot, A, blocks=["urbanism"]))["gpu-sup"] == ("not_covered", "too_many")


@on_sqlite
def test_a_unit_without_an_outline_has_unknown_easements(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1)])
    bear(store)
    assert coverage(land_unit(store, A, blocks=["urbanism"]))["gpu-sup"] == ("not_covered", "not_drawn")


def test_a_huge_outline_is_cut_into_pieces_that_add_up(lot: Engine) -> None:
    """A disc of 50,000 corners around the lot, with a hole beside it."""
    disc = Point(10, 10).buffer(5_000, quad_segs=12_500).difference(Point(500, 10).buffer(100, quad_segs=1_000))
    assert isinstance(disc, shapely.Polygon)
    record = easement("Plan", disc, "PM1")
    whole = shapely.from_wkb(record.geometry)
    assert shapely.get_num_coordinates(whole) > 50_000
    cut = [shapely.from_wkb(piece.geometry) for piece in pieces([record])]
    assert max(map(shapely.get_num_coordinates, cut)) <= MAX_CORNERS
    assert sum(piece.area for piece in cut) == pytest.approx(whole.area, rel=1e-9)
    bear(lot, record, partition="SUP_18_PM1")
    [plan] = urbanism(lot).easements
    assert plan.overlap_ratio == 1
    assert plan.overlap_area_m2 == pytest.approx(400, abs=0.2)
    bear(lot, record)
    with lot.connect() as connection:
        rows = connection.exec_driver_sql(f"SELECT id FROM easement WHERE partition = '{COMMUNE}'").all()
    assert len(rows) == 1  # only what reaches the parcels of the commune


@pytest.mark.parametrize("kind", ["line", "point"])
def test_long_lines_and_many_points_are_cut_too(kind: str) -> None:
    places = [(n / 100, n % 7 / 100) for n in range(1_000)]
    geometry = LineString(places) if kind == "line" else shapely.MultiPoint(places)
    record = easement("x", Point(0, 0))._replace(geometry=shapely.to_wkb(geometry))
    cut = [shapely.from_wkb(piece.geometry) for piece in pieces([record])]
    assert max(map(shapely.get_num_coordinates, cut)) <= MAX_CORNERS
    assert sum(piece.length for piece in cut) == pytest.approx(geometry.length)
    if kind == "point":
        assert len(shapely.get_parts(shapely.union_all(cut))) == len(places)
