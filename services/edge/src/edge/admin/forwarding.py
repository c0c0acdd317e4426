"""Routes of the admin API that each call one method of keys' AdminService, which makes every decision (DESIGN §8.6)."""

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Annotated, Any

from fastapi import Depends
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response

from edge.access import API
from edge.dependencies import Admin
from edge.descriptions.operations import route_options
from edge.messages.keys import SHAPES
from edge.messages.requests import MessageBody, MessageQuery
from edge.responses import answer, no_content
from edge.routing import new_router
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
    ) -> None:
        """Registers a route below /admin.

        `reads` reads the request of the RPC from the body or the query. A name in the path is a field of this request,
        or the id of the part that `reads` fills. `answers` is the field of the response that is written, or "" for the
        whole response. The name of the route is that of the RPC by default.
        """
        descriptor = _METHODS[rpc]
        reads_request = reads or _empty(descriptor.input_type._concrete_class)
        path_names = {each: _snake(each) for each in _PATH_NAME.findall(path)}
        field = descriptor.output_type.fields_by_name[answers].message_type if answers else descriptor.output_type
        shape, select = SHAPES.of(field), attrgetter(answers) if answers else _whole

        async def forward(request: Request, message: Annotated[Any, Depends(reads_request)], admin: Admin) -> Response:
            for path_name, field_name in path_names.items():
                if reads is not None and reads.into:
                    getattr(message, reads.into).id = request.path_params[path_name]
                else:
                    setattr(message, field_name, request.path_params[path_name])
            response = await admin(getattr(admin.stub, rpc), message)
            return no_content() if status == NO_CONTENT else answer(shape, select(response), status)

        all_codes = (*(("not_found",) if path_names else ()), *codes)
        options = route_options("admin", None if status == NO_CONTENT else shape, status=status, codes=all_codes)
        self.router.add_api_route(f"{API}/admin{path}", forward, methods=[method], name=name or _snake(rpc), **options)


def _empty(message: type[Message]) -> Callable[[Request], Any]:
    async def read(request: Request) -> Message:
        return message()

    return read


def _whole(response: Message) -> Message:
    return response


def _snake(name: str) -> str:
    return _CAPITAL.sub("_", name).lower()
