"""The Model Context Protocol: reads the message of a request, and writes its answer.

Two versions are spoken: the last one, of which each request stands for itself, and the ones that begin with
`initialize`. No session is kept in either.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types
from mcp_types import methods
from mcp_types.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
    JSONRPCRequest,
    RequestId,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from edge.body import has_more_values

METHODS = frozenset({"initialize", "ping", "server/discover", "tools/list", "tools/call"})
"""The methods that are answered, each in the versions that have it."""
_FIRST_WITH_STRUCTURED_CONTENT = "2025-06-18"
VERSION_HEADER = "mcp-protocol-version"
_METHOD_HEADER = "mcp-method"
_NAME_HEADER = "mcp-name"
_STATUSES = {
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_PROTOCOL_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""The HTTP statuses of errors in the last version. The versions before it expect 200 for an answered message."""
_MAX_QUOTED = 500
"""Characters of a message that its answer repeats."""
_MAX_PROTOCOL_VALUES = 200
"""Members and items of the parameters, without the arguments of a tool. Agents send about 20."""


class ProtocolError(Exception):
    """A message that is not answered, as an error of JSON-RPC. Its text is cut, since it may quote the message."""

    def __init__(self, code: int, message: str, data: object = None, request_id: RequestId | None = None) -> None:
        super().__init__(message[:_MAX_QUOTED])
        self.code = code
        self.data = data
        self.request_id = request_id

    @property
    def body(self) -> dict[str, Any]:
        error = {"code": self.code, "message": str(self), **({} if self.data is None else {"data": self.data})}
        return {"jsonrpc": "2.0", "id": self.request_id, "error": error}


@dataclass(frozen=True)
class AgentRequest:
    """A request of an agent. Its method exists in its version, and its parameters have the form of the version."""

    id: RequestId
    method: str
    version: str
    params: Mapping[str, Any]

    @property
    def has_structured_content(self) -> bool:
        return self.version >= _FIRST_WITH_STRUCTURED_CONTENT

    @property
    def is_stateless(self) -> bool:
        return self.version in MODERN_PROTOCOL_VERSIONS

    def answer(self, result: mcp_types.Result, server: mcp_types.Implementation) -> dict[str, Any]:
        """The body of the answer."""
        return self.body(self.content(result, server))

    def body(self, content: object) -> dict[str, Any]:
        """The body of the answer with this content."""
        return {"jsonrpc": "2.0", "id": self.id, "result": content}

    def content(self, result: mcp_types.Result, server: mcp_types.Implementation) -> dict[str, Any]:
        """The result in the form of the version. It is the same for all requests of a method and a version."""
        content = methods.serialize_server_result(
            self.method, self.version, result.model_dump(by_alias=True, mode="json", exclude_none=True)
        )
        if self.is_stateless:
            stamp = {mcp_types.SERVER_INFO_META_KEY: server.model_dump(by_alias=True, exclude_none=True)}
            content["_meta"] = {**(content.get("_meta") or {}), **stamp}
        return content

    def error(self, code: int, message: str) -> ProtocolError:
        return ProtocolError(code, message, request_id=self.id)


def status_of(error: ProtocolError, headers: Mapping[str, str]) -> int:
    is_handshake_version = headers.get(VERSION_HEADER, "") in ("", *HANDSHAKE_PROTOCOL_VERSIONS)
    return 200 if is_handshake_version and error.code == METHOD_NOT_FOUND else _STATUSES[error.code]


def read_request(document: object, headers: Mapping[str, str]) -> AgentRequest | None:
    """Reads a message. Returns None for a notification, to which there is no answer. Raises ProtocolError.

    `headers` are those of the HTTP request, by their names in lower case.
    """
    if not isinstance(document, dict):
        raise ProtocolError(INVALID_REQUEST, "the body must be one request or notification of JSON-RPC 2.0")
    if "id" not in document and isinstance(document.get("method"), str):
        return None
    try:
        message = JSONRPCRequest.model_validate(document)
    except ValidationError:
        raise ProtocolError(INVALID_REQUEST, "the body must be one request or notification of JSON-RPC 2.0") from None
    if len(str(message.id)) > _MAX_QUOTED:
        raise ProtocolError(INVALID_REQUEST, f"the id has more than {_MAX_QUOTED} characters")
    params = message.params or {}
    request = AgentRequest(message.id, message.method, _version(message, headers), params)
    if request.method not in METHODS or (request.method, request.version) not in methods.CLIENT_REQUESTS:
        raise request.error(METHOD_NOT_FOUND, f"there is no method {request.method}")
    of_protocol = {**params, "arguments": {}} if isinstance(params.get("arguments"), dict) else params
    if has_more_values(of_protocol, _MAX_PROTOCOL_VALUES):  # the route of a tool bounds its arguments
        raise request.error(INVALID_PARAMS, f"the parameters have more than {_MAX_PROTOCOL_VALUES} members and items")
    try:
        methods.validate_client_request(request.method, request.version, of_protocol)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        places = sorted({".".join(map(str, fault["loc"])) for fault in faults})
        detail = f"these parameters do not have the form of the protocol: {', '.join(places)}"
        raise ProtocolError(INVALID_PARAMS, detail, None, message.id) from None
    return request


def negotiated(params: Mapping[str, Any]) -> str:
    """The version for an agent that begins with `initialize`."""
    requested = params["protocolVersion"]
    return requested if requested in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION


def _version(message: JSONRPCRequest, headers: Mapping[str, str]) -> str:
    """The version of a request. Raises ProtocolError if its header and its body do not agree."""
    params = message.params or {}
    meta = params.get("_meta")
    body_version = meta.get(mcp_types.PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
    header = headers.get(VERSION_HEADER)
    if body_version is None and message.method == "initialize":
        return LATEST_HANDSHAKE_VERSION  # it negotiates, whatever the header says
    if body_version is None and (header is None or header in HANDSHAKE_PROTOCOL_VERSIONS):
        return header or HANDSHAKE_PROTOCOL_VERSIONS[1]  # without a header, as the protocol says
    if body_version is None and header not in MODERN_PROTOCOL_VERSIONS:
        raise _unsupported(header, message.id)
    expected = {VERSION_HEADER: body_version, _METHOD_HEADER: message.method}
    if message.method == "tools/call":
        expected[_NAME_HEADER] = params.get("name")
    for name, value in expected.items():
        if headers.get(name) != value:
            raise ProtocolError(HEADER_MISMATCH, f"the header {name} differs from the body", None, message.id)
    if body_version not in MODERN_PROTOCOL_VERSIONS:
        raise _unsupported(body_version, message.id)
    return str(body_version)


def _unsupported(version: object, request_id: RequestId) -> ProtocolError:
    supported = [*MODERN_PROTOCOL_VERSIONS, *reversed(HANDSHAKE_PROTOCOL_VERSIONS)]
    data = {"supported": supported, "requested": str(version)[:_MAX_QUOTED]}
    return ProtocolError(UNSUPPORTED_PROTOCOL_VERSION, "this version is not spoken here", data, request_id)
