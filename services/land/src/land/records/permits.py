"""Urban authorizations of Sitadel."""

from typing import NamedTuple


class ParcelReference(NamedTuple):
    """A parcel as a permit names it, its commune resolved to the arrondissement where there are any."""

    commune_code: str
    prefix: str | None
    """None where the permit does not say: Sitadel has no field for it."""
    section: str
    number: str


class PermitRecord(NamedTuple):
    """One permit of Sitadel. Codes are already their official French labels."""

    filing_commune: str
    dataset: str
    """The id of the dataset that has it: a project may be in two files."""
    series: str
    """dau (logements and locaux), pa or pd: a number is unique within its series only."""
    number: str
    type_dau: str | None
    etat_dau: str | None
    date_reelle_autorisation: str | None
    date_reelle_doc: str | None
    date_reelle_daact: str | None
    nature_projet_declaree: str | None
    nature_projet_completee: str | None
    destination_principale: str | None
    superficie_terrain: str | None
    """Square metres as the contract wants it, a decimal string; None for 0, which means unknown."""
    references: tuple[ParcelReference, ...] = ()
    unreadable_references: int = 0
    """References that were given and could not be read as a section and a number."""


class Placement(NamedTuple):
    """References of permits to a commune's parcels, by what became of them."""

    commune_code: str
    placed: int
    ambiguous: int
    retired: int
    unchecked: int
    """No cadastre is loaded to look them up in."""
