"""The blocks of a land unit. The enum Block of the proto names them, and everything else takes the names from here."""

from contract.enums import enum_names
from landpartner.land.v1 import land_pb2 as pb

_NAMES = enum_names(pb.Block.DESCRIPTOR)
BLOCKS = tuple(_NAMES.values())
BLOCKS_ON_REQUEST = (_NAMES[pb.BLOCK_RISKS],)
"""The blocks that an answer has only if `include` names them."""
DEFAULT_BLOCKS = tuple(name for name in BLOCKS if name not in BLOCKS_ON_REQUEST)
