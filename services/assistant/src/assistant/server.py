"""Creates the server and its background task, which deletes old runs."""

import logging
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from assistant.errors import STATUSES
from assistant.law.finder import load_weights
from assistant.prompts.loader import load_prompt
from assistant.questions.intent_model import load_model
from assistant.rpc.service import CALLERS, AssistantServicer, Clock, system_clock
from assistant.settings import AssistantSettings
from assistant.store.runs import RunStore
from landpartner.assistant.v1 import assistant_pb2_grpc
from servicekit.background import Repeated
from servicekit.pool_metrics import sample_pool
from servicekit.rpc_server import Registration, RpcServer
from servicekit.sampling import Reading
from servicekit.workers import Workers

if TYPE_CHECKING:
    from assistant.models.openai_chat import OpenAIChat
    from assistant.models.reader import ModelReader

log = logging.getLogger(__name__)

ASSISTANT_SERVICE = "landpartner.assistant.v1.AssistantService"


class AssistantServer:
    """The service: its database, its worker threads and its gRPC server, for the running event loop.

    It connects to its database later.
    """

    def __init__(self, settings: AssistantSettings, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._clock = clock
        self._workers = Workers(settings.workers, settings.max_queued_calls)
        pool_size = settings.workers + 1  # one for the health probe
        self.runs = RunStore(settings.database_url.get_secret_value(), pool_size=pool_size)
        self.purging = Repeated("purge", settings.purge_interval_s, self._purge)
        """Deletes old runs. Several replicas may do this."""
        prompt = load_prompt()
        self._model, reader = _model(settings)
        load_model()  # takes a second, which is not that of the first request
        load_weights()
        servicer = AssistantServicer(prompt, self.runs, self._workers, self._model, reader, clock)
        registrations = [
            Registration(
                ASSISTANT_SERVICE,
                lambda server: assistant_pb2_grpc.add_AssistantServiceServicer_to_server(servicer, server),
                CALLERS,
            ),
        ]
        readings: list[Reading] = [self._workers.sample, partial(sample_pool, self.runs.engine)]
        self.rpc = RpcServer(settings, registrations, STATUSES, probe=self.runs.check_writable, readings=readings)

    async def serve(self) -> None:
        """Serves until SIGTERM or SIGINT, then closes all resources. Raises DatabaseUnfit, SQLAlchemyError."""
        try:
            self.runs.check(self._settings)
            self.purging.start()
            await self.rpc.serve_until_signalled()
        finally:
            await self.close()

    async def close(self) -> None:
        self.purging.end()
        if self._model is not None:
            await self._model.close()
        self._workers.close()
        self.runs.close()

    def _purge(self) -> None:
        count = self.runs.purge(self._clock() - timedelta(days=self._settings.retention_days))
        log.info("runs purged", extra={"runs": count})


def _model(settings: AssistantSettings) -> "tuple[OpenAIChat | None, ModelReader | None]":
    """The writer and the reader of the settings, which share their connections."""
    if settings.openai_model is None:
        return None, None
    from assistant.models.openai_chat import ChatOptions, OpenAIChat  # noqa: PLC0415 (a third of the time of a start)
    from assistant.models.reader import ModelReader  # noqa: PLC0415

    options = ChatOptions(
        settings.openai_stream,
        settings.openai_max_output_tokens,
        settings.openai_token_parameter,
        settings.openai_first_words_s,
    )
    api_key = settings.openai_api_key.get_secret_value() or "none"  # the client library requires one
    model = OpenAIChat(settings.openai_model, api_key, settings.openai_base_url, options)
    return model, ModelReader(model, settings.openai_reader_timeout_s)
