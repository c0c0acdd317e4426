"""Setup, sign-in and sign-out."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import caller_of, clear_session_cookie, refuse_cross_origin, set_session_cookie
from edge.admin.requests import SessionBody, SetupBody
from edge.admin.schemas import Admin, Session, SetupState, SignedIn
from edge.body import read_model
from edge.descriptions.operations import route_options
from edge.middleware.client_address import client_address
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of

router = new_router()


@router.get(
    f"{API}/admin/setup", **route_options("See whether setup is open", tag="admin", response=SetupState, is_open=True)
)
async def get_setup(request: Request) -> Response:
    """Says whether the first owner is still to be created. Open to everybody."""
    return json_response({"is_open": await upstreams_of(request).admin.setup_is_open()})


@router.post(
    f"{API}/admin/setup",
    **route_options(
        "Create the first owner",
        tag="admin",
        body=SetupBody,
        response=Admin,
        status=201,
        codes=("invalid_token", "setup_closed", "sign_in_throttled"),
        is_open=True,
    ),
)
async def complete_setup(request: Request) -> Response:
    """Creates the first owner with the token of the server's log; once, for good."""
    settings = settings_of(request)
    refuse_cross_origin(request)
    body = await read_model(request, SetupBody, settings)
    owner = await upstreams_of(request).admin.complete_setup(
        body.token.get_secret_value(),
        body.email,
        body.password.get_secret_value(),
        client_address(request.scope, settings.trusted_proxies),
    )
    return json_response(owner, 201)


@router.post(
    f"{API}/admin/session",
    **route_options(
        "Sign in",
        tag="admin",
        body=SessionBody,
        response=SignedIn,
        codes=("invalid_credentials", "totp_required", "invalid_totp", "sign_in_throttled"),
        is_open=True,
    ),
)
async def sign_in(request: Request) -> Response:
    """Opens a session, kept in a cookie that scripts cannot read. Send csrf_token back in x-csrf-token on changes."""
    settings = settings_of(request)
    refuse_cross_origin(request)
    body = await read_model(request, SessionBody, settings)
    signed_in = await upstreams_of(request).admin.sign_in(
        body.email,
        body.password.get_secret_value(),
        body.totp.get_secret_value() if body.totp else "",
        client_address(request.scope, settings.trusted_proxies),
    )
    response = json_response(signed_in.body)
    set_session_cookie(response, request, settings.trusted_proxies, signed_in.session_token)
    return response


@router.get(f"{API}/admin/session", **route_options("See your session", tag="admin", response=Session))
async def get_session(request: Request) -> Response:
    """Says who is signed in, with the CSRF token that the page needs after a reload."""
    caller = caller_of(request, settings_of(request).trusted_proxies)
    return json_response(await upstreams_of(request).admin.session(caller))


@router.delete(f"{API}/admin/session", **route_options("Sign out", tag="admin", status=204))
async def sign_out(request: Request) -> Response:
    """Ends the session."""
    await upstreams_of(request).admin.sign_out(caller_of(request, settings_of(request).trusted_proxies))
    response = Response(status_code=204)
    clear_session_cookie(response)
    return response
