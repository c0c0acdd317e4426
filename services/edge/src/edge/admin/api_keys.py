"""Managed API keys."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from contract.messages.keys import PAGE_MEMBERS, SHAPES
from edge.access import API
from edge.admin.forwarding import AdminRoutes
from edge.admin.requests import MessageBody, MessageQuery, OptionalMessageBody
from edge.dependencies import Admin, CreationIdempotencyKey
from edge.descriptions.operations import route_options
from edge.responses import answer
from landpartner.keys.v1 import admin_pb2 as pb

routes = AdminRoutes()

_NEW_KEY = SHAPES[pb.CreateKeyResponse]
_LIST_NAMES = {**PAGE_MEMBERS, "q": "search", "partner": "partner_id", "sort": "order_by"}
_CREATE = MessageBody(
    pb.CreateKeyRequest, omitted=("idempotency_key",), required=("partner", "label"), defaults={"mode": "live"}
)
_UPDATE = MessageBody(
    pb.UpdateKeyRequest,
    into="key",
    only=(
        "label", "pricing", "quota", "assistant_policy", "scopes", "allowed_cidrs", "expires_at", "metadata",
    ),
)  # fmt: skip
_ROTATE = OptionalMessageBody(pb.RotateKeyRequest, omitted=("key_id",), defaults={"grace_days": 7})

routes.add("GET", "/api-keys", "ListKeys", reads=MessageQuery(pb.ListKeysRequest, names=_LIST_NAMES))


@routes.router.post(
    f"{API}/admin/api-keys", **route_options("admin", _NEW_KEY, status=201, codes=("conflict", "idempotency_mismatch"))
)
async def create_key(
    body: Annotated[pb.CreateKeyRequest, Depends(_CREATE)], idempotency_key: CreationIdempotencyKey, admin: Admin
) -> Response:
    body.idempotency_key = idempotency_key
    return answer(_NEW_KEY, await admin(admin.stub.CreateKey, body), 201)


routes.add("GET", "/api-keys/{keyId}", "GetKey", answers="key")
routes.add("GET", "/api-keys/{keyId}/calls", "ListKeyCalls")
routes.add("PATCH", "/api-keys/{keyId}", "UpdateKey", answers="key", codes=("conflict",), reads=_UPDATE)
routes.add("POST", "/api-keys/{keyId}/revoke", "RevokeKey", answers="key")
routes.add("POST", "/api-keys/{keyId}/suspend", "SuspendKey", answers="key", codes=("conflict",))
routes.add("POST", "/api-keys/{keyId}/resume", "ResumeKey", answers="key", codes=("conflict",))
routes.add("POST", "/api-keys/{keyId}/rotate", "RotateKey", status=201, codes=("conflict",), reads=_ROTATE)
