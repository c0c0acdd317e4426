"""The two requests of an invited admin, who has no session.

The token comes in a body, never in an address, so that no log has it.
"""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import set_session_cookie
from edge.dependencies import SAME_ORIGIN, CurrentSettings, Services
from edge.descriptions.operations import route_options
from edge.messages.keys import SHAPES
from edge.messages.requests import MessageBody
from edge.middleware.client_address import client_address
from edge.responses import answer
from edge.routing import new_router
from landpartner.keys.v1 import admin_pb2 as pb

router = new_router()

_INVITED, _SIGNED_IN = SHAPES[pb.GetInvitationResponse], SHAPES[pb.SignInResponse]
_READ = MessageBody(pb.GetInvitationRequest, required=("token",))
_ACCEPT = MessageBody(pb.AcceptInvitationRequest, required=("token", "password"))
_TOKEN_CODES = ("invalid_invitation", "sign_in_throttled")


@router.post(
    f"{API}/admin/invitation",
    dependencies=[SAME_ORIGIN],
    **route_options("admin", _INVITED, codes=_TOKEN_CODES, is_open=True),
)
async def read_invitation(
    request: Request,
    body: Annotated[pb.GetInvitationRequest, Depends(_READ)],
    services: Services,
    settings: CurrentSettings,
) -> Response:
    body.client_address = client_address(request.scope, settings.trusted_proxies)
    keys = services.admin
    return answer(_INVITED, await keys.call(keys.stub.GetInvitation, body))


@router.post(
    f"{API}/admin/invitation/accept",
    dependencies=[SAME_ORIGIN],
    **route_options("admin", _SIGNED_IN, status=201, codes=(*_TOKEN_CODES, "conflict"), is_open=True),
)
async def accept_invitation(
    request: Request,
    body: Annotated[pb.AcceptInvitationRequest, Depends(_ACCEPT)],
    services: Services,
    settings: CurrentSettings,
) -> Response:
    body.client_address = client_address(request.scope, settings.trusted_proxies)
    keys = services.admin
    session = (await keys.call(keys.stub.AcceptInvitation, body)).session
    response = answer(_SIGNED_IN, session, 201)
    set_session_cookie(response, request, settings.trusted_proxies, session.session_token)
    return response
