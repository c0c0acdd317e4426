"""The rules that keys has for the members of admin requests, as JSON schema keywords for the API description.

Written to the edge as a file, since no service imports another.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from keys.rpc.rules import RULES
from keys.rpc.validation import Items, Labels, Masked, Members, Rule
from keys.values.checks import Check


def request_limits() -> dict[str, Mapping[str, object]]:
    """The keywords by the message and name of a field, such as `Quota.burst`."""
    keywords: dict[str, Mapping[str, object]] = {}
    for message, rules in RULES.items():
        keywords.update(_of_message(message.DESCRIPTOR, rules))
    return dict(sorted(keywords.items()))


def _of_message(descriptor: Any, rules: Mapping[str, Rule]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, rule in rules.items():
        if keywords := _keywords(rule):
            yield f"{descriptor.name}.{name}", keywords
        match rule:
            case Members(members) | Masked(members) | Items(Members(members)):
                yield from _of_message(descriptor.fields_by_name[name].message_type, members)


def _keywords(rule: Rule) -> Mapping[str, object]:
    match rule:
        case Check():
            return rule.schema
        case Items(Check() as check, most):
            return {"maxItems": most, "items": check.schema}
        case Items(_, most):
            return {"maxItems": most}
        case Labels(most, name, value):
            values = {"type": "string", **value.schema}
            return {"maxProperties": most, "propertyNames": name.schema, "additionalProperties": values}
        case _:
            return {}
