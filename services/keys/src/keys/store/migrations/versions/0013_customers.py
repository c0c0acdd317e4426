"""Adds the data of partners as customers. Moves it out of their metadata, where earlier versions kept it as notes.

A member of the metadata stays there if it does not have the form of its column, such as a SIREN with a wrong digit.
"""

import re
from typing import Any

import sqlalchemy as sa
from alembic import op

from keys import checks
from keys.company_numbers import is_contradiction, normalized, siren, vat_number
from keys.store.types import Json
from servicekit.database import is_sqlite

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None
changes_data = "What an old replica writes into the metadata later stays there, as a note. The page does not lose it."

_MEMBERS = ("legal_name", "billing_address", "siren", "vat_number", "contact")
_MAX_LINES = 6
_LAST_LINE = re.compile(r"(?P<lines>.*?)(?:^|[,\n])\s*(?P<postcode>\d{5})[ \t]+(?P<city>[^\n,\d][^\n,]*)", re.DOTALL)
_COUNTRY = re.compile(r"[,\n]\s*france\s*$", re.IGNORECASE)
_EMPTY = dict.fromkeys(
    ("legal_name", "contact_name", "contact_email", "contact_phone", "postcode", "city", "country", "siren"), ""
)


def upgrade() -> None:
    customers = op.create_table(
        "customers",
        sa.Column("partner_id", sa.String(16), nullable=False),
        sa.Column("legal_name", sa.String(200), nullable=False),
        sa.Column("contact_name", sa.String(200), nullable=False),
        sa.Column("contact_email", sa.String(254), nullable=False),
        sa.Column("contact_phone", sa.String(40), nullable=False),
        sa.Column("address_lines", Json, nullable=False),
        sa.Column("postcode", sa.String(12), nullable=False),
        sa.Column("city", sa.String(200), nullable=False),
        sa.Column("country", sa.String(2), nullable=False),
        sa.Column("siren", sa.String(9), nullable=False),
        sa.Column("vat_number", sa.String(20), nullable=False),
        sa.Column("default_plan_id", sa.String(16), nullable=True),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_customers_partner_id"),
        sa.ForeignKeyConstraint(["default_plan_id"], ["plans.id"], name="fk_customers_default_plan_id"),
        sa.PrimaryKeyConstraint("partner_id", name="pk_customers"),
    )
    if not op.get_context().as_sql:
        _move_members(op.get_bind(), customers)


def _move_members(connection: sa.Connection, customers: sa.Table) -> None:
    partners = sa.table("partners", sa.column("id", sa.String), sa.column("metadata", Json))
    found = sa.select(partners.c.id, partners.c.metadata)
    if not is_sqlite(connection):
        found = found.with_for_update()  # an earlier version may write notes meanwhile
    for partner_id, metadata in connection.execute(found).all():
        columns, rest = moved(metadata)
        if columns is None:
            continue
        connection.execute(customers.insert().values(partner_id=partner_id, **columns))
        connection.execute(sa.update(partners).where(partners.c.id == partner_id).values(metadata=rest))


def moved(metadata: dict[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Returns the columns, None if no member moves, and the metadata that stays."""
    texts = {name: text.strip() for name in _MEMBERS if isinstance(text := metadata.get(name), str)}
    columns: dict[str, Any] = {}
    moving = set()
    for name, text in texts.items():
        if text and (found := _columns(name, text)):
            columns |= found
            moving.add(name)
    if is_contradiction(str(columns.get("siren", "")), str(columns.get("vat_number", ""))):
        del columns["vat_number"]
        moving.discard("vat_number")
    if not moving:
        return None, metadata
    rest = {name: value for name, value in metadata.items() if name not in moving}
    return {**_EMPTY, "address_lines": [], "vat_number": "", **columns}, rest


def _columns(name: str, text: str) -> dict[str, Any]:
    """Returns the columns of a member; none if it has to stay."""
    match name:
        case "siren":
            return {} if siren(text) else {"siren": normalized(text)}
        case "vat_number":
            return {} if vat_number(text) else {"vat_number": normalized(text)}
        case "billing_address":
            return _address(text)
        case "contact" if checks.email(text) is None:
            return {"contact_email": text}
        case _ if checks.name(text):
            return {}
    return {"contact_name" if name == "contact" else name: text}


def _address(text: str) -> dict[str, Any]:
    """Returns all words of the address. Postcode and city are those of a last line of five digits and a name. The
    country is unknown unless it is written: other countries have such postcodes too.
    """
    without_country = _COUNTRY.sub("", text)
    last = _LAST_LINE.fullmatch(without_country)
    lines = [each.strip() for each in (last["lines"] if last else without_country).split("\n") if each.strip()]
    if len(lines) > _MAX_LINES or any(map(checks.name, lines)):
        return {}
    postal = {"postcode": last["postcode"], "city": last["city"].strip()} if last else {}
    return {"address_lines": [*lines], "country": "FR" if without_country != text else "", **postal}
