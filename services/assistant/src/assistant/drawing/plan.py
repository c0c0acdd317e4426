"""What a plan shows: a drawing with one of its proposals, and their shapes in metres of the legal projection."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from shapely.geometry.base import BaseGeometry

from assistant.geojson import read_geometry
from landpartner.assistant.v1 import assistant_pb2 as pb
from servicekit.errors import InvalidPayload, Violation


@dataclass(frozen=True)
class DrawnLot:
    """A lot with its shapes. Its envelope, where a building may stand, is None if nothing is left."""

    message: pb.Lot
    outline: BaseGeometry
    envelope: BaseGeometry | None


class Plan:
    """A drawing with its proposal of this rank. Shapes that are missing or invalid are None, or left out of lists.

    If the land has no outline, nothing is drawn, and the plan has its texts alone. Raises InvalidPayload.
    """

    def __init__(self, drawing: pb.Drawing, rank: int) -> None:
        self.drawing = drawing
        self.made_at = _instant(drawing.generated_at)
        self.land = read_geometry(drawing.land_unit)
        self.frontage = read_geometry(drawing.frontage)
        self.buildings = _shapes(drawing.buildings)
        self.restrictions = _shapes(item.geometry for item in drawing.restrictions)
        self.proposal = next((proposal for proposal in drawing.proposals if proposal.rank == rank), None)
        self.way = read_geometry(self.proposal.shared_way.geometry) if self.proposal else None
        self.lots = [
            DrawnLot(lot, outline, read_geometry(lot.buildable_envelope))
            for lot in (self.proposal.lots if self.proposal else ())
            if (outline := read_geometry(lot.geometry)) is not None
        ]
        self.restrictions += _shapes(lot.message.right_of_way for lot in self.lots)


def _shapes(geometries: Iterable[bytes]) -> list[BaseGeometry]:
    return [shape for geometry in geometries if (shape := read_geometry(geometry)) is not None]


def _instant(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        violation = Violation("/drawing/generated_at", "malformed", "is an instant (RFC 3339)")
        raise InvalidPayload("The call breaks the contract.", violations=[violation]) from error
