"""Managed API keys."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import caller_of
from edge.admin.requests import KeyBody, KeyChanges, KeyParameters, RotateBody
from edge.admin.schemas import Key, KeyPage, NewKey
from edge.body import read_model, read_optional_model, validated
from edge.descriptions.operations import route_options
from edge.languages import Text
from edge.problems import invalid
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of

router = new_router()

IDEMPOTENCY_HEADER = "idempotency-key"
_MAX_IDEMPOTENCY_KEY = 255


@router.get(
    f"{API}/admin/api-keys",
    **route_options("List keys", tag="admin", parameters=KeyParameters, response=KeyPage, codes=("invalid_payload",)),
)
async def list_keys(request: Request) -> Response:
    """Lists keys with their pricing, quota, assistant policy and this month's usage; secrets are never shown again."""
    settings = settings_of(request)
    query = validated(KeyParameters, dict(request.query_params))
    answer = await upstreams_of(request).admin.keys(
        caller_of(request, settings.trusted_proxies),
        partner=query.partner or "",
        status=query.status,
        search=query.q or "",
        sort=query.sort,
        limit=query.limit,
        cursor=query.cursor or "",
    )
    return json_response(answer)


@router.post(
    f"{API}/admin/api-keys",
    **route_options(
        "Create a key",
        tag="admin",
        body=KeyBody,
        response=NewKey,
        status=201,
        codes=("conflict", "idempotency_mismatch"),
    ),
)
async def create_key(request: Request) -> Response:
    """Creates a key and shows its secret, this once. A repeated Idempotency-Key gives the first answer again."""
    settings = settings_of(request)
    body = await read_model(request, KeyBody, settings)
    answer = await upstreams_of(request).admin.create_key(
        caller_of(request, settings.trusted_proxies), body.model_dump(), _idempotency_key(request)
    )
    return json_response(answer, 201)


@router.get(
    f"{API}/admin/api-keys/{{keyId}}", **route_options("See a key", tag="admin", response=Key, codes=("not_found",))
)
async def get_key(request: Request) -> Response:
    """Gives one key."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    return json_response(await upstreams_of(request).admin.key(caller, request.path_params["keyId"]))


@router.patch(
    f"{API}/admin/api-keys/{{keyId}}",
    **route_options("Change a key", tag="admin", body=KeyChanges, response=Key, codes=("not_found", "conflict")),
)
async def update_key(request: Request) -> Response:
    """Changes the members sent; null takes a limit away. In force from the answer on."""
    settings = settings_of(request)
    body = await read_model(request, KeyChanges, settings)
    answer = await upstreams_of(request).admin.update_key(
        caller_of(request, settings.trusted_proxies),
        request.path_params["keyId"],
        body.model_dump(include=body.model_fields_set),
    )
    return json_response(answer)


@router.post(
    f"{API}/admin/api-keys/{{keyId}}/revoke",
    **route_options("Revoke a key", tag="admin", response=Key, codes=("not_found",)),
)
async def revoke_key(request: Request) -> Response:
    """Revokes a key for good. From the answer on, no request with it is authorized."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    return json_response(await upstreams_of(request).admin.revoke_key(caller, request.path_params["keyId"]))


@router.post(
    f"{API}/admin/api-keys/{{keyId}}/rotate",
    **route_options(
        "Rotate a key", tag="admin", body=RotateBody, response=NewKey, status=201, codes=("not_found", "conflict")
    ),
)
async def rotate_key(request: Request) -> Response:
    """Gives the key a new secret, shown this once; the old one is taken until its days of grace are over."""
    settings = settings_of(request)
    body = await read_optional_model(request, RotateBody, settings)
    answer = await upstreams_of(request).admin.rotate_key(
        caller_of(request, settings.trusted_proxies), request.path_params["keyId"], body.grace_days
    )
    return json_response(answer, 201)


def _idempotency_key(request: Request) -> str:
    key = request.headers.get(IDEMPOTENCY_HEADER, "").strip()
    if len(key) > _MAX_IDEMPOTENCY_KEY or not key.isascii():
        raise invalid("", "too_long", Text("Idempotency-Key est trop longue.", "Idempotency-Key is too long."))
    return key
