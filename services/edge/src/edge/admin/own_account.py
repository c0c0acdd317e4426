"""The password and the second factor of the signed-in admin, and the access policy for all admins."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from edge.access import API
from edge.dependencies import Admin
from edge.descriptions.operations import route_options
from edge.messages.keys import SHAPES
from edge.messages.requests import MessageBody
from edge.responses import answer, no_content
from edge.routing import new_router
from landpartner.keys.v1 import admin_pb2 as pb

router = new_router()

_ENROLMENT, _POLICY = SHAPES[pb.BeginTotpEnrolmentResponse], SHAPES[pb.AccessPolicy]
_CHANGE_PASSWORD = MessageBody(pb.ChangePasswordRequest, required=("current_password", "new_password"))
_BEGIN_TOTP = MessageBody(pb.BeginTotpEnrolmentRequest, required=("password",))
_CONFIRM_TOTP = MessageBody(pb.ConfirmTotpEnrolmentRequest, required=("code",))
_REMOVE_TOTP = MessageBody(pb.RemoveTotpRequest, required=("password", "code"))
_UPDATE_POLICY = MessageBody(
    pb.UpdateAccessPolicyRequest,
    into="policy",
    names={"totp_required": "is_totp_required"},
    required=("totp_required",),
)
_PASSWORD_CODES = ("invalid_credentials", "sign_in_throttled")


@router.post(
    f"{API}/admin/session/password",
    **route_options("admin", status=204, codes=_PASSWORD_CODES),
)
async def change_password(
    body: Annotated[pb.ChangePasswordRequest, Depends(_CHANGE_PASSWORD)], admin: Admin
) -> Response:
    await admin(admin.stub.ChangePassword, body)
    return no_content()


@router.post(
    f"{API}/admin/session/totp",
    **route_options(
        "admin",
        _ENROLMENT,
        status=201,
        codes=(*_PASSWORD_CODES, "conflict"),
    ),
)
async def begin_totp(body: Annotated[pb.BeginTotpEnrolmentRequest, Depends(_BEGIN_TOTP)], admin: Admin) -> Response:
    return answer(_ENROLMENT, await admin(admin.stub.BeginTotpEnrolment, body), 201)


@router.post(
    f"{API}/admin/session/totp/confirm",
    **route_options(
        "admin",
        status=204,
        codes=("invalid_totp", "conflict", "sign_in_throttled"),
    ),
)
async def confirm_totp(
    body: Annotated[pb.ConfirmTotpEnrolmentRequest, Depends(_CONFIRM_TOTP)], admin: Admin
) -> Response:
    await admin(admin.stub.ConfirmTotpEnrolment, body)
    return no_content()


@router.post(
    f"{API}/admin/session/totp/remove",
    **route_options("admin", status=204, codes=(*_PASSWORD_CODES, "invalid_totp", "conflict")),
)
async def remove_totp(body: Annotated[pb.RemoveTotpRequest, Depends(_REMOVE_TOTP)], admin: Admin) -> Response:
    await admin(admin.stub.RemoveTotp, body)
    return no_content()


@router.get(f"{API}/admin/access-policy", **route_options("admin", _POLICY))
async def get_access_policy(admin: Admin) -> Response:
    return answer(_POLICY, (await admin(admin.stub.GetAccessPolicy, pb.GetAccessPolicyRequest())).policy)


@router.patch(
    f"{API}/admin/access-policy",
    **route_options("admin", _POLICY, codes=("conflict",)),
)
async def update_access_policy(
    body: Annotated[pb.UpdateAccessPolicyRequest, Depends(_UPDATE_POLICY)], admin: Admin
) -> Response:
    return answer(_POLICY, (await admin(admin.stub.UpdateAccessPolicy, body)).policy)
