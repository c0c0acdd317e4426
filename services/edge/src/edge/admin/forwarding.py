"""Routes of the admin API that each call one method of keys' AdminService, which makes every decision."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import Depends
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from starlette.requests import Request
from starlette.responses import Response

from contract.messages.keys import SHAPES
from edge.access import API
from edge.admin.credentials import set_session_cookie
from edge.admin.requests import MessageBody, MessageQuery
from edge.dependencies import SAME_ORIGIN, Admin
from edge.descriptions.operations import route_options
from edge.middleware.client_address import client_address
from edge.responses import answer, no_content
from edge.routing import new_router
from edge.upstreams import settings_of
from landpartner.keys.v1 import admin_pb2

NO_CONTENT = 204
_METHODS: Any = admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods_by_name
_PATH_NAME = re.compile(r"\{(\w+)\}")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class AdminRoutes:
    """A router, and the registration of routes that forward to keys."""

    def __init__(self) -> None:
        self.router = new_router()

    def add(
        self,
        method: str,
        path: str,
        rpc: str,
        *,
        name: str = "",
        reads: MessageBody[Any] | MessageQuery[Any] | None = None,
        answers: str = "",
        status: int = 200,
        codes: Sequence[str] = (),
        is_open: bool = False,
    ) -> None:
        """Registers a route below /admin.

        `reads` reads the request of the RPC from the body or the query. A name in the path is a field of this request,
        or the id of the part that `reads` fills. `answers` is the field of the response that is written, or "" for the
        whole response. The name of the route is that of the RPC by default.
        If the route `is_open`, it needs no credential, and keys gets the client address. A session token that is
        answered becomes a cookie.
        """
        descriptor = _METHODS[rpc]
        reads_request = reads or _empty(GetMessageClass(descriptor.input_type))
        path_names = {path_name: _snake(path_name) for path_name in _PATH_NAME.findall(path)}
        answered = descriptor.output_type.fields_by_name[answers].message_type if answers else descriptor.output_type
        shape = SHAPES.of(answered)
        has_address = is_open and "client_address" in descriptor.input_type.fields_by_name
        starts_session = "session_token" in answered.fields_by_name

        async def forward(request: Request, message: Annotated[Any, Depends(reads_request)], admin: Admin) -> Response:
            trusted_proxies = settings_of(request).trusted_proxies
            for path_name, field_name in path_names.items():
                if reads is not None and reads.into:
                    getattr(message, reads.into).id = request.path_params[path_name]
                else:
                    setattr(message, field_name, request.path_params[path_name])
            if has_address:
                message.client_address = client_address(request.scope, trusted_proxies)
            method = getattr(admin.stub, rpc)
            whole = await (admin.client.call(method, message) if is_open else admin(method, message))
            content: Any = getattr(whole, answers) if answers else whole
            response = no_content() if status == NO_CONTENT else answer(shape, content, status)
            if starts_session:
                set_session_cookie(response, request, trusted_proxies, content.session_token)
            return response

        self.router.add_api_route(
            f"{API}/admin{path}",
            forward,
            methods=[method],
            name=name or _snake(rpc),
            dependencies=[SAME_ORIGIN] if is_open else [],
            **route_options(
                "admin",
                None if status == NO_CONTENT else shape,
                status=status,
                codes=(*(("not_found",) if path_names else ()), *codes),
                is_open=is_open,
            ),
        )


def _empty(message: type[Message]) -> Callable[[Request], Any]:
    async def read(request: Request) -> Message:
        return message()

    return read


def _snake(name: str) -> str:
    return _CAPITAL.sub("_", name).lower()
