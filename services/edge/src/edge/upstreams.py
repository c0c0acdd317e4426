"""The gRPC clients of the edge, and access to them and to the settings from a request."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self, cast

import grpc
from starlette.requests import Request

from edge.clients import assistant, keys, land, webhooks
from edge.clients.admin import AdminClient
from edge.clients.states import DatasetStates, HealthClient
from edge.middleware.client_address import is_https
from edge.settings import EdgeSettings
from servicekit.files import follow
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.tls import Certificates

CLOSE_WITHIN_S = 1.0
_SERVICES: Mapping[str, Sequence[tuple[str, str]]] = {
    "keys": (*keys.IDEMPOTENT, *webhooks.IDEMPOTENT),
    "land": (*land.IDEMPOTENT, *webhooks.IDEMPOTENT),
    "assistant": (),
}
"""The calls of each service that may be retried."""


@dataclass(frozen=True)
class Upstreams:
    """The clients that handlers use. Must be opened inside the running event loop."""

    land: land.LandClient
    keys: keys.KeysClient
    admin: AdminClient
    assistant: assistant.AssistantClient
    webhooks: Mapping[str, webhooks.WebhookClient]
    """By the service whose events are pushed."""
    health: HealthClient
    dataset_states: DatasetStates
    channels: tuple[grpc.aio.Channel, ...]
    following: tuple[asyncio.Task[None], ...]
    """Follow the files of tokens and certificates."""

    @classmethod
    def open(cls, settings: EdgeSettings) -> Self:
        outgoing = {name: Outgoing(getattr(settings, f"{name}_token").get_secret_value()) for name in _SERVICES}
        tls = None if settings.upstream_tls_dir is None else Certificates(settings.upstream_tls_dir)
        channels = {
            name: open_channel(
                getattr(settings, f"{name}_target"),
                idempotent=idempotent,
                service=name,
                certificates=tls,
                follows_health=name == "keys",  # keys can do nothing without its database
            )
            for name, idempotent in _SERVICES.items()
        }
        followed = [
            follow([file], partial(_read_token, outgoing[name], file))
            for name in _SERVICES
            if (file := settings.file_of(f"{name}_token")) is not None
        ]
        if tls is not None:
            followed.append(follow(tls.files, tls.read))
        land_client = land.LandClient(channels["land"], outgoing["land"])
        to_keys = channels["keys"], outgoing["keys"]
        return cls(
            land=land_client,
            keys=keys.KeysClient(*to_keys, settings.keys_deadline_s),
            admin=AdminClient(*to_keys, settings.keys_deadline_s, settings.password_deadline_s),
            assistant=assistant.AssistantClient(channels["assistant"], outgoing["assistant"]),
            webhooks={
                name: webhooks.WebhookClient(name, channels[name], outgoing[name], settings.keys_deadline_s)
                for name in ("land", "keys")
            },
            health=HealthClient(channels, settings.health_deadline_s),
            dataset_states=DatasetStates(land_client),
            channels=tuple(channels.values()),
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
    return cast(Upstreams, request.app.state.upstreams)


def settings_of(request: Request) -> EdgeSettings:
    return cast(EdgeSettings, request.app.state.settings)


def base_url(request: Request) -> str:
    """The base URL that the client used, unless the settings have one; without a slash at the end."""
    settings = settings_of(request)
    if settings.public_url != "/":
        return settings.public_url
    scheme = "https" if is_https(request.scope, settings.trusted_proxies) else "http"
    return f"{scheme}://{request.base_url.netloc}"
