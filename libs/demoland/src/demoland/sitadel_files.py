"""Permits as rows of the four files of Sitadel, in the publisher's columns."""

from collections.abc import Mapping

LANE = ("ADR_NUM_TER", "ADR_TYPEVOIE_TER", "ADR_LIBVOIE_TER", "ADR_LIEUDIT_TER", "ADR_LOCALITE_TER", "ADR_CODPOST_TER")
_PLACE = ("REG_CODE", "REG_LIBELLE", "DEP_CODE", "DEP_LIBELLE", "COMM")
_APPLICANT = ("APE_DEM", "CJ_DEM", "DENOM_DEM", "SIREN_DEM", "SIRET_DEM", "CODPOST_DEM", "LOCALITE_DEM", "REC_ARCHI")
_GROUND = (
    *(f"{part}_CADASTRE{place}" for place in (1, 2, 3) for part in ("SEC", "NUM")),
    "SUPERFICIE_TERRAIN",
    "ZONE_OP",
)
_DATES = ("DATE_REELLE_AUTORISATION", "DATE_REELLE_DOC", "DATE_REELLE_DAACT", "AN_DEPOT")
_SEEN = ("DPC_PREM", "DPC_AUT", "DPC_DOC", "DPC_DERN")
_PROJECT = ("NATURE_PROJET_DECLAREE", "NATURE_PROJET_COMPLETEE", "DESTINATION_PRINCIPALE")


def _without(names: tuple[str, ...], *dropped: str) -> tuple[str, ...]:
    return tuple(name for name in names if name not in dropped)


_TYPED = (*_PLACE, "TYPE_DAU", "NUM_DAU", "ETAT_DAU", *_DATES, *_SEEN, *_APPLICANT, *LANE, *_GROUND, *_PROJECT)
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "sitadel-housing": (*_TYPED, "NB_LGT_TOT_CREES", "SURF_HAB_CREEE"),
    "sitadel-premises": (*_TYPED, "SURF_LOC_CREEE"),
    "sitadel-development": (*_PLACE, "NUM_PA", "ETAT_PA", *_DATES, *_SEEN, *_APPLICANT, *LANE, *_GROUND),
    "sitadel-demolition": (
        *(*_PLACE, "NUM_PD", "ETAT_PD", *_without(_DATES, "DATE_REELLE_DOC", "DATE_REELLE_DAACT")),
        *(*_without(_SEEN, "DPC_DOC"), *_APPLICANT, *LANE, *_GROUND),
    ),
}
NAMES: Mapping[str, str] = {
    "sitadel-housing": "Liste-des-autorisations-durbanisme-creant-des-logements.2026-01.csv",
    "sitadel-premises": "Liste-des-autorisations-durbanisme-creant-des-locaux-non-residentiels.2026-01.csv",
    "sitadel-development": "Liste-des-permis-damenager.2026-01.csv",
    "sitadel-demolition": "Liste-des-permis-de-demolir.2026-01.csv",
}
TITLED = frozenset({"sitadel-development", "sitadel-demolition"})
"""Files published with a line of descriptions above the names."""
NUMERIC = frozenset({"ETAT_DAU", "ETAT_PA", "ETAT_PD", "AN_DEPOT", "SUPERFICIE_TERRAIN", "ZONE_OP", *_PROJECT})
"""Columns whose values are not quoted."""


def line(dataset: str, permit: Mapping[str, object]) -> str:
    """One row. Texts are quoted and numbers are not, as published."""
    return ";".join(_written(name, permit.get(name)) for name in COLUMNS[dataset]) + "\n"


def header(dataset: str) -> str:
    names = ";".join(f'"{name}"' for name in COLUMNS[dataset]) + "\n"
    titles = ";".join(f'"Libellé de {name}"' for name in COLUMNS[dataset]) + "\n"
    return titles + names if dataset in TITLED else names


def _written(name: str, value: object) -> str:
    if value is None or value == "":
        return ""
    if name in NUMERIC:
        return str(value)
    escaped = str(value).replace('"', '""')
    return f'"{escaped}"'
