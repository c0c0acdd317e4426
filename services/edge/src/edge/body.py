"""Reads a request's body: limits its size, parses strict JSON, and reports each fault with its pointer.

The size is limited while the body streams. The number of values is limited before validation. 256 KB can contain
130,000 values. A violation for each would block the event loop for a second.
"""

import asyncio
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from edge.access import OPEN
from edge.forms import FORMS
from edge.problems import MAX_VIOLATIONS, Problem, invalid
from edge.routing import PlainRoute
from edge.settings import EdgeSettings
from servicekit.errors import Violation, pointer_part
from servicekit.languages import Text

Model = TypeVar("Model", bound=BaseModel)

_JSON_TYPES = ("application/json", "application/geo+json")
_CHARSETS = ("", "utf-8", "utf8")
_UNSUPPORTED = Text(
    "Le corps s’envoie en JSON, UTF-8, non compressé, avec Content-Type: application/json.",
    "The body is sent as JSON in UTF-8, not compressed, with Content-Type: application/json.",
)
OPEN_BODY_BYTES = 4 * 1024
"""The limit for a route that needs no credential."""
MAX_VALUES = 1_000
"""Members and items of one body, if its route permits no more. The largest useful body has about 400."""
_MAX_COMMAS = 8_000
"""Commas separate values but also occur in texts. The longest question and address together have 5,000 characters."""
_MAX_NAME = 60
"""Characters of an unknown name that are compared with known ones."""
_LARGE_BYTES = 16 * 1024
"""Larger bodies are parsed in a thread."""

_CODES = {
    "missing": "required",
    "literal_error": "unknown_value",
    "enum": "unknown_value",
    "string_pattern_mismatch": "malformed",
    "too_long": "too_many",
    "string_too_long": "too_long",
    "string_too_short": "too_short",
    "extra_forbidden": "unknown_member",
    "greater_than_equal": "out_of_range",
    "less_than_equal": "out_of_range",
    "greater_than": "out_of_range",
    "less_than": "out_of_range",
    "value_error": "malformed",
}
INVALID = Text("La requête ne respecte pas le contrat : voir errors.", "The request breaks the contract: see errors.")
VIOLATION_TEXTS = {
    "required": Text("ce membre est obligatoire", "this member is required"),
    "unknown_value": Text("cette valeur n’est pas admise", "this value is not allowed"),
    "malformed": Text("ce texte n’a pas la forme attendue", "this text does not have the expected form"),
    "too_many": Text("la liste est trop longue", "the list is too long"),
    "too_long": Text("le texte est trop long", "the text is too long"),
    "too_short": Text("le texte est trop court", "the text is too short"),
    "unknown_member": Text("ce membre est inconnu", "this member is unknown"),
    "out_of_range": Text("la valeur est hors limites", "the value is out of range"),
    "wrong_type": Text("ce membre n’a pas le bon type", "this member has the wrong type"),
}


def validated(model: type[Model], document: object) -> Model:
    """Validates the document. Raises Problem with a pointer to each fault."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
    violations = [_violation(fault, model) for fault in faults[:MAX_VIOLATIONS]]
    detail = INVALID
    if len(faults) > MAX_VIOLATIONS:
        detail = Text(
            f"La requête ne respecte pas le contrat en {len(faults)} endroits : errors donne les premiers.",
            f"The request breaks the contract in {len(faults)} places: errors lists the first.",
        )
    raise Problem("invalid_payload", detail, violations)


async def read_json(request: Request, settings: EdgeSettings, max_values: int = MAX_VALUES) -> object:
    """The body, of at most `max_values` members and items.

    Raises Problem: invalid_json, invalid_payload, payload_too_large, unsupported_media_type. Raises
    starlette.requests.ClientDisconnect if the client disconnects before it has sent the whole body.
    """
    media_type = content_type(request, _UNSUPPORTED)
    if media_type and media_type not in _JSON_TYPES and not media_type.endswith("+json"):
        raise Problem("unsupported_media_type", _UNSUPPORTED)
    body = await read_bytes(request, _limit(request, settings), settings.body_deadline_s)
    if not body:
        raise Problem("invalid_json", Text("Le corps est vide.", "The body is empty."))
    if not media_type:
        raise Problem("unsupported_media_type", _UNSUPPORTED)
    if len(body) > _LARGE_BYTES:
        return await asyncio.to_thread(to_document, body, max_values)
    return to_document(body, max_values)


async def read_bytes(request: Request, limit: int, deadline_s: float) -> bytearray:
    """The body. Raises Problem: payload_too_large, or invalid_payload if it does not arrive in time.

    It is not copied into bytes, since a copy of megabytes would block the event loop.
    """
    try:
        async with asyncio.timeout(deadline_s):
            return await _read(request, limit)
    except TimeoutError:
        raise Problem(
            "invalid_payload",
            Text("Le corps n’est pas arrivé à temps.", "The body did not arrive in time."),
            headers={"connection": "close"},
        ) from None


def to_document(body: bytes | bytearray, max_values: int = MAX_VALUES) -> object:
    """The JSON document. Raises Problem."""
    if body.count(b",") > _MAX_COMMAS:
        raise _too_many_values(max_values)
    try:
        # refuses NaN, invalid UTF-8, lone surrogates and deep nesting
        document = orjson.loads(body.removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise Problem(
            "invalid_json",
            Text(
                f"Le JSON n’est pas valide, ligne {error.lineno}, colonne {error.colno}.",
                f"The JSON is not valid at line {error.lineno}, column {error.colno}.",
            ),
        ) from None
    if has_more_values(document, max_values):
        raise _too_many_values(max_values)
    return document


def has_more_values(document: object, limit: int) -> bool:
    """Whether the document has more members and items than the limit. Stops counting at the limit."""
    count = 0
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if not isinstance(value, (dict, list)):
            continue
        count += len(value)
        if count > limit:
            return True
        waiting += value.values() if isinstance(value, dict) else value
    return False


def _too_many_values(limit: int) -> Problem:
    detail = Text(
        f"Le corps a plus de {limit} membres et éléments.", f"The body has more than {limit} members and items."
    )
    return invalid("", "too_many", detail)


def _limit(request: Request, settings: EdgeSettings) -> int:
    route = request.scope.get("route")
    is_open = isinstance(route, PlainRoute) and route.access == OPEN
    return min(OPEN_BODY_BYTES, settings.body_limit_bytes) if is_open else settings.body_limit_bytes


async def _read(request: Request, limit: int) -> bytearray:
    """Reads a body of up to twice the limit to its end before the refusal: many clients read no answer before that."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > 2 * limit:
        raise _too_large(limit)
    body, count = bytearray(), 0
    async for chunk in request.stream():
        count += len(chunk)
        if count <= limit:
            body += chunk
        elif count > 2 * limit:
            break
    if count > limit:
        raise _too_large(limit)
    return body


def _too_large(limit: int) -> Problem:
    return Problem(
        "payload_too_large",
        Text(f"Le corps dépasse {limit // 1024} Kio.", f"The body is over {limit // 1024} KiB."),
        headers={"connection": "close"},
    )


def content_type(request: Request, detail: Text) -> str:
    """The media type of the body. Raises Problem with this text if the body is compressed, or not in UTF-8."""
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = ""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip('"').lower()
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if charset not in _CHARSETS or encoding not in ("", "identity"):
        raise Problem("unsupported_media_type", detail)
    return media_type.strip().lower()


def fault(pointer: str, code: str, expected: Sequence[str] = ()) -> Violation:
    """The violation with this code, in the language of the request."""
    sentence = str(VIOLATION_TEXTS[code])
    return Violation(pointer, code, f"{sentence} ({', '.join(expected)})" if expected else sentence)


def _violation(error: ErrorDetails, model: type[BaseModel]) -> Violation:
    code = _CODES.get(error["type"], "wrong_type")
    pointer = "".join(map(pointer_part, error["loc"]))
    if code == "unknown_member":
        *place, name = error["loc"]
        return Violation(
            pointer, "unknown_member", str(_unknown_member(str(name)[:_MAX_NAME], _members_at(model, place)))
        )
    if form := FORMS.get(error.get("ctx", {}).get("pattern", "")):
        return fault(pointer, code, [str(form)])
    expected = re.findall("'([^']*)'", error.get("ctx", {}).get("expected", "")) if code == "unknown_value" else ()
    return fault(pointer, code, expected)


def _unknown_member(name: str, members: Sequence[str]) -> Text:
    """Says which of the members is meant, or names them all if none has a similar name."""
    unknown = VIOLATION_TEXTS["unknown_member"]
    if nearest := get_close_matches(name, members, 1):
        return Text(f"{unknown.fr} ; vouliez-vous dire {nearest[0]} ?", f"{unknown.en}; did you mean {nearest[0]}?")
    listed = ", ".join(members)
    return Text(f"{unknown.fr} ; les membres sont : {listed}", f"{unknown.en}; the members are: {listed}")


def _members_at(model: type[BaseModel], place: Sequence[int | str]) -> list[str]:
    """The names of the members of the object at a place of the document."""
    for name in place:
        if isinstance(name, str) and name in model.model_fields:
            model = next(_models_in(model.model_fields[name].annotation), model)
    return list(model.model_fields)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
