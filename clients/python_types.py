"""Writes the types of the Python client: a TypedDict for each schema, and names for the body and result of operations.

`make clients` runs it. With --check, it writes nothing and reports an outdated file.
"""

import json
import keyword
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from generated_files import update

from api_description import routes
from edge.descriptions.document import describe

Json = Mapping[str, Any]

_HEAD = '''\
"""Requests and answers of the API. `make clients` writes this file from the API description: do not edit it.

An answer may have more members than its type, since later versions of the service add some.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_COMPOSED = ("allOf", "patternProperties")
_EVENTS = "text/event-stream"
_WIDTH = 110
_SCHEMAS = Path(__file__).resolve().parent / "python/src/landpartner_client/schemas.py"


def main() -> int:
    return update({_SCHEMAS: schemas_module(public_description())}, "make clients")


def public_description() -> Json:
    """The API description of the consumer endpoints in English, as JSON has it."""
    described: Json = json.loads(json.dumps(describe(routes(), "en", consumer_only=True)))
    return described


def schemas_module(description: Json) -> str:
    """Returns the module as text. Raises ValueError for a schema that has no Python type here."""
    schemas: Json = description["components"]["schemas"]
    parts = [_HEAD, *(_class(name, schema) for name, schema in schemas.items() if "properties" in schema)]
    parts += [f"{name} = {_type(schema)}" for name, schema in schemas.items() if "properties" not in schema]
    for path in description["paths"].values():
        for operation in path.values():
            parts += _operation_names(operation, schemas)
    return _formatted("\n\n".join(parts))


def _operation_names(operation: Json, schemas: Json) -> Iterator[str]:
    """Names that do not depend on those of the schemas.

    `…Body`, `…Parameters` and `…Result` of each operation; `…Item` of a result in pages; one for each part of a result
    that is also streamed.
    """
    identity = operation["operationId"]
    prefix = identity[0].upper() + identity[1:]
    names: dict[str, str] = {}
    if "requestBody" in operation:
        first = next(iter(operation["requestBody"]["content"].values()))
        names[f"{prefix}Body"] = _type(first["schema"])
    if "200" not in operation["responses"]:
        return  # an answer without content
    contents: Json = operation["responses"]["200"]["content"]
    result = next(content["schema"] for media_type, content in contents.items() if media_type != _EVENTS)
    if result.get("format") == "binary" or _type(result) not in schemas:
        return  # a tile, or a message of an agent
    names[f"{prefix}Result"] = _type(result)
    members: Json = schemas[_type(result)]["properties"]
    if _EVENTS in contents:
        names |= {f"{prefix}{_pascal(name)}": _type(member) for name, member in members.items()}
    if "next_cursor" in members:
        first_list = next(member for member in members.values() if member.get("type") == "array")
        names[f"{prefix}Item"] = _type(first_list["items"])
    query = [parameter for parameter in operation["parameters"] if parameter["in"] == "query"]
    if query:
        yield _class(
            f"{prefix}Parameters",
            {
                "properties": {
                    parameter["name"]: {**parameter["schema"], "description": parameter["description"]}
                    for parameter in query
                },
                "required": [parameter["name"] for parameter in query if parameter["required"]],
            },
        )
    for name, target in names.items():
        if name not in schemas:
            yield f"{name} = {target}"
        elif name != target:
            raise ValueError(f"a schema is called {name}, but the operation {identity} uses {target} there")


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _class(name: str, schema: Json) -> str:
    """Returns the code of a TypedDict. Members whose names are no Python names need the call of TypedDict."""
    members: Json = schema["properties"]
    required = frozenset(schema.get("required", ()))
    types = {member: _type(member_schema) for member, member_schema in members.items()}
    types = {member: kind if member in required else f"NotRequired[{kind}]" for member, kind in types.items()}
    if not all(member.isidentifier() and not keyword.iskeyword(member) for member in types):
        return f"{name} = TypedDict({name!r}, {types!r})"
    lines = [f"class {name}(TypedDict):"]
    if description := schema.get("description"):
        text = textwrap.fill(description, _WIDTH, subsequent_indent="    ")
        lines.append('    """' + text.replace("\\", r"\\").replace('"', r"\"") + '"""\n')
    for member, kind in types.items():
        comment = textwrap.wrap(members[member].get("description", ""), _WIDTH)
        lines += [*(f"    # {line}" for line in comment), f"    {member}: {kind}"]
    return "\n".join(lines if types else [*lines, "    pass"])


def _type(schema: Json) -> str:
    """The Python type of a schema. Raises ValueError if the schema uses something unknown here."""
    match schema:
        case {"$ref": str(reference)}:
            return reference.rpartition("/")[2]
        case {"const": value}:
            return f"Literal[{value!r}]"
        case {"enum": values}:
            return f"Literal[{', '.join(map(repr, values))}]"
        case {"anyOf": options} | {"oneOf": options}:
            return " | ".join(dict.fromkeys(map(_type, options)))
        case {"type": list(kinds)}:
            return " | ".join(_type({**schema, "type": kind}) for kind in kinds)
        case {"type": "array"}:
            return f"list[{_type(schema.get('items', {}))}]"
        case {"type": "object"} if "properties" not in schema:
            values = schema.get("additionalProperties", True)
            return f"dict[str, {'Any' if isinstance(values, bool) else _type(values)}]"
        case {"type": str(kind)} if kind in _SCALARS:
            return _SCALARS[kind]
        case _ if "type" not in schema and schema.keys().isdisjoint(_COMPOSED):
            return "Any"
    raise ValueError(f"no Python type for the schema {dict(schema)}")


def _formatted(code: str) -> str:
    """Returns the code in the format that `make check` expects."""
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--stdin-filename", "schemas.py", "-"]
    return subprocess.run(command, input=code, capture_output=True, check=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
