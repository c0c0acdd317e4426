"""The password and the second factor of the signed-in admin, and the access policy for all admins."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import caller_of
from edge.admin.requests import (
    AccessPolicyChanges,
    PasswordChange,
    TotpConfirmation,
    TotpEnrolmentBody,
    TotpRemoval,
)
from edge.admin.schemas import AccessPolicy, TotpEnrolment
from edge.body import read_model
from edge.descriptions.operations import route_options
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of

router = new_router()

_PASSWORD_CODES = ("invalid_credentials", "sign_in_throttled")


@router.post(
    f"{API}/admin/session/password",
    **route_options("Change your password", tag="admin", body=PasswordChange, status=204, codes=_PASSWORD_CODES),
)
async def change_password(request: Request) -> Response:
    """Changes the password of who is signed in, with the current one. Ends the other sessions."""
    settings = settings_of(request)
    body = await read_model(request, PasswordChange, settings)
    await upstreams_of(request).admin.change_password(
        caller_of(request, settings.trusted_proxies),
        body.current_password.get_secret_value(),
        body.new_password.get_secret_value(),
    )
    return Response(status_code=204)


@router.post(
    f"{API}/admin/session/totp",
    **route_options(
        "Begin to enrol a second factor",
        tag="admin",
        body=TotpEnrolmentBody,
        response=TotpEnrolment,
        status=201,
        codes=(*_PASSWORD_CODES, "conflict"),
    ),
)
async def begin_totp(request: Request) -> Response:
    """Gives the secret of one-time codes (TOTP), this once. Codes are asked for once the enrolment is confirmed."""
    settings = settings_of(request)
    body = await read_model(request, TotpEnrolmentBody, settings)
    caller = caller_of(request, settings.trusted_proxies)
    return json_response(await upstreams_of(request).admin.begin_totp(caller, body.password.get_secret_value()), 201)


@router.post(
    f"{API}/admin/session/totp/confirm",
    **route_options(
        "Confirm a second factor",
        tag="admin",
        body=TotpConfirmation,
        status=204,
        codes=("invalid_totp", "conflict", "sign_in_throttled"),
    ),
)
async def confirm_totp(request: Request) -> Response:
    """Confirms the enrolment with a code. Ends the other sessions; from now on each sign-in needs a code."""
    settings = settings_of(request)
    body = await read_model(request, TotpConfirmation, settings)
    caller = caller_of(request, settings.trusted_proxies)
    await upstreams_of(request).admin.confirm_totp(caller, body.code.get_secret_value())
    return Response(status_code=204)


@router.post(
    f"{API}/admin/session/totp/remove",
    **route_options(
        "Remove your second factor",
        tag="admin",
        body=TotpRemoval,
        status=204,
        codes=(*_PASSWORD_CODES, "invalid_totp", "conflict"),
    ),
)
async def remove_totp(request: Request) -> Response:
    """Removes the second factor, with the password and a code. Not where owners require one."""
    settings = settings_of(request)
    body = await read_model(request, TotpRemoval, settings)
    await upstreams_of(request).admin.remove_totp(
        caller_of(request, settings.trusted_proxies), body.password.get_secret_value(), body.code.get_secret_value()
    )
    return Response(status_code=204)


@router.get(
    f"{API}/admin/access-policy",
    **route_options("See what is demanded of admins", tag="admin", response=AccessPolicy),
)
async def get_access_policy(request: Request) -> Response:
    """Says whether every admin needs a second factor."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    return json_response(await upstreams_of(request).admin.access_policy(caller))


@router.patch(
    f"{API}/admin/access-policy",
    **route_options(
        "Change what is demanded of admins",
        tag="admin",
        body=AccessPolicyChanges,
        response=AccessPolicy,
        codes=("conflict",),
    ),
)
async def update_access_policy(request: Request) -> Response:
    """Demands a second factor of every admin, or no longer does. Who has none may then only enrol it."""
    settings = settings_of(request)
    body = await read_model(request, AccessPolicyChanges, settings)
    caller = caller_of(request, settings.trusted_proxies)
    return json_response(await upstreams_of(request).admin.update_access_policy(caller, body.totp_required))
