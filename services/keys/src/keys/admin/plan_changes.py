"""Plans and partners made and changed, each with its line in the audit log."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from keys.admin.checks import check_name, check_terms
from keys.admin.records import Json, Partner, Plan
from keys.errors import Conflict, NotFound
from keys.pricing.terms import Terms
from keys.quota import months
from keys.store import partner_records, plan_records, price_terms
from keys.store.change import Change
from servicekit.errors import InvalidPayload, Violation


def starting_month(asked: str | None, has_terms: bool, now: datetime) -> str:
    """The month from which new terms hold: as asked, but never a past one; else this month for the first terms, and the
    next month for later ones. Raises InvalidPayload.
    """
    current = months.month_of(now)
    if asked is None:
        return months.next_month(current) if has_terms else current
    try:
        month = months.read_month(asked)
    except ValueError:
        month = ""
    if month < current:
        violation = Violation("/pricing/effective_from", "malformed", "is this month or a later one, as YYYY-MM")
        raise InvalidPayload("The pricing cannot start then.", violations=[violation])
    return month


def create_plan(change: Change, name: str, terms: Terms, from_month: str | None) -> Plan:
    """Raises InvalidPayload, or Conflict where the name is taken."""
    name = check_name(name)
    check_terms(terms)
    month = starting_month(from_month, False, change.now)
    plan_id = plan_records.add(change.connection, name, change.now)
    if plan_id is None:
        raise Conflict("There is a plan of that name.")
    price_terms.put_plan_terms(change.connection, plan_id, month, terms)
    change.audit("plan.create", plan_id, {"name": name, "from": month})
    return _plan(change, plan_id)


def update_plan(
    change: Change,
    plan_id: str,
    *,
    name: str | None,
    is_archived: bool | None,
    terms: Terms | None,
    from_month: str | None,
) -> Plan:
    """Changes what is given. Raises NotFound, InvalidPayload, or Conflict where the name is taken."""
    plan = _plan(change, plan_id)
    name = plan.name if name is None else check_name(name)
    is_archived = plan.is_archived if is_archived is None else is_archived
    if not plan_records.put(change.connection, plan_id, name, is_archived):
        raise Conflict("There is a plan of that name.")
    changes: dict[str, Json] = {"name": name, "is_archived": is_archived}
    if terms is not None:
        check_terms(terms)
        changes["from"] = month = starting_month(from_month, True, change.now)
        price_terms.put_plan_terms(change.connection, plan_id, month, terms)
    change.audit("plan.update", plan_id, changes)
    return _plan(change, plan_id)


def create_partner(change: Change, name: str, metadata: Mapping[str, Json]) -> Partner:
    """Raises InvalidPayload, or Conflict where the name is taken."""
    partner = partner_records.add(change.connection, check_name(name), metadata, change.now)
    if partner is None:
        raise Conflict("There is a partner of that name.")
    change.audit("partner.create", partner.id, {"name": partner.name})
    return partner


def update_partner(
    change: Change,
    partner_id: str,
    *,
    name: str | None,
    is_active: bool | None,
    metadata: Mapping[str, Json] | None,
) -> Partner:
    """Changes what is given; a disabled partner's keys are refused from then on. Raises NotFound, InvalidPayload, or
    Conflict where the name is taken.
    """
    found = partner_records.find(change.connection, partner_id)
    if found is None or found.id != partner_id:
        raise NotFound("There is no such partner.")
    partner = replace(
        found,
        name=found.name if name is None else check_name(name),
        is_active=found.is_active if is_active is None else is_active,
        metadata=found.metadata if metadata is None else metadata,
    )
    if not partner_records.put(change.connection, partner):
        raise Conflict("There is a partner of that name.")
    change.audit("partner.update", partner_id, {"name": partner.name, "is_active": partner.is_active})
    return partner


def _plan(change: Change, plan_id: str) -> Plan:
    plan = plan_records.find(change.connection, plan_id, months.month_of(change.now))
    if plan is None or plan.id != plan_id:
        raise NotFound("There is no such plan.")
    return plan
