"""Estimated costs of keys in a range: by how much the bills of the keys grow in it.

The bill of a shared plan has no parts by key. The estimate divides its growth in each month by the units that its keys
used in the range, so that the costs of all keys add up to the bills.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal

from keys.store import key_records, rollups
from keys.store.change import Transaction
from keys.store.price_terms import days_of_existing, fee_days, terms_of
from keys.values import months, pricing
from keys.values.buckets import Range
from keys.values.records import NamedKey


def costs(transaction: Transaction, period: Range, keys: Sequence[NamedKey]) -> dict[str, Decimal]:
    """Returns the net cost of each of the live keys. A monthly fee counts at the start of its month, and
    only in months in which a key that pays it existed.
    """
    connection = transaction.connection
    cost_of = dict.fromkeys((key.id for key in keys), Decimal("0.00"))
    partner_of = {key.id: key.partner.id for key in keys}
    for month, part in period.months():
        terms = terms_of(connection, cost_of, month)
        partners = {partner_of[key_id] for key_id, dated in terms.items() if dated.is_shared}
        partner_of_sharing = key_records.live_keys_of(connection, partners) if partners else {}
        terms |= terms_of(connection, partner_of_sharing, month)
        sharing: dict[tuple[str, str], list[str]] = defaultdict(list)
        for key_id, dated in terms.items():
            if dated.is_shared:
                sharing[partner_of_sharing[key_id], dated.plan_id].append(key_id)
            elif key_id in cost_of:
                sharing[key_id, ""].append(key_id)
        start = months.start_of(month)
        ids = [key_id for members in sharing.values() for key_id in members]
        days_of = days_of_existing(connection, ids, month)
        until_start = rollups.units_by_key(connection, Range(start, part.start), ids)
        within = rollups.units_by_key(connection, part, ids)
        for members in sharing.values():
            before = sum(until_start.get(key_id, 0) for key_id in members)
            used = {key_id: within.get(key_id, 0) for key_id in members}
            pays = part.start <= start and (not days_of.keys().isdisjoint(members) or any(used.values()))
            member_terms = terms[members[0]].terms
            fee = pricing.fee(member_terms, fee_days(days_of, members, month)) if pays else Decimal("0.00")
            # the price of all units minus that of the units before, which includes the fee
            growth = fee + pricing.net(member_terms, before + sum(used.values())) - pricing.net(member_terms, before)
            for key_id, amount in split(growth, used).items():
                if key_id in cost_of:
                    cost_of[key_id] += amount
    return cost_of


def split(amount: Decimal, units: Mapping[str, int]) -> dict[str, Decimal]:
    """Divides an amount of whole cents by units. The parts add up to the amount: the largest remainders get the cents
    that are left. A single key gets all. Several keys without units get nothing.
    """
    all_units = sum(units.values())
    if len(units) == 1 or not all_units:
        return {key_id: amount if len(units) == 1 else Decimal("0.00") for key_id in units}
    whole = int(amount.scaleb(2))
    parts = {key_id: divmod(whole * count, all_units) for key_id, count in units.items()}
    remaining_cents = whole - sum(part for part, _ in parts.values())
    first = set(sorted(parts, key=lambda key_id: (-parts[key_id][1], key_id))[:remaining_cents])
    return {key_id: Decimal(part + (key_id in first)).scaleb(-2) for key_id, (part, _) in parts.items()}
