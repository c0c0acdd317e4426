"""/webhooks: the endpoints to which the events of a partner are pushed."""

from typing import Annotated

from fastapi import Depends
from pydantic import Field
from starlette.responses import Response

from contract import endpoints
from contract.messages.land import CREATED_WEBHOOK, WEBHOOKS
from edge.access import API
from edge.api.v1.parcel_requests import SearchPart
from edge.dependencies import Land, ModelBody
from edge.descriptions.operations import BODY_CODES, UPSTREAM_CODES, route_options
from edge.responses import answer, no_content
from edge.routing import new_router
from landpartner.land.v1 import land_pb2 as pb

router = new_router()


class WebhookBody(SearchPart):
    """Where to push events."""

    url: Annotated[str, Field(pattern=r"^https://[!-~]+$", max_length=500, examples=["https://partner.example/events"])]


@router.post(
    f"{API}/webhooks",
    **route_options(
        "consumer",
        CREATED_WEBHOOK,
        endpoint=endpoints.WEBHOOKS,
        codes=("not_implemented", *BODY_CODES, *UPSTREAM_CODES),
    ),
)
async def create_webhook(body: Annotated[WebhookBody, Depends(ModelBody(WebhookBody))], land: Land) -> Response:
    return answer(CREATED_WEBHOOK, await land(land.stub.CreateWebhook, pb.CreateWebhookRequest(url=body.url)))


@router.get(f"{API}/webhooks", **route_options("consumer", WEBHOOKS, endpoint=endpoints.WEBHOOKS, codes=UPSTREAM_CODES))
async def list_webhooks(land: Land) -> Response:
    return answer(WEBHOOKS, await land(land.stub.ListWebhooks, pb.ListWebhooksRequest()))


@router.delete(
    f"{API}/webhooks/{{webhook_id}}",
    **route_options("consumer", endpoint=endpoints.WEBHOOKS, status=204, codes=("not_found", *UPSTREAM_CODES)),
)
async def delete_webhook(webhook_id: str, land: Land) -> Response:
    await land(land.stub.DeleteWebhook, pb.DeleteWebhookRequest(webhook_id=webhook_id))
    return no_content()
