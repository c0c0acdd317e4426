"""Urban authorizations of Sitadel."""

from typing import NamedTuple


class ParcelReference(NamedTuple):
    """A parcel as a permit names it. In Paris, Lyon and Marseille the commune is the arrondissement."""

    commune_code: str
    prefix: str | None
    """None if the permit does not give it: Sitadel has no field for it."""
    section: str
    number: str


class PermitRecord(NamedTuple):
    """One permit of Sitadel. Codes are already their official French labels."""

    filing_commune: str
    dataset: str
    """The id of the dataset: a project may be in two files."""
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
    """Square metres as a decimal string, as the contract requires. None for 0, which means unknown."""
    references: tuple[ParcelReference, ...] = ()
    unreadable_references: int = 0
    """Published references that are not a section and a number."""


class PermitReferenceRow(NamedTuple):
    """A reference of a permit to a parcel, before it is placed."""

    commune_code: str
    section: str
    number: str
    permit_number: str
    prefix: str
    """Empty if the permit does not give it."""


class Placement(NamedTuple):
    """Counts of the permit references to a commune's parcels: see `land.datasets.permits.queries`."""

    commune_code: str
    placed: int
    ambiguous: int
    retired: int
    unchecked: int
    """The commune has no cadastre loaded."""
