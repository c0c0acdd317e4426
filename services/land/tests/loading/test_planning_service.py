"""Planning documents from the live service: an answer replaces the whole document, even if the answer is empty."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import shapely
from land_builders import COMMUNE, PARTITION, land_unit, load, lon_lat, parcel, square
from published_files import urls_of
from publishers import Publishers, local_publishers
from shapely.geometry import Polygon
from sqlalchemy import Engine

from land.loading.loader import load_file
from land.registry import at
from land.rpc import messages
from land.units.model import LandUnit

LAYERS = (
    "zone-urba", "secteur-cc", "prescription-surf", "prescription-lin", "prescription-pct", "info-surf", "info-lin",
    "info-pct", "document",
)  # fmt: skip


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    with local_publishers() as served:
        serve(served)
        yield served


@pytest.fixture
def lots(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    return store


def serve(publishers: Publishers, *, is_rnu: bool = False, **layers: list[dict[str, Any]]) -> None:
    for layer in LAYERS:
        features = layers.get(layer.replace("-", "_"), [])
        publishers.files[f"/gpu/{layer}"] = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    commune = {"insee": COMMUNE, "name": "TRIFOUILLIS", "is_rnu": is_rnu, "is_deleted": False}
    feature = {"type": "Feature", "geometry": None, "properties": commune}
    collection = {"type": "FeatureCollection", "features": [feature]}
    publishers.files["/gpu/municipality"] = json.dumps(collection).encode()


def drawn(outline: Polygon, **facts: str) -> dict[str, Any]:
    geometry = shapely.Polygon([lon_lat(x, y) for x, y in outline.exterior.coords])
    named = {"partition": PARTITION, "idurba": f"{COMMUNE}_PLU_20240131", "gpu_timestamp": "2026-03-06T13:23:35.603Z"}
    return {"type": "Feature", "geometry": json.loads(shapely.to_geojson(geometry)), "properties": named | facts}


def fetch(store: Engine, publishers: Publishers, folder: Path) -> LandUnit:
    """The land unit after all planning files of the commune were loaded."""
    for dataset in at(publishers.bases).values():
        if dataset.id.startswith("gpu") and dataset.id not in ("gpu-in-force", "gpu-sup", "gpu-sup-documents"):
            for url in urls_of(dataset, COMMUNE):
                load_file(store, dataset, url, folder / "scratch", commune=COMMUNE)
    return land_unit(store, f"{COMMUNE}000AB0001", blocks=["urbanism"])


def coverage(unit: LandUnit) -> dict[str, str]:
    """The statuses of documents, without easements and regulations."""
    others = ("gpu-sup", "gpu-sup-documents", "gpu-regulations")
    return {
        entry.dataset: entry.status for entry in unit.coverage if "gpu" in entry.dataset and entry.dataset not in others
    }


ZONE = drawn(square(-50, -50, 200, 200), libelle="UB", typezone="U")
RESERVED = drawn(square(0, 0, 5, 20), libelle="ER 1", typepsc="05", stypepsc="01")


def test_a_document_of_one_commune_is_whole_once_all_its_layers_are_answered(
    lots: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    serve(publishers, zone_urba=[ZONE], prescription_surf=[RESERVED])
    unit = fetch(lots, publishers, tmp_path)
    assert unit.urbanism is not None
    assert [zone.record.label for zone in unit.urbanism.zones] == ["UB"]
    assert [item.record.label for item in unit.urbanism.prescriptions] == ["ER 1"]
    assert unit.urbanism.is_rnu is False
    assert coverage(unit) == dict.fromkeys(("gpu-zones", "gpu-prescriptions", "gpu-informations"), "covered")
    assert {s.edition for s in unit.sources if s.id == "gpu-zones"} == {"2026-03-06"}


def test_prescriptions_that_the_publisher_no_longer_has_are_deleted(
    lots: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    serve(publishers, zone_urba=[ZONE], prescription_surf=[RESERVED])
    fetch(lots, publishers, tmp_path)
    serve(publishers, zone_urba=[ZONE])
    unit = fetch(lots, publishers, tmp_path)
    assert unit.urbanism is not None
    assert unit.urbanism.prescriptions == ()
    assert coverage(unit) == dict.fromkeys(("gpu-zones", "gpu-prescriptions", "gpu-informations"), "covered")


def test_a_carte_communale_is_replaced_by_a_plan(lots: Engine, publishers: Publishers, tmp_path: Path) -> None:
    serve(publishers, secteur_cc=[drawn(square(-50, -50, 200, 200), libelle="ZC", typesect="01")])
    unit = fetch(lots, publishers, tmp_path)
    assert unit.urbanism is not None
    assert [zone.record.long_label for zone in unit.urbanism.zones] == ["Secteur ouvert à la construction"]
    assert [zone.sector_type for zone in messages.land_unit(unit).urbanism.zones] == ["01"]
    serve(publishers, zone_urba=[ZONE])
    unit = fetch(lots, publishers, tmp_path)
    assert unit.urbanism is not None
    assert [zone.record.label for zone in unit.urbanism.zones] == ["UB"]
    assert not messages.land_unit(unit).urbanism.zones[0].HasField("sector_type")


def test_a_commune_without_its_own_document_is_not_covered_unless_the_national_rules_apply(
    lots: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    unit = fetch(lots, publishers, tmp_path)
    assert unit.urbanism is None
    assert set(coverage(unit).values()) == {"not_loaded"}
    serve(publishers, is_rnu=True)
    unit = fetch(lots, publishers, tmp_path)
    assert unit.urbanism is not None
    assert unit.urbanism.is_rnu is True
    assert set(coverage(unit).values()) == {"covered"}
