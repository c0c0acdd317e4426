"""Creates and changes plans. Each change writes an entry in the audit log."""

from datetime import datetime

from keys.audit.differences import differences, non_empty, price_fields
from keys.store import plan_records, price_terms
from keys.store.change import Change
from keys.store.lease_states import lock
from keys.store.price_terms import DatedTerms
from keys.values import months, texts
from keys.values.checks import Fault, refuse
from keys.values.errors import Conflict, NotFound
from keys.values.pricing import Terms
from keys.values.records import Json, Plan
from servicekit.errors import expect
from servicekit.languages import Text


def starting_month(requested: str | None, *, is_first: bool, is_used: bool, now: datetime) -> str:
    """Returns the first month of new terms. The earliest month is the current one, or the next one if units were used
    in the current one. Without a requested month, first terms start in the earliest month, and later terms in the next
    month. Raises InvalidPayload.
    """
    current = months.month_of(now)
    following = months.next_month(current)
    earliest = following if is_used else current
    if requested is None:
        return earliest if is_first else following
    month = months.read_month(requested)
    if month < earliest:
        detail = _USED if current <= month else _PAST
        raise refuse("/pricing/effective_from", Fault("out_of_range", detail.format(month=earliest)))
    return month


_PAST = Text("le mois doit être {month} ou plus tard", "the month must be {month} or later")
_USED = Text(
    "le mois doit être {month} ou plus tard : des unités ont été utilisées ce mois-ci",
    "the month must be {month} or later, since units were used this month",
)


def create_plan(change: Change, name: str, terms: Terms, from_month: str | None) -> Plan:
    """Raises InvalidPayload, or Conflict if the name is taken."""
    month = starting_month(from_month, is_first=True, is_used=False, now=change.now)
    plan_id = expect(plan_records.add(change.connection, name, change.now), Conflict(texts.PLAN_NAME_TAKEN))
    price_terms.put_plan_terms(change.connection, plan_id, month, terms)
    change.audit("plan.create", plan_id, {"name": name, **non_empty(price_fields(DatedTerms(terms, month)))})
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
    """Changes the members that are not None. Raises NotFound, InvalidPayload, or Conflict if the name is taken."""
    plan = _plan(change, plan_id)
    name = plan.name if name is None else name
    is_archived = plan.is_archived if is_archived is None else is_archived
    prices = {} if terms is None else _price(change, plan_id, terms, from_month)
    if not plan_records.put(change.connection, plan_id, name, is_archived):
        raise Conflict(texts.PLAN_NAME_TAKEN)
    before: dict[str, Json] = {"name": plan.name, "is_archived": plan.is_archived}
    changed = differences(before, {"name": name, "is_archived": is_archived})
    change.audit("plan.update", plan_id, {**changed, **prices})
    return _plan(change, plan_id)


def _price(change: Change, plan_id: str, terms: Terms, from_month: str | None) -> dict[str, Json]:
    """Sets the plan's terms and returns what changed of them. No key of the plan is used until the transaction ends.
    Locks keys before plans, the same order as in `key_changes`. Raises Conflict if a key joined the plan before the
    lock.
    """
    current = months.month_of(change.now)
    locked = set(price_terms.keys_on_plan(change.connection, plan_id, current))
    lock(change.connection, locked)
    plan_records.lock(change.connection, plan_id)
    on_plan = price_terms.keys_on_plan(change.connection, plan_id, current)
    if not locked.issuperset(on_plan):
        raise Conflict(Text("Une clé a pris ce tarif entre-temps.", "A key took the plan in the meantime."))
    is_used = price_terms.is_used(change.connection, on_plan, current)
    month = starting_month(from_month, is_first=False, is_used=is_used, now=change.now)
    before = price_terms.terms_of_plans(change.connection, [plan_id], month).get(plan_id)
    price_terms.put_plan_terms(change.connection, plan_id, month, terms)
    after = price_terms.terms_of_plans(change.connection, [plan_id], month).get(plan_id)
    return differences(price_fields(before), price_fields(after))


def _plan(change: Change, plan_id: str) -> Plan:
    plan = plan_records.find(change.connection, plan_id, months.month_of(change.now))
    if plan is None or plan.id != plan_id:
        raise NotFound(texts.NO_SUCH_PLAN)
    return plan
