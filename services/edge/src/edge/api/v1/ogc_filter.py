"""Filters in Basic CQL2 text: what an index answers, as conditions, and the rest, which land compares row by row."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

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
_MAX_DEPTH = 30
_SYNTAX = Text(
    f"Le filtre n’est pas du CQL2, ou est trop long ou trop imbriqué : {MAX_FILTER} caractères au plus, et moitié "
    "moins pour chaque parenthèse après la première.",
    f"The filter is not CQL2, or is too long or too deep: at most {MAX_FILTER} characters, and half as many for each "
    "parenthesis after the first.",
)


class Filter(NamedTuple):
    conditions: list[pb.FeatureCondition]
    rest: str
    """An expression in CQL2 JSON; empty if the conditions say all."""


def read_filter(text: str, collection: str) -> Filter:
    """Raises Problem: invalid_payload."""
    if len(text) << text.count("(") > _MAX_WORK:
        raise invalid("/filter", "malformed", _SYNTAX)
    try:
        expression = cql2.parse_text(text).to_json()
    except Exception as error:  # of a geometry that GeoJSON does not have, the library raises Exception itself
        raise invalid("/filter", "malformed", _SYNTAX) from error
    conditions, rest = [], []
    for part in _joined(expression):
        _check(part, collection, 0)
        if condition := _condition(part):
            conditions.append(condition)
        else:
            rest.append(part)
    return Filter(conditions, json.dumps({"op": "and", "args": rest}) if rest else "")


def _condition(expression: Any) -> pb.FeatureCondition | None:
    """The values of one member that a checked expression permits, if that is all it says."""
    match expression:
        case {"op": "=", "args": [{"property": member}, str(value)] | [str(value), {"property": member}]}:
            return pb.FeatureCondition(member=member, values=[value])
        case {"op": "in", "args": [{"property": member}, [*values]]}:
            return pb.FeatureCondition(member=member, values=values)
        case {"op": "or", "args": parts}:
            options = [option for part in parts if (option := _condition(part))]
            if len(options) == len(parts) and len({option.member for option in options}) == 1:
                values = [value for option in options for value in option.values]
                return pb.FeatureCondition(member=options[0].member, values=values)
    return None


def _joined(expression: Any) -> Iterator[Any]:
    """The parts that AND joins."""
    match expression:
        case {"op": "and", "args": parts}:
            for part in parts:
                yield from _joined(part)
        case _:
            yield expression


def _check(expression: Any, collection: str, depth: int) -> None:
    """Raises Problem unless it is Basic CQL2 over texts, or IN."""
    if depth > _MAX_DEPTH:
        raise invalid("/filter", "malformed", _SYNTAX)
    match expression:
        case bool():
            return
        case {"op": "and" | "or" | "not", "args": parts}:
            for part in parts:
                _check(part, collection, depth + 1)
            return
        case {"op": "isNull", "args": [operand]}:
            operands = [operand]
        case {"op": "=" | "<>" | "<" | ">" | "<=" | ">=", "args": [left, right]}:
            operands = [left, right]
        case {"op": "in", "args": [operand, [*values]]} if all(isinstance(value, str) for value in values):
            operands = [operand]
        case _:
            raise _unsupported(collection)
    if not all(_is_text(operand, collection) for operand in operands):
        raise _unsupported(collection)


def _is_text(operand: Any, collection: str) -> bool:
    match operand:
        case {"property": str(member)}:
            return member in COLLECTIONS[collection].queryables
        case _:
            return isinstance(operand, str)


def _unsupported(collection: str) -> Problem:
    members = ", ".join(COLLECTIONS[collection].queryables)
    detail = Text(
        "Un filtre compare ces membres à des textes par =, <>, <, >, <=, >=, IN ou IS NULL, joints par AND, OR et "
        f"NOT : {members}.",
        "A filter compares these members with texts by =, <>, <, >, <=, >=, IN or IS NULL, joined by AND, OR and NOT: "
        f"{members}.",
    )
    return invalid("/filter", "unknown_value", detail)
