"""Applies rules to a message, and lists its violations with pointers of field names.

The work is bounded: a list or a map over its limit is one violation, and the search ends at MAX_VIOLATIONS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from google.protobuf.message import Message

from keys.checks import INVALID, REQUIRED, UNKNOWN_MEMBER, Check, malformed, too_many
from servicekit.errors import InvalidPayload, Violation, pointer_part
from servicekit.languages import Text

MAX_VIOLATIONS = 20
_MAX_PATHS = 100


@dataclass(frozen=True)
class Value:
    """A scalar. An absent one, or one with its zero value, is only checked for its presence."""

    check: Check[Any]
    is_required: bool = False


@dataclass(frozen=True)
class Items:
    """A list. `rule` applies to each item, and `check` to the whole list if its items have no fault."""

    rule: Value | Members
    most: int
    check: Check[Any] | None = None
    is_required: bool = False


@dataclass(frozen=True)
class Labels:
    """A struct of texts by name."""

    most: int
    name: Check[str]
    value: Check[str]
    is_required: bool = False


@dataclass(frozen=True)
class Members:
    """A message, by its fields. A field without a rule accepts every value."""

    rules: Mapping[str, Rule]
    is_required: bool = False


@dataclass(frozen=True)
class Masked:
    """A record of which the request's update mask names the changed fields. Only fields with a rule can be changed."""

    rules: Mapping[str, Rule]
    is_required: bool = True


Rule = Value | Items | Labels | Members | Masked


def validate(request: Message, rules: Mapping[str, Rule]) -> None:
    """Raises InvalidPayload with the violations."""
    violations = list(islice(_of_members(request, rules, ""), MAX_VIOLATIONS))
    if violations:
        raise InvalidPayload(INVALID, violations=violations)


def _of_members(message: Message, rules: Mapping[str, Rule], pointer: str) -> Iterator[Violation]:
    for name, rule in rules.items():
        if isinstance(rule, Masked):  # the record's name is left out of pointers
            yield from _of_masked(message, name, rule)
        else:
            yield from _of_field(message, name, rule, f"{pointer}/{name}")


def _of_field(message: Message, name: str, rule: Rule, pointer: str) -> Iterator[Violation]:
    if _is_set(message, name):
        yield from _of_value(getattr(message, name), rule, pointer)
    elif rule.is_required:
        yield Violation(pointer, *REQUIRED)


def _is_set(message: Message, name: str) -> bool:
    descriptor = message.DESCRIPTOR.fields_by_name[name]
    return message.HasField(name) if descriptor.has_presence else bool(getattr(message, name))


def _of_value(value: Any, rule: Rule, pointer: str) -> Iterator[Violation]:
    match rule:
        case Value(check):
            fault = check(value)
            if fault is not None:
                yield Violation(pointer, *fault)
        case Items():
            yield from _of_items(value, rule, pointer)
        case Labels():
            yield from _of_labels(value.fields, rule, pointer)
        case Members(rules):
            yield from _of_members(value, rules, pointer)


def _of_items(values: Any, rule: Items, pointer: str) -> Iterator[Violation]:
    if len(values) > rule.most:
        yield Violation(pointer, *too_many(rule.most))
        return
    is_faulty = False
    for index, value in enumerate(values):
        for violation in _of_value(value, rule.rule, f"{pointer}/{index}"):
            is_faulty = True
            yield violation
    if rule.check is not None and not is_faulty:
        yield from _of_value(values, Value(rule.check), pointer)


def _of_labels(fields: Mapping[str, Any], rule: Labels, pointer: str) -> Iterator[Violation]:
    if len(fields) > rule.most:
        yield Violation(pointer, *too_many(rule.most))
        return
    for name in sorted(fields):
        fault = rule.name(name)
        if fault is not None:  # the pointer would repeat the faulty name
            yield Violation(pointer, *fault)
        elif fields[name].WhichOneof("kind") != "string_value":
            yield Violation(pointer + pointer_part(name), *malformed(Text("un texte", "a text")))
        else:
            yield from _of_value(fields[name].string_value, Value(rule.value), pointer + pointer_part(name))


def _of_masked(request: Any, name: str, rule: Masked) -> Iterator[Violation]:
    paths = list(request.update_mask.paths)
    if len(paths) > _MAX_PATHS:
        yield Violation("/update_mask", *too_many(_MAX_PATHS))
        return
    for path in sorted(set(paths)):
        yield from _of_path(getattr(request, name), path.split("."), rule.rules, "")


def _of_path(message: Message, path: list[str], rules: Mapping[str, Rule], pointer: str) -> Iterator[Violation]:
    name, *rest = path
    pointer = pointer + pointer_part(name)
    match rules.get(name):
        case None:
            yield Violation(pointer, *UNKNOWN_MEMBER)
        case rule if not rest:
            yield from _of_field(message, name, rule, pointer)
        case Members(inner):
            yield from _of_path(getattr(message, name), rest, inner, pointer)
        case _:
            yield Violation(pointer + pointer_part(rest[0]), *UNKNOWN_MEMBER)
