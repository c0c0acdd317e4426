"""Parameters of statements. Statements are built once, because building one takes longer than running it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, bindparam


def any_of(name: str) -> BindParameter[Any]:
    """A parameter for a list of values, for use with `in_`."""
    return bindparam(name, expanding=True)


IN_COMMUNES = any_of("communes")
WITH_IDS = any_of("parcel_ids")


def of_parcels(parcel_ids: Sequence[str]) -> dict[str, list[str]]:
    """Values for IN_COMMUNES and WITH_IDS: primary keys start with the commune."""
    return {"communes": sorted({parcel_id[:5] for parcel_id in parcel_ids}), "parcel_ids": list(parcel_ids)}
