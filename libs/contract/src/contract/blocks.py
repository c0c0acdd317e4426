"""The blocks of a land unit. The enum Block of the proto names them, and everything else takes the names from here."""

from contract.enums import enum_names
from landpartner.land.v1 import land_pb2 as pb

_NAMES = enum_names(pb.Block.DESCRIPTOR)
BLOCKS = tuple(_NAMES.values())
DEFAULT_BLOCKS = tuple(
    _NAMES[number] for number in (pb.BLOCK_LAND, pb.BLOCK_URBANISM, pb.BLOCK_BUILDINGS, pb.BLOCK_REAL_ESTATE)
)
"""The blocks of an answer without `include`. It has the other blocks only if `include` names them."""
