"""Messages from the objects of a domain."""

from functools import cache
from typing import Any, TypeVar

from google.protobuf.message import Message

M = TypeVar("M", bound=Message)


def filled(message: type[M], facts: object, /, **values: Any) -> M:
    """A message whose fields have the values of the attributes of the same names, except for those in `values`.

    Raises AttributeError if a field has neither, and ValueError if there is no field for one of `values`.
    """
    return message(**with_attributes(message, facts, values))


def with_attributes(message: type[Message], facts: object, values: dict[str, Any]) -> dict[str, Any]:
    """The values by field, those that are missing from the attributes of the same names. Raises AttributeError."""
    return values | {name: getattr(facts, name) for name in _field_names(message.DESCRIPTOR) if name not in values}


_field_names = cache(lambda descriptor: tuple(descriptor.fields_by_name))
