"""Setup, sign-in and sign-out, the password and the second factor of the signed-in admin, and the access policy."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import clear_session_cookie, set_session_cookie
from edge.admin.forwarding import NO_CONTENT, AdminRoutes
from edge.dependencies import SAME_ORIGIN, Admin, CurrentSettings, Services
from edge.descriptions.operations import route_options
from edge.messages.keys import SHAPES
from edge.messages.requests import MessageBody
from edge.middleware.client_address import client_address
from edge.responses import answer, no_content
from landpartner.keys.v1 import admin_pb2 as pb

routes = AdminRoutes()

_ADMIN, _SETUP = SHAPES[pb.Admin], SHAPES[pb.GetSetupResponse]
_SIGNED_IN = SHAPES[pb.SignInResponse]
_COMPLETE_SETUP = MessageBody(
    pb.CompleteSetupRequest, names={"token": "setup_token"}, required=("token", "email", "password")
)
_SIGN_IN = MessageBody(pb.SignInRequest, required=("email", "password"))
_UPDATE_POLICY = MessageBody(
    pb.UpdateAccessPolicyRequest,
    into="policy",
    names={"totp_required": "is_totp_required"},
    required=("totp_required",),
)
_PASSWORD_CODES = ("invalid_credentials", "sign_in_throttled")


@routes.router.get(f"{API}/admin/setup", **route_options("admin", _SETUP, is_open=True))
async def get_setup(services: Services) -> Response:
    keys = services.admin
    return answer(_SETUP, await keys.call(keys.stub.GetSetup, pb.GetSetupRequest()))


@routes.router.post(
    f"{API}/admin/setup",
    dependencies=[SAME_ORIGIN],
    **route_options(
        "admin",
        _ADMIN,
        status=201,
        codes=("invalid_token", "setup_closed", "sign_in_throttled"),
        is_open=True,
    ),
)
async def complete_setup(
    request: Request,
    body: Annotated[pb.CompleteSetupRequest, Depends(_COMPLETE_SETUP)],
    services: Services,
    settings: CurrentSettings,
) -> Response:
    body.client_address = client_address(request.scope, settings.trusted_proxies)
    keys = services.admin
    return answer(_ADMIN, (await keys.call(keys.stub.CompleteSetup, body)).admin, 201)


@routes.router.post(
    f"{API}/admin/session",
    dependencies=[SAME_ORIGIN],
    **route_options(
        "admin",
        _SIGNED_IN,
        codes=("invalid_credentials", "totp_required", "invalid_totp", "sign_in_throttled"),
        is_open=True,
    ),
)
async def sign_in(
    request: Request,
    body: Annotated[pb.SignInRequest, Depends(_SIGN_IN)],
    services: Services,
    settings: CurrentSettings,
) -> Response:
    body.client_address = client_address(request.scope, settings.trusted_proxies)
    keys = services.admin
    signed_in = await keys.call(keys.stub.SignIn, body)
    response = answer(_SIGNED_IN, signed_in)
    set_session_cookie(response, request, settings.trusted_proxies, signed_in.session_token)
    return response


routes.add("GET", "/session", "GetSession")


@routes.router.delete(f"{API}/admin/session", **route_options("admin", status=204))
async def sign_out(admin: Admin) -> Response:
    await admin(admin.stub.SignOut, pb.SignOutRequest())
    response = no_content()
    clear_session_cookie(response)
    return response


routes.add(
    "POST", "/session/password", "ChangePassword", status=NO_CONTENT, codes=_PASSWORD_CODES,
    reads=MessageBody(pb.ChangePasswordRequest, required=("current_password", "new_password")),
)  # fmt: skip
routes.add(
    "POST", "/session/totp", "BeginTotpEnrolment", name="begin_totp", status=201, codes=(*_PASSWORD_CODES, "conflict"),
    reads=MessageBody(pb.BeginTotpEnrolmentRequest, required=("password",)),
)  # fmt: skip
routes.add(
    "POST", "/session/totp/confirm", "ConfirmTotpEnrolment", name="confirm_totp", status=NO_CONTENT,
    codes=("invalid_totp", "conflict", "sign_in_throttled"),
    reads=MessageBody(pb.ConfirmTotpEnrolmentRequest, required=("code",)),
)  # fmt: skip
routes.add(
    "POST", "/session/totp/remove", "RemoveTotp", status=NO_CONTENT,
    codes=(*_PASSWORD_CODES, "invalid_totp", "conflict"),
    reads=MessageBody(pb.RemoveTotpRequest, required=("password", "code")),
)  # fmt: skip
routes.add("GET", "/access-policy", "GetAccessPolicy", answers="policy")
routes.add("PATCH", "/access-policy", "UpdateAccessPolicy", answers="policy", codes=("conflict",), reads=_UPDATE_POLICY)
