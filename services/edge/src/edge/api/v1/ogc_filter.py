"""Filters in CQL2 text, as conditions for land: members that have one of some values, joined by AND."""

from collections.abc import Iterator, Mapping
from typing import Any

import cql2

from contract.collections import COLLECTIONS
from edge.problems import Problem, invalid
from landpartner.land.v1 import land_pb2 as pb
from servicekit.languages import Text

MAX_FILTER = 2_000
_MAX_WORK = 2 * MAX_FILTER
"""Characters that the parser reads: all of them twice for each open parenthesis. These take 3 ms, in which it holds the
interpreter's lock, so a thread or a time limit would not help.
"""
_SYNTAX = Text(
    f"Le filtre n’est pas du CQL2, ou est trop long : {MAX_FILTER} caractères au plus, et moitié moins pour chaque "
    "parenthèse après la première.",
    f"The filter is not CQL2, or is too long: at most {MAX_FILTER} characters, and half as many for each parenthesis "
    "after the first.",
)


def conditions(text: str, collection: str) -> Iterator[pb.FeatureCondition]:
    """Raises Problem: invalid_payload."""
    if len(text) << text.count("(") > _MAX_WORK:
        raise invalid("/filter", "malformed", _SYNTAX)
    try:
        expression = cql2.parse_text(text).to_json()
    except Exception as error:  # of a geometry that GeoJSON does not have, the library raises Exception itself
        raise invalid("/filter", "malformed", _SYNTAX) from error
    return _conditions(expression, collection)


def _conditions(expression: Mapping[str, Any], collection: str) -> Iterator[pb.FeatureCondition]:
    match expression:
        case {"op": "and", "args": parts}:
            for part in parts:
                yield from _conditions(part, collection)
        case {"op": "=", "args": [{"property": str(member)}, str(value)]}:
            yield _condition(member, [value], collection)
        case {"op": "in", "args": [{"property": str(member)}, [*values]]} if all(
            isinstance(value, str) for value in values
        ):
            yield _condition(member, values, collection)
        case _:
            raise _unsupported(collection)


def _condition(member: str, values: list[str], collection: str) -> pb.FeatureCondition:
    if member not in COLLECTIONS[collection].queryables:
        raise _unsupported(collection)
    return pb.FeatureCondition(member=member, values=values)


def _unsupported(collection: str) -> Problem:
    members = ", ".join(COLLECTIONS[collection].queryables)
    detail = Text(
        f"Un filtre compare ces membres à des textes par = ou IN, joints par AND : {members}.",
        f"A filter compares these members with texts by = or IN, joined by AND: {members}.",
    )
    return invalid("/filter", "unknown_value", detail)
