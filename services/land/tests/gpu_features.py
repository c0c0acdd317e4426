"""Features of planning documents, in the layouts of the Géoportail de l'urbanisme."""

import json
from pathlib import Path
from typing import Any

from written_files import Writer

from land.datasets.partitions import Partition
from land.datasets.planning.reader import Communes, Documents, InForce, Informations, Prescriptions, Zones
from land.datasets.planning.records import PlanFeatureRecord, ZoneRecord
from land.sources.base import CommuneFilter, ReadReport

BASE, WFS = "https://mirror.example/gpu", "https://mirror.example/wfs"
ZONES, PRESCRIPTIONS, INFORMATIONS = Zones(BASE, WFS), Prescriptions(BASE, WFS), Informations(BASE, WFS)
DOCUMENTS = Documents(BASE, WFS)
COMMUNES, IN_FORCE = Communes(BASE, WFS), InForce(BASE, WFS)
SQUARE = [[[2.0, 47.0], [2.001, 47.0], [2.001, 47.001], [2.0, 47.001], [2.0, 47.0]]]
BOW_TIE = [[[2.0, 47.0], [2.001, 47.001], [2.001, 47.0], [2.0, 47.001], [2.0, 47.0]]]
POLYGON: dict[str, Any] = {"type": "Polygon", "coordinates": SQUARE}

SINCE_2017 = {
    "LIBELLE": "UB",
    "LIBELONG": "Zone UB : faubourgs",
    "TYPEZONE": "U",
    "NOMFIC": "18999_reglement_20240131.pdf",
    "URLFIC": "",
    "IDURBA": "18999_PLU_20240131",
    "DATVALID": "20240131",
}
OF_2014 = {
    "LIBELLE": "UB",
    "LIBELONG": "Zone UB",
    "TYPEZONE": "U",
    "DESTDOMI": "01",
    "NOMFIC": "",
    "URLFIC": "http://plans.example/18999.pdf",
    "INSEE": "18999",
    "DATAPPRO": "20140123",
    "DATVALID": "20140123",
}
LIVE = {
    "gid": 3955705,
    "gpu_doc_id": "694a3c44118890856aa96c8b01b8961b",
    "gpu_timestamp": "2026-03-06T13:23:35.603Z",
    "partition": "DU_18999",
    "libelle": "UB",
    "libelong": "Zone UB",
    "typezone": "U",
    "destdomi": None,
    "nomfic": "18999_règlement 2.pdf#UB",
    "urlfic": "",
    "insee": None,
    "datappro": None,
    "datvalid": "20240323",
    "idurba": "18999_PLU_20260228",
}
PRESCRIPTION = {
    "LIBELLE": "ER 1",
    "TXT": "",
    "TYPEPSC": "05",
    "STYPEPSC": "01",
    "NOMFIC": "",
    "URLFIC": "",
    "IDURBA": "18999_PLU_20240131",
    "DATVALID": "20240131",
}


def feature(properties: dict[str, Any], geometry: Any = POLYGON, **changes: Any) -> dict[str, Any]:
    members = {name: value for name, value in (properties | changes).items() if value != "drop"}
    return {"type": "Feature", "geometry": geometry, "properties": members}


def collection(*features: Any, **members: Any) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features} | members)


def zones(path: Path, report: ReadReport, **area: str) -> list[tuple[Partition, ZoneRecord]]:
    return list(ZONES.read(path, report, CommuneFilter(**area)))


def zone(write: Writer, report: ReadReport, properties: dict[str, Any], geometry: Any = POLYGON) -> ZoneRecord:
    [(_, record)] = zones(write("a.json", collection(feature(properties, geometry))), report)
    return record


def prescriptions(path: Path, report: ReadReport) -> list[tuple[Partition, PlanFeatureRecord]]:
    return list(PRESCRIPTIONS.read(path, report))
