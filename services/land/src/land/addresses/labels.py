"""The text of an address: spoken numbers and one-line labels."""

from land.addresses.gazetteer import Commune
from land.addresses.model import Address, AddressType, Agreement
from land.addresses.normalise import canonical_city, split_arrondissement
from land.datasets.addresses.records import HouseNumberPoint, NearbyAddress, Street, ban_id

NO_AGREEMENT = Agreement()
PARIS_SUFFIXES = {"b": "bis", "t": "ter", "q": "quater"}
"""Paris publishes letters for bis, ter and quater."""


def spoken_number(number: int, suffix: str, commune_code: str) -> str:
    """The number with its suffix: "12 bis", also if Paris publishes `b`. Other suffixes are unchanged."""
    if not suffix:
        return str(number)
    if commune_code.startswith("751"):
        suffix = PARIS_SUFFIXES.get(suffix, suffix)
    return f"{number} {suffix}"


def city_and_district(commune_name: str) -> tuple[str, str | None]:
    """("Paris", "Paris 18e Arrondissement") for an arrondissement; for another commune its name and None."""
    is_arrondissement = split_arrondissement(canonical_city(commune_name))[1] is not None
    return (commune_name.split(maxsplit=1)[0], commune_name) if is_arrondissement else (commune_name, None)


def label(number: str | None, street: str | None, postcode: str | None, city: str | None) -> str:
    """Such as "12 bis Rue des Lilas, 75018 Paris", without unknown parts."""
    first = " ".join(filter(None, (number, street)))
    second = " ".join(filter(None, (postcode, city)))
    return ", ".join(filter(None, (first, second)))


def point_of(near: NearbyAddress) -> HouseNumberPoint:
    parcel_ids = tuple(filter(None, near.parcel_ids.split("|")))
    point_id = ban_id(near.street_id, near.number, near.suffix, near.ban_id)
    return HouseNumberPoint(point_id, near.number, near.suffix, near.postcode, near.lon, near.lat, parcel_ids)


def numbered_address(near: NearbyAddress) -> Address:
    """The address of a row, with score 1."""
    commune = Commune(near.commune_code, near.commune_name, (), None, None)
    street = Street(near.commune_code, near.street_id, near.street_name, (), False, None, None)
    return address_of(commune, street, point_of(near), 1.0)


def address_of(
    commune: Commune,
    street: Street | None,
    point: HouseNumberPoint | None,
    score: float = 0.0,
    matched: Agreement = NO_AGREEMENT,
) -> Address:
    """The address of a number, else of a street or lieu-dit, else of a commune."""
    number = spoken_number(point.number, point.suffix, commune.code) if point else None
    postcodes = street.postcodes if street else commune.postcodes
    postcode = point.postcode if point else (postcodes[0] if len(postcodes) == 1 else None)
    city, district = city_and_district(commune.name)
    place = point or street or commune
    kind: AddressType = "housenumber" if point else "municipality"
    if street and not point:
        kind = "locality" if street.is_locality else "street"
    return Address(
        id=point.ban_id if point else street.id if street else commune.code,
        label=label(number, street.name if street else None, postcode, city),
        number=number,
        street=street.name if street else None,
        postcode=postcode or None,
        city=city,
        district=district,
        city_code=commune.code,
        latitude=place.lat,
        longitude=place.lon,
        type=kind,
        score=score,
        matched=matched,
    )
