"""The table of partners as customers."""

from sqlalchemy import Column, ForeignKey, String, Table

from keys.store.tables import metadata
from keys.store.types import Json

# Partners as customers. A partner without a row has no such data. Unknown texts are empty.
customers = Table(
    "customers",
    metadata,
    Column("partner_id", ForeignKey("partners.id"), primary_key=True),
    Column("legal_name", String(200), nullable=False),
    Column("contact_name", String(200), nullable=False),
    Column("contact_email", String(254), nullable=False),
    Column("contact_phone", String(40), nullable=False),
    Column("address_lines", Json, nullable=False),
    Column("postcode", String(12), nullable=False),
    Column("city", String(200), nullable=False),
    Column("country", String(2), nullable=False),
    Column("siren", String(9), nullable=False),
    Column("vat_number", String(20), nullable=False),
    Column("default_plan_id", ForeignKey("plans.id")),
)
