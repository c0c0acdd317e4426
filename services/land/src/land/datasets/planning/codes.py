"""Code lists of the CNIG standard for planning documents (PLU and carte communale), from `codes.toml`."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

ZONE_TYPES = ("U", "AUc", "AUs", "A", "N", "Ah", "Nh", "Nd")
"""TYPEZONE; Ah, Nh and Nd belong to the standards of 2013 and 2014."""
_LISTS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    files("land.datasets.planning").joinpath("codes.toml").read_text(encoding="utf-8")
)
SECTOR_TYPES = _LISTS["sector_types"]
DOCUMENT_TYPES = _LISTS["document_types"]


def prescription_label(type_code: str | None, subtype_code: str | None) -> str | None:
    """The official label of a prescription's type; None if the code list does not have it."""
    return _label("prescription_types", type_code, subtype_code)


def information_type(type_code: str | None, subtype_code: str | None) -> tuple[str | None, str | None]:
    """The official label of an information's type, and the article of the law that gives it its effect. None for both
    if the code list does not have it.
    """
    label = _label("information_types", type_code, subtype_code)
    return label, _LISTS["legal_references"].get(type_code or "") if label else None


def _label(name: str, type_code: str | None, subtype_code: str | None) -> str | None:
    labels = _LISTS[name]
    return labels.get(f"{type_code}-{subtype_code}", labels.get(type_code or ""))
