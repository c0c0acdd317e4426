"""How an address is written: numbers as read aloud, one line as on an envelope."""

from land.addresses.model import Address
from land.records.addresses import NearbyAddress

PARIS_SUFFIXES = {"b": "bis", "t": "ter", "q": "quater"}
"""Paris publishes letters for what is said bis, ter and quater."""


def spoken_number(number: int, suffix: str, commune_code: str) -> str:
    """The number with its suffix: "12 bis", also where Paris publishes `b`; other letters stay as they are."""
    if not suffix:
        return str(number)
    if commune_code.startswith("751"):
        suffix = PARIS_SUFFIXES.get(suffix, suffix)
    return f"{number} {suffix}"


def label(number: str | None, street: str | None, postcode: str | None, city: str | None) -> str:
    """Such as "12 bis Rue des Lilas, 75018 Paris 18e Arrondissement", leaving out what is not known."""
    first = " ".join(filter(None, (number, street)))
    second = " ".join(filter(None, (postcode, city)))
    return ", ".join(filter(None, (first, second)))


def ban_id(street_id: str, number: int, suffix: str, published: str | None) -> str:
    """The interoperability key of a numbered address, as published or as it is usually composed."""
    return published or f"{street_id}_{number:05}" + (f"_{suffix}" if suffix else "")


def numbered_address(near: NearbyAddress) -> Address:
    """An address of the file as it stands, wholly certain."""
    number = spoken_number(near.number, near.suffix, near.commune_code)
    return Address(
        id=ban_id(near.street_id, near.number, near.suffix, near.ban_id),
        label=label(number, near.street_name, near.postcode, near.commune_name),
        number=number,
        street=near.street_name,
        postcode=near.postcode or None,
        city=near.commune_name,
        city_code=near.commune_code,
        latitude=near.lat,
        longitude=near.lon,
        type="housenumber",
        score=1.0,
    )
