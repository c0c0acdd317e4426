"""Client of a service that pushes events: the endpoints of partners."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import grpc
from google.protobuf.message import Message

from edge.clients.errors import answered
from edge.leases.decisions import Grant
from landpartner.keys.v1.keys_pb2 import KEY_MODE_LIVE
from landpartner.webhooks.v1 import webhooks_pb2 as pb
from landpartner.webhooks.v1 import webhooks_pb2_grpc
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.webhooks.v1.webhooks_pb2_grpc import WebhookServiceAsyncStub

R = TypeVar("R")
SERVICE = "landpartner.webhooks.v1.WebhookService"
IDEMPOTENT = tuple((SERVICE, method) for method in ("CreateWebhook", "ListWebhooks", "ListOwners", "DeleteOwner"))
"""Calls that may be retried. An address that is added again has only the last secret."""


class WebhookClient:
    """Each call raises Problem if the service refuses it or is not available."""

    def __init__(self, name: str, channel: grpc.aio.Channel, outgoing: Outgoing, deadline_s: float) -> None:
        self._name = name
        self.stub: WebhookServiceAsyncStub = webhooks_pb2_grpc.WebhookServiceStub(channel)
        self._outgoing = outgoing
        self._deadline_s = deadline_s

    async def __call__(self, method: Callable[..., Awaitable[R]], request: Message) -> R:
        """Calls a method of the stub."""
        return await answered(method(request, **self._outgoing(self._deadline_s)), self._name)

    async def webhooks(self, owner: pb.Owner) -> Sequence[pb.Webhook]:
        return (await self(self.stub.ListWebhooks, pb.ListWebhooksRequest(owner=owner))).webhooks

    async def delete(self, owner: pb.Owner, webhook_id: str) -> None:
        await self(self.stub.DeleteWebhook, pb.DeleteWebhookRequest(owner=owner, webhook_id=webhook_id))

    async def delete_owner(self, owner: pb.Owner) -> None:
        await self(self.stub.DeleteOwner, pb.DeleteOwnerRequest(owner=owner))


def owner_of(grant: Grant) -> pb.Owner:
    return pb.Owner(partner_id=grant.partner_id, is_test=grant.mode != KEY_MODE_LIVE)
