"""Answers by idempotency key, and the claims of running requests. A row is valid until its claim or answer expires.

Any number of replicas may use the table: one conditional statement decides each claim, store and release.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

from sqlalchemy import ColumnElement, Connection, Engine, and_, delete, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from assistant.store.tables import stored_answers
from servicekit.database import LOADING, for_writing, is_sqlite, set_limits

LIFETIME = timedelta(hours=24)
MAX_CONTENT_BYTES = 1024 * 1024
MAX_OUTCOME_BYTES = 1024
MAX_BYTES_PER_KEY = 64 * 1024 * 1024
"""Maximum of valid contents of one API key. An answer about the demo commune takes 6 KB."""

_a = stored_answers.c


@dataclass(frozen=True)
class Claim:
    """The claim of one run. `idempotency_digest` is SHA-256 of the Idempotency-Key."""

    key_id: str
    idempotency_digest: bytes
    claim_id: bytes


@dataclass(frozen=True)
class StoredAnswer:
    """An answer and the outcome of its run, both as the edge encoded them."""

    content: bytes = field(repr=False)
    outcome: bytes


class Refused(Enum):
    """Why a run did not get its claim."""

    RUNNING = "running"
    MISMATCH = "mismatch"


class AnswerStore:
    """Each call is one transaction. `now` is the clock of the replica."""

    def __init__(self, engine: Engine, *, max_bytes_per_key: int = MAX_BYTES_PER_KEY) -> None:
        self._writing = for_writing(engine)
        self._max_bytes_per_key = max_bytes_per_key

    def claim(
        self, claim: Claim, request_digest: bytes, lease: timedelta, now: datetime
    ) -> StoredAnswer | Refused | None:
        """Claims the key for one run: None. Otherwise returns the stored answer, or why the claim is refused.

        A repeated claim gets the same result.
        """
        values = {**vars(claim), "request_digest": request_digest, "valid_until": now + lease}
        with self._writing.begin() as connection:
            insert = sqlite.insert if is_sqlite(connection) else postgresql.insert
            statement = insert(stored_answers).values(**values, content=None, outcome=None)
            free = or_(_a.valid_until <= now, and_(_a.claim_id == claim.claim_id, _a.content.is_(None)))
            changed = {name: statement.excluded[name] for name in _a.keys() if not _a[name].primary_key}  # noqa: SIM118
            claiming = statement.on_conflict_do_update(
                index_elements=[_a.key_id, _a.idempotency_digest], set_=changed, where=free
            )
            if connection.execute(claiming.returning(_a.key_id)).first() is not None:
                return None
            row = connection.execute(
                select(_a.request_digest, _a.content, _a.outcome).where(_is_key_of(claim))
            ).one_or_none()
        if row is None:  # its run has just failed
            return Refused.RUNNING
        if row.request_digest != request_digest:
            return Refused.MISMATCH
        return Refused.RUNNING if row.content is None else StoredAnswer(row.content, row.outcome)

    def store(self, claim: Claim, answer: StoredAnswer, now: datetime) -> bool:
        """Stores the answer of the run. Returns False, and stores nothing, if the run lost its claim or if the API key
        has too many stored answers.
        """
        with self._writing.begin() as connection:
            if self._stored_bytes(connection, claim, now) + len(answer.content) > self._max_bytes_per_key:
                return False
            storing = (
                update(stored_answers)
                .where(_is_of(claim))
                .values(content=answer.content, outcome=answer.outcome, valid_until=now + LIFETIME)
            )
            return connection.execute(storing).rowcount == 1

    def release(self, claim: Claim) -> None:
        """Deletes the claim, with its answer if it has one. Does nothing if the run lost its claim."""
        with self._writing.begin() as connection:
            connection.execute(delete(stored_answers).where(_is_of(claim)))

    def purge(self, now: datetime) -> int:
        """Deletes expired answers and claims. Returns their number."""
        with self._writing.begin() as connection:
            set_limits(connection, LOADING)  # there may be many
            return connection.execute(delete(stored_answers).where(_a.valid_until <= now)).rowcount

    def erase(self, key_ids: Sequence[str]) -> int:
        """Deletes the answers and claims of these API keys. Returns their number."""
        with self._writing.begin() as connection:
            return connection.execute(delete(stored_answers).where(_a.key_id.in_(key_ids))).rowcount

    @staticmethod
    def _stored_bytes(connection: Connection, claim: Claim, now: datetime) -> int:
        """The valid contents of the API key, without this row. Concurrent stores may exceed the limit a little."""
        size = select(func.coalesce(func.sum(func.length(_a.content)), 0)).where(
            _a.key_id == claim.key_id, _a.valid_until > now, _a.idempotency_digest != claim.idempotency_digest
        )
        return int(connection.execute(size).scalar_one())


def _is_key_of(claim: Claim) -> ColumnElement[bool]:
    return and_(_a.key_id == claim.key_id, _a.idempotency_digest == claim.idempotency_digest)


def _is_of(claim: Claim) -> ColumnElement[bool]:
    return and_(_is_key_of(claim), _a.claim_id == claim.claim_id)
