"""What handlers take in their signatures: settings, clients, the admission of the request, its body and its query."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request

from contract.messages.schemas import REF, Components, Json
from edge.access import Admission, admission_of
from edge.admin.credentials import caller_of, refuse_cross_origin
from edge.body import MAX_VALUES, read_json, validated
from edge.clients.admin import AdminCalls
from edge.clients.land import LandCalls
from edge.negotiation import names_language
from edge.problems import invalid
from edge.routing import present_name
from edge.settings import EdgeSettings
from edge.upstreams import Upstreams, settings_of, upstreams_of
from servicekit.languages import Text, language, language_of

Model = TypeVar("Model", bound=BaseModel)

IDEMPOTENCY_HEADER = "idempotency-key"


def _reading(read: Callable[[Request], object]) -> Any:
    """A dependency on what `read` returns. It is asynchronous, since FastAPI runs other functions in threads."""

    async def dependency(request: Request) -> object:
        return read(request)

    return Depends(dependency)


def _admin(request: Request) -> AdminCalls:
    return AdminCalls(upstreams_of(request).admin, caller_of(request, settings_of(request).trusted_proxies))


def _land(request: Request) -> LandCalls:
    return LandCalls(upstreams_of(request).land, admission_of(request).grant, settings_of(request).geojson_deadline_s)


SAME_ORIGIN = _reading(refuse_cross_origin)
"""Refuses a change that another site sent."""
CurrentSettings = Annotated[EdgeSettings, _reading(settings_of)]
Services = Annotated[Upstreams, _reading(upstreams_of)]
CurrentAdmission = Annotated[Admission, _reading(admission_of)]
Land = Annotated[LandCalls, _reading(_land)]
LandForAddresses = Annotated[
    LandCalls, _reading(lambda request: replace(_land(request), deadline_s=settings_of(request).resolve_deadline_s))
]
"""Land is called for the key of the request. Calls for addresses have a deadline of their own."""
Admin = Annotated[AdminCalls, _reading(_admin)]
"""keys' AdminService, called with the credential of the request."""


@dataclass(frozen=True)
class ModelBody(Generic[Model]):
    """Reads the JSON body of a request as a model. Raises Problem as `read_json` and `validated`."""

    is_optional = False
    media_types = ("application/json",)

    model: type[Model]
    max_values: int = MAX_VALUES

    async def __call__(self, request: Request) -> Model:
        document = await read_json(request, settings_of(request), self.max_values)
        question = document.get("question") if isinstance(document, dict) else None
        if isinstance(question, str) and not names_language(request.headers.get("accept-language")):
            language.set(language_of(question) or language.get())  # also of the errors
        return validated(self.model, {} if document in (None, "", []) else document)

    def describe(self, components: Components) -> Json:
        _, schemas = models_json_schema([(self.model, "validation")], ref_template=REF + "{model}")
        for name, schema in schemas["$defs"].items():
            described_keys = ("type", "properties", "required", "description", "title")
            components.add_request(
                name,
                {member: _plain(property_schema) for member, property_schema in schema["properties"].items()},
                schema.get("required", ()),
                **{key: value for key, value in schema.items() if key not in described_keys},
            )
        return components.ref(self.model.__name__)


class ModelQuery(Generic[Model]):
    """Reads the query of a request as a model. Raises Problem: invalid_payload."""

    def __init__(self, model: type[Model]) -> None:
        self.model = model
        self.query_names = tuple(field.alias or name for name, field in model.model_fields.items())

    async def __call__(self, request: Request) -> Model:
        return validated(
            self.model,
            {present_name(name, self.query_names): value for name, value in request.query_params.items()},
        )

    def parameters(self, components: Components, operation: str) -> list[Json]:
        schema = self.model.model_json_schema()
        required = schema.get("required", ())
        return [
            components.parameter(operation, name, "query", _plain(property_schema), is_required=name in required)
            for name, property_schema in schema["properties"].items()
        ]


def _plain(schema: dict[str, Any]) -> Json:
    """The schema without what the dictionary says, and without null as a default."""
    return {
        name: value
        for name, value in schema.items()
        if (name != "title" or "enum" in schema) and name != "description" and (name, value) != ("default", None)
    }


@dataclass(frozen=True)
class IdempotencyKeyHeader:
    """Reads the header Idempotency-Key. Raises Problem: invalid_payload."""

    max_length: int

    async def __call__(self, request: Request) -> str:
        values = request.headers.getlist(IDEMPOTENCY_HEADER)
        if not values:
            return ""
        key = values[0].strip()
        if len(values) > 1 or not 0 < len(key) <= self.max_length or not (key.isascii() and key.isprintable()):
            detail = Text(
                f"Idempotency-Key s’envoie une fois, avec 1 à {self.max_length} caractères ASCII imprimables.",
                f"Idempotency-Key is sent once, with 1 to {self.max_length} printable ASCII characters.",
            )
            raise invalid("", "malformed", detail)
        return key

    def parameters(self, components: Components, operation: str) -> list[Json]:
        schema = {"type": "string", "minLength": 1, "maxLength": self.max_length, "pattern": "^[ -~]*[!-~][ -~]*$"}
        return [components.parameter(operation, "Idempotency-Key", "header", schema)]


IdempotencyKey = Annotated[str, Depends(IdempotencyKeyHeader(255))]
"""The client's name for this request; "" if it sent none."""
CreationIdempotencyKey = Annotated[str, Depends(IdempotencyKeyHeader(200))]
"""The client's name for the creation of an API key. keys stores at most 200 characters."""
