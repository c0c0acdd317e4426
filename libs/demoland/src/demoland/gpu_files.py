"""Planning documents as features in the attributes of the CNIG standard, and communes as the Géoportail has them."""

from collections.abc import Mapping

from demoland.plan import Commune, upper_ascii
from demoland.quarter_planning import Prescription, Zone

APPROVED_ON = "20250601"
SITE = "https://plan.exempleville.invalid"
"""Of no one: names in .invalid lead nowhere."""
ZONES_NAME = "gpu-00-20260101-zone_urba.geojson"
PRESCRIPTIONS_NAMES: Mapping[str, str] = {
    "Polygon": "gpu-00-20260101-prescription_surf.geojson",
    "LineString": "gpu-00-20260101-prescription_lin.geojson",
    "Point": "gpu-00-20260101-prescription_pct.geojson",
}
DOCUMENTS_NAME = "gpu-00-20260101-document.geojson"
COMMUNES_NAME = "gpu-00-20260101-municipality.geojson"


def zone_feature(commune: Commune, zone: Zone) -> dict[str, object]:
    rings = [[commune.to_degrees(point) for point in (*ring, ring[0])] for ring in zone.rings]
    return _feature(
        {"type": "Polygon", "coordinates": rings},
        LIBELLE=zone.label,
        LIBELONG=zone.long_label,
        TYPEZONE=zone.zone_type,
        **_written(commune, f"reglement_{APPROVED_ON}.pdf#{zone.label}"),
    )


def prescription_feature(commune: Commune, item: Prescription) -> dict[str, object]:
    points = [commune.to_degrees(point) for point in item.points]
    coordinates: object = {"Polygon": [[*points, points[0]]], "LineString": points, "Point": points[0]}[item.geometry]
    return _feature(
        {"type": item.geometry, "coordinates": coordinates},
        LIBELLE=item.label,
        TXT="",
        TYPEPSC=item.type_code,
        STYPEPSC=item.subtype_code,
        **_written(commune, f"prescriptions_{APPROVED_ON}.pdf"),
    )


def document_feature(commune: Commune) -> dict[str, object]:
    facts: dict[str, object] = {
        "partition": f"DU_{commune.code}",
        "name": f"{commune.code}_PLU_{APPROVED_ON}",
        "du_type": "PLU",
        "siteweb": f"{SITE}/{commune.code}",
    }
    return {"type": "Feature", "geometry": None, "properties": facts}


def commune_feature(code: str, name: str, is_deleted: bool) -> dict[str, object]:
    facts: dict[str, object] = {
        "insee": code,
        "name": upper_ascii(name),
        "is_rnu": False,
        "is_deleted": is_deleted,
        "is_coastline": False,
    }
    return {"type": "Feature", "geometry": None, "properties": facts}


def _feature(geometry: Mapping[str, object], **facts: object) -> dict[str, object]:
    return {"type": "Feature", "geometry": geometry, "properties": facts}


def _written(commune: Commune, file: str) -> dict[str, object]:
    return {
        "NOMFIC": f"{commune.code}_{file}",
        "URLFIC": f"{SITE}/{commune.code}_{file}",
        "IDURBA": f"{commune.code}_PLU_{APPROVED_ON}",
        "DATVALID": APPROVED_ON,
    }
