"""Creates, changes, suspends, revokes and rotates keys. Each change writes an entry in the audit log."""

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import timedelta

from contract.key_text import SECRET_BYTES
from keys.audit.differences import differences, key_fields, non_empty, price_fields
from keys.plans.changes import starting_month
from keys.store import buyers, key_records, mails, partner_records, plan_records, price_terms
from keys.store.change import Change, Transaction
from keys.store.key_records import Creation
from keys.store.lease_states import has_open_lease, lock, read_key
from keys.values import months, secret, texts
from keys.values.checks import Fault, check_expiry, refuse
from keys.values.errors import Conflict, IdempotencyMismatch, NotFound
from keys.values.hashing import Peppers
from keys.values.pricing import ChargedPer, PlanChoice, Terms
from keys.values.records import IssuedKey, Json, KeyDraft, KeyRecord, KeyStatus, Role
from keys.values.secret import KeyMode
from servicekit.errors import expect
from servicekit.languages import Text

_UNCHANGEABLE = {
    KeyStatus.REVOKED: Text("La clé est révoquée.", "The key is revoked."),
    KeyStatus.EXPIRED: Text("La clé a expiré.", "The key has expired."),
}


def create(change: Change, peppers: Peppers, draft: KeyDraft, idempotency_key: str = "") -> IssuedKey:
    """Creates a key. A live key without a price gets the default plan of its partner, which an owner has chosen. For a
    day, the same Idempotency-Key returns the same key. Raises InvalidPayload, RoleDenied if a caller below owner sets a
    price, NotFound for an unknown plan, Conflict if the default plan is archived, or IdempotencyMismatch if the
    Idempotency-Key was used with another draft.
    """
    check_expiry(draft.expires_at, change.now)
    creation = Creation(
        actor=change.actor.name,
        idempotency_key=idempotency_key or secrets.token_hex(16),
        request_digest=hashlib.sha256(json.dumps(asdict(draft), sort_keys=True, default=str).encode()).digest(),
        key_id=secret.new_id(),
        pepper_version=peppers.newest,
        salt=secrets.token_bytes(SECRET_BYTES),
    )
    if idempotency_key:
        before = key_records.put_creation(change.connection, creation, change.now)
        if before is not creation:
            return _repeated(change, peppers, before, creation)
    key = secret.compose(draft.mode, creation.key_id, _secret_bytes(peppers, creation))
    partner = partner_records.find_or_add(change.connection, draft.partner, change.now)
    key_records.add(change.connection, draft, partner.id, key, hashed=peppers.hash(key.text), now=change.now)
    is_default = draft.pricing is None and draft.mode is KeyMode.LIVE
    prices = _default_price(change, key.key_id, partner.id) if is_default else _price(change, key.key_id, draft)
    priced = {name: value["new"] for name, value in prices.items() if isinstance(value, dict)}
    change.audit(
        "key.create", key.key_id, {"partner": partner.name, **non_empty(key_fields(draft)), **non_empty(priced)}
    )
    if draft.mode is KeyMode.LIVE and key_records.is_first_live_key(change.connection, partner.id, key.key_id):
        month = months.month_of(change.now)
        if buyers.reasons(change.connection, [partner.id], month):
            mails.add_of_held_bill(change.connection, partner.id, month, change.now)
    return IssuedKey(get(change, key.key_id), key)


def update(change: Change, key_id: str, edit: Callable[[KeyRecord], KeyDraft]) -> KeyRecord:
    """Replaces the key's draft with the edited one. Raises NotFound, InvalidPayload, Conflict if the key is revoked or
    expired, or RoleDenied if a caller below owner sets a price or lifts a limit.
    """
    record = _lock_changeable(change, key_id)
    before, draft = record.draft(), edit(record)
    if draft.expires_at != before.expires_at:
        check_expiry(draft.expires_at, change.now)
    if before.quota.is_lifted_by(draft.quota):
        change.require(Role.OWNER, Text("Relever une limite d’une clé", "Lifting a limit of a key"))
    if draft == before or replace(draft, label=before.label, metadata=before.metadata) != before:
        _wait_for_leases(change, key_id)  # an equal draft may repeat a change that was not answered
    key_records.put(change.connection, key_id, draft)
    prices = _price(change, key_id, draft)
    change.audit("key.update", key_id, {**differences(key_fields(before), key_fields(draft)), **prices})
    return get(change, key_id)


def revoke(change: Change, key_id: str) -> KeyRecord:
    """Revokes the key. A revoked key stays as it is. Raises NotFound."""
    lock(change.connection, [key_id])
    _wait_for_leases(change, key_id)
    if key_records.revoke(change.connection, key_id, change.now):
        change.audit("key.revoke", key_id)
    return get(change, key_id)


def suspend(change: Change, key_id: str) -> KeyRecord:
    """Suspends the key until it is resumed. A suspended key stays as it is. Raises NotFound, or Conflict if the key is
    revoked or expired.
    """
    record = _lock_changeable(change, key_id)
    _wait_for_leases(change, key_id)
    if record.suspended_at is None:
        key_records.suspend(change.connection, key_id, change.now)
        change.audit("key.suspend", key_id)
    return get(change, key_id)


def resume(change: Change, key_id: str) -> KeyRecord:
    """Lets a suspended key be used again. Another key stays as it is. Raises as `suspend`."""
    if _lock_changeable(change, key_id).suspended_at is not None:
        key_records.suspend(change.connection, key_id, None)
        change.audit("key.resume", key_id)
    return get(change, key_id)


def rotate(change: Change, peppers: Peppers, key_id: str, grace: timedelta) -> IssuedKey:
    """Gives the key a new secret. Raises NotFound, or Conflict if the key is revoked or expired."""
    record = _lock_changeable(change, key_id)
    _wait_for_leases(change, key_id)
    key = secret.generate(record.mode, key_id)
    key_records.replace_secret(change.connection, key, peppers.hash(key.text), grace, change.now)
    change.audit("key.rotate", key_id, {"grace_days": grace.days})
    return IssuedKey(get(change, key_id), key)


def get(transaction: Transaction, key_id: str) -> KeyRecord:
    """Raises NotFound."""
    return expect(key_records.find(transaction.connection, key_id, transaction.now), NotFound(texts.NO_SUCH_KEY))


def partner_keys(transaction: Transaction, key_id: str) -> list[KeyRecord]:
    """Returns the keys that a partner sees and rotates with this key: those of the partner in the same mode, the oldest
    first. Raises NotFound.
    """
    asking = get(transaction, key_id)
    return key_records.of_partner(transaction.connection, asking.partner.id, asking.mode, transaction.now)


def rotate_partner_key(
    change: Change, peppers: Peppers, key_id: str, api_key: str, rotated_key_id: str, grace: timedelta
) -> IssuedKey:
    """Gives one of the keys of `partner_keys` a new secret. Raises NotFound for another one, or Conflict if it is
    revoked or expired, or if the asking secret is not the newest: a leaked one could lock its partner out.
    """
    lock(change.connection, sorted({key_id, rotated_key_id}))
    asking = read_key(change.connection, key_id, change.now)
    newest = [valid.hashed for valid in asking.secrets if valid.ends_at is None] if asking else []
    if not peppers.verify(api_key, newest):
        raise Conflict(
            Text(
                "Un secret remplacé ne peut pas remplacer de clé : utilisez le nouveau.",
                "A replaced secret cannot rotate keys: use the new one.",
            )
        )
    if all(key.id != rotated_key_id for key in partner_keys(change, key_id)):
        raise NotFound(texts.NO_SUCH_KEY)
    return rotate(change, peppers, rotated_key_id, grace)


def _repeated(change: Change, peppers: Peppers, before: Creation, repeated: Creation) -> IssuedKey:
    if before.request_digest != repeated.request_digest:
        raise IdempotencyMismatch(
            Text(
                "Cette Idempotency-Key accompagnait une autre requête.",
                "This Idempotency-Key came with another request.",
            )
        )
    record = get(change, before.key_id)
    return IssuedKey(record, secret.compose(record.mode, record.id, _secret_bytes(peppers, before)))


def _secret_bytes(peppers: Peppers, creation: Creation) -> bytes:
    """As random as the salt and the pepper together."""
    try:
        return peppers.derive(creation.pepper_version, creation.salt + creation.key_id.encode())
    except KeyError:
        raise Conflict(
            Text(
                "Le secret de cette clé ne peut plus être donné : renouvelez-le.",
                "The secret of this key can no longer be given: rotate it.",
            )
        ) from None


def _price(change: Change, key_id: str, draft: KeyDraft) -> dict[str, Json]:
    """Sets the draft's price, if any, for a locked key. Returns what changed of the price."""
    if draft.pricing is None:
        return {}
    change.require(Role.OWNER, Text("Fixer un prix", "Setting a price"))
    return _put_price(change, key_id, draft.pricing, draft.pricing_from)


def _default_price(change: Change, key_id: str, partner_id: str) -> dict[str, Json]:
    """Sets the default plan of the partner, if any, for a new key. An owner has chosen it, so any role may use it."""
    record = partner_records.find_record(change.connection, partner_id)
    if record is None or record.default_plan is None:
        return {}
    try:
        return _put_price(change, key_id, PlanChoice(record.default_plan.id), None)
    except NotFound:
        raise Conflict(
            Text(
                "Le tarif par défaut du partenaire est archivé : un propriétaire doit en choisir un autre.",
                "The default plan of the partner is archived: an owner has to choose another one.",
            )
        ) from None


def _put_price(change: Change, key_id: str, pricing: PlanChoice | Terms, from_month: str | None) -> dict[str, Json]:
    is_used = price_terms.is_used(change.connection, [key_id], months.month_of(change.now))
    is_first = not price_terms.has_terms(change.connection, key_id)
    month = starting_month(from_month, is_first=is_first, is_used=is_used, now=change.now)
    before = price_terms.terms_of(change.connection, [key_id], month).get(key_id)
    if isinstance(pricing, PlanChoice):
        price_terms.put_key_terms(change.connection, key_id, month, None, _plan_id(change, pricing, month))
    elif pricing.charged_per is ChargedPer.PARTNER:
        raise refuse(
            "/pricing/charged_per",
            Fault(
                "unknown_value",
                Text("seul un tarif nommé est facturé par partenaire", "only a plan is charged per partner"),
            ),
        )
    else:
        price_terms.put_key_terms(change.connection, key_id, month, pricing, None)
    after = price_terms.terms_of(change.connection, [key_id], month).get(key_id)
    if after is not None and after.is_shared:  # the spend caps of the partner's other keys count more
        change.narrowed.add(key_id)
    return differences(price_fields(before), price_fields(after))


def _plan_id(change: Change, choice: PlanChoice, month: str) -> str:
    """Locks the plan and returns its id. Its terms of the month cannot change until the transaction ends."""
    plan = plan_records.find(change.connection, choice.plan, month)
    if plan is None or plan.is_archived:
        raise NotFound(texts.NO_SUCH_PLAN)
    plan_records.lock(change.connection, plan.id)
    if plan.terms is None:
        detail = Text("ce tarif ne s’applique pas encore en {month}", "this plan has no terms for {month} yet")
        raise refuse("/pricing/plan", Fault("unknown_value", detail.format(month=month)))
    return plan.id


def _wait_for_leases(change: Change, key_id: str) -> None:
    """Lets the change of a locked key be answered when no edge acts on earlier terms of the key."""
    if has_open_lease(change.connection, key_id, change.now):
        change.narrowed.add(key_id)


def _lock_changeable(change: Change, key_id: str) -> KeyRecord:
    """Locks a key that is neither revoked nor expired. Raises NotFound or Conflict."""
    lock(change.connection, [key_id])
    record = get(change, key_id)
    if (refusal := _UNCHANGEABLE.get(record.status(change.now))) is not None:
        raise Conflict(refusal)
    return record
