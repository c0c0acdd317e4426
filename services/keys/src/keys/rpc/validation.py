"""Applies rules to a message, and lists its violations with pointers of field names.

The work is bounded: a list or a map over its limit is one violation, and the search ends at MAX_VIOLATIONS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from google.protobuf.message import Message

from keys.values.checks import INVALID, REQUIRED, UNKNOWN_MEMBER, Check, Fault, malformed, too_many
from servicekit.errors import InvalidPayload, Violation, pointer_part
from servicekit.languages import Text

MAX_VIOLATIONS = 20
_MAX_PATHS = 100


@dataclass(frozen=True)
class Items:
    """The rule of a list. `rule` applies to each item, and `check` to the whole list if its items have no fault."""

    rule: Check[Any] | Members
    most: int
    check: Check[Any] | None = None
    is_required: bool = False

    def violations(self, values: Any, pointer: str) -> Iterator[Violation]:
        if len(values) > self.most:
            yield Violation(pointer, *too_many(self.most))
            return
        is_faulty = False
        for index, value in enumerate(values):
            for violation in _of_value(value, self.rule, f"{pointer}/{index}"):
                is_faulty = True
                yield violation
        if self.check is not None and not is_faulty:
            yield from _of_value(values, self.check, pointer)


@dataclass(frozen=True)
class Labels:
    """The rule of a struct that has texts by name."""

    most: int
    name: Check[str]
    value: Check[str]
    is_required: bool = False

    def violations(self, struct: Any, pointer: str) -> Iterator[Violation]:
        if len(struct.fields) > self.most:
            yield Violation(pointer, *too_many(self.most))
            return
        for name, value in sorted(struct.fields.items()):
            if (fault := self.name(name)) is not None:  # the pointer would repeat the faulty name
                yield Violation(pointer, *fault)
            else:
                yield from _of_value(value, Check(self._fault_of), pointer + pointer_part(name))

    def _fault_of(self, value: Any) -> Fault | None:
        is_text = value.WhichOneof("kind") == "string_value"
        return self.value(value.string_value) if is_text else malformed(Text("un texte", "a text"))


@dataclass(frozen=True)
class Members:
    """The rule of a message, by its fields."""

    rules: Mapping[str, Rule]
    is_required: bool = False

    def violations(self, message: Message, pointer: str) -> Iterator[Violation]:
        for name, rule in self.rules.items():
            if isinstance(rule, Masked):
                yield from rule.violations_of(message, name)
            else:
                yield from _of_field(message, name, rule, f"{pointer}/{name}")


@dataclass(frozen=True)
class Masked:
    """The rule of a record of which the request's update mask names the changed fields. Only fields with a rule can be
    changed. The record's name is left out of pointers.
    """

    rules: Mapping[str, Rule]

    def violations_of(self, request: Any, name: str) -> Iterator[Violation]:
        paths = list(request.update_mask.paths)
        if len(paths) > _MAX_PATHS:
            yield Violation("/update_mask", *too_many(_MAX_PATHS))
            return
        for path in sorted(set(paths)):
            yield from _of_path(getattr(request, name), path.split("."), self.rules, "")


Rule = Check[Any] | Items | Labels | Members | Masked


def validate(request: Message, rules: Mapping[str, Rule]) -> None:
    """Raises InvalidPayload with the violations."""
    violations = list(islice(Members(rules).violations(request, ""), MAX_VIOLATIONS))
    if violations:
        raise InvalidPayload(INVALID, violations=violations)


def _of_field(
    message: Message, name: str, rule: Check[Any] | Items | Labels | Members, pointer: str
) -> Iterator[Violation]:
    has_presence = message.DESCRIPTOR.fields_by_name[name].has_presence
    value = getattr(message, name)
    if message.HasField(name) if has_presence else value:
        yield from _of_value(value, rule, pointer)
    elif rule.is_required:
        yield Violation(pointer, *REQUIRED)


def _of_value(value: Any, rule: Check[Any] | Items | Labels | Members, pointer: str) -> Iterator[Violation]:
    if not isinstance(rule, Check):
        yield from rule.violations(value, pointer)
    elif (fault := rule(value)) is not None:
        yield Violation(pointer, *fault)


def _of_path(message: Message, path: list[str], rules: Mapping[str, Rule], pointer: str) -> Iterator[Violation]:
    name, *inner_path = path
    pointer = pointer + pointer_part(name)
    match rules.get(name):
        case None | Masked():
            yield Violation(pointer, *UNKNOWN_MEMBER)
        case rule if not inner_path:
            yield from _of_field(message, name, rule, pointer)
        case Members(inner):
            yield from _of_path(getattr(message, name), inner_path, inner, pointer)
        case _:
            yield Violation(pointer + pointer_part(inner_path[0]), *UNKNOWN_MEMBER)
