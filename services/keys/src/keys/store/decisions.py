"""Decides requests of identified keys in order, in memory, and writes all grants together."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, select

from keys import texts
from keys.clock import hour_of, microseconds
from keys.quota import decision as deciding
from keys.quota import months
from keys.quota.decision import Call, Consumption, Denial, Grant, RateLimit
from keys.quota.policy import AssistantMode, KeyPolicy, Rules
from keys.quota.rates import RateState
from keys.store import driver
from keys.store.database import adding_to_counts, putting_rows
from keys.store.driver import Store
from keys.store.locking import KeyState
from keys.store.refused_requests import RefusedRequest
from keys.store.rollups import RollupKey
from keys.store.tables import key_activity, key_months, reservations
from servicekit.errors import InvalidPayload

_EARLIER_DECISIONS = select(
    reservations.c.id,
    reservations.c.key_id,
    reservations.c.units,
    reservations.c.assistant_mode,
    reservations.c.token_limit,
).where(reservations.c.id.in_(bindparam("ids", expanding=True)))
_RESERVE = insert(reservations)
_NOT_A_KEY = Denial("invalid_key")


@dataclass(frozen=True)
class Query:
    """A request to decide. The key's text is in no representation."""

    reservation_id: bytes
    api_key: str = field(repr=False)
    endpoint: str
    client_address: str
    reserves_line: bool = False
    """Whether the request reserves its units later, as one line."""


@dataclass(frozen=True)
class Answer:
    """The decision on one query. None means that nothing was decided or reserved. `key` and `limits` are empty if no
    key was identified.
    """

    reservation_id: bytes
    decision: Grant | Denial | None
    key: KeyPolicy | None = None
    limits: Sequence[RateLimit] = ()


class Batch:
    def __init__(self, connection: Store, rules: Rules, now: datetime) -> None:
        self._connection = connection
        self._rules = rules
        self._now = now
        self._now_us = microseconds(now)
        self._month = months.month_of(now)
        self._before: dict[str, Consumption] = {}
        self._consumptions: dict[str, Consumption] = {}
        self._inserts: list[dict[str, Any]] = []
        self._refusals: list[tuple[int, RefusedRequest]] = []
        self.answers: dict[int, Answer] = {}

    def decide(
        self,
        identified: Sequence[tuple[int, Query, KeyState | None]],
        first: dict[bytes, tuple[str, Grant | Denial]],
    ) -> None:
        """`first` has the earlier decisions and their keys, by reservation id."""
        self._before = {
            state.policy.key_id: self._consumption(state) for _, _, state in identified if state is not None
        }
        self._consumptions = dict(self._before)
        for index, query, state in identified:
            if state is None:
                self.answers[index] = Answer(query.reservation_id, _NOT_A_KEY)
                continue
            policy, key_id = state.policy, state.policy.key_id
            owner, decision = first.get(query.reservation_id, (key_id, None))
            if owner != key_id:
                raise InvalidPayload(texts.RESERVATION_OF_ANOTHER_KEY)
            if decision is None:
                decision = deciding.decide(
                    policy,
                    self._consumptions[key_id],
                    Call(query.endpoint, query.client_address, query.reserves_line),
                    self._now,
                    self._rules,
                )
                self._consumptions[key_id] = deciding.apply(self._consumptions[key_id], decision)
                first[query.reservation_id] = (key_id, decision)
                self._note(index, query, key_id, decision)
            limits = deciding.rate_limits(policy, self._consumptions[key_id], self._now)
            self.answers[index] = Answer(query.reservation_id, decision, policy, limits)

    def refuses_all(self, indexes: Sequence[int]) -> bool:
        """Whether this batch decided and refused all of these."""
        return all(index in self.answers and isinstance(self.answers[index].decision, Denial) for index in indexes)

    def refusals(self, without: Collection[int]) -> list[RefusedRequest]:
        """Returns the refused requests, except those at these indexes."""
        return [refusal for index, refusal in self._refusals if index not in without]

    def write(self) -> None:
        """Writes the grants and waits for it, since another transaction may have locked the counts."""
        if not self._inserts:
            return
        used = sorted({row["key_id"] for row in self._inserts})
        differences = [
            _difference(key_id, self._month, self._before[key_id], self._consumptions[key_id]) for key_id in used
        ]
        activities = [
            {"key_id": key_id, **vars(self._consumptions[key_id].rates), "last_used_at": self._now} for key_id in used
        ]
        driver.write_together(
            self._connection,
            [
                (_RESERVE, self._inserts),
                adding_to_counts(self._connection, key_months, differences),
                putting_rows(self._connection, key_activity, activities),
            ],
        )
        driver.wait(self._connection)

    def _note(self, index: int, query: Query, key_id: str, decision: Grant | Denial) -> None:
        if isinstance(decision, Denial):
            rollup_key = RollupKey(hour_of(self._now), key_id, query.endpoint)
            self._refusals.append((index, RefusedRequest(self._month, rollup_key, decision.code)))
        else:
            self._inserts.append(self._row(query, key_id, decision))

    def _consumption(self, state: KeyState) -> Consumption:
        quota = state.policy.quota
        rates = state.rates or RateState.full(quota.burst, self._now_us)
        return Consumption(rates.at(self._now_us, quota.per_minute, quota.burst), state.month)

    def _row(self, query: Query, key_id: str, granted: Grant) -> dict[str, Any]:
        return {
            "id": query.reservation_id,
            "key_id": key_id,
            "endpoint": query.endpoint,
            "reserved_at": self._now,
            "month": self._month,
            "state": "held",
            "units": granted.units,
            "assistant_mode": granted.assistant,
            "token_limit": granted.token_limit,
        }


class EarlierDecisions:
    """Reads the grants of these reservation ids."""

    def __init__(self, connection: Store, ids: Sequence[bytes]) -> None:
        self._rows = driver.read(connection, _EARLIER_DECISIONS, {"ids": ids})

    def decisions(self) -> dict[bytes, tuple[str, Grant | Denial]]:
        return {
            row_id: (key_id, Grant(units, AssistantMode(mode) if mode is not None else None, token_limit))
            for row_id, key_id, units, mode, token_limit in self._rows
        }


def _difference(key_id: str, month: str, before: Consumption, now: Consumption) -> dict[str, Any]:
    return {
        "key_id": key_id,
        "month": month,
        "reserved_units": now.month.reserved_units - before.month.reserved_units,
        "reserved_calls": now.month.reserved_calls - before.month.reserved_calls,
        "reserved_tokens": now.month.reserved_tokens - before.month.reserved_tokens,
        "suggestions": now.month.suggestions - before.month.suggestions,
    }
