"""The names that the values of a proto's enum have in JSON."""

from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def enum_names(enum: Any) -> Mapping[int, Any]:
    """The names of an enum's values in JSON, without the unspecified one."""
    prefix = len(enum.values_by_number[0].name) - len("UNSPECIFIED")
    return {value.number: value.name[prefix:].lower() for value in enum.values if value.number}


@cache
def enum_numbers(enum: Any) -> Mapping[str, Any]:
    """The values of an enum by their names in JSON."""
    return {name: number for number, name in enum_names(enum).items()}
