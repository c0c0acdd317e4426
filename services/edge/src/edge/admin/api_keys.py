"""Managed API keys."""

from typing import Annotated

from fastapi import Depends, Path
from starlette.responses import Response

from edge.access import API
from edge.dependencies import Admin, CreationIdempotencyKey
from edge.descriptions.operations import route_options
from edge.messages.keys import PAGE_MEMBERS, SHAPES
from edge.messages.requests import MessageBody, MessageQuery, OptionalMessageBody
from edge.responses import answer
from edge.routing import new_router
from landpartner.keys.v1 import admin_pb2 as pb

router = new_router()

_KEY, _KEYS = SHAPES[pb.Key], SHAPES[pb.ListKeysResponse]
_CALLS = SHAPES[pb.ListKeyCallsResponse]
_NEW_KEY, _ROTATED_KEY = SHAPES[pb.CreateKeyResponse], SHAPES[pb.RotateKeyResponse]
_QUERY = MessageQuery(
    pb.ListKeysRequest, names={**PAGE_MEMBERS, "q": "search", "partner": "partner_id", "sort": "order_by"}
)
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
KeyId = Annotated[str, Path(alias="keyId")]


@router.get(f"{API}/admin/api-keys", **route_options("admin", _KEYS))
async def list_keys(query: Annotated[pb.ListKeysRequest, Depends(_QUERY)], admin: Admin) -> Response:
    return answer(_KEYS, await admin(admin.stub.ListKeys, query))


@router.post(
    f"{API}/admin/api-keys",
    **route_options("admin", _NEW_KEY, status=201, codes=("conflict", "idempotency_mismatch")),
)
async def create_key(
    body: Annotated[pb.CreateKeyRequest, Depends(_CREATE)], idempotency_key: CreationIdempotencyKey, admin: Admin
) -> Response:
    body.idempotency_key = idempotency_key
    return answer(_NEW_KEY, await admin(admin.stub.CreateKey, body), 201)


@router.get(f"{API}/admin/api-keys/{{keyId}}", **route_options("admin", _KEY, codes=("not_found",)))
async def get_key(key_id: KeyId, admin: Admin) -> Response:
    return answer(_KEY, (await admin(admin.stub.GetKey, pb.GetKeyRequest(key_id=key_id))).key)


@router.get(f"{API}/admin/api-keys/{{keyId}}/calls", **route_options("admin", _CALLS, codes=("not_found",)))
async def list_key_calls(key_id: KeyId, admin: Admin) -> Response:
    return answer(_CALLS, await admin(admin.stub.ListKeyCalls, pb.ListKeyCallsRequest(key_id=key_id)))


@router.patch(
    f"{API}/admin/api-keys/{{keyId}}",
    **route_options("admin", _KEY, codes=("not_found", "conflict")),
)
async def update_key(key_id: KeyId, body: Annotated[pb.UpdateKeyRequest, Depends(_UPDATE)], admin: Admin) -> Response:
    body.key.id = key_id
    return answer(_KEY, (await admin(admin.stub.UpdateKey, body)).key)


@router.post(
    f"{API}/admin/api-keys/{{keyId}}/revoke",
    **route_options("admin", _KEY, codes=("not_found",)),
)
async def revoke_key(key_id: KeyId, admin: Admin) -> Response:
    return answer(_KEY, (await admin(admin.stub.RevokeKey, pb.RevokeKeyRequest(key_id=key_id))).key)


@router.post(
    f"{API}/admin/api-keys/{{keyId}}/rotate",
    **route_options("admin", _ROTATED_KEY, status=201, codes=("not_found", "conflict")),
)
async def rotate_key(key_id: KeyId, body: Annotated[pb.RotateKeyRequest, Depends(_ROTATE)], admin: Admin) -> Response:
    body.key_id = key_id
    return answer(_ROTATED_KEY, await admin(admin.stub.RotateKey, body), 201)
