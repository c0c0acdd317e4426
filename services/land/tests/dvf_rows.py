"""Rows of DVF files, as the publisher writes them."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from land_builders import import_file, lon_lat
from sqlalchemy import Engine

from land.answers.texts import AnswerWarning
from land.datasets.sales.reader import COLUMNS
from land.loading.loader import LoadSummary
from land.units.model import LandUnit

Row = Mapping[str, object]
HOUSE = {"code_type_local": "1", "type_local": "Maison", "surface_reelle_bati": "90", "nombre_pieces_principales": "4"}
GARAGE = {"code_type_local": "3", "type_local": "Dépendance"}
GARDEN = {"code_nature_culture": "J", "surface_terrain": "300"}
CHURCH_STREET = {"adresse_numero": "4", "adresse_nom_voie": "RUE DE L'EGLISE"}
STATION_STREET = {"adresse_numero": "9", "adresse_nom_voie": "RUE DE LA GARE"}


def row(number: int, at: tuple[float, float] | None, *facts: Row, section: str = "AB", **changes: object) -> Row:
    """A row of bare land on a parcel at a point in metres, with these facts and changes."""
    lon, lat = lon_lat(*at) if at else ("", "")
    plain = {
        "id_mutation": "2026-417", "date_mutation": "2026-03-04", "numero_disposition": "000001",
        "nature_mutation": "Vente", "valeur_fonciere": "150000.0", "code_commune": "18999", "nom_commune": "Ville",
        "id_parcelle": f"18999000{section}{number:04}", "nombre_lots": "0", "code_nature_culture": "S",
        "surface_terrain": "400", "longitude": lon, "latitude": lat,
    }  # fmt: skip
    return {**plain, **{key: value for fact in facts for key, value in fact.items()}, **changes}


def write_rows(rows: Iterable[Row], folder: Path, name: str = "full-2026.csv") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*COLUMNS, "ancien_code_commune"], restval="", extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    return path


def import_rows(store: Engine, rows: Iterable[Row], folder: Path, name: str = "full-2026.csv") -> LoadSummary:
    return import_file(store, "dvf", write_rows(rows, folder, name), folder)


def ambiguity_warnings(unit: LandUnit) -> list[AnswerWarning]:
    return [warning for warning in unit.warnings if warning.code == "dvf_units_ambiguous"]
