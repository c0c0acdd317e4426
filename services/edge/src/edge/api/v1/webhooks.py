"""/webhooks and /keys/events/webhooks: the endpoints to which the events of a partner are pushed."""

from typing import Annotated

from fastapi import Depends
from pydantic import Field
from starlette.responses import Response

from contract import endpoints
from contract.messages.land import CREATED_WEBHOOK, WEBHOOKS
from edge.access import API
from edge.api.v1.requests import Body
from edge.clients.webhooks import owner_of
from edge.dependencies import CurrentAdmission, ModelBody, Services
from edge.descriptions.operations import BODY_CODES, UPSTREAM_CODES, route_options
from edge.responses import answer, no_content
from edge.routing import new_router
from landpartner.webhooks.v1 import webhooks_pb2

router = new_router()


class WebhookBody(Body):
    """Where to push events."""

    url: Annotated[
        str,
        Field(
            pattern=r"^(https://|http://127\.|http://\[::1\])[!-~]+$",
            max_length=500,
            examples=["https://partner.example/events"],
        ),
    ]


def _add_routes(path: str, service: str, name: str, *, endpoint: str) -> None:
    """Adds the routes of the endpoints that get the events of a service."""

    @router.post(
        path,
        name=f"create_{name}",
        **route_options(
            "consumer", CREATED_WEBHOOK, endpoint=endpoint, codes=("not_implemented", *BODY_CODES, *UPSTREAM_CODES)
        ),
    )
    async def create(
        body: Annotated[WebhookBody, Depends(ModelBody(WebhookBody))], admission: CurrentAdmission, services: Services
    ) -> Response:
        client = services.webhooks[service]
        request = webhooks_pb2.CreateWebhookRequest(owner=owner_of(admission.grant), url=body.url)
        return answer(CREATED_WEBHOOK, await client(client.stub.CreateWebhook, request))

    @router.get(
        path, name=f"list_{name}s", **route_options("consumer", WEBHOOKS, endpoint=endpoint, codes=UPSTREAM_CODES)
    )
    async def webhooks(admission: CurrentAdmission, services: Services) -> Response:
        found = await services.webhooks[service].webhooks(owner_of(admission.grant))
        return answer(WEBHOOKS, webhooks_pb2.ListWebhooksResponse(webhooks=found))

    @router.post(
        f"{path}/{{webhook_id}}/test",
        name=f"test_{name}",
        **route_options("consumer", endpoint=endpoint, status=204, codes=("not_found", "conflict", *UPSTREAM_CODES)),
    )
    async def test(webhook_id: str, admission: CurrentAdmission, services: Services) -> Response:
        client = services.webhooks[service]
        request = webhooks_pb2.TestWebhookRequest(owner=owner_of(admission.grant), webhook_id=webhook_id)
        await client(client.stub.TestWebhook, request)
        return no_content()

    @router.delete(
        f"{path}/{{webhook_id}}",
        name=f"delete_{name}",
        **route_options("consumer", endpoint=endpoint, status=204, codes=("not_found", *UPSTREAM_CODES)),
    )
    async def delete(webhook_id: str, admission: CurrentAdmission, services: Services) -> Response:
        await services.webhooks[service].delete(owner_of(admission.grant), webhook_id)
        return no_content()


_add_routes(f"{API}/webhooks", "land", "webhook", endpoint=endpoints.WEBHOOKS)
_add_routes(f"{API}/keys/events/webhooks", "keys", "key_webhook", endpoint=endpoints.KEYS)
