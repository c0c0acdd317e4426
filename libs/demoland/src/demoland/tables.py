"""Columns and rows of the publishers' tables: addresses (BAN), sales (DVF), permits (Sitadel), rights of legal persons.

`tables.toml` has the columns. Most parcels have no rights: individuals own them, whom the files leave out.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from pyproj import Transformer

from demoland.geometry import Point
from demoland.model import DEPARTMENT, Address, Commune, upper_ascii
from demoland.quarter import RECORDS

_DATA = tomllib.loads(files("demoland").joinpath("tables.toml").read_text(encoding="utf-8"))
LISTS: Mapping[str, Sequence[Sequence[str]]] = _DATA.pop("lists")
"""The rows of lists of communes, by dataset."""
COLUMNS: Mapping[str, Sequence[str]] = _DATA
"""The columns of each other table, by dataset."""
_WITH_TITLES = frozenset({"sitadel-development", "sitadel-demolition"})
"""Files published with a line of titles above the line of column names."""
_NUMERIC = frozenset(
    {
        "ETAT_DAU",
        "ETAT_PA",
        "ETAT_PD",
        "AN_DEPOT",
        "SUPERFICIE_TERRAIN",
        "ZONE_OP",
        "NATURE_PROJET_DECLAREE",
        "NATURE_PROJET_COMPLETEE",
        "DESTINATION_PRINCIPALE",
    }
)


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
    columns = COLUMNS[dataset]
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
    return ";".join(_sitadel_value(name, row.get(name)) for name in COLUMNS[dataset]) + "\n"


def _sitadel_value(name: str, value: object) -> str:
    if value is None or value == "":
        return ""
    if name in _NUMERIC:
        return str(value)
    escaped = str(value).replace('"', '""')
    return f'"{escaped}"'


def quarter_rights(commune: Commune) -> Iterator[tuple[str, ...]]:
    for item in RECORDS["rights"]:
        holder = RECORDS["holders"].get(item["holder"]) or _commune_holder(commune)
        yield from _rights(commune, item["parcel_id"], item["right"], holder, item.get("parts", "A"))


def field_rights(commune: Commune, parcel_id: str) -> Iterator[tuple[str, ...]]:
    """The commune owns the field."""
    yield from _rights(commune, parcel_id, "P - Propriétaire", _commune_holder(commune), "A")


def _commune_holder(commune: Commune) -> list[str]:
    return [f"0001{commune.code}", "4 - Commune", "7210", "COM", f"COMMUNE DE {upper_ascii(commune.name)}"]


def _rights(commune: Commune, parcel_id: str, right: str, holder: list[str], parts: str) -> Iterator[tuple[str, ...]]:
    """One row for each part of the parcel, as published: values may end in a space."""
    prefix, section, number = parcel_id[5:8], parcel_id[8:10], parcel_id[10:]
    for part in parts:
        yield (
            DEPARTMENT, "0", commune.code[2:], upper_ascii(commune.name), prefix.replace("000", ""), section, number,
            *[""] * 7, part, "S - Sols", "", right, "P00000", *holder,
        )  # fmt: skip
