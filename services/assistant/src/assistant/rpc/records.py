"""Reads messages of the contract as records of the domain."""

from collections.abc import Collection
from dataclasses import fields
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_type_hints

from google.protobuf.message import Message

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R", bound="DataclassInstance")


class Reader(Generic[R]):
    """Reads a message as a record: each field of the record from the field of the message with its name.

    A field whose name in the message differs is in `renamed`. Those in `computed` are given at each call. An absent
    optional field becomes None. Raises KeyError, when it is made, if the message has no field of some name.
    """

    def __init__(self, record: type[R], message: type[Message], computed: Collection[str] = (), **renamed: str) -> None:
        self._record = record
        self._computed = frozenset(computed)
        types, by_name = get_type_hints(record), message.DESCRIPTOR.fields_by_name
        names = {field.name: renamed.get(field.name, field.name) for field in fields(record)}
        sources = {name: by_name[source] for name, source in names.items() if name not in self._computed}
        self._repeated = {name: source.name for name, source in sources.items() if source.is_repeated}
        self._optional = {
            name: source.name
            for name, source in sources.items()
            if source.has_presence and NoneType in get_args(types[name])
        }
        self._plain = {
            name: source.name
            for name, source in sources.items()
            if name not in self._repeated and name not in self._optional
        }

    def __call__(self, message: Message, **computed: object) -> R:
        if computed.keys() != self._computed:
            raise TypeError(f"{self._record.__name__} needs {sorted(self._computed)}")
        values: dict[str, Any] = {name: getattr(message, source) for name, source in self._plain.items()}
        for name, source in self._repeated.items():
            values[name] = tuple(getattr(message, source))
        for name, source in self._optional.items():
            values[name] = getattr(message, source) if message.HasField(source) else None
        return self._record(**values, **computed)
