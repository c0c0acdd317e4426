"""Validates keys, names and terms. Each violation has a pointer to its member."""

import ipaddress
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from keys.clock import LATEST
from keys.pricing import CURRENCY, Terms
from keys.records import KeyDraft
from servicekit.endpoints import SCOPES
from servicekit.errors import InvalidPayload, Violation

NAME_MAX_LENGTH = 200
_FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Unicode's embeddings, overrides and isolates: they can make one name look like another."""
_PRICE_MAX = Decimal(1_000_000)
_PRICE_DECIMALS = 8
_CAP_MAX = 10**12


def check_key(draft: KeyDraft) -> None:
    """Raises InvalidPayload."""
    _raise("The key cannot be like this.", list(_key_violations(draft)))


def check_expiry(expires_at: datetime | None, now: datetime) -> None:
    """Raises InvalidPayload for an instant that is not in the future, or is after 2200."""
    if expires_at is not None and expires_at <= now:
        _raise("It cannot expire then.", [Violation("/expires_at", "past", "is in the future")])
    if expires_at is not None and expires_at > LATEST:
        _raise("It cannot expire then.", [Violation("/expires_at", "malformed", "is before 2200")])


def check_idempotency_key(key: str) -> None:
    """Raises InvalidPayload."""
    if len(key) > NAME_MAX_LENGTH or not key.isprintable():
        detail = f"has at most {NAME_MAX_LENGTH} printable characters"
        _raise("The Idempotency-Key cannot be taken.", [Violation("/idempotency_key", "malformed", detail)])


def check_name(name: str) -> str:
    """Returns the name without surrounding spaces. Raises InvalidPayload."""
    _raise("The name cannot be taken.", list(_name_violations("/name", name)))
    return name.strip()


def check_terms(terms: Terms) -> None:
    """Raises InvalidPayload."""
    _raise("The pricing cannot be like this.", list(_terms_violations(terms)))


def _raise(detail: str, wrong: list[Violation]) -> None:
    if wrong:
        raise InvalidPayload(detail, violations=wrong)


def _name_violations(pointer: str, name: str) -> Iterator[Violation]:
    if not 1 <= len(name.strip()) <= NAME_MAX_LENGTH:
        yield Violation(pointer, "length", f"has 1 to {NAME_MAX_LENGTH} characters")
    elif any(_is_forbidden(character) for character in name):
        yield Violation(pointer, "malformed", "has no control characters, line ends or marks that turn text around")


def _is_forbidden(character: str) -> bool:
    """Not `str.isprintable`: it refuses the joiners of emoji and the no-break spaces of French."""
    return character in _BIDI_CONTROLS or unicodedata.category(character) in _FORBIDDEN_CATEGORIES


def _key_violations(draft: KeyDraft) -> Iterator[Violation]:
    yield from _name_violations("/partner", draft.partner)
    yield from _name_violations("/label", draft.label)
    for index, scope in enumerate(draft.scopes):
        if scope not in SCOPES:
            yield Violation(f"/scopes/{index}", "unknown", f"is one of {', '.join(SCOPES)}")
    for index, cidr in enumerate(draft.allowed_cidrs):
        try:
            ipaddress.ip_network(cidr)
        except ValueError:
            yield Violation(f"/allowed_cidrs/{index}", "malformed", "is a network such as 192.0.2.0/24")
    quota, assistant = draft.quota, draft.assistant
    for pointer, number, least in (
        ("/quota/per_minute", quota.per_minute, 1),
        ("/quota/burst", quota.burst, 1),
        ("/quota/monthly_units", quota.monthly_units, 0),
        ("/quota/spend_cap", quota.spend_cap, 0),
        ("/assistant_policy/monthly_calls", assistant.monthly_calls, 0),
        ("/assistant_policy/monthly_tokens", assistant.monthly_tokens, 0),
    ):
        if number is not None and number < least:
            yield Violation(pointer, "too_small", f"is at least {least}")
    if quota.spend_cap is not None and not (_has_price_decimals(quota.spend_cap) and quota.spend_cap <= _CAP_MAX):
        yield Violation(
            "/quota/spend_cap", "malformed", f"is at most {_CAP_MAX}, with at most {_PRICE_DECIMALS} places"
        )
    if isinstance(draft.pricing, Terms):
        yield from _terms_violations(draft.pricing)


def _terms_violations(terms: Terms) -> Iterator[Violation]:
    if terms.currency != CURRENCY:
        yield Violation("/pricing/currency", "unknown", f"is {CURRENCY}")
    if terms.included_units < 0:
        yield Violation("/pricing/included_units", "too_small", "is at least 0")
    prices = [("/pricing/monthly_fee", terms.monthly_fee)]
    prices += [(f"/pricing/tiers/{index}/unit_price", tier.unit_price) for index, tier in enumerate(terms.tiers)]
    for pointer, price in prices:
        if not _is_price(price):
            yield Violation(pointer, "malformed", f"is a decimal from 0, with at most {_PRICE_DECIMALS} places")
    if not (_is_price(terms.vat_rate) and terms.vat_rate <= 1):
        yield Violation("/pricing/vat_rate", "malformed", 'is a decimal from 0 to 1, such as "0.20"')
    bounds = [tier.up_to for tier in terms.tiers]
    closed = [bound for bound in bounds[:-1] if bound is not None]
    if bounds and (bounds[-1] is not None or len(closed) != len(bounds) - 1):
        yield Violation("/pricing/tiers", "malformed", "the last tier, and only that, has no end")
    elif any(upper <= lower for lower, upper in zip([0, *closed], closed, strict=False)):
        yield Violation("/pricing/tiers", "malformed", "each tier ends after the one before")


def _is_price(price: Decimal) -> bool:
    return _has_price_decimals(price) and 0 <= price <= _PRICE_MAX


def _has_price_decimals(amount: Decimal) -> bool:
    exponent = amount.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -_PRICE_DECIMALS
