"""Test keys of visitors: they expire in a day, and answer from the demo commune alone. Visitors are a partner: an admin
who disables it stops all of them.
"""

from datetime import timedelta

from contract.endpoints import (
    DIVIDE_LAND,
    GEOJSON,
    PARCEL_SEARCH,
    PARCELS,
    RESOLVE,
    REVERSE,
    SUGGEST,
    TILES,
    USAGE,
)  # fmt: skip
from keys.api_keys import changes
from keys.store import key_records, partner_records
from keys.store.change import Change
from keys.store.partner_records import VISITORS
from keys.values.errors import NotFound, VisitorKeysUsed
from keys.values.hashing import Peppers
from keys.values.policy import AssistantMode, AssistantPolicy, Quota
from keys.values.records import IssuedKey, KeyDraft, Partner, new_record_id
from keys.values.secret import KeyMode
from servicekit.languages import Text
from servicekit.limits import network_of

NAME = "Visiteurs"
"""The name of the new partner. An admin may change it, or may have given it to another partner."""
LIFETIME = timedelta(days=1)
MOST_PER_NETWORK = 50
"""An office shares an address, and each of its browsers keeps one key for its day."""
_ALL_USED = Text(
    "Toutes les clés d’essai du jour sont données. Revenez plus tard.",
    "All test keys of the day are taken. Try again later.",
)
_QUOTA = Quota(monthly_units=200, per_minute=60, burst=60)
_SCOPES = (RESOLVE, SUGGEST, REVERSE, GEOJSON, DIVIDE_LAND, PARCELS, PARCEL_SEARCH, TILES, USAGE)


def create(change: Change, peppers: Peppers, most_per_day: int) -> IssuedKey:
    """Creates a key for the address of the actor. Raises as `check`."""
    partner = _partner(change)
    partner_records.lock_partner(change.connection, partner.id)  # nobody else counts until this key is there
    label = check(change, peppers, most_per_day)
    draft = KeyDraft(
        partner=partner.id,
        label=label,
        quota=_QUOTA,
        assistant=AssistantPolicy(AssistantMode.RULES),
        mode=KeyMode.TEST,
        scopes=_SCOPES,
        expires_at=change.now + LIFETIME,
    )
    return changes.create(change, peppers, draft)


def check(change: Change, peppers: Peppers, most_per_day: int) -> str:
    """Returns the label of a key for the address of the actor, and writes nothing. The label has a keyed digest of the
    network: an IPv4 address or an IPv6 /64. Raises NotFound if visitors get no keys, or VisitorKeysUsed if the network
    or all visitors have too many.
    """
    partner = _find(change)
    if most_per_day <= 0 or (partner is not None and not partner.is_active):
        raise NotFound(Text("Ce service ne donne pas de clé aux visiteurs.", "This service gives visitors no key."))
    network = network_of(change.actor.client_address)
    label = f"visiteur {peppers.derive(peppers.newest, b'visitor ' + network.encode())[:6].hex()}"
    network_used = Text(
        "Votre réseau a déjà ses {most} clés d’essai du jour. Utilisez l’une d’elles, ou revenez plus tard.",
        "Your network already has its {most} test keys of the day. Use one of them, or try again later.",
    ).format(most=MOST_PER_NETWORK)
    for same_label, most, used in (
        (label, MOST_PER_NETWORK, network_used),
        (None, most_per_day, _ALL_USED),
    ):
        count, first_expires_at = key_records.valid_until(change.connection, VISITORS, change.now, same_label)
        if first_expires_at is not None and count >= most:
            wait = first_expires_at - change.now
            raise VisitorKeysUsed(used, retry_after_s=int(wait.total_seconds()) + 1)
    return label


def _find(change: Change) -> Partner | None:
    return partner_records.find_all(change.connection, [VISITORS]).get(VISITORS)


def _partner(change: Change) -> Partner:
    """Returns the visitors' partner, which it creates if there is none."""

    def add(name: str) -> Partner | None:
        return partner_records.add(change.connection, name, {}, change.now, VISITORS)

    partner = _find(change) or add(NAME) or add(f"{NAME} {new_record_id()}") or _find(change)
    assert partner is not None  # noqa: S101 (made above, here or by another)
    return partner
