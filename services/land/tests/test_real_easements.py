"""Public easements on real deliveries. Needs the sample data.

Expected counts, names and dates were read in the raw files.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import shapely
from land_builders import coverage, import_file, land_unit, on_sqlite
from sqlalchemy import Engine

from land.datasets import territory
from land.datasets.easements.records import EasementRecord
from land.datasets.partitions import Partition
from land.registry import DATASETS
from land.rpc import messages
from land.sources.base import CommuneFilter, ReadReport
from landpartner.land.v1 import land_pb2 as pb

pytestmark = pytest.mark.samples
COUNTS = {
    "AC1_2A_assiette_sup_s.geojson": {"surface": 206},
    "AC1_2A_generateur_sup_s.geojson": {"gen-s": 104},
    "AC1_2A_servitude.csv": {"servitudes": 104},
    "AC1_2A_servitude_acte_sup.csv": {"links": 104},
    "AC1_2A_acte_sup.csv": {"acts": 208},  # each by its id and by its file
    "PM3_28_assiette_sup_s.geojson": {"surface": 3},
    "PM3_28_generateur_sup_s.geojson": {"gen-s": 3},
    "PM3_28_servitude.csv": {"servitudes": 3},
    "PM3_28_servitude_acte_sup.csv": {"links": 3},
    "PM3_28_acte_sup.csv": {"acts": 3},
    "PM3_28_gestionnaire_sup.csv": {},
}


@pytest.mark.parametrize("name", COUNTS)
def test_deliveries_are_read_without_rejections(samples: Path, name: str) -> None:
    report = ReadReport(name)
    records = list(DATASETS["gpu-sup"].reader.read(samples / "sup" / name, report))
    category, department, *_ = name.split("_")
    expected = {Partition(f"SUP_{department}_{category}", part): count for part, count in COUNTS[name].items()}
    assert (Counter(partition for partition, _ in records), report.rejected_count) == (Counter(expected), 0)
    assert not report.unknown_values


def test_a_live_answer_has_names_in_utf_8_and_the_text_of_its_act(samples: Path) -> None:
    path = samples / "sup" / "gpu-assiette-sup-s-75113.json"
    report = ReadReport(path.name)
    reader = DATASETS["gpu-sup"].reader
    [(partition, record)] = reader.read(path, report, CommuneFilter("75113"))
    assert partition == Partition("75113", "surface")
    assert isinstance(record, EasementRecord)
    assert (record.category, record.type, record.document) == ("AC1", "Périmètre des abords", "172014607_SUP_75_AC1")
    assert record.act_url is not None
    assert record.act_url.endswith("SERNAM-I717JU_20120223_act.pdf")
    assert report.rejections == [f"{path.name}:2: no geometry"]  # not taken into the sample
    assert reader.edition(path, path.name) == "2026-08-27"


def easements_at(store: Engine, folder: Path, commune: str, outline: Any) -> list[pb.Easement]:
    """The easements of a square of 20 m around a point inside the outline."""
    projection = territory.projection_of(outline)
    centre = territory.to_metres(outline.representative_point(), projection)
    square = territory.to_degrees(centre.buffer(10, cap_style="square"), projection)
    parcel = {
        "type": "Feature",
        "properties": {"id": f"{commune}000AA0001", "contenance": 400},
        "geometry": json.loads(shapely.to_geojson(square)),
    }
    path = folder / "cadastre-2026-06-01-parcelles.json"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [parcel]}), encoding="utf-8")
    import_file(store, "cadastre-parcels", path, folder)
    unit = land_unit(store, f"{commune}000AA0001", blocks=["urbanism"])
    assert coverage(unit)["gpu-sup"] == ("partial", "not_loaded")  # other categories are unknown
    easements = list(messages.land_unit(unit).urbanism.easements)
    for easement in easements:
        easement.ClearField("geometry")
    return easements


def outline_of(samples: Path, name: str, **properties: object) -> Any:
    features = json.loads((samples / "sup" / name).read_bytes())["features"]
    [feature] = [feature for feature in features if properties.items() <= feature["properties"].items()]
    return shapely.geometry.shape(feature["geometry"])


@on_sqlite
def test_a_technological_risk_plan_has_its_cause_and_its_act(store: Engine, samples: Path, tmp_path: Path) -> None:
    for name in (file_name for file_name in COUNTS if file_name.startswith("PM3")):
        import_file(store, "gpu-sup", samples / "sup" / name, tmp_path)
    outline = outline_of(samples, "PM3_28_assiette_sup_s.geojson", IdAss=1)
    [plan] = easements_at(store, tmp_path, "28015", outline)
    assert plan == pb.Easement(
        category="PM3",
        category_label="Plan de prévention des risques technologiques (PPRT)",
        name="Plan de prévention des risques technologiques",
        type="Enveloppe des zonages réglementaires",
        geometry_kind="surface",
        overlap_area_m2=plan.overlap_area_m2,
        overlap_ratio=1.0,
        generator=pb.EasementGenerator(name="PM3_Auneau_Legendre_Delpierre_gen", type="Périmètre réglementé du PPR"),
        act=pb.EasementAct(
            name="PM3_Auneau_Legendre_Delpierre_act", type="Arrêté préfectoral", decided_on="2014-04-23"
        ),
    )


@on_sqlite
def test_every_monument_has_its_act_but_one_assiette_has_no_cause(store: Engine, samples: Path, tmp_path: Path) -> None:
    for name in (file_name for file_name in COUNTS if file_name.startswith("AC1")):
        import_file(store, "gpu-sup", samples / "sup" / name, tmp_path)
    features = json.loads((samples / "sup" / "AC1_2A_assiette_sup_s.geojson").read_bytes())["features"]
    causes = json.loads((samples / "sup" / "AC1_2A_generateur_sup_s.geojson").read_bytes())["features"]
    generator_ids = {cause["properties"]["IdGen"] for cause in causes}
    [alone] = [feature for feature in features if feature["properties"]["IdGen"] not in generator_ids]
    easements = easements_at(store, tmp_path, "2A041", shapely.geometry.shape(alone["geometry"]))
    without = [easement for easement in easements if not easement.HasField("generator")]
    assert [easement.name for easement in without] == [alone["properties"]["nomAss"]]
    assert not without[0].HasField("act")
    dominique = outline_of(samples, "AC1_2A_assiette_sup_s.geojson", idAss="AC1-172014607-00099081-80")
    easements = easements_at(store, tmp_path, "2A041", dominique)
    church = [easement for easement in easements if easement.name == "Eglise Saint Dominique"]
    assert church
    assert {(easement.generator.type, easement.act.type, easement.act.decided_on) for easement in church} == {
        ("Monument", "Arrêté ministériel", "1875-01-01")
    }
