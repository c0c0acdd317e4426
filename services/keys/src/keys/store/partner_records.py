"""Partners, which own keys, and their data as customers."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, or_, select

from keys.store.database import among, insert_new, put_named, put_rows
from keys.store.lease_states import lock
from keys.store.tables import customers, keys, partners, plans
from keys.values.checks import Fault, folded, refuse
from keys.values.records import Contact, Customer, Json, Partner, PartnerRecord, PlanName, PostalAddress, new_record_id
from servicekit.database import is_sqlite
from servicekit.languages import Text

VISITORS = "0visitor"
"""The id of the visitors' partner. It is as long as a key's id: counts of deleted keys have it in place of theirs."""


def find(connection: Connection, id_or_name: str) -> Partner | None:
    statement = select(partners).where(or_(partners.c.id == id_or_name, partners.c.folded_name == folded(id_or_name)))
    by_id = sorted(connection.execute(statement).mappings().all(), key=lambda row: row["id"] != id_or_name)
    return read(by_id[0]) if by_id else None


def find_all(connection: Connection, partner_ids: Collection[str]) -> dict[str, Partner]:
    """Returns the existing partners of any number of ids, by id."""
    rows = connection.execute(select(partners).where(among(connection, partners.c.id, partner_ids))).mappings()
    return {row["id"]: read(row) for row in rows}


def id_of(connection: Connection, id_or_name: str) -> str:
    """Returns the id of the partner with this id, else with this name. Returns an empty text for an empty one. Raises
    InvalidPayload for an unknown partner.
    """
    partner = find(connection, id_or_name) if id_or_name else None
    if id_or_name and partner is None:
        raise refuse("/partner_id", Fault("unknown_value", Text("ce partenaire est inconnu", "no such partner")))
    return partner.id if partner else ""


def add(
    connection: Connection, name: str, metadata: Mapping[str, Json], now: datetime, partner_id: str = ""
) -> Partner | None:
    """Returns the new partner, or None if the name or the id is taken. Without an id it gets a random one."""
    partner = Partner(id=partner_id or new_record_id(), name=name, is_active=True, created_at=now, metadata=metadata)
    values = {
        "id": partner.id,
        "name": name,
        "folded_name": folded(name),
        "is_active": True,
        "created_at": now,
        "metadata": dict(metadata),
    }
    return partner if insert_new(connection, partners, values) else None


def find_or_add(connection: Connection, id_or_name: str, now: datetime) -> Partner:
    """Returns the partner with this id, else with this name. Creates it if there is none."""
    partner = find(connection, id_or_name) or add(connection, id_or_name, {}, now) or find(connection, id_or_name)
    assert partner is not None  # noqa: S101 (made above, here or by another)
    return partner


def select_records() -> Select[Any]:
    """The statement of `read_record`."""
    return (
        select(partners, customers, plans.c.name)
        .outerjoin(customers, customers.c.partner_id == partners.c.id)
        .outerjoin(plans, plans.c.id == customers.c.default_plan_id)
    )


def find_record(connection: Connection, partner_id: str) -> PartnerRecord | None:
    row = connection.execute(select_records().where(partners.c.id == partner_id)).mappings().first()
    return None if row is None else read_record(row)


def lock_partner(connection: Connection, partner_id: str) -> None:
    """Locks the partner until the transaction ends. New keys do not wait. A SQLite transaction already locks the whole
    database.
    """
    if not is_sqlite(connection):
        statement = select(partners.c.id).where(partners.c.id == partner_id).with_for_update(key_share=True)
        connection.execute(statement).close()


def lock_keys(connection: Connection, partner_id: str) -> None:
    """Locks the partner's keys. No request is granted until the transaction ends."""
    lock(connection, connection.execute(select(keys.c.id).where(keys.c.partner_id == partner_id)).scalars())


def put(connection: Connection, partner: Partner) -> bool:
    """Writes name, activity and metadata. False if another partner has the name."""
    values = {
        "name": partner.name,
        "folded_name": folded(partner.name),
        "is_active": partner.is_active,
        "metadata": dict(partner.metadata),
    }
    return put_named(connection, partners, partner.id, values)


def put_customer(connection: Connection, partner_id: str, customer: Customer, plan_id: str | None) -> None:
    contact, address = customer.contact, customer.billing_address
    row = {
        "partner_id": partner_id,
        "legal_name": customer.legal_name,
        "folded_legal_name": folded(customer.legal_name),
        "contact_name": contact.name,
        "contact_email": contact.email,
        "contact_phone": contact.phone,
        "address_lines": list(address.lines),
        "postcode": address.postcode,
        "city": address.city,
        "country": address.country,
        "siren": customer.siren,
        "vat_number": customer.vat_number,
        "default_plan_id": plan_id,
    }
    put_rows(connection, customers, [row])


def read(row: RowMapping) -> Partner:
    c = partners.c
    return Partner(
        id=row[c.id],
        name=row[c.name],
        is_active=row[c.is_active],
        created_at=row[c.created_at],
        metadata=row[c.metadata],
    )


def read_record(row: RowMapping) -> PartnerRecord:
    c = customers.c
    if row[c.partner_id] is None:
        return PartnerRecord(read(row))
    plan = None if row[c.default_plan_id] is None else PlanName(row[c.default_plan_id], row[plans.c.name])
    customer = Customer(
        legal_name=row[c.legal_name],
        contact=Contact(row[c.contact_name], row[c.contact_email], row[c.contact_phone]),
        billing_address=PostalAddress(
            lines=tuple(row[c.address_lines]), postcode=row[c.postcode], city=row[c.city], country=row[c.country]
        ),
        siren=row[c.siren],
        vat_number=row[c.vat_number],
    )
    return PartnerRecord(read(row), customer, plan)
