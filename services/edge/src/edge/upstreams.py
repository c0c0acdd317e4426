"""The gRPC clients of the edge, and access to them and to the settings from a request."""

import asyncio
from dataclasses import dataclass
from typing import Self

import grpc
from starlette.requests import Request

from edge.clients import answers, assistant, keys, land
from edge.clients.admin import AdminClient
from edge.clients.health import HealthClient
from edge.settings import EdgeSettings
from servicekit.rpc_client import Outgoing, open_channel

CLOSE_WITHIN_S = 1.0


@dataclass(frozen=True)
class Upstreams:
    """The clients that handlers use. Must be opened inside the running event loop."""

    land: land.LandClient
    keys: keys.KeysClient
    admin: AdminClient
    assistant: assistant.AssistantClient
    answers: answers.AnswerStoreClient
    health: HealthClient
    channels: tuple[grpc.aio.Channel, ...]

    @classmethod
    def open(cls, settings: EdgeSettings) -> Self:
        outgoing = Outgoing(settings.service_token.get_secret_value())
        ca_file = settings.upstream_ca_file
        to_land = open_channel(settings.land_target, idempotent=land.IDEMPOTENT, ca_file=ca_file)
        to_keys = open_channel(settings.keys_target, idempotent=keys.IDEMPOTENT, ca_file=ca_file)
        to_assistant = open_channel(settings.assistant_target, idempotent=answers.IDEMPOTENT, ca_file=ca_file)
        return cls(
            land=land.LandClient(to_land, outgoing),
            keys=keys.KeysClient(to_keys, outgoing, settings.keys_deadline_s),
            admin=AdminClient(to_keys, outgoing, settings.keys_deadline_s, settings.password_deadline_s),
            assistant=assistant.AssistantClient(to_assistant, outgoing),
            answers=answers.AnswerStoreClient(to_assistant, outgoing),
            health=HealthClient(
                {"keys": to_keys, "land": to_land, "assistant": to_assistant}, settings.health_deadline_s
            ),
            channels=(to_land, to_keys, to_assistant),
        )

    async def close(self) -> None:
        """Waits shortly for the last calls: a request that the shutdown cancelled releases its idempotency key."""
        await asyncio.gather(*(channel.close(CLOSE_WITHIN_S) for channel in self.channels))


def upstreams_of(request: Request) -> Upstreams:
    upstreams = request.app.state.upstreams
    assert isinstance(upstreams, Upstreams)  # noqa: S101 (tells mypy)
    return upstreams


def settings_of(request: Request) -> EdgeSettings:
    settings = request.app.state.settings
    assert isinstance(settings, EdgeSettings)  # noqa: S101 (tells mypy)
    return settings
