"""The gRPC clients of the edge, and access to them and to the settings from a request."""

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import grpc
from starlette.requests import Request

from edge.clients import assistant, keys, land
from edge.clients.admin import AdminClient
from edge.clients.states import DatasetStates, HealthClient
from edge.settings import EdgeSettings
from servicekit.files import follow
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.tls import Certificates

CLOSE_WITHIN_S = 1.0


@dataclass(frozen=True)
class Upstreams:
    """The clients that handlers use. Must be opened inside the running event loop."""

    land: land.LandClient
    keys: keys.KeysClient
    admin: AdminClient
    assistant: assistant.AssistantClient
    health: HealthClient
    dataset_states: DatasetStates
    channels: tuple[grpc.aio.Channel, ...]
    following: tuple[asyncio.Task[None], ...]
    """Follow the files of tokens and certificates."""

    @classmethod
    def open(cls, settings: EdgeSettings) -> Self:
        keys_calls = Outgoing(settings.keys_token.get_secret_value())
        land_calls = Outgoing(settings.land_token.get_secret_value())
        assistant_calls = Outgoing(settings.assistant_token.get_secret_value())
        tls_dir = settings.upstream_tls_dir
        tls = None if tls_dir is None else Certificates(tls_dir)
        to_land = open_channel(settings.land_target, idempotent=land.IDEMPOTENT, service="land", certificates=tls)
        to_keys = open_channel(
            settings.keys_target,
            idempotent=keys.IDEMPOTENT,
            service="keys",
            certificates=tls,
            follows_health=True,  # keys can do nothing without its database
        )
        to_assistant = open_channel(settings.assistant_target, service="assistant", certificates=tls)
        followed = [
            follow([file], partial(_read_token, calls, file))
            for field, calls in (
                ("keys_token", keys_calls),
                ("land_token", land_calls),
                ("assistant_token", assistant_calls),
            )
            if (file := settings.file_of(field)) is not None
        ]
        if tls is not None:
            followed.append(follow(tls.files, tls.read))
        land_client = land.LandClient(to_land, land_calls)
        return cls(
            land=land_client,
            keys=keys.KeysClient(to_keys, keys_calls, settings.keys_deadline_s),
            admin=AdminClient(to_keys, keys_calls, settings.keys_deadline_s, settings.password_deadline_s),
            assistant=assistant.AssistantClient(to_assistant, assistant_calls),
            health=HealthClient(
                {"keys": to_keys, "land": to_land, "assistant": to_assistant}, settings.health_deadline_s
            ),
            dataset_states=DatasetStates(land_client),
            channels=(to_land, to_keys, to_assistant),
            following=tuple(asyncio.create_task(task) for task in followed),
        )

    async def close(self) -> None:
        """Waits shortly for the last calls."""
        for task in self.following:
            task.cancel()
        await asyncio.gather(*(channel.close(CLOSE_WITHIN_S) for channel in self.channels))


def _read_token(calls: Outgoing, file: Path) -> None:
    calls.token = file.read_text(encoding="utf-8").strip()


def upstreams_of(request: Request) -> Upstreams:
    upstreams = request.app.state.upstreams
    assert isinstance(upstreams, Upstreams)  # noqa: S101 (tells mypy)
    return upstreams


def settings_of(request: Request) -> EdgeSettings:
    settings = request.app.state.settings
    assert isinstance(settings, EdgeSettings)  # noqa: S101 (tells mypy)
    return settings
