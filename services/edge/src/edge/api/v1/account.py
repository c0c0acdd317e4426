"""The usage of a key, the keys of its partner with their events, and the loaded data: /usage, /keys and /coverage."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from contract import endpoints
from contract.messages.keys import SHAPES
from contract.messages.land import COMMUNES, COVERAGE
from edge.access import API
from edge.api.v1.requests import CommunesParameters, CoverageParameters, EventsParameters, RotationBody
from edge.clients.keys import ROTATE_DEADLINE_S
from edge.dependencies import CurrentAdmission, Land, ModelBody, ModelQuery, Services
from edge.descriptions.operations import UPSTREAM_CODES, route_options
from edge.responses import answer
from edge.routing import new_router
from landpartner.keys.v1 import keys_pb2

router = new_router()

_USAGE = SHAPES[keys_pb2.GetKeyUsageResponse]
_KEYS = SHAPES[keys_pb2.ListPartnerKeysResponse]
_EVENTS = SHAPES[keys_pb2.ListKeyEventsResponse]
_ROTATED = SHAPES[keys_pb2.RotatePartnerKeyResponse]


@router.get(f"{API}/usage", **route_options("consumer", _USAGE, endpoint=endpoints.USAGE, codes=UPSTREAM_CODES))
async def usage(admission: CurrentAdmission, services: Services) -> Response:
    request = keys_pb2.GetKeyUsageRequest(key_id=admission.grant.key_id)
    return answer(_USAGE, await services.keys(services.keys.stub.GetKeyUsage, request))


@router.get(f"{API}/keys", **route_options("consumer", _KEYS, endpoint=endpoints.KEYS, codes=UPSTREAM_CODES))
async def partner_keys(admission: CurrentAdmission, services: Services) -> Response:
    request = keys_pb2.ListPartnerKeysRequest(key_id=admission.grant.key_id)
    return answer(_KEYS, await services.keys(services.keys.stub.ListPartnerKeys, request))


@router.get(f"{API}/keys/events", **route_options("consumer", _EVENTS, endpoint=endpoints.KEYS, codes=UPSTREAM_CODES))
async def key_events(
    parameters: Annotated[EventsParameters, Depends(ModelQuery(EventsParameters))],
    admission: CurrentAdmission,
    services: Services,
) -> Response:
    request = keys_pb2.ListKeyEventsRequest(
        key_id=admission.grant.key_id, after=parameters.after or "", page_size=parameters.limit
    )
    return answer(_EVENTS, await services.keys(services.keys.stub.ListKeyEvents, request))


@router.post(
    f"{API}/keys/{{keyId}}/rotate",
    **route_options("consumer", _ROTATED, endpoint=endpoints.KEYS, codes=("not_found", "conflict", *UPSTREAM_CODES)),
)
async def rotate_partner_key(
    keyId: str,  # noqa: N803 (the name in the path)
    body: Annotated[RotationBody, Depends(ModelBody(RotationBody))],
    admission: CurrentAdmission,
    services: Services,
) -> Response:
    request = keys_pb2.RotatePartnerKeyRequest(
        key_id=admission.grant.key_id,
        rotated_key_id=keyId,
        grace_days=body.grace_days,
        api_key=admission.key.text,
    )
    return answer(_ROTATED, await services.keys(services.keys.stub.RotatePartnerKey, request, ROTATE_DEADLINE_S))


@router.get(f"{API}/coverage", **route_options("consumer", COVERAGE, endpoint=endpoints.COVERAGE, codes=UPSTREAM_CODES))
async def coverage(
    parameters: Annotated[CoverageParameters, Depends(ModelQuery(CoverageParameters))], land: Land
) -> Response:
    return answer(COVERAGE, await land(land.stub.GetCoverage, parameters.message()))


@router.get(
    f"{API}/coverage/communes", **route_options("consumer", COMMUNES, endpoint=endpoints.COVERAGE, codes=UPSTREAM_CODES)
)
async def covered_communes(
    parameters: Annotated[CommunesParameters, Depends(ModelQuery(CommunesParameters))], land: Land
) -> Response:
    return answer(COMMUNES, await land(land.stub.ListCommunes, parameters.message()))
