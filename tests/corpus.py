"""The contract corpus: requests and their expected answers, in two files with one JSON object per line.

A request has a `name`, a `method` and a `path`. Optional members are `key` (one of KEYS, or the text of the header),
`headers`, and a body: `json`, or `text`, or `repeat` with `times` for a long one. A request with an `example` is also
an example of the API description, with its expected answer and under that name.
"""

import contextlib
import io
import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
from ezdxf.filemanagement import read as read_dxf

from contract.key_text import ID_LENGTH
from landpartner.land.v1 import vector_tile_pb2
from stacks import REPOSITORY, Stack, create_key

FOLDER = Path(__file__).parent / "contract" / "corpus"
REQUESTS_FILE = FOLDER / "requests.jsonl"
EXPECTED_FILE = FOLDER / "expected.jsonl"
EXAMPLES_FILE = REPOSITORY / "services" / "edge" / "src" / "edge" / "descriptions" / "examples.jsonl"
"""Generated from the other two."""

KEYS: dict[str, tuple[str, ...]] = {
    "live": (),
    "unused": ("--monthly-units", "10000", "--per-minute", "600", "--burst", "100"),
    "test": ("--mode", "test"),
    "revoked": (),
    "resolve-only": ("--scope", "addresses.resolve"),
    "elsewhere": ("--cidr", "203.0.113.0/24"),
    "no-assistant": ("--assistant", "disabled"),
    "exhausted": ("--monthly-units", "0"),
    "own": ("--partner", "Own", "--scope", "keys"),
}
"""The keys that requests name besides one that has expired, and the options that make each."""
_LIFETIMES_S = (15, 120)
"""How long the key that expires is valid: the second one if it was created too late for the first."""

COMPARED_HEADERS = ("content-type", "location", "allow", "x-robots-tag", "www-authenticate")
DECIMALS = 6
"""Decimals of compared numbers: a tenth of a metre in degrees, a square millimetre in square metres."""
SHOWN_PER_REQUEST = 5
_CHANGING = {
    "request_id", "generated_at", "retrieved_at", "read_at", "loaded_at", "as_of", "key_id", "masked", "month",
    "resets_at", "created_at", "secret", "api_key", "latency_ms", "uptime_s", "retry_after_s", "checked_at",
    "datasets_at", "since", "timeStamp", "last_used_at", "previous_secret_expires_at", "availability",
}  # fmt: skip
"""Members whose values differ between runs."""
_MAYBE_NULL = {"since", "last_used_at", "availability"}
"""Members that are null in some runs: an edge knows since when a service is up only if it saw it start."""
_CHANGED = "…"
NDJSON, CSV, GEOPACKAGE = "application/x-ndjson", "text/csv", "application/geopackage+sqlite3"
VECTOR_TILE = "application/vnd.mapbox-vector-tile"
DXF = "application/dxf"
_FRACTION = re.compile(r"-?[0-9]+\.[0-9]+")
_OWN_ADDRESS = re.compile(r"^https?://[a-z0-9.:]+(?=/api/)")
"""The base of an address of the service, which differs between stacks."""
_CODE_OF_CURSOR = re.compile(r"(cursor=\d+\.)[0-9a-f]{24}(?=\.)")
"""It differs between keys."""
_SQLITE = "SQLite format 3"
"""How a GeoPackage begins, which is all that is compared."""
_DATED = ("Établi le", "Made on")
"""How the texts of a DXF begin that differ between runs."""
_DXF_START = "  0\nSECTION\n"
_IN_EXAMPLES = {
    "request_id": "3f0e7c5e9b2a4d1c8e6f0a1b2c3d4e5f",
    "generated_at": "2026-11-20T10:00:00Z",
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "created_at": "2026-11-20T10:00:00Z",
    "retrieved_at": "2026-11-02T03:00:00Z",
    "read_at": "2026-11-02T03:00:00Z",
    "loaded_at": "2026-11-02T03:04:10Z",
    "checked_at": "2026-11-20T10:00:00Z",
    "datasets_at": "2026-11-20T10:00:00Z",
    "timeStamp": "2026-11-20T10:00:00Z",
    "since": None,
    "availability": [{"date": "2026-11-19", "name": "land", "checks": 1440, "answered": 1439}],
    "key_id": "k3y1d4ab",
    "masked": "lp_live_k3y1d4ab…x7Qe",
    "api_key": "lp_live_k3y1d4ab…",
    "last_used_at": "2026-11-20T10:00:00Z",
    "previous_secret_expires_at": "2026-11-27T10:00:00Z",
    "month": "2026-11",
}
"""The values of these members in examples."""
_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Request:
    name: str
    method: str
    path: str
    key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    text: str | None = None
    repeat: str | None = None
    times: int = 1
    example: str | None = None

    def content(self) -> bytes | None:
        if self.text is not None:
            return self.text.encode("utf-8", "surrogateescape")
        if self.repeat is not None:
            return self.repeat.encode() * self.times
        if self.json is not None:
            return json.dumps(self.json, ensure_ascii=False).encode()
        return None


def read_requests() -> list[Request]:
    return [Request(**json.loads(line)) for line in REQUESTS_FILE.read_text(encoding="utf-8").splitlines()]


def read_expected() -> dict[str, Any]:
    """The expected answers by the name of their request."""
    lines = EXPECTED_FILE.read_text(encoding="utf-8").splitlines()
    return {answer["name"]: answer for answer in map(json.loads, lines)}


def write_expected(answers: list[dict[str, Any]]) -> None:
    _write_lines(EXPECTED_FILE, answers)


def examples(expected: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The examples of the API description, in the order of their requests."""
    differences = []
    for request in read_requests():
        if request.example is not None:
            answer = expected[request.name]
            example: dict[str, Any] = {
                "name": request.example,
                "method": request.method,
                "path": request.path.partition("?")[0],
            }
            if request.json is not None:
                example["request"] = request.json
            elif (kind := request.headers.get("content-type")) in (NDJSON, CSV):
                example |= {"request": request.text, "request_type": kind}
            media_type = answer["headers"]["content-type"].partition(";")[0]
            body = _DXF_START if media_type == DXF else _with_sample_values(answer["body"])
            differences.append({**example, "status": answer["status"], "media_type": media_type, "body": body})
    return differences


def read_examples() -> list[dict[str, Any]]:
    return [json.loads(line) for line in EXAMPLES_FILE.read_text(encoding="utf-8").splitlines()]


def write_examples(expected: Mapping[str, Any]) -> None:
    _write_lines(EXAMPLES_FILE, examples(expected))


def _write_lines(file: Path, items: list[dict[str, Any]]) -> None:
    lines = (json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in items)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _with_sample_values(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: _IN_EXAMPLES[name] if item == _CHANGED else _with_sample_values(item)
                for name, item in value.items()
            }
        case list():
            return [_with_sample_values(item) for item in value]
    return value


def ask_all(stack: Stack) -> list[dict[str, Any]]:
    """Sends every request of the corpus in order, with new keys. Returns the normalized answers."""
    keys = {name: create_key(stack, f"corpus: {name}", *options) for name, options in KEYS.items()}
    stack.command("keys", "revoke-key", keys["revoked"]["key_id"])
    keys["expired"] = _expired_key(stack)
    secrets = {name: key["secret"] for name, key in keys.items()}
    with httpx.Client(base_url=stack.url, timeout=_TIMEOUT_S, follow_redirects=False) as client:
        return [_ask(client, request, secrets) for request in read_requests()]


def _expired_key(stack: Stack) -> dict[str, str]:
    """Creates a key and waits until it has expired."""
    for lifetime_s in _LIFETIMES_S:
        expiry = datetime.now(UTC) + timedelta(seconds=lifetime_s)
        with contextlib.suppress(RuntimeError):  # it expired before keys read its expiry
            key = create_key(stack, "corpus: expired", "--expires-at", f"{expiry:%Y-%m-%dT%H:%M:%SZ}")
            time.sleep(max(0.0, (expiry - datetime.now(UTC)).total_seconds()))
            return key
    raise TimeoutError


def _ask(client: httpx.Client, request: Request, secrets: Mapping[str, str]) -> dict[str, Any]:
    headers = dict(request.headers)
    content = request.content()
    if request.key is not None:
        headers["x-api-key"] = secrets.get(request.key, request.key)
    if content is not None:
        headers.setdefault("content-type", "application/json")
    path = request.path.format(**secrets, keyId=secrets["own"].split("_")[2][:ID_LENGTH])
    try:
        while is_running(response := client.request(request.method, path, headers=headers, content=content)):
            time.sleep(0.5)  # the outcome of the run before is on its way to keys
    except httpx.HTTPError as error:
        error.add_note(request.name)
        raise
    shown = {name: value for name in COMPARED_HEADERS if (value := response.headers.get(name)) is not None}
    return {"name": request.name, "status": response.status_code, "headers": shown, "body": _body(response)}


def is_running(response: httpx.Response) -> bool:
    """Whether another run of a request with an Idempotency-Key is open."""
    return response.status_code == HTTPStatus.CONFLICT and "idempotency_in_progress" in response.text


def _body(response: httpx.Response) -> Any:
    kind = response.headers.get("content-type", "").partition(";")[0]
    if not response.content:
        return None
    if kind == NDJSON:
        return [normalized(json.loads(line)) for line in response.text.splitlines()]
    if kind == CSV:
        return _FRACTION.sub(lambda match: str(normalized(float(match[0]))), response.text)
    if kind == GEOPACKAGE:
        return response.content[: len(_SQLITE)].decode()
    if kind == VECTOR_TILE:
        return _tile(response.content)
    if kind == DXF:
        texts = read_dxf(io.StringIO(response.text)).modelspace().query("TEXT")
        return [f"{entity.dxf.layer}: {entity.dxf.text}" for entity in texts if not entity.dxf.text.startswith(_DATED)]
    if kind.endswith("json"):
        body = response.json()
        return _outline(body) if "openapi" in body else normalized(body)
    if kind == "text/event-stream":
        return list(_events(response.text))
    return f"{kind}, not compared" if kind == "text/html" else response.text


def _tile(content: bytes) -> dict[str, Any]:
    """Digest and size of each layer of a vector tile."""
    layers = vector_tile_pb2.Tile.FromString(content).layers
    return {
        layer.name: [len(layer.features), sha256(layer.SerializeToString(deterministic=True)).hexdigest()]
        for layer in layers
    }


def _events(stream: str) -> Iterator[dict[str, Any]]:
    for block in stream.split("\n\n"):
        if block:
            name, data, *_ = block.split("\n")  # then its id
            value = json.loads(data.removeprefix("data: "))
            yield {"event": name.removeprefix("event: "), "data": normalized(value)}


def _outline(description: Any) -> Any:
    """The compared part of an API description: its version, and its operations without those of admins."""
    operations = {path: sorted(item) for path, item in description["paths"].items() if "/admin/" not in path}
    return {"version": description["info"]["version"], "paths": operations}


def normalized(value: Any) -> Any:
    """The value with rounded numbers, and without the members that differ between runs."""
    match value:
        case dict():
            return {
                name: _CHANGED if name in _CHANGING and (item or name in _MAYBE_NULL) else normalized(item)
                for name, item in value.items()
            }
        case list():
            return [normalized(item) for item in value]
        case float():
            rounded = round(value, DECIMALS)
            return int(rounded) if rounded.is_integer() else rounded
        case str():
            return _CODE_OF_CURSOR.sub(rf"\g<1>{'0' * 24}", _OWN_ADDRESS.sub("", value))
    return value


def assert_expected(answers: list[dict[str, Any]]) -> None:
    """Fails with the first differences between the answers and the expected ones."""
    expected = read_expected()
    differences = [
        f"{answer['name']} {pointer}"
        for answer in answers
        for pointer in islice(differences_in(expected.get(answer["name"]), answer), SHOWN_PER_REQUEST)
    ]
    assert not differences, "\n" + "\n".join(differences)


def differences_in(expected: Any, answered: Any, pointer: str = "") -> Iterator[str]:
    """The differences between two JSON values, each with its JSON pointer and both values."""
    if isinstance(expected, dict) and isinstance(answered, dict):
        for name in expected.keys() | answered.keys():
            yield from differences_in(expected.get(name), answered.get(name), f"{pointer}/{name}")
    elif isinstance(expected, list) and isinstance(answered, list) and len(expected) == len(answered):
        for index, (expected_line, right) in enumerate(zip(expected, answered, strict=True)):
            yield from differences_in(expected_line, right, f"{pointer}/{index}")
    elif expected != answered:
        yield f"{pointer}: expected {expected!r:.200}, answered {answered!r:.200}"
