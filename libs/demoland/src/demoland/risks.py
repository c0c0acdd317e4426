"""Recorded answers of Géorisques about the first commune: a brook with a flood plan, clay, and a few sites.

Only the first parcels have answers: a benchmark has too many parcels.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from demoland import quarter as q
from demoland.geometry import Point, rectangle
from demoland.model import Parcel

MAX_PARCELS = 1_000
RETRIEVED_AT = "2026-01-01T06:00:00Z"
REACH_M = 900.0
"""Sites that are farther from a parcel are not in its answers."""
CLAY_SOUTH_OF_M = 55.0
"""North limit of the strong clay in the old quarter."""
_CONVENT: Point = (-180, 160)
_GARAGE: Point = (-30, 20)
_COOPERATIVE: Point = (-300, -120)
_DUMP = rectangle(-178, -98, -160, -80)
PLAN_ID = "00DDT20180001"
_PLAN = {
    "idGaspar": PLAN_ID,
    "libPpr": "PPRI du ruisseau de Fiction",
    "modeleProcedure": "PPRN-I",
    "etatRevision": None,
    "supExists": True,
    "dateModification": "2019-03-14",
}


class RiskZone(NamedTuple):
    """A rectangle of the flood plan, by its west, south, east and north."""

    code: str
    type_code: str
    label: str
    name: str
    sides: tuple[float, float, float, float]

    def touches(self, corners: Sequence[Point]) -> bool:
        """Whether the rectangle meets the one around the corners."""
        west, south, east, north = self.sides
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        return min(xs) < east and max(xs) > west and min(ys) < north and max(ys) > south


_RED, _BLUE = ("R1", "03", "Interdiction", "Zone rouge"), ("B2", "02", "Prescriptions", "Zone bleue")
RISK_ZONES = (
    RiskZone(*_RED, (-400, -40, -352, 260)),  # along the brook
    RiskZone(*_BLUE, (-420, -40, -400, 260)),
    RiskZone(*_BLUE, (-352, -40, -332, 260)),
    RiskZone(*_RED, (-270, 30, -215, 55)),  # a hollow of the Prés-Fleuris, where building is open otherwise
    RiskZone(*_BLUE, (-215, 30, -205, 55)),
)


def recorded_answers(parcels: Iterable[Parcel]) -> Iterator[Mapping[str, Any]]:
    """The lines of the file. A line has all parcels with the same answer."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for parcel in parcels:
        if parcel.polygons:
            for question, body in _of_parcel(parcel):
                grouped.setdefault((question, json.dumps(body, ensure_ascii=False)), []).append(parcel.parcel_id)
    for question, body in _of_commune():
        yield _line(question, [q.COMMUNE.code], body)
    for (question, text), places in grouped.items():
        yield _line(question, places, json.loads(text))


def _line(question: str, places: list[str], body: object) -> Mapping[str, Any]:
    return {"question": question, "places": places, "retrieved_at": RETRIEVED_AT, "body": body}


def _of_parcel(parcel: Parcel) -> Iterator[tuple[str, object]]:
    corners = [point for outline, *_ in parcel.polygons for point in outline]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    is_in_field = parcel.section == q.FIELD_SECTION
    clay = "2" if middle[0] > 0 else "3" if middle[1] < CLAY_SOUTH_OF_M else "1"
    labels = {"1": "Exposition faible", "2": "Exposition moyenne", "3": "Exposition forte"}
    yield "clay_of_parcel", _content([] if is_in_field else [{"codeExposition": clay, "exposition": labels[clay]}])
    yield "cavities", _data(_near(middle, _CONVENT, _CAVITY))
    yield "landslides", _data([])
    yield "casias", _data(_near(middle, _GARAGE, _FORMER_SITE))
    yield "instructions", _data([])
    yield "information_sectors", _data(_near(middle, _DUMP[0], _SECTOR))
    yield "installations", _data(_near(middle, _COOPERATIVE, _INSTALLATION, _SHOP))
    yield "floods", _data([_FLOOD] if RISK_ZONES[0].touches(corners) else [])
    yield "brush_clearing", [_BRUSH] if parcel.parcel_id == q.FIELD_IN_TWO else []
    touching = sorted({zone[:4] for zone in RISK_ZONES if zone.touches(corners)}, reverse=True)
    zones = [{"codeZone": code, "libelle": label, "nom": name} for code, _, label, name in touching]
    zoning = {"zoneRegExists": bool(zones), "listTypeReg": zones}
    yield "pprn_of_parcel", _content([{**_PLAN, "zonageReglementaire": zoning}])
    yield "pprt_of_parcel", _content([])
    yield "pprm_of_parcel", _content([])


def _of_commune() -> Iterator[tuple[str, object]]:
    place = {"code_insee": q.COMMUNE.code, "libelle_commune": q.COMMUNE.name}
    yield "radon", _data([{**place, "classe_potentiel": "2"}])
    yield "seismic", _data([{**place, "code_zone": "2", "zone_sismicite": "2 - FAIBLE"}])
    risks = {"11": "Inondation", "158": "Tassements différentiels", "13": "Séisme"}
    listed = [
        {"num_risque": number, "libelle_risque_long": label, "zone_sismicite": None} for number, label in risks.items()
    ]
    yield "recorded_risks", _data([{**place, "risques_detail": listed}])
    disasters = [
        {
            **place,
            "code_national_catnat": f"INTE{number}",
            "date_debut_evt": began,
            "date_fin_evt": ended,
            "date_publication_arrete": decreed,
            "date_publication_jo": decreed,
            "libelle_risque_jo": label,
        }
        for number, began, ended, decreed, label in (
            ("9900001A", "25/12/1999", "29/12/1999", "29/12/1999", "Inondations et/ou Coulées de Boue"),
            ("9900001A", "25/12/1999", "29/12/1999", "29/12/1999", "Mouvement de Terrain"),
            ("1600002A", "28/05/2016", "05/06/2016", "08/06/2016", "Inondations et/ou Coulées de Boue"),
            ("2300003A", "01/07/2022", "30/09/2022", "03/04/2023", "Sécheresse"),
        )
    ]
    yield "natural_disasters", _data(disasters)


def _near(middle: Point, at: Point, *rows: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows if the place is near the parcel."""
    is_near = abs(middle[0] - at[0]) < REACH_M and abs(middle[1] - at[1]) < REACH_M
    return list(rows) if is_near else []


def _data(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Rows in the envelope of most endpoints."""
    return {
        "results": len(rows),
        "page": 1,
        "total_pages": 1,
        "data": rows,
        "response_code": 200,
        "message": None,
        "next": None,
        "previous": None,
    }


def _content(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Rows in the envelope of plans."""
    return {"totalElements": len(rows), "totalPages": 1, "pageNumber": 0, "pageSize": 100, "content": rows}


def _position(point: Point) -> Mapping[str, float]:
    lon, lat = q.COMMUNE.to_degrees(point)
    return {"longitude": lon, "latitude": lat}


_CAVITY = {
    "identifiant": "DEMAA0000001",
    "type": "cave",
    "nom": "Cave de l'Ancien Couvent",
    "code_insee": q.COMMUNE.code,
    **_position(_CONVENT),
}
_FORMER_SITE = {
    "identifiant_ssp": "SSP0000001",
    "identifiant_casias": "DEM0000001",
    "nom_etablissement": "Ancienne station-service des Prés-Fleuris",
    "statut": "En arrêt",
    "code_insee": q.COMMUNE.code,
    "fiche_risque": None,
    "date_maj": "2014-12-04",
    "geom": {"type": "Point", "coordinates": q.COMMUNE.to_degrees(_GARAGE)},
}
_SECTOR = {
    "id_sis": "00SIS00001",
    "identifiant_ssp": "SSP0000002",
    "nom": "Ancienne décharge du hameau",
    "statut_classification": "Arrêté",
    "fiche_risque": None,
    "date_maj": "2020-06-30",
    "geom": {"type": "Polygon", "coordinates": [q.COMMUNE.closed_ring(_DUMP)]},
}
_INSTALLATION = {
    "raisonSociale": "COOPERATIVE AGRICOLE DE FICTION",
    "codeInsee": q.COMMUNE.code,
    "codeAIOT": "0000000001",
    "regime": "Enregistrement",
    "statutSeveso": "Non Seveso",
    "etatActivite": "En exploitation avec titre",
    "date_maj": "2025-07-16/13-48-35",
    **_position(_COOPERATIVE),
}
_SHOP = {
    **_INSTALLATION,
    "raisonSociale": "MAGASIN DE FICTION",
    "codeAIOT": "0000000002",
    "regime": "Non ICPE",
    **_position(_GARAGE),
}
_FLOOD = {
    "code_national_tri": "FR_TRI_FICTION",
    "libelle_tri": "Fiction",
    "typeInondation": {"code": "01", "libelle": "Débordement de cours d'eau"},
    "scenario": {"code": "02Moy", "libelle": "Aléa de moyenne probabilité"},
    "date_arrete_carte": "20/12/2013",
    "code_insee": q.COMMUNE.code,
}
_BRUSH = {
    "commune": {"code": q.COMMUNE.code, "nom": q.COMMUNE.name},
    "coordonnees": {"latitude": 47.0, "longitude": 2.0},
    "risque": {"url": None, "Date approbation": "2025-09-26"},
}
