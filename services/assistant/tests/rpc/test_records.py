"""Messages as records: absent optional fields are None, and a wrong name fails at once."""

from dataclasses import dataclass

import pytest

from assistant.rpc.records import Reader
from landpartner.land.v1 import land_pb2


@dataclass(frozen=True)
class Zone:
    label: str
    zone_type: str | None
    share: float
    note: str = ""


def test_a_record_has_the_fields_of_its_message() -> None:
    read = Reader(Zone, land_pb2.PlanningZone, ["note"], share="overlap_ratio")
    assert read(land_pb2.PlanningZone(label="UB", overlap_ratio=0.5), note="n") == Zone("UB", None, 0.5, "n")
    assert read(land_pb2.PlanningZone(zone_type="U"), note="") == Zone("", "U", 0.0)


def test_a_name_that_the_message_does_not_have_is_an_error() -> None:
    with pytest.raises(KeyError, match="share"):
        Reader(Zone, land_pb2.PlanningZone, ["note"])


def test_all_computed_fields_must_be_given() -> None:
    read = Reader(Zone, land_pb2.PlanningZone, ["note"], share="overlap_ratio")
    with pytest.raises(TypeError, match="note"):
        read(land_pb2.PlanningZone())
