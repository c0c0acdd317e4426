"""WebhookService over gRPC, for the events of one service."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from sqlalchemy import Connection

from landpartner.webhooks.v1 import webhooks_pb2 as pb
from landpartner.webhooks.v1 import webhooks_pb2_grpc
from servicekit.rpc_messages import filled
from servicekit.rpc_server import Registration
from servicekit.webhooks.endpoints import Endpoints, Webhook
from servicekit.workers import Workers, in_thread

Transaction = Callable[[], AbstractContextManager[Connection]]
_SERVICE = pb.DESCRIPTOR.services_by_name["WebhookService"]
MAX_OWNERS = 1_000
"""Owners of one page."""
CALLERS = {"edge": tuple(_SERVICE.methods_by_name)}


@dataclass(frozen=True)
class WebhookServicer(webhooks_pb2_grpc.WebhookServiceServicer):
    endpoints: Endpoints
    key: bytes
    """The key of the service for secrets; empty if it sends no events."""
    may_be_loopback: bool
    """Endpoints may be on this machine."""
    owner_of: Callable[[pb.Owner], str]
    """The owner of events."""
    reading: Transaction
    writing: Transaction
    workers: Workers
    owners_after: Callable[[Connection, str, int], list[str]]
    """The owners of endpoints and of what else brings events, after this one and in order."""
    delete_owner: Callable[[Connection, str], None]
    """Deletes the endpoints of an owner and what else brings events."""

    @property
    def registration(self) -> Registration:
        return Registration(
            _SERVICE.full_name,
            lambda server: webhooks_pb2_grpc.add_WebhookServiceServicer_to_server(self, server),
            CALLERS,
        )

    @in_thread
    def ListOwners(self, request: pb.ListOwnersRequest) -> pb.ListOwnersResponse:  # noqa: N802
        with self.reading() as connection:
            names = self.owners_after(connection, request.page_token, MAX_OWNERS)
        owners = [pb.Owner(partner_id=name.partition(" ")[2], is_test=True) for name in names]
        for name, owner in zip(names, owners, strict=True):
            owner.is_test = self.owner_of(owner) == name
        return pb.ListOwnersResponse(owners=owners, next_page_token=names[-1] if len(names) == MAX_OWNERS else "")

    @in_thread
    def DeleteOwner(self, request: pb.DeleteOwnerRequest) -> pb.DeleteOwnerResponse:  # noqa: N802
        with self.writing() as connection:
            self.delete_owner(connection, self.owner_of(request.owner))
        return pb.DeleteOwnerResponse()

    @in_thread
    def CreateWebhook(self, request: pb.CreateWebhookRequest) -> pb.CreateWebhookResponse:  # noqa: N802
        """Raises InvalidPayload and WebhooksOff."""
        with self.writing() as connection:
            owner, loopback = self.owner_of(request.owner), self.may_be_loopback
            webhook, secret = self.endpoints.create(connection, self.key, owner, request.url, may_be_loopback=loopback)
        return pb.CreateWebhookResponse(webhook=_message(webhook), secret=secret)

    @in_thread
    def ListWebhooks(self, request: pb.ListWebhooksRequest) -> pb.ListWebhooksResponse:  # noqa: N802
        with self.reading() as connection:
            webhooks = self.endpoints.of_owner(connection, self.owner_of(request.owner))
        return pb.ListWebhooksResponse(webhooks=map(_message, webhooks))

    @in_thread
    def TestWebhook(self, request: pb.TestWebhookRequest) -> pb.TestWebhookResponse:  # noqa: N802
        """Raises WebhookNotFound and WebhookNotActive."""
        with self.writing() as connection:
            self.endpoints.test(connection, self.owner_of(request.owner), request.webhook_id)
        return pb.TestWebhookResponse()

    @in_thread
    def DeleteWebhook(self, request: pb.DeleteWebhookRequest) -> pb.DeleteWebhookResponse:  # noqa: N802
        """Raises WebhookNotFound."""
        with self.writing() as connection:
            self.endpoints.delete(connection, self.owner_of(request.owner), request.webhook_id)
        return pb.DeleteWebhookResponse()


def _message(webhook: Webhook) -> pb.Webhook:
    state = "active" if webhook.state == "testing" else webhook.state
    return filled(
        pb.Webhook,
        webhook,
        id=webhook.webhook_id,
        state=pb.WebhookState.Value(f"WEBHOOK_STATE_{state.upper()}"),
        last_sent_id=str(webhook.sent_id),
        next_at=webhook.next_at if webhook.failures and webhook.state != "paused" else None,
    )
