"""Reservations of lines in keys, and their outcomes. A single request with an Idempotency-Key is one line."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus

from contract.endpoints import LINES_RESERVED_S
from edge.access import Admission
from edge.leases.decisions import ID_BYTES, new_id
from edge.leases.leases import RequestKey, ReservedLines
from landpartner.keys.v1 import keys_pb2

_BITS = 8
_MAX_RUN = 2**31 - 1


@dataclass(eq=False)
class LineReservation:
    """The reservation of one run of a request."""

    ends_at = 0.0
    """The monotonic time from which on the units may belong to another request."""
    _leased_at = ""
    _succeeded = 0
    """A bit for each line of the run that succeeded."""

    key: RequestKey
    key_id: str
    request: keys_pb2.LineRequest

    async def reserve(self) -> ReservedLines:
        """Reserves the units, or renews their reservation.

        Raises Problem if keys denies it, such as revoked_key, or does not answer.
        """
        asked_at = time.monotonic()
        reserved = await self.key.reserve(self.request)
        self.ends_at, self._leased_at = asked_at + self.request.lasts_s, reserved.leased_at
        return reserved

    @property
    def line_run(self) -> keys_pb2.AnsweredLines:
        """This run, for the outcome of a single request, which ends it."""
        return keys_pb2.AnsweredLines(request_id=self.request.request_id, run=self.request.run, is_last=True)

    def outcome(self, succeeded: Sequence[int], *, is_last: bool) -> keys_pb2.Outcome:
        """The outcome of lines, by their places from 0, in order. The last one of a run names all its lines again,
        since keys may count it before earlier ones.
        """
        first = succeeded[0] // _BITS * _BITS if succeeded and not is_last else 0
        bits = sum(1 << place - first for place in succeeded)
        if is_last:
            bits |= self._succeeded
        else:
            self._succeeded |= bits << first
        return keys_pb2.Outcome(
            event_id=new_id(),
            key_id=self.key_id,
            endpoint=self.key.kind.endpoint,
            status=HTTPStatus.OK,
            leased_at=self._leased_at,
            occurred_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            lines=keys_pb2.AnsweredLines(
                request_id=self.request.request_id,
                run=self.request.run,
                first_line=first,
                succeeded=bits.to_bytes((bits.bit_length() + _BITS - 1) // _BITS, "little"),
                is_last=is_last,
            ),
        )


def line_reservation(
    admission: Admission, lines: int, digest: bytes, idempotency_key: str, *, lasts_s: int = LINES_RESERVED_S
) -> LineReservation:
    """The reservation of a request. With an Idempotency-Key, its id is that of earlier runs. A run ends after `lasts_s`
    without a renewal.
    """
    key_id = admission.grant.key_id
    named = sha256(f"{key_id}\n{idempotency_key}".encode()).digest()[:ID_BYTES]
    request = keys_pb2.LineRequest(
        request_id=named if idempotency_key else new_id(),
        lines=lines,
        request_digest=digest,
        run=secrets.randbelow(_MAX_RUN) + 1,
        lasts_s=lasts_s,
    )
    return LineReservation(admission.key, key_id, request)
