"""What is set in this installation, without secrets, and a try of what sends."""

from importlib.metadata import version

from starlette.responses import Response

from contract.messages.keys import SHAPES
from contract.messages.schemas import Composed, array, nullable
from edge.access import API
from edge.admin.forwarding import NO_CONTENT, AdminRoutes
from edge.admin.requests import MessageBody
from edge.dependencies import Admin, CurrentSettings
from edge.descriptions.operations import route_options
from edge.responses import json_response
from landpartner.keys.v1 import admin_pb2 as pb

routes = AdminRoutes()

_KEYS = SHAPES[pb.GetInstallationResponse]
_INSTALLATION = Composed(
    "Installation",
    {
        "version": {"type": "string"},
        "public_url": nullable({"type": "string"}),
        "disabled": array({"type": "string"}),
        "visitor_keys_per_day": {"type": "integer"},
        "keys": _KEYS,
    },
)


@routes.router.get(f"{API}/admin/installation", **route_options("admin", _INSTALLATION))
async def installation(admin: Admin, settings: CurrentSettings) -> Response:
    answered = await admin(admin.stub.GetInstallation, pb.GetInstallationRequest())
    return json_response(
        {
            "version": version("edge"),
            "public_url": None if settings.public_url == "/" else settings.public_url,
            "disabled": settings.disabled,
            "visitor_keys_per_day": settings.visitor_keys_per_day,
            "keys": _KEYS.write(answered),
        }
    )


routes.add(
    "POST",
    "/installation/tries",
    "TrySending",
    status=NO_CONTENT,
    codes=("not_found",),
    reads=MessageBody(pb.TrySendingRequest, required=("channel",)),
)
