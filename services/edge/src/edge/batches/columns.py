"""The columns of answers in tables: a name, the type in a GeoPackage, and the value in the JSON of the answer."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Json = dict[str, Any]


class Column(NamedTuple):
    name: str
    kind: str
    """TEXT, REAL, INTEGER or BOOLEAN."""
    read: Callable[[Json], Any]


def _at(path: str) -> Callable[[Json], Any]:
    """Reads a member by its path. None if an object on the way is missing or null."""
    members = path.split(".")

    def read(value: Any) -> Any:
        for member in members:
            value = value.get(member) if isinstance(value, dict) else None
        return value

    return read


def _joined(path: str, member: str = "") -> Callable[[Json], str | None]:
    """Joins the texts of a list, each once. None if there is no list."""
    read = _at(path)

    def join(value: Json) -> str | None:
        items = read(value)
        if items is None:
            return None
        return " ".join(dict.fromkeys(str(item[member] if member else item) for item in items))

    return join


def _counted(path: str) -> Callable[[Json], int | None]:
    read = _at(path)
    return lambda value: None if (items := read(value)) is None else len(items)


def _item(path: str, index: int) -> Callable[[Json], Any]:
    read = _at(path)
    return lambda value: items[index] if (items := read(value)) else None


def _last_sale(value: Json) -> str | None:
    dates = [sale["date_mutation"] for sale in value["history"]["dvf_sales"] if sale["date_mutation"]]
    return max(dates, default=None)


def _risk_items(value: Json) -> list[Json] | None:
    return None if (block := value.get("risks")) is None else block["items"]


def _risk_subjects(*statuses: str) -> Callable[[Json], str | None]:
    def read(value: Json) -> str | None:
        items = _risk_items(value)
        return None if items is None else " ".join(risk["subject"] for risk in items if risk["status"] in statuses)

    return read


def _risk_level(subject: str) -> Callable[[Json], str | None]:
    return lambda value: next((risk["level"] for risk in _risk_items(value) or () if risk["subject"] == subject), None)


def _risk_zones(value: Json) -> str | None:
    """Codes of the regulated zones of risk plans that touch the parcels."""
    if (items := _risk_items(value)) is None:
        return None
    zones = (zone for item in items for finding in item["findings"] for zone in finding["zones"])
    return " ".join(dict.fromkeys(zones))


def _same(kind: str, prefix: str, *names: str) -> list[Column]:
    return [Column(name, kind, _at(prefix + name)) for name in names]


RESOLUTION_COLUMNS: Sequence[Column] = (
    *_same("TEXT", "address.", "label", "number", "street", "postcode", "city", "city_code", "district"),
    *_same("REAL", "address.", "latitude", "longitude"),
    *_same("TEXT", "address.", "type"),
    *_same("REAL", "address.", "score"),
    Column("address_id", "TEXT", _at("address.id")),
    Column("parcel_ids", "TEXT", _joined("parcel_ids")),
    Column("match", "TEXT", lambda value: value["parcels"][0]["match"] if value["parcels"] else None),
    Column("warnings", "TEXT", _joined("warnings", "code")),
)
UNIT_COLUMNS: Sequence[Column] = (
    Column("parcel_ids", "TEXT", _joined("parcel_ids")),
    Column("address", "TEXT", _at("address.label")),
    Column("commune_code", "TEXT", _at("land.commune.code")),
    Column("commune_name", "TEXT", _at("land.commune.name")),
    *_same("REAL", "land.", "cadastral_area_m2", "geometric_area_m2", "perimeter_m", "frontage_m"),
    Column("longitude", "REAL", _item("land.centroid", 0)),
    Column("latitude", "REAL", _item("land.centroid", 1)),
    *_same("BOOLEAN", "land.", "is_contiguous"),
    Column("zones", "TEXT", _joined("urbanism.zones", "label")),
    Column("is_rnu", "BOOLEAN", _at("urbanism.is_rnu")),
    Column("building_count", "INTEGER", _at("buildings.count")),
    *_same("REAL", "buildings.", "footprint_area_m2"),
    Column("sale_count", "INTEGER", _counted("history.dvf_sales")),
    Column("last_sale_on", "TEXT", _last_sale),
    Column("authorization_count", "INTEGER", _counted("history.urban_authorizations")),
    Column("comparable_sale_count", "INTEGER", _at("real_estate.summary.sale_count")),
    Column("median_price_eur_per_m2", "REAL", _at("real_estate.summary.median_price_eur_per_m2")),
    Column("warnings", "TEXT", _joined("warnings", "code")),
    Column("risks", "TEXT", _risk_subjects("present")),
    Column("unknown_risks", "TEXT", _risk_subjects("unavailable", "not_covered")),
    *(Column(f"{subject}_level", "TEXT", _risk_level(subject)) for subject in ("clay", "radon", "seismic")),
    Column("risk_plan_zones", "TEXT", _risk_zones),
)
"""The columns read the properties of a land unit. A block that is not in the answer leaves its columns empty."""
