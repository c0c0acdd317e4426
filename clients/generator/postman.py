"""The Postman collection (format v2.1): a folder per tag, with the examples of the description as requests."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]
Described = Mapping[str, Any]

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_BASE_URL = "http://127.0.0.1:8080"
_JSON = "application/json"
_GENERATED = {"Idempotency-Key": "{{$guid}}"}
"""Headers whose value Postman creates for each request."""


def written(description: Described) -> str:
    """The collection as JSON."""
    return json.dumps(_collection(description), ensure_ascii=False, indent=1)


def _collection(description: Described) -> Json:
    info = description["info"]
    (scheme,) = description["components"]["securitySchemes"].values()
    folders: dict[str, list[Json]] = {tag["name"]: [] for tag in description["tags"]}
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            folders[operation["tags"][0]] += _items(method.upper(), path, operation)
    return {
        "info": {
            "name": info["title"],
            "description": info["description"],
            "version": info["version"],
            "schema": SCHEMA,
        },
        "auth": {
            "type": "apikey",
            "apikey": [
                {"key": "key", "value": scheme["name"], "type": "string"},
                {"key": "value", "value": "{{api_key}}", "type": "string"},
                {"key": "in", "value": scheme["in"], "type": "string"},
            ],
        },
        "variable": [
            {"key": "base_url", "value": _BASE_URL, "type": "string"},
            {"key": "api_key", "value": "", "type": "string"},
        ],
        "item": [
            {"name": tag["name"], "description": tag["description"], "item": folders[tag["name"]]}
            for tag in description["tags"]
        ],
    }


def _items(method: str, path: str, operation: Described) -> Iterator[Json]:
    """A request for each media type that the operation answers with."""
    body: Described = operation.get("requestBody", {}).get("content", {_JSON: {}})
    body_type, described = next(iter(body.items()))
    bodies: Described = described.get("examples", {})
    (status,) = (status for status in operation["responses"] if status.startswith("2"))
    first, *_ = contents = operation["responses"][status]["content"]
    for media_type, content in contents.items():
        requests = {
            name: _request(method, path, operation, (media_type, body_type), example["value"])
            for name, example in bodies.items()
        }
        plain = next(iter(requests.values()), None) or _request(method, path, operation, (media_type, body_type), None)
        yield {
            "name": operation["summary"] + (f" ({media_type})" if media_type != first else ""),
            "request": plain,
            "response": [
                _answer(name, requests.get(name, plain), int(status), media_type, example["value"])
                for name, example in content.get("examples", {}).items()
            ],
        }


def _request(method: str, path: str, operation: Described, types: tuple[str, str], body: object) -> Json:
    """`types` are those of the answer and of the body."""
    query = [_parameter(each) for each in operation["parameters"] if each["in"] == "query"]
    headers = [_parameter(each) for each in operation["parameters"] if each["in"] == "header"]
    for each in (parameter for parameter in operation["parameters"] if parameter["in"] == "path"):
        path = path.replace(f"{{{each['name']}}}", each["schema"]["examples"][0])
    request: Json = {
        "method": method,
        "description": operation["description"],
        "header": [{"key": "Accept", "value": types[0]}, *headers],
        "url": {"raw": f"{{{{base_url}}}}{path}", "host": ["{{base_url}}"], "path": path.strip("/").split("/")},
    }
    if query:
        request["url"]["query"] = query
    if body is not None:
        request["header"].append({"key": "Content-Type", "value": types[1]})
        is_text = isinstance(body, str)
        raw = body if is_text else json.dumps(body, ensure_ascii=False, indent=2 if types[1] == _JSON else None)
        options = {"raw": {"language": "text" if is_text else "json"}}
        request["body"] = {"mode": "raw", "raw": raw, "options": options}
    return request


def _parameter(parameter: Described) -> Json:
    """A parameter or a header. It is sent if it is required, if it has an example, or if Postman creates its value."""
    schema = parameter["schema"]
    example, *_ = schema.get("examples", [""])
    value = _GENERATED.get(parameter["name"], "") or str(example)
    return {
        "key": parameter["name"],
        "value": value or str(schema.get("default", "")),
        "description": parameter["description"],
        "disabled": not (parameter["required"] or value),
    }


def _answer(name: str, request: Json, status: int, media_type: str, body: object) -> Json:
    is_text = isinstance(body, str)
    return {
        "name": name,
        "originalRequest": request,
        "code": status,
        "status": "OK",
        "header": [{"key": "Content-Type", "value": media_type}],
        "body": body if is_text else json.dumps(body, ensure_ascii=False, indent=2),
        "_postman_previewlanguage": "text" if is_text else "json",
    }
