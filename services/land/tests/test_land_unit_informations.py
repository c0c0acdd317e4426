"""The informations of the block `urbanism`, from records in the store to the answer."""

import json

import pytest
import shapely
from land_builders import (
    COMMUNE,
    PARTITION,
    land_unit,
    load,
    lon_lat,
    parcel,
    polygon_wkb,
    prescription,
    square,
    zone,
)
from shapely.geometry import LineString, Point, shape
from sqlalchemy import Engine

from land.rpc import messages


def test_informations_have_their_official_label_and_article(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(store, "gpu-zones", PARTITION, [zone("UB", square(-100, -100, 300, 300))])
    features = [
        prescription("Divisions contrôlées", square(-10, -10, 15, 40), "11"),
        prescription("DPU renforcé", square(-10, -10, 100, 40), "04", subtype_code="01"),
        prescription("Ancien code", square(-10, -10, 100, 40), "01"),
        prescription("Ailleurs", square(30, 30), "04"),
    ]
    load(store, "gpu-informations", PARTITION, features, part="surface")
    unit = land_unit(store, f"{COMMUNE}000AB0001", blocks=["urbanism"])
    block = messages.land_unit(unit).urbanism
    assert not block.prescriptions
    assert [
        (
            information.label,
            information.type_code,
            information.type_label,
            information.legal_reference,
            round(information.overlap_area_m2),
        )
        for information in block.informations
    ] == [
        ("Ancien code", "01", "", "", 400),
        ("DPU renforcé", "04", "Périmètre de droit de préemption urbain renforcé", "L211-1 code de l'urbanisme", 400),
        (
            "Divisions contrôlées",
            "11",
            "Périmètre des zones délimitées - divisions foncières soumises à déclaration préalable",
            "L115-3 code de l'urbanisme",
            100,
        ),
    ]
    assert {warning.code for warning in unit.warnings} >= {"prescriptions_not_covered", "informations_partial"}


def test_outlines_are_given_only_if_asked_for(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(store, "gpu-zones", PARTITION, [zone("UB", square(-100, -100, 300, 300))])
    shapes = {
        "surface": prescription("Emplacement", square(-10, 15, 40, 20), "05"),
        "line": prescription("Haie", LineString([(-10, 5), (50, 5)]), "07"),
        "point": prescription("Puits", Point(3, 3), "07"),
    }
    for part, record in shapes.items():
        load(store, "gpu-prescriptions", PARTITION, [record], part=part)
    unit = land_unit(store, f"{COMMUNE}000AB0001", blocks=["urbanism"])
    bare = messages.without_outlines(messages.land_unit(unit))
    assert {prescription.geometry for prescription in bare.urbanism.prescriptions} == {b""}
    assert [parcel.outline for parcel in messages.land_unit(unit).parcels] == [b""]  # the unit has it
    prescriptions = messages.land_unit(unit).urbanism.prescriptions
    outlines = {prescription.label: json.loads(prescription.geometry) for prescription in prescriptions}
    assert {label: outline["type"] for label, outline in outlines.items()} == {
        "Emplacement": "Polygon", "Haie": "LineString", "Puits": "Point",
    }  # fmt: skip
    lot = shapely.from_wkb(polygon_wkb(square(-0.3, -0.3, 20.6, 20.6)))
    assert all(lot.contains(shape(outline)) for outline in outlines.values())
    assert outlines["Puits"]["coordinates"] == pytest.approx(lon_lat(3, 3), abs=1e-7)
