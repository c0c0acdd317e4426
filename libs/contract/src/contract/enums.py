"""The names that values of a proto's enum have in JSON, and the blocks of a land unit, which the enum Block names."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from landpartner.land.v1 import land_pb2 as pb


@cache
def enum_names(enum: Any) -> Mapping[int, Any]:
    """The names of an enum's values in JSON, without the unspecified one."""
    prefix = len(enum.values_by_number[0].name) - len("UNSPECIFIED")
    return {value.number: value.name[prefix:].lower() for value in enum.values if value.number}


@cache
def enum_numbers(enum: Any) -> Mapping[str, Any]:
    """The values of an enum by their names in JSON."""
    return {name: number for number, name in enum_names(enum).items()}


_NAMES = enum_names(pb.Block.DESCRIPTOR)
BLOCKS = tuple(_NAMES.values())
DEFAULT_BLOCKS = tuple(
    _NAMES[number] for number in (pb.BLOCK_LAND, pb.BLOCK_URBANISM, pb.BLOCK_BUILDINGS, pb.BLOCK_REAL_ESTATE)
)
"""The blocks of an answer without `include`. It has the other blocks only if `include` names them."""
