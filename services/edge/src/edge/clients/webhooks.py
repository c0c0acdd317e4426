"""Client of a service that pushes events: the endpoints of partners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc

from edge.clients.errors import answered
from edge.leases.decisions import Grant
from landpartner.keys.v1.keys_pb2 import KEY_MODE_LIVE
from landpartner.webhooks.v1 import webhooks_pb2 as pb
from landpartner.webhooks.v1 import webhooks_pb2_grpc
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.webhooks.v1.webhooks_pb2_grpc import WebhookServiceAsyncStub

SERVICE = "landpartner.webhooks.v1.WebhookService"
IDEMPOTENT = tuple((SERVICE, method) for method in ("CreateWebhook", "ListWebhooks", "ListOwners", "DeleteOwner"))
"""Calls that may be retried. An address that is added again has only the last secret."""


class WebhookClient:
    """Each call raises Problem if the service refuses it or is not available."""

    def __init__(self, name: str, channel: grpc.aio.Channel, outgoing: Outgoing, deadline_s: float) -> None:
        self._name = name
        self._stub: WebhookServiceAsyncStub = webhooks_pb2_grpc.WebhookServiceStub(channel)
        self._outgoing = outgoing
        self._deadline_s = deadline_s

    async def create(self, grant: Grant, url: str) -> pb.CreateWebhookResponse:
        request = pb.CreateWebhookRequest(owner=owner_of(grant), url=url)
        return await answered(self._stub.CreateWebhook(request, **self._outgoing(self._deadline_s)), self._name)

    async def webhooks(self, owner: pb.Owner) -> pb.ListWebhooksResponse:
        request = pb.ListWebhooksRequest(owner=owner)
        return await answered(self._stub.ListWebhooks(request, **self._outgoing(self._deadline_s)), self._name)

    async def delete(self, owner: pb.Owner, webhook_id: str) -> None:
        request = pb.DeleteWebhookRequest(owner=owner, webhook_id=webhook_id)
        await answered(self._stub.DeleteWebhook(request, **self._outgoing(self._deadline_s)), self._name)

    async def owners(self, page_token: str) -> pb.ListOwnersResponse:
        request = pb.ListOwnersRequest(page_token=page_token)
        return await answered(self._stub.ListOwners(request, **self._outgoing(self._deadline_s)), self._name)

    async def delete_owner(self, owner: pb.Owner) -> None:
        request = pb.DeleteOwnerRequest(owner=owner)
        await answered(self._stub.DeleteOwner(request, **self._outgoing(self._deadline_s)), self._name)


def owner_of(grant: Grant) -> pb.Owner:
    return pb.Owner(partner_id=grant.partner_id, is_test=grant.mode != KEY_MODE_LIVE)
