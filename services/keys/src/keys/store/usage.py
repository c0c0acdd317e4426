"""What a key used, from the counts that the hot path keeps."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from keys.quota import months
from keys.quota.decision import MonthCounts
from keys.quota.policy import AssistantPolicy, Quota
from keys.store.locking import read_states


@dataclass(frozen=True)
class KeyUsage:
    """A key's limits and its counts of a month."""

    month: str
    quota: Quota
    assistant: AssistantPolicy
    counts: MonthCounts


def usage_of(connection: Connection, key_id: str, now: datetime) -> KeyUsage | None:
    """The usage of the current month, None where there is no such key."""
    state = read_states(connection, [key_id], now).get(key_id)
    if state is None:
        return None
    return KeyUsage(months.month_of(now), state.policy.quota, state.policy.assistant, state.month)
