"""Reservations of lines in keys, and their outcomes."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus

from edge.access import Admission
from edge.clients.keys import KeysClient, RateLimit
from edge.middleware.denials import refusal
from landpartner.keys.v1 import keys_pb2

_ID_BYTES = 16
_BITS = 8


class LineReservation:
    """The reservation of one request with many lines."""

    def __init__(self, keys: KeysClient, request: keys_pb2.ReserveLinesRequest) -> None:
        self._keys = keys
        self._request = request

    async def reserve(self) -> Sequence[RateLimit]:
        """Begins a run. Raises Problem if keys denies it or does not answer. Returns the limits of the key."""
        run, limits = await self._keys.reserve_lines(self._request)
        if not isinstance(run, int):
            raise refusal(run, limits)
        self._request.run = run
        return limits

    async def renew(self) -> None:
        """Keeps the reservation for the run. Raises Problem, such as revoked_key."""
        await self.reserve()

    def outcome(self, succeeded: Sequence[int], *, is_last: bool) -> bytes:
        """The encoded outcome of lines, by their places from 0, in order."""
        first = succeeded[0] // _BITS * _BITS if succeeded else 0
        bits = sum(1 << place - first for place in succeeded)
        message = keys_pb2.Outcome(
            event_id=os.urandom(_ID_BYTES),
            reservation_id=self._request.request_id,
            key_id=self._request.key_id,
            endpoint=self._request.endpoint,
            status=HTTPStatus.OK,
            occurred_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            lines=keys_pb2.AnsweredLines(
                run=self._request.run,
                first_line=first,
                succeeded=bits.to_bytes((bits.bit_length() + _BITS - 1) // _BITS, "little"),
                is_last=is_last,
            ),
        )
        return message.SerializeToString()


def line_reservation(
    keys: KeysClient, admission: Admission, lines: int, digest: bytes, idempotency_key: str, client_address: str
) -> LineReservation:
    """The reservation of a request. With an Idempotency-Key, its id is that of earlier runs."""
    key_id = admission.grant.key_id
    named = sha256(f"{key_id}\n{idempotency_key}".encode()).digest()[:_ID_BYTES]
    request = keys_pb2.ReserveLinesRequest(
        request_id=named if idempotency_key else os.urandom(_ID_BYTES),
        key_id=key_id,
        endpoint=admission.endpoint,
        lines=lines,
        request_digest=digest,
        client_address=client_address,
    )
    return LineReservation(keys, request)
