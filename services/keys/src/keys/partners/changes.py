"""Creates and changes partners. Each change writes an entry in the audit log."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace

from keys.audit.differences import differences, fields, non_empty
from keys.partners.overviews import find
from keys.store import partner_records, plan_records
from keys.store.change import Change
from keys.store.event_records import owner_of
from keys.store.event_tables import webhooks
from keys.values import months, texts
from keys.values.checks import Fault, refuse
from keys.values.company_numbers import check_customer
from keys.values.errors import Conflict
from keys.values.records import Customer, Json, PartnerDraft, PartnerRecord, PlanName, Role
from keys.values.secret import KeyMode
from servicekit.errors import expect
from servicekit.languages import Text


def create(change: Change, draft: PartnerDraft) -> PartnerRecord:
    """Raises InvalidPayload, RoleDenied if a caller below owner chooses a default plan, or Conflict if the name is
    taken.
    """
    check_customer(draft.customer, Customer())
    plan = None if draft.default_plan is None else _plan(change, draft.default_plan)
    created = partner_records.add(change.connection, draft.name, draft.metadata, change.now)
    partner = expect(created, Conflict(texts.PARTNER_NAME_TAKEN))
    record = PartnerRecord(partner, draft.customer, plan)
    partner_records.put_customer(change.connection, partner.id, record.customer, plan.id if plan else None)
    change.audit("partner.create", partner.id, non_empty(_fields(record)))
    return record


def update(
    change: Change, partner_id: str, edit: Callable[[PartnerRecord], PartnerDraft], *, changes_status: bool
) -> PartnerRecord:
    """Replaces the partner's draft with the edited one. The keys of a disabled partner are refused at once. Raises
    NotFound, InvalidPayload, RoleDenied if a caller below owner changes the default plan, or Conflict if the name is
    taken.
    """
    if changes_status:
        partner_records.lock_keys(change.connection, partner_id)
    partner_records.lock_partner(change.connection, partner_id)
    before = find(change, partner_id)
    draft = edit(before)
    check_customer(draft.customer, before.customer)
    plan = before.default_plan if draft.default_plan is None else _plan(change, draft.default_plan)
    partner = replace(before.partner, name=draft.name, is_active=draft.is_active, metadata=draft.metadata)
    if not partner.is_active:
        change.narrowed.add(partner_id)
    if not partner_records.put(change.connection, partner):
        raise Conflict(texts.PARTNER_NAME_TAKEN)
    partner_records.put_customer(change.connection, partner_id, draft.customer, plan.id if plan else None)
    record = PartnerRecord(partner, draft.customer, plan)
    change.audit("partner.update", partner_id, differences(_fields(before), _fields(record)))
    return record


def end_events(change: Change, partner_id: str, webhook_id: str = "", watch_id: str = "") -> None:
    """Deletes the partner's endpoints. The edge deletes those of land and the watches, and a single endpoint or watch.
    Raises NotFound.
    """
    find(change, partner_id)
    if not webhook_id and not watch_id:
        webhooks.delete_all(change.connection, [owner_of(partner_id, mode) for mode in KeyMode])
    change.audit("partner.end_events", partner_id, non_empty({"webhook": webhook_id, "watch": watch_id}))


def _plan(change: Change, id_or_name: str) -> PlanName | None:
    """Returns the plan; None for an empty text. Its keys pay its prices, so only owners choose it."""
    change.require(Role.OWNER, Text("Choisir le tarif par défaut d’un partenaire", "Choosing a partner's default plan"))
    if not id_or_name:
        return None
    plan = plan_records.find(change.connection, id_or_name, months.month_of(change.now))
    if plan is None or plan.is_archived or plan.terms is None:
        raise refuse(
            "/default_plan",
            Fault("unknown_value", Text("aucun tarif en vigueur n’a ce nom", "no plan in force has this name")),
        )
    return PlanName(plan.id, plan.name)


def _fields(record: PartnerRecord) -> Mapping[str, Json]:
    return fields(
        {
            "name": record.partner.name,
            "is_active": record.partner.is_active,
            **asdict(record.customer),
            "default_plan": record.default_plan.name if record.default_plan else None,
            "metadata": dict(record.partner.metadata),
        }
    )
