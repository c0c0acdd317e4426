"""Erases the personal data of a partner or an admin. Accounting records stay, without names, as the law requires."""

from keys.admins.passwords import normalized_email
from keys.store import admins, erasures, partner_records
from keys.store.change import Change
from keys.values.errors import Conflict, NotFound
from keys.values.records import new_record_id


def erase_partner(change: Change, partner_id: str) -> list[str]:
    """Erases the partner and revokes its keys. Returns the ids of the keys. Raises NotFound."""
    partner = partner_records.find(change.connection, partner_id)
    if partner is None or partner.id != partner_id:
        raise NotFound("There is no partner of that id.")
    key_ids = erasures.erase_partner(change.connection, partner_id, change.now)
    change.narrowed.add(partner_id)
    change.audit("partner.erase", partner_id, {"keys": list(key_ids)})
    return key_ids


def erase_admin(change: Change, email: str) -> str:
    """Erases an admin, or an address that was only invited. Returns the id that replaces the address. Raises NotFound,
    InvalidPayload for a malformed address, or Conflict for the last active owner.
    """
    owners = admins.lock_owners(change.connection)
    address = normalized_email(email)
    login = admins.find_by_email(change.connection, address)
    if login is None:
        erased_id = new_record_id()
        if not erasures.erase_address(change.connection, address, erased_id):
            raise NotFound("There is no admin of that address.")
        change.audit("admin.erase", erased_id)
        return erased_id
    admin = login.admin
    if owners == [admin.id]:
        raise Conflict("The last active owner cannot be erased: make another owner first.")
    erasures.erase_admin(change.connection, admin.id, admin.email)
    change.audit("admin.erase", admin.id)
    return admin.id
