"""Setup, sign-in and sign-out, the password and the second factor of the signed-in admin, and the access policy."""

from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import clear_session_cookie
from edge.admin.forwarding import NO_CONTENT, AdminRoutes
from edge.admin.requests import MessageBody
from edge.dependencies import Admin
from edge.descriptions.operations import route_options
from edge.responses import no_content
from landpartner.keys.v1 import admin_pb2 as pb

routes = AdminRoutes()

_COMPLETE_SETUP = MessageBody(
    pb.CompleteSetupRequest, names={"token": "setup_token"}, required=("token", "email", "password")
)
_UPDATE_POLICY = MessageBody(
    pb.UpdateAccessPolicyRequest,
    into="policy",
    names={"totp_required": "is_totp_required"},
    required=("totp_required",),
)
_PASSWORD_CODES = ("invalid_credentials", "sign_in_throttled")


routes.add("GET", "/setup", "GetSetup", is_open=True)
routes.add(
    "POST", "/setup", "CompleteSetup", answers="admin", status=201, is_open=True, reads=_COMPLETE_SETUP,
    codes=("invalid_token", "setup_closed", "sign_in_throttled"),
)  # fmt: skip
routes.add(
    "POST", "/session", "SignIn", is_open=True,
    reads=MessageBody(pb.SignInRequest, required=("email", "password")),
    codes=("invalid_credentials", "totp_required", "invalid_totp", "sign_in_throttled"),
)  # fmt: skip
routes.add("POST", "/session/single-sign-on", "BeginSingleSignOn", status=201, is_open=True, codes=("not_found",))
routes.add(
    "POST", "/session/single-sign-on/complete", "CompleteSingleSignOn", answers="session", is_open=True,
    reads=MessageBody(pb.CompleteSingleSignOnRequest, required=("state",)),
    codes=("single_sign_on_failed", "single_sign_on_denied", "not_found", "sign_in_throttled"),
)  # fmt: skip
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
