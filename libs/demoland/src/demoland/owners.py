"""Rights of legal persons on parcels. Most parcels have none: individuals own them, whom the files leave out."""

from collections.abc import Iterator

from demoland.model import DEPARTMENT, Commune, upper_ascii
from demoland.quarter import RECORDS


def quarter_rows(commune: Commune) -> Iterator[tuple[str, ...]]:
    for item in RECORDS["rights"]:
        holder = RECORDS["holders"].get(item["holder"]) or _commune_holder(commune)
        yield from _rows(commune, item["parcel_id"], item["right"], holder, item.get("parts", "A"))


def field_rows(commune: Commune, parcel_id: str) -> Iterator[tuple[str, ...]]:
    """The commune owns the field."""
    yield from _rows(commune, parcel_id, "P - Propriétaire", _commune_holder(commune), "A")


def _commune_holder(commune: Commune) -> list[str]:
    return [f"0001{commune.code}", "4 - Commune", "7210", "COM", f"COMMUNE DE {upper_ascii(commune.name)}"]


def _rows(commune: Commune, parcel_id: str, right: str, holder: list[str], parts: str) -> Iterator[tuple[str, ...]]:
    """One row for each part of the parcel, as published: values may end in a space."""
    prefix, section, number = parcel_id[5:8], parcel_id[8:10], parcel_id[10:]
    for part in parts:
        yield (
            DEPARTMENT, "0", commune.code[2:], upper_ascii(commune.name), prefix.replace("000", ""), section, number,
            *[""] * 7, part, "S - Sols", "", right, "P00000", *holder,
        )  # fmt: skip
