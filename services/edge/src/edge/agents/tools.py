"""The tools of agents. A tool is a route of partners, with its description, its parameters and its answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import mcp_types
import orjson

from contract.dictionary import dictionary
from contract.endpoints import SUGGEST, WEIGHTS
from contract.messages.schemas import IGNORED, REF, Components, Json, members_of
from edge.access import API
from edge.agents.results import DETAILS
from edge.descriptions.document import operation_id
from edge.descriptions.operations import body_of, operation_of, parameters_of
from edge.routing import PlainRoute, RouteTable
from servicekit.languages import Text, language

_ROUTES: Mapping[str, tuple[str, str]] = {
    "resolve_address": ("POST", f"{API}/addresses/resolve"),
    "suggest": ("GET", f"{API}/addresses/suggest"),
    "land_unit": ("POST", f"{API}/land-units/geojson"),
    "search_parcels": ("POST", f"{API}/parcels/search"),
    "sale_statistics": ("GET", f"{API}/statistics/sales"),
    "divide_land": ("POST", f"{API}/assistant/divide-land"),
    "coverage": ("GET", f"{API}/coverage"),
    "usage": ("GET", f"{API}/usage"),
}
_DETAILS_TEXT = Text(
    "Ce que la réponse porte en plus : outlines les contours, texts les textes longs, json toute la réponse en texte. "
    "left_out nomme ce qui manque.",
    "What the answer has in addition: outlines, long texts (texts), and the whole answer as text (json). "
    "left_out names what is missing.",
)
_DEFINITIONS = "#/$defs/"


@dataclass(frozen=True)
class Tool:
    name: str
    method: str
    route: PlainRoute

    def describe(self) -> mcp_types.Tool:
        """The tool in the language of the request."""
        texts = dictionary().operations[operation_id(self.route)]
        return mcp_types.Tool(
            name=self.name,
            title=str(texts.summary),
            description=f"{texts.description}\n\n{_price(self.route.access.endpoint)}",
            input_schema=_with_details(_input_schema(self.route)),
            output_schema=_output_schema(self.route),
            annotations=mcp_types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )

    def request(self, arguments: Mapping[str, Any]) -> tuple[bytes, bytes]:
        """The query and the body of the HTTP request with these arguments."""
        if self.method == "POST":
            return b"", orjson.dumps(arguments)
        return urlencode({name: value for name, value in arguments.items() if value is not None}).encode(), b""


def tools_of(routes: RouteTable) -> Mapping[str, Tool]:
    """The tools by name."""
    return {name: Tool(name, method, routes.lookup(path).by_method[method]) for name, (method, path) in _ROUTES.items()}


def _price(endpoint: str) -> Text:
    units = WEIGHTS[endpoint]
    if endpoint == SUGGEST:
        return Text(
            "Coûte une unité pour dix appels au-delà des appels gratuits du mois.",
            "Costs one unit for ten calls beyond the free calls of the month.",
        )
    if not units:
        return Text("Ne coûte aucune unité.", "Costs no units.")
    return Text(
        f"Coûte {units} unité{'s' if units > 1 else ''} par appel, sauf réglage du service ; une erreur est gratuite.",
        f"Costs {units} unit{'s' if units > 1 else ''} a call unless the service is set otherwise; an error is free.",
    )


def _input_schema(route: PlainRoute) -> Json:
    """The schema of the arguments: the members of the body, or the parameters of the query."""
    components = Components(language.get())
    components.schemas.clear()
    body = body_of(route)
    if body is None:
        parameters = [
            parameter
            for dependency in parameters_of(route)
            for parameter in dependency.parameters(components, operation_id(route))
            if parameter["in"] == "query"
        ]
        return {
            "type": "object",
            "properties": {
                parameter["name"]: {**parameter["schema"], "description": parameter["description"]}
                for parameter in parameters
            },
            "required": [parameter["name"] for parameter in parameters if parameter["required"]],
        }
    name = body.describe(components)["$ref"].removeprefix(REF)
    for schema in components.schemas.values():  # an agent sends what it means
        schema["properties"] = {key: value for key, value in schema["properties"].items() if IGNORED not in value}
    schemas: Json = json.loads(json.dumps(components.schemas).replace(REF, _DEFINITIONS))
    root = schemas.pop(name)
    return {**root, "$defs": schemas} if schemas else root


def _with_details(schema: Json) -> Json:
    details = {
        "type": "array",
        "items": {"type": "string", "enum": list(DETAILS)},
        "description": str(_DETAILS_TEXT),
    }
    return {**schema, "properties": {**schema["properties"], "details": details}}


def _output_schema(route: PlainRoute) -> Json:
    """The schema of a result. The answer has its outer members only: all of them would be longer than most answers."""
    components, operation = Components(language.get()), operation_of(route)
    assert operation is not None  # noqa: S101 (tells mypy: each tool is a described route)
    assert operation.answer is not None  # noqa: S101
    name = operation.answer.describe(components)["$ref"].removeprefix(REF)
    members = {
        member: {key: schema[key] for key in ("type", "description") if key in schema}
        for member, schema in members_of(components.schemas, name).items()
    }
    return {
        "type": "object",
        "properties": {
            "answer": {"type": "object", "properties": members},
            "problem": {"type": "object"},
            "left_out": {"type": "object", "additionalProperties": {"type": "string"}},
            "units_charged": {"type": "integer"},
            "units_left": {"type": ["integer", "null"]},
        },
        "required": ["units_charged", "units_left"],
    }
