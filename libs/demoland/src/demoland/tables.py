"""Columns and rows of the publishers' CSV files: addresses of BAN, sales of DVF, permits of Sitadel."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from pyproj import Transformer

from demoland.geometry import Point
from demoland.model import DEPARTMENT, Address, Commune, upper_ascii

BAN_COLUMNS = (
    "id", "id_fantoir", "numero", "rep", "nom_voie", "code_postal", "code_insee", "nom_commune",
    "code_insee_ancienne_commune", "nom_ancienne_commune", "x", "y", "lon", "lat", "type_position", "alias", "nom_ld",
    "libelle_acheminement", "nom_afnor", "source_position", "source_nom_voie", "certification_commune", "cad_parcelles",
)  # fmt: skip
LOCALITY_COLUMNS = (
    "id", "nom_lieu_dit", "code_postal", "code_insee", "nom_commune", "code_insee_ancienne_commune",
    "nom_ancienne_commune", "lon", "lat",
)  # fmt: skip
DVF_COLUMNS = (
    "id_mutation", "date_mutation", "numero_disposition", "nature_mutation", "valeur_fonciere", "adresse_numero",
    "adresse_suffixe", "adresse_nom_voie", "adresse_code_voie", "code_postal", "code_commune", "nom_commune",
    "code_departement", "ancien_code_commune", "ancien_nom_commune", "id_parcelle", "ancien_id_parcelle",
    "numero_volume", "lot1_numero", "lot1_surface_carrez", "lot2_numero", "lot2_surface_carrez", "lot3_numero",
    "lot3_surface_carrez", "lot4_numero", "lot4_surface_carrez", "lot5_numero", "lot5_surface_carrez", "nombre_lots",
    "code_type_local", "type_local", "surface_reelle_bati", "nombre_pieces_principales", "code_nature_culture",
    "nature_culture", "code_nature_culture_speciale", "nature_culture_speciale", "surface_terrain", "longitude",
    "latitude",
)  # fmt: skip

_PLACE = ("REG_CODE", "REG_LIBELLE", "DEP_CODE", "DEP_LIBELLE", "COMM")
_GRANTED, _WORKS, _FILED = "DATE_REELLE_AUTORISATION", ("DATE_REELLE_DOC", "DATE_REELLE_DAACT"), "AN_DEPOT"
_REST = (
    "APE_DEM", "CJ_DEM", "DENOM_DEM", "SIREN_DEM", "SIRET_DEM", "CODPOST_DEM", "LOCALITE_DEM", "REC_ARCHI",
    "ADR_NUM_TER", "ADR_TYPEVOIE_TER", "ADR_LIBVOIE_TER", "ADR_LIEUDIT_TER", "ADR_LOCALITE_TER", "ADR_CODPOST_TER",
    "SEC_CADASTRE1", "NUM_CADASTRE1", "SEC_CADASTRE2", "NUM_CADASTRE2", "SEC_CADASTRE3", "NUM_CADASTRE3",
    "SUPERFICIE_TERRAIN", "ZONE_OP",
)  # fmt: skip
_DATED = (_GRANTED, *_WORKS, _FILED, "DPC_PREM", "DPC_AUT", "DPC_DOC", "DPC_DERN", *_REST)
_PROJECT = ("NATURE_PROJET_DECLAREE", "NATURE_PROJET_COMPLETEE", "DESTINATION_PRINCIPALE")
_BUILDING = (*_PLACE, "TYPE_DAU", "NUM_DAU", "ETAT_DAU", *_DATED, *_PROJECT)
_SITADEL_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "sitadel-housing": (*_BUILDING, "NB_LGT_TOT_CREES", "SURF_HAB_CREEE"),
    "sitadel-premises": (*_BUILDING, "SURF_LOC_CREEE"),
    "sitadel-development": (*_PLACE, "NUM_PA", "ETAT_PA", *_DATED),
    "sitadel-demolition": (
        *_PLACE, "NUM_PD", "ETAT_PD", _GRANTED, _FILED, "DPC_PREM", "DPC_AUT", "DPC_DERN", *_REST,
    ),
}  # fmt: skip
SITADEL_FILES: Mapping[str, str] = {
    "sitadel-housing": "Liste-des-autorisations-durbanisme-creant-des-logements.2026-01.csv",
    "sitadel-premises": "Liste-des-autorisations-durbanisme-creant-des-locaux-non-residentiels.2026-01.csv",
    "sitadel-development": "Liste-des-permis-damenager.2026-01.csv",
    "sitadel-demolition": "Liste-des-permis-de-demolir.2026-01.csv",
}
_WITH_TITLES = frozenset({"sitadel-development", "sitadel-demolition"})
"""Files published with a line of titles above the line of column names."""
_NUMERIC = frozenset({"ETAT_DAU", "ETAT_PA", "ETAT_PD", "AN_DEPOT", "SUPERFICIE_TERRAIN", "ZONE_OP", *_PROJECT})


@cache
def _to_lambert_93() -> Transformer:
    return Transformer.from_crs(4326, 2154, always_xy=True)


def ban_rows(commune: Commune, addresses: Sequence[Address]) -> Iterator[tuple[object, ...]]:
    degrees = [commune.to_degrees(address.point) for address in addresses]
    eastings, northings = _to_lambert_93().transform([lon for lon, _ in degrees], [lat for _, lat in degrees])
    for address, (lon, lat), x, y in zip(addresses, degrees, eastings, northings, strict=True):
        street = address.street
        street_id = f"{commune.code}_{street.code}"
        yield (
            f"{street_id}_{address.number:05}" + (f"_{address.suffix}" if address.suffix else ""), street_id,
            address.number, address.suffix, street.name, commune.postcode, commune.code, commune.name,
            *address.former_commune, f"{x:.2f}", f"{y:.2f}", lon, lat, address.position, "", street.locality,
            upper_ascii(commune.name), upper_ascii(street.name), "commune", "commune", int(address.is_certified),
            "|".join(address.parcel_ids),
        )  # fmt: skip


def locality_rows(commune: Commune, localities: Mapping[str, Point]) -> Iterator[tuple[object, ...]]:
    for number, (name, point) in enumerate(localities.items(), start=1):
        place_id = f"{commune.code}_B{number:03}"
        yield place_id, name, commune.postcode, commune.code, commune.name, "", "", *commune.to_degrees(point)


def dvf_row(commune: Commune, sale: Mapping[str, object]) -> dict[str, object]:
    place = {
        "code_postal": commune.postcode,
        "code_commune": commune.code,
        "nom_commune": commune.name,
        "code_departement": DEPARTMENT,
    }
    return place | {name: value for name, value in sale.items() if value is not None}


def sitadel_header(dataset: str) -> str:
    columns = _SITADEL_COLUMNS[dataset]
    titles = ";".join(f'"Libellé de {name}"' for name in columns) + "\n" if dataset in _WITH_TITLES else ""
    return titles + ";".join(f'"{name}"' for name in columns) + "\n"


def sitadel_line(commune: Commune, dataset: str, permit: Mapping[str, object]) -> str:
    """Texts have quotes and numbers have none, as published."""
    row = {
        "REG_CODE": "00",
        "REG_LIBELLE": "Région fictive",
        "DEP_CODE": DEPARTMENT,
        "DEP_LIBELLE": "Département fictif",
        "ADR_LOCALITE_TER": upper_ascii(commune.name),
        **permit,
    }
    return ";".join(_sitadel_value(name, row.get(name)) for name in _SITADEL_COLUMNS[dataset]) + "\n"


def _sitadel_value(name: str, value: object) -> str:
    if value is None or value == "":
        return ""
    if name in _NUMERIC:
        return str(value)
    escaped = str(value).replace('"', '""')
    return f'"{escaped}"'
