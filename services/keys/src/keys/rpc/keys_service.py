"""KeysService: the calls that each request of a partner needs."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

from typing import TYPE_CHECKING

from keys import texts
from keys.batches import BatchAuthorizer, BatchRecorder
from keys.clock import Clock
from keys.errors import NotFound
from keys.rpc import convert
from keys.store.database import Database
from keys.store.key_records import KeyUsage, usage_of
from keys.store.line_requests import LineReservations
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.workers import Workers

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[object, object]


class KeysServicer(keys_pb2_grpc.KeysServiceServicer):
    def __init__(
        self,
        authorizations: BatchAuthorizer,
        recording: BatchRecorder,
        line_reservations: LineReservations,
        database: Database,
        clock: Clock,
        workers: Workers,
    ) -> None:
        self._authorizations = authorizations
        self._recording = recording
        self._line_reservations = line_reservations
        self._database = database
        self._clock = clock
        self._workers = workers

    async def Authorize(  # noqa: N802
        self, request: keys_pb2.AuthorizeRequest, context: Context
    ) -> keys_pb2.AuthorizeResponse:
        queries = [convert.query(message) for message in request.queries]
        answers = await self._authorizations.authorize(queries)
        return keys_pb2.AuthorizeResponse(decisions=[convert.decision(answer) for answer in answers])

    async def ReserveLines(  # noqa: N802
        self, request: keys_pb2.ReserveLinesRequest, context: Context
    ) -> keys_pb2.ReserveLinesResponse:
        line_request = convert.line_request(request)
        return convert.lines_answer(
            await self._workers.run(self._line_reservations.reserve, line_request), line_request.key_id
        )

    async def RecordOutcomes(  # noqa: N802
        self, request: keys_pb2.RecordOutcomesRequest, context: Context
    ) -> keys_pb2.RecordOutcomesResponse:
        outcomes = [convert.outcome(message) for message in request.outcomes]
        return keys_pb2.RecordOutcomesResponse(acknowledged=await self._recording.record(outcomes))

    async def GetKeyUsage(  # noqa: N802
        self, request: keys_pb2.GetKeyUsageRequest, context: Context
    ) -> keys_pb2.GetKeyUsageResponse:
        return convert.key_usage(await self._workers.run(self._usage, request.key_id))

    def _usage(self, key_id: str) -> KeyUsage:
        with self._database.reading() as connection:
            usage = usage_of(connection, key_id, self._clock())
        if usage is None:
            raise NotFound(texts.NO_SUCH_KEY)
        return usage
