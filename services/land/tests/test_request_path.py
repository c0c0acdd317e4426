"""A land unit that was computed before is answered by the functions that docs/architecture.md lists, and computes
nothing.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import orjson
from land_replica import ADDRESS, Replica
from publishers import Publishers
from sqlalchemy import Engine

import land
from contract.messages.land import feature_collection
from land.events.watches import Watches
from land.rpc.servicer import LandServicer
from land.store.unit_file import UnitFile
from land.units.stored import StoredUnits
from landpartner.land.v1 import land_pb2 as pb
from servicekit.context import deadline
from servicekit.workers import Workers

BLOCKS = [pb.BLOCK_LAND, pb.BLOCK_BUILDINGS, pb.BLOCK_REAL_ESTATE, pb.BLOCK_URBANISM]
MOST_LINES = 8
ROOT = Path(land.__file__).parent
PAGE = Path(__file__).resolve().parents[3] / "docs/architecture.md"


def listed_functions() -> list[str]:
    section = PAGE.read_text(encoding="utf-8").partition("### One geojson request")[2]
    lines = section.split("```")[1].strip().splitlines()
    assert len(lines) <= MOST_LINES
    return [" ".join(line.split()[:2]) for line in lines]


def functions_of(call: Callable[[], object]) -> list[str]:
    """The functions of land that the call enters, each once, in order."""
    entered: dict[CodeType, None] = {}

    def enter(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            entered.setdefault(frame.f_code)

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    paths = ((code, Path(code.co_filename)) for code in entered)
    return [f"{path.relative_to(ROOT)} {code.co_qualname}" for code, path in paths if path.is_relative_to(ROOT)]


def test_a_land_unit_that_was_computed_before_takes_the_listed_path(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    file = UnitFile(tmp_path, "test", 1 << 30)
    file.start()
    replica = Replica(engine, publishers, tmp_path / "land", stored=StoredUnits(file))
    servicer = LandServicer(replica.pipeline, Workers(1), Watches(engine, 0, 0))
    answers = []

    def answer(*, as_geojson: bool = True) -> None:
        """Answers geojson, or divide-land, which needs the message."""
        request = pb.GetLandUnitRequest(
            address=pb.AddressQuery(label=ADDRESS.label), blocks=BLOCKS, with_outlines=True, as_geojson=as_geojson
        )
        with deadline(60.0):
            answers.append(LandServicer.GetLandUnit.__wrapped__(servicer, request))  # type: ignore[attr-defined]

    answer()
    replica.finish_loads()
    answer(as_geojson=False)
    answer()
    file.flush()
    functions_of(answer)
    functions = functions_of(answer)
    file.end()
    file.join()
    collection = feature_collection(answers[1].land_unit, pb.GetLandUnitRequest(blocks=BLOCKS))
    assert answers[-1].feature_collection == orjson.dumps(collection)
    listed = listed_functions()
    assert [name for name in functions if name in listed] == listed
    of_units = {name.split()[0] for name in functions if name.startswith("units/")}
    assert of_units == {"units/assembly.py", "units/stored.py", "units/stamps.py"}
