"""Reserves and charges requests by lines: a file of addresses has many, a single request with an Idempotency-Key one.

A request reserves the units of all its lines at once. Outcomes then charge the lines that succeeded, in parts. The row
of the request has a bit for each charged line, so a line is charged once, however often it is answered or reported. A
client that lost its connection sends the request again with the same id. That begins another run, while the earlier one
may still be answered.

The units of the lines that are not charged yet stay reserved until each run was reported as ended. An answer may go on
after the time of its run. The runs of a request share them, since a line costs nothing in a second run. The last
outcome of a run names all lines that succeeded in it, so what is released does not depend on the order of outcomes. A
single request has one open run at a time.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, select

from contract.counters import Counters
from contract.endpoints import DIVIDE_LAND, LINE_ENDPOINTS, LINES_RESERVED_S, MAX_LINES
from keys.store import rollups
from keys.store.database import put_rows
from keys.store.lease_states import lock_free
from keys.store.rollups import RollupKey
from keys.store.tables import line_requests
from keys.values import months, texts
from keys.values.clock import hour_of
from keys.values.lease_rules import Denial, KeyState, Later, Lease, check_quota, refused
from keys.values.outcomes import AnsweredLines, Outcome
from keys.values.policy import Rules
from servicekit.errors import InvalidPayload
from servicekit.languages import Text

MAX_RUNS = 10
"""How often a request is answered, since the lines that are charged cost nothing the next time."""
RESUMABLE = timedelta(hours=24)
LIFETIME = timedelta(seconds=LINES_RESERVED_S)
"""The edge renews the reservation of a run more often, and sends no line of an older one."""
ID_BYTES = 16
LAPSE_BATCH = 500
_ENDED_AT = 0
"""Stands in `runs` for the end of a run that was reported."""

_IN_PROGRESS = Denial("idempotency_in_progress", retry_after_s=2)
_MISMATCH = Denial("idempotency_mismatch")
_ENDED = Denial("deadline_exceeded")
_USED_UP = Denial("idempotency_used_up")
_IDS: BindParameter[list[bytes]] = bindparam("ids", expanding=True)
_KNOWN = select(*line_requests.c).where(line_requests.c.id.in_(_IDS))
_OVERDUE = (
    select(line_requests.c.id, line_requests.c.key_id)
    .where(line_requests.c.reserved_units > 0, line_requests.c.renewed_at < bindparam("before"))
    .order_by(line_requests.c.renewed_at)
    .limit(LAPSE_BATCH)
)


@dataclass(frozen=True)
class LineRequest:
    """A request to reserve. A new number of `run` begins a run, a known one renews its reservation."""

    id: bytes
    lines: int
    digest: bytes
    run: int
    lasts_s: int = LINES_RESERVED_S
    """Seconds until the run ends without a renewal."""

    def check(self, endpoint: str) -> None:
        """Raises InvalidPayload for a malformed request."""
        most = MAX_LINES if endpoint in LINE_ENDPOINTS else int(endpoint == DIVIDE_LAND)
        if len(self.id) != ID_BYTES:
            raise InvalidPayload(texts.WRONG_RESERVATION_ID.format(size=ID_BYTES))
        if not 0 < self.lines <= most or not 0 < self.lasts_s <= LINES_RESERVED_S:
            raise InvalidPayload(
                Text("Une requête a de 1 à {most} lignes.", "A request has 1 to {most} lines.").format(most=MAX_LINES)
            )


def reserve(
    connection: Connection,
    request: LineRequest,
    endpoint: str,
    state: KeyState,
    open_leases: Iterable[Lease],
    now: datetime,
    lease_time: timedelta,
    rules: Rules,
) -> tuple[int | Denial | Later, KeyState]:
    """Reserves the units of the lines that are not charged yet, for a locked key. Returns them with the state of the
    key after it.
    """
    key_id, month = state.policy.key_id, months.month_of(now)
    row = read_rows(connection, [request.id]).get(request.id) or _row(
        request.id,
        key_id,
        endpoint,
        now,
        digest=request.digest,
        lines=request.lines,
        weight=rules.line_weight(endpoint),
    )
    units = (row["lines"] - int.from_bytes(row["charged"], "little").bit_count()) * row["weight"]
    own = row["reserved_units"] if row["month"] == month else 0
    refusal = _check(row, key_id, endpoint, request, now) or refused(
        lambda changed: check_quota(
            changed.policy, changed.month, max(0, units - min(own, changed.month.reserved_units)), now, rules
        ),
        state,
        open_leases,
        now,
        lease_time,
    )
    if refusal is not None:
        return refusal, state
    counts = _releasing(row)
    counts[key_id, month]["reserved_units"] += units
    runs = {**row["runs"], str(request.run): ceil(now.timestamp()) + request.lasts_s}
    changed = {**row, "renewed_at": now, "month": month, "runs": runs, "reserved_units": units}
    put_rows(connection, line_requests, [changed])
    rollups.add_months(connection, counts)
    return units, replace(state, month=state.month.reserving(Counters(units=units - own)))


def lapse(connection: Connection, now: datetime) -> int:
    """Ends the runs of requests that were not renewed for 15 minutes, and releases their units. Returns the number of
    these requests. Those of locked keys lapse in a later call.
    """
    before = now - LIFETIME
    candidates = connection.execute(_OVERDUE, {"before": before}).all()
    locked = lock_free(connection, {key_id for _, key_id in candidates})
    rows = read_rows(connection, [id_ for id_, key_id in candidates if key_id not in locked])
    overdue = [row for row in rows.values() if row["reserved_units"] and row["renewed_at"] < before]
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in overdue:
        counts[row["key_id"], row["month"]]["reserved_units"] -= row["reserved_units"]
    ended = [{**row, "runs": dict.fromkeys(row["runs"], _ENDED_AT), "reserved_units": 0} for row in overdue]
    put_rows(connection, line_requests, ended)
    rollups.add_months(connection, counts)
    return len(overdue)


def charge(connection: Connection, outcomes: Sequence[Outcome], rules: Rules, now: datetime) -> dict[bytes, int]:
    """Charges the lines that are not charged yet. The keys must be locked.

    Counts the units of files. Returns those of single requests by event id; the caller counts them.
    """
    with_lines = [(outcome, outcome.lines) for outcome in outcomes if outcome.lines is not None]
    if not with_lines:
        return {}
    units_by_event: dict[bytes, int] = {}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    hours: dict[RollupKey, Counter[str]] = defaultdict(Counter)
    rows = read_rows(connection, list({lines.request_id for _, lines in with_lines}))
    for outcome, lines in with_lines:
        succeeded = lines.succeeded if outcome.is_of_file else bytes([outcome.is_charged])
        units, row = 0, rows.get(lines.request_id)
        if row is None and any(succeeded):  # the database was restored
            at, weight = min(outcome.occurred_at, now), rules.line_weight(outcome.endpoint)
            row = _row(lines.request_id, outcome.key_id, outcome.endpoint, at, weight=weight)
        if row is not None and row["key_id"] == outcome.key_id:
            rows[lines.request_id], units = _charged(row, replace(lines, succeeded=succeeded), counts)
        if not outcome.is_of_file:
            units_by_event[outcome.event_id] = units
        elif row is not None and units:
            counts[row["key_id"], row["month"]]["units"] += units
            hours[RollupKey(hour_of(row["renewed_at"]), row["key_id"], row["endpoint"])]["units"] += units
    put_rows(connection, line_requests, [rows[id_] for id_ in sorted(rows)])
    rollups.add_months(connection, counts)
    rollups.add(connection, hours)
    return units_by_event


def read_rows(connection: Connection, ids: Sequence[bytes]) -> dict[bytes, dict[str, Any]]:
    """The stored requests with these ids, by their columns."""
    if not ids:
        return {}
    return {row["id"]: dict(row) for row in connection.execute(_KNOWN, {"ids": list(ids)}).mappings()}


def _charged(
    row: dict[str, Any], lines: AnsweredLines, counts: dict[tuple[str, str], Counter[str]]
) -> tuple[dict[str, Any], int]:
    """Returns the row after the outcome, and the units of the lines that it charges. Counts the released units."""
    before = int.from_bytes(row["charged"], "little")
    after = before | int.from_bytes(lines.succeeded, "little") << lines.first_line
    units = (after ^ before).bit_count() * row["weight"]
    reserved = max(0, row["reserved_units"] - units)
    run = str(lines.run)
    runs = {**row["runs"], run: _ENDED_AT} if lines.is_last and run in row["runs"] else row["runs"]
    if all(ends_at == _ENDED_AT for ends_at in runs.values()):
        reserved = 0
    counts[row["key_id"], row["month"]]["reserved_units"] += reserved - row["reserved_units"]
    charged = after.to_bytes((after.bit_length() + 7) // 8, "little")
    return {**row, "charged": charged, "runs": runs, "reserved_units": reserved}, units


def _check(row: Mapping[str, Any], key_id: str, endpoint: str, request: LineRequest, now: datetime) -> Denial | None:
    if (row["key_id"], row["endpoint"], row["digest"]) != (key_id, endpoint, request.digest):
        return _MISMATCH
    run_ends_at = row["runs"].get(str(request.run))
    if run_ends_at is not None:
        return _ENDED if run_ends_at == _ENDED_AT else None
    if len(row["runs"]) >= MAX_RUNS or row["reserved_at"] < now - RESUMABLE:
        return _USED_UP
    has_open_run = any(ends_at > now.timestamp() for ends_at in row["runs"].values())
    return _IN_PROGRESS if has_open_run and endpoint not in LINE_ENDPOINTS else None


def _row(
    request_id: bytes, key_id: str, endpoint: str, at: datetime, *, weight: int, digest: bytes = b"", lines: int = 0
) -> dict[str, Any]:
    return {
        "id": request_id,
        "key_id": key_id,
        "endpoint": endpoint,
        "digest": digest,
        "lines": lines,
        "weight": weight,
        "reserved_at": at,
        "renewed_at": at,
        "month": months.month_of(at),
        "runs": {},
        "reserved_units": 0,
        "charged": b"",
    }


def _releasing(row: dict[str, Any]) -> dict[tuple[str, str], Counter[str]]:
    """The counts of months without what the request reserves now."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    if row["reserved_units"]:
        counts[row["key_id"], row["month"]]["reserved_units"] -= row["reserved_units"]
    return counts
