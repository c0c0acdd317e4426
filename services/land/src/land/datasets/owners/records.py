"""Rights of legal persons on parcels, from the yearly files of the DGFiP, and the official labels of their codes."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

_LABELS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    files("land.datasets.owners").joinpath("records.toml").read_text(encoding="utf-8")
)
RIGHTS = _LABELS["rights"]
"""Answers list rights in this order, except representatives."""
SYNDIC = "S"
REPRESENTATIVES = frozenset({"G", "L", "Q", SYNDIC, "Z"})
"""Rights of those who act for the owner."""
GROUPS = _LABELS["groups"]
PUBLIC_GROUPS = frozenset("12349")


class OwnerRecord(NamedTuple):
    """One right of one legal person on one parcel, on 1 January of the edition's year."""

    department: str
    commune_code: str
    parcel_id: str
    right_code: str
    """The land register's code, such as P, in RIGHTS."""
    holder: str
    """The SIREN, else the provisional number of the DGFiP, which changes between years."""
    name: str | None
    """None if it may be the name of an individual."""
    siren: str | None
    legal_form_code: str | None
    """INSEE's legal category, four digits."""
    legal_form: str | None
    """The DGFiP's abbreviation of it, such as SCI."""
    group_code: str | None
    """0 to 9, in GROUPS."""
