"""Planning documents of the Géoportail de l'urbanisme."""

from typing import NamedTuple


class ZoneRecord(NamedTuple):
    """One zone of a plan, or one sector of a carte communale."""

    partition: str
    """The document's partition on the Géoportail de l'urbanisme: DU_64547, DU_200011781."""
    document_id: str
    """IDURBA; the partition if none is published."""
    document_type: str | None
    """PLU, PLUi, POS, CC or PSMV."""
    approved_on: str | None
    label: str
    """The plan's own short name."""
    long_label: str | None
    zone_type: str | None
    """U, AUc, AUs, A, N (Ah, Nh, Nd in older documents); None in a carte communale."""
    sector_type: str | None
    """TYPESECT of a carte communale: 01, 02, 03 or 99."""
    regulation_url: str | None
    is_repaired: bool
    geometry: bytes
    """A valid Polygon or MultiPolygon."""


class PlanFeatureRecord(NamedTuple):
    """One prescription or information of a plan."""

    partition: str
    document_id: str
    document_type: str | None
    approved_on: str | None
    label: str
    type_code: str | None
    """TYPEPSC or TYPEINF of the CNIG standard, and the subtype: two digits each."""
    subtype_code: str | None
    geometry_kind: str
    """surface, line or point."""
    regulation_url: str | None
    is_repaired: bool
    geometry: bytes


class DocumentRecord(NamedTuple):
    """One planning document."""

    partition: str
    document_id: str
    document_type: str | None
    approved_on: str | None
    url: str | None
    """A page about it, or its written rules."""


class PlanningCommuneRecord(NamedTuple):
    commune_code: str
    is_rnu: bool | None
    """The commune has no plan: the national rules (RNU) apply."""


class InForceRecord(NamedTuple):
    """A planning document that is in force in the middle of a commune."""

    commune_code: str
    partition: str
