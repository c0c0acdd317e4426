"""Public easements from the live service: asked for by the place of a commune, and their acts by document."""

import json
from pathlib import Path
from typing import Any

import pytest
from land_builders import coverage, unit_of, warning_codes
from land_replica import Replica
from published_files import COMMUNE, OTHER, parcel_id
from publishers import Publishers
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.rpc import messages
from land.selection import Selection
from land.units.model import LandUnit
from servicekit.context import deadline

DOCUMENT = "172014607_SUP_18_AC1"
ACT = {"partition": DOCUMENT, "idacte": "A1", "nomacte": "Inscription", "typeacte": "Arrêté", "datedecis": "19260504"}
AROUND = {"type": "Polygon", "coordinates": [[[2.2, 47], [2.4, 47], [2.4, 47.2], [2.2, 47.2], [2.2, 47]]]}
BESIDE = {"type": "Point", "coordinates": [2.2995, 47.0795]}
"""Less than two kilometres from the parcels."""


def serve(publishers: Publishers, route: str, *features: dict[str, Any]) -> None:
    publishers.files[f"/gpu/{route}"] = json.dumps({"type": "FeatureCollection", "features": features}).encode()


def feature(geometry: Any, **properties: Any) -> dict[str, Any]:
    common = {"partition": DOCUMENT, "gid": 1, "gpu_timestamp": "2026-08-27T04:52:53.394Z"}
    return {"type": "Feature", "geometry": geometry, "properties": common | properties}


def assiette(number: int) -> dict[str, Any]:
    return feature(
        AROUND, gid=number, suptype="ac1", idass=f"E{number}", idgen="G1", nomass=f"Tour {number}", fichier="f.pdf",
        gpu_doc_id="b3e5ecaa1ea6a1372fbda8899e000fdc",
    )  # fmt: skip


@pytest.fixture
def served(publishers: Publishers) -> Publishers:
    serve(publishers, "assiette-sup-s", assiette(1))
    serve(publishers, "generateur-sup-p", feature(BESIDE, idgen="G1", idsup="S1", nomgen="La Tour", typegen="Monument"))
    serve(publishers, "acte-sup", feature(None, fichier="f.pdf", **ACT))
    listed = (DOCUMENT, "110068012_SUP_R24_PM1", "130001111_SUP_45_AC2")
    serve(publishers, "gestionnaire-sup", *(feature(None, partition=name) for name in listed))
    return publishers


def urbanism_of(replica: Replica, commune: str = COMMUNE) -> LandUnit:
    with deadline(30.0):
        return unit_of(replica.pipeline, Selection(AddressQuery(), [parcel_id(1, commune)]), ["urbanism"], "all")


def test_easements_are_fetched_with_their_causes_acts_and_published_categories(
    replica: Replica, served: Publishers
) -> None:
    unit = urbanism_of(replica)
    block = messages.land_unit(unit).urbanism
    [tour] = block.easements
    assert (tour.category, tour.name, tour.overlap_ratio) == ("AC1", "Tour 1", 1)
    assert (tour.generator.name, tour.generator.type) == ("La Tour", "Monument")
    assert (tour.act.name, tour.act.type, tour.act.decided_on) == ("Inscription", "Arrêté", "1926-05-04")
    assert tour.act.url.endswith(f"/{DOCUMENT}/b3e5ecaa1ea6a1372fbda8899e000fdc/f.pdf")
    assert list(block.published_easement_categories) == ["AC1", "PM1"]
    assert (coverage(unit)["gpu-sup"], coverage(unit)["gpu-sup-documents"]) == (("covered", None),) * 2
    assert {source.edition for source in unit.sources if source.id == "gpu-sup"} == {"2026-08-27"}
    requests = [path for path in served.requests if path.startswith("/gpu")]
    assert messages.land_unit(urbanism_of(replica)).urbanism == block
    assert [path for path in served.requests if path.startswith("/gpu")] == requests
    again = messages.land_unit(urbanism_of(replica, OTHER)).urbanism
    assert [easement.act.name for easement in again.easements] == ["Inscription"]
    assert sum("acte-sup" in path for path in served.requests) == 1  # the acts were loaded within a day
    listed = replica.pipeline.coverage(COMMUNE, "all", ("", "", ""), 100)
    partitions = {load.partition.code for load in listed if load.dataset == "gpu-sup"}
    assert partitions == {COMMUNE, DOCUMENT}


def test_a_long_answer_is_read_in_pages_by_place(replica: Replica, served: Publishers) -> None:
    served.max_features, served.max_page_features = 2, 3
    serve(served, "assiette-sup-s", *map(assiette, range(7)))
    block = messages.land_unit(urbanism_of(replica)).urbanism
    assert {easement.name for easement in block.easements} == {f"Tour {number}" for number in range(7)}


@pytest.mark.parametrize("path", ["/gpu/assiette-sup-s", "/gpu/acte-sup"])
def test_a_failure_makes_easements_partial_until_they_are_fetched(
    store: Engine, served: Publishers, tmp_path: Path, path: str
) -> None:
    served.set_mode(path, "failing")
    first = Replica(store, served, tmp_path / "land")
    unit = urbanism_of(first)
    first.on_demand.end()
    assert coverage(unit)["gpu-sup"] == ("partial", "source_unavailable")
    assert "source_unavailable" in warning_codes(unit)
    assert coverage(unit)["gpu-sup-documents"] == ("covered", None)
    served.modes.clear()
    unit = urbanism_of(Replica(store, served, tmp_path / "land"))
    assert coverage(unit)["gpu-sup"] == ("covered", None)


def test_unknown_documents_leave_all_categories_unknown(replica: Replica, served: Publishers) -> None:
    served.set_mode("/gpu_wfs", "failing")
    serve(served, "assiette-sup-s")
    unit = urbanism_of(replica)
    assert not messages.land_unit(unit).urbanism.published_easement_categories
    assert coverage(unit)["gpu-sup-documents"] == ("partial", "source_unavailable")
