"""Builds an OpenAPI 3.1 document from routes that were registered with `route_options`, in one language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fastapi.routing import APIRoute

from contract.dictionary import dictionary
from contract.endpoints import LINE_ENDPOINTS, PAGES, WEIGHTS
from contract.enums import enum_numbers
from contract.messages.schemas import Components, Json, enum
from contract.problem_codes import PROBLEMS
from edge.batches.inputs import NDJSON
from edge.batches.spreadsheets import XLSX
from edge.descriptions.examples import Example, examples_of, problem_example
from edge.descriptions.forms import with_named_enums
from edge.descriptions.operations import BODY_CODES, PROBLEM, Operation, Tag, body_of, operation_of, parameters_of
from edge.middleware.authorization import KEY_HEADER
from edge.problems import MEDIA_TYPE
from landpartner.land.v1.land_pb2 import TileLayer
from servicekit.languages import Language, Text

VERSION = "1.0.0"

_SECURITY: Mapping[Tag, list[Json]] = {
    "consumer": [{"apiKey": []}],
    "public": [],
    "page": [],
    "admin": [{"adminSession": [], "adminCsrf": []}, {"adminToken": []}],
}
_SCHEMES: Mapping[str, Json] = {
    "apiKey": {"type": "apiKey", "in": "header", "name": KEY_HEADER},
    "adminSession": {"type": "apiKey", "in": "cookie", "name": "__Host-landpartner_session"},
    "adminCsrf": {"type": "apiKey", "in": "header", "name": "x-csrf-token"},
    "adminToken": {"type": "http", "scheme": "bearer"},
}
_PATH_EXAMPLES: Mapping[str, str] = {"layer": "parcels", "z": "16", "x": "33131", "y": "23050"} | {
    "collection": "parcels",
    "feature": "00001000AA0001",
    "keyId": "abcdefgh",
}
"""A tile and a feature of the demo, and a key."""
_HEADERS: Mapping[str, Json] = {
    "x-request-id": {"schema": {"type": "string"}, "example": "3f0e7c5e9b2a4d1c8e6f0a1b2c3d4e5f"},
    "RateLimit-Policy": {"schema": {"type": "string"}, "example": '"burst";q=100;w=10, "minute";q=600;w=60'},
    "RateLimit": {"schema": {"type": "string"}, "example": '"burst";r=99;t=1, "minute";r=599;t=60'},
    "Content-Disposition": {
        "schema": {"type": "string"},
        "example": 'attachment; filename="division-00001000AA0001.gpkg"',
    },
    "Content-Crs": {"schema": {"type": "string"}, "example": "<http://www.opengis.net/def/crs/OGC/1.3/CRS84>"},
    "Line-Count": {"schema": {"type": "integer"}, "example": 2},
    "Retry-After": {"schema": {"type": "integer"}, "example": 5},
}
_MAX_REPEATED_CHARACTERS = 12_000
_FAILURE = "Failure"
"""The answer 500, which every operation may give."""


def describe(routes: Sequence[APIRoute], language: Language, *, consumer_only: bool = False, server: str = "/") -> Json:
    """The description of all routes, or of those that partners call. `server` is the base URL."""
    return with_named_enums(described(routes, language, consumer_only=consumer_only, server=server), language)


def described(
    routes: Sequence[APIRoute], language: Language, *, consumer_only: bool = False, server: str = "/"
) -> Json:
    """What `describe` returns, with each enumeration where it is used."""
    document = _Document(Components(language))
    PROBLEM.describe(document.components)
    operations = [
        (route, operation)
        for route in routes
        if (operation := operation_of(route)) is not None and not (consumer_only and operation.tag != "consumer")
    ]
    paths: Json = {}
    for route, operation in operations:
        for method in sorted(route.methods or ()):
            paths.setdefault(route.path, {})[method.lower()] = document.operation(method, route, operation)
    tags = [tag for tag in _SECURITY if any(operation.tag == tag for _, operation in operations)]
    schemes = {name for tag in tags for alternative in _SECURITY[tag] for name in alternative}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": document.titled("title", "partners" if consumer_only else "full"),
            "version": VERSION,
            "description": document.titled("title", "introduction"),
            "contact": {"name": document.titled("title", "contact"), "url": f"{server.rstrip('/')}/api/docs"},
            "license": {"name": "EUPL-1.2", "url": "https://eupl.eu/1.2/en"},
        },
        "servers": [{"url": server}],
        "tags": [{"name": tag, "description": document.titled("tag", tag)} for tag in tags],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(document.components.schemas.items())),
            "responses": {_FAILURE: document.problem(["internal"], [])},
            "securitySchemes": {name: scheme for name, scheme in _SCHEMES.items() if name in schemes},
        },
    }


_BINARY: Json = {"type": "string", "format": "binary"}
_EMPTY: Json = {"examples": {"empty": {"value": ""}}}


def _other(media_type: str) -> Json:
    """The content of a body in a form beside the first one."""
    return {"schema": _BINARY if media_type == XLSX else {"type": "string"}}


@dataclass(frozen=True)
class _Document:
    components: Components

    def text(self, text: Text) -> str:
        return text.read(self.components.language)

    def titled(self, kind: str, name: str) -> str:
        """The text of a title, a tag or a header."""
        return self.text(dictionary().description[kind, name])

    def operation(self, method: str, route: APIRoute, operation: Operation) -> Json:
        examples = examples_of(method, route.path)
        identifier = operation_id(route)
        texts = dictionary().operations[identifier]
        description = f"{self.text(texts.description)} {self.text(texts.forms)}".strip()
        body = body_of(route)
        codes = dict.fromkeys((*operation.codes, *(BODY_CODES if body else ())))
        described: Json = {
            "tags": [operation.tag],
            "summary": self.text(texts.summary),
            "description": description,
            "operationId": identifier,
            "security": [] if operation.is_open else _SECURITY[operation.tag],
            "parameters": self._parameters(route, operation, identifier),
            "responses": {
                str(operation.status): self._success(operation, description, examples),
                **self._problems(route, list(codes), examples),
                str(PROBLEMS["internal"].status): {"$ref": f"#/components/responses/{_FAILURE}"},
            },
        }
        for status in operation.other_statuses:
            also = self._success(replace(operation, status=status), description, examples)
            documented = described["responses"].setdefault(str(status), {**also, "content": {}})
            if any(example.status == status for example in examples):  # else the answer has no body
                documented["content"].update(also["content"])
        if operation.endpoint:
            described["x-endpoint"] = operation.endpoint
            described["x-billing-units"] = WEIGHTS[operation.endpoint]
        if operation.endpoint in LINE_ENDPOINTS:
            described["x-billing-units-per-line"] = WEIGHTS[LINE_ENDPOINTS[operation.endpoint]]
        if operation.endpoint in PAGES and "GET" in (route.methods or ()):
            described["x-billing-units-per-further-page"] = WEIGHTS[PAGES[operation.endpoint][1]]
        if operation.deprecation is not None:
            described["deprecated"] = True
        if body is not None:
            first, *other_types = body.media_types
            content: Json = {first: {"schema": _content(first, body.describe(self.components))}}
            content.update({media_type: _other(media_type) for media_type in other_types})
            for example in examples:
                is_main = example.media_type == operation.media_type or example.request_type != first
                if example.status == operation.status and is_main and example.request_type in content:
                    content[example.request_type].setdefault("examples", {})[example.name] = {"value": example.request}
            described["requestBody"] = {"required": not body.is_optional, "content": content}
        return described

    def _parameters(self, route: APIRoute, operation: Operation, identifier: str) -> list[Json]:
        text: Json = {"type": "string"}
        components = self.components
        parameters = [
            components.parameter(identifier, name, "path", _path_schema(name), is_required=True)
            for name in route.param_convertors
        ]
        for dependency in parameters_of(route):
            parameters += dependency.parameters(components, identifier)
        if operation.tag in ("consumer", "admin"):
            parameters.append(components.parameter(identifier, "Accept-Language", "header", text))
        return parameters

    def _success(self, operation: Operation, text: str, examples: Sequence[Example]) -> Json:
        names = ("x-request-id", *(("RateLimit-Policy", "RateLimit") if operation.tag == "consumer" else ()))
        described: Json = {"description": text, "headers": self._headers(*names, *operation.headers)}
        if operation.answer is None:
            if operation.media_type != "application/json":
                described["content"] = {operation.media_type: {"schema": _BINARY, **_EMPTY}}
            return described
        media_type = operation.media_type
        contents = {media_type: {"schema": _content(media_type, operation.answer.describe(self.components))}}
        contents.update(
            (media_type, {**_other(media_type), **(_EMPTY if media_type == XLSX else {})})
            for media_type in operation.alternative_media_types
        )
        described["content"] = {
            media_type: {**content, **_bodies(_of_answer(examples, operation.status, media_type))}
            for media_type, content in contents.items()
        }
        return described

    def _headers(self, *names: str) -> Json:
        return {name: {"description": self.titled("header", name), **_HEADERS[name]} for name in names}

    def _problems(self, route: APIRoute, codes: Sequence[str], examples: Sequence[Example]) -> Json:
        by_status: dict[int, list[str]] = {}
        for code in codes:
            by_status.setdefault(PROBLEMS[code].status, []).append(code)
        return {
            str(status): self.problem(by_status[status], _of_answer(examples, status, MEDIA_TYPE), route.path)
            for status in sorted(by_status)
        }

    def problem(self, codes: Sequence[str], recorded: Sequence[Example], path: str = "") -> Json:
        """The answer with one of these codes, of one status."""
        missing = [code for code in codes if all(example.body["code"] != code for example in recorded)]
        described: Json = {
            "description": "; ".join(f"`{code}`: {self.text(PROBLEMS[code].title)}" for code in codes),
            "content": {
                MEDIA_TYPE: {
                    "schema": PROBLEM.describe(self.components),
                    "examples": {
                        **{example.name: {"value": example.body} for example in recorded},
                        **{code: {"value": problem_example(code, path)} for code in missing},
                    },
                }
            },
        }
        if any(PROBLEMS[code].is_retried for code in codes):
            described["headers"] = self._headers("Retry-After")
        return described


def _path_schema(name: str) -> Json:
    schema = enum("TileLayer", enum_numbers(TileLayer.DESCRIPTOR)) if name == "layer" else {"type": "string"}
    return {**schema, "examples": [_PATH_EXAMPLES[name]]} if name in _PATH_EXAMPLES else schema


def operation_id(route: APIRoute) -> str:
    """The name of the handler in camel case: client generators expect it, and addresses in the reference contain it."""
    first, *words = route.name.split("_")
    return first + "".join(word.capitalize() for word in words)


def _of_answer(examples: Sequence[Example], status: int, media_type: str) -> list[Example]:
    return [example for example in examples if (example.status, example.media_type) == (status, media_type)]


def _content(media_type: str, schema: Json) -> Json:
    """The schema of a body. Lines are a text, and `x-line` has the schema of each."""
    return {"type": "string", "x-line": schema} if media_type == NDJSON else schema


def _bodies(examples: Sequence[Example]) -> Json:
    """The first answer, and further ones that are short: long ones look alike, and made half of the description."""
    short = [example for example in examples[1:] if len(str(example.body)) <= _MAX_REPEATED_CHARACTERS]
    shown = [*examples[:1], *short]
    return {"examples": {example.name: {"value": example.body} for example in shown}} if shown else {}
