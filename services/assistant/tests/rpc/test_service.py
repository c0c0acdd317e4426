"""The service with its database, over a loopback connection."""

from __future__ import annotations  # the async stub is a type only

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest
import shapely
from ezdxf.entities.lwpolyline import LWPolyline
from ezdxf.filemanagement import read
from shapely import Polygon, box

from assistant.server import AssistantServer
from assistant.settings import AssistantSettings
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.assistant.v1 import assistant_pb2_grpc
from landpartner.land.v1 import land_pb2
from servicekit.callers import entry
from servicekit.context import request_id
from servicekit.languages import in_language
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import RemoteError, decode

MakeUnit = Callable[..., land_pb2.LandUnit]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OUTGOING = Outgoing("right")
RULES = pb.AssistantPolicy(mode=pb.ASSISTANT_MODE_RULES)
MODEL = pb.AssistantPolicy(mode=pb.ASSISTANT_MODE_MODEL, token_limit=4000)


@contextlib.asynccontextmanager
async def running(url: str) -> AsyncIterator[tuple[AssistantServer, assistant_pb2_grpc.AssistantServiceAsyncStub]]:
    settings = AssistantSettings(callers=entry("edge", "right"), database_url=url, workers=2, drain_s=0.5)
    server = AssistantServer(settings, lambda: NOW)
    server.runs.migrate()
    port = await server.rpc.start()
    try:
        async with open_channel(f"127.0.0.1:{port}") as channel:
            yield server, assistant_pb2_grpc.AssistantServiceStub(channel)
    finally:
        await server.rpc.stop()
        await server.close()


async def refusal(stub: assistant_pb2_grpc.AssistantServiceAsyncStub, request: pb.DivideLandRequest) -> RemoteError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.DivideLand(request, **OUTGOING(60.0))
    error = decode(caught.value)
    assert error is not None
    return error


async def test_divide_land_returns_all_parts_and_records_the_run(
    sqlite_url: str, land_unit: MakeUnit, read_polygon: Callable[[bytes], Polygon]
) -> None:
    unit = land_unit(buildings=[box(8, 6, 20, 16)])
    request = pb.DivideLandRequest(land_unit=unit, policy=RULES, key_id="key-1")
    async with running(sqlite_url) as (server, stub):
        request_id.set("trace-7")
        with in_language("fr"):
            response = await stub.DivideLand(request, **OUTGOING(60.0))
        runs = server.runs.latest(5)
    assert response.prompt.question == "Diviser un terrain"
    assert (response.prompt.provider, response.prompt.language) == ("rules", "fr")
    assert response.prompt.generated_at == "2026-03-01T12:00:00Z"
    assert response.prompt.policy == RULES
    assessment = response.quick_assessment
    assert assessment.verdict == pb.VERDICT_CONDITIONAL
    assert assessment.procedure.code == "declaration_prealable"
    assert assessment.disclaimer
    unused = {check.code for check in assessment.checks} - set(response.answer.grounded_on)
    assert unused == {"lotissement_definition", "minimum_lot_size", "recent_sales"}
    assert assessment.summary in response.answer.text
    proposal = assessment.proposals[0]
    assert [lot.id for lot in proposal.lots] == ["A", "B"]
    for lot in proposal.lots:
        on_the_way = [side.length_m for side in lot.sides if side.kind == "way"]
        assert lot.frontage_m == pytest.approx(sum(on_the_way), abs=0.001)
    whole = sum(read_polygon(lot.geometry).area for lot in proposal.lots)
    assert whole == pytest.approx(read_polygon(unit.geometry).area, rel=1e-3)
    assert [lot.has_existing_building for lot in proposal.lots].count(True) == 1
    assert not response.warnings
    assert len(runs) == 1
    assert (runs[0].request_id, runs[0].key_id, runs[0].outcome) == ("trace-7", "key-1", "answered")
    assert runs[0].created_at == NOW


async def test_the_stream_has_the_same_content_in_the_order_of_the_contract(
    sqlite_url: str, land_unit: MakeUnit
) -> None:
    request = pb.DivideLandRequest(land_unit=land_unit(), question="in 3 lots", policy=RULES)
    async with running(sqlite_url) as (server, stub):
        events = [event async for event in stub.StreamDivideLand(request, **OUTGOING(60.0))]
        whole = await stub.DivideLand(request, **OUTGOING(60.0))
        assert len(server.runs.latest(5)) == 2
    kinds = [event.WhichOneof("event") for event in events]
    deltas = [event.answer_delta for event in events if event.WhichOneof("event") == "answer_delta"]
    assert kinds == ["quick_assessment", *["answer_delta"] * len(deltas), "answer", "prompt"]
    assert len(deltas) > 10
    assert events[-2].answer.text == "".join(deltas)
    assert events[0].quick_assessment == whole.quick_assessment
    assert events[-2].answer == whole.answer
    assert events[-1].prompt.prompt == whole.prompt
    assert all(len(proposal.lots) == 3 for proposal in whole.quick_assessment.proposals)


async def test_a_disabled_policy_is_denied_and_nothing_is_recorded(sqlite_url: str, land_unit: MakeUnit) -> None:
    policy = pb.AssistantPolicy(mode=pb.ASSISTANT_MODE_DISABLED)
    async with running(sqlite_url) as (server, stub):
        error = await refusal(stub, pb.DivideLandRequest(land_unit=land_unit(), policy=policy))
        assert (error.code, error.status) == ("assistant_denied", grpc.StatusCode.PERMISSION_DENIED)
        assert server.runs.latest(5) == []


@pytest.mark.parametrize(("fields", "pointer"), [({"question": "é" * 2001}, "/question")])
async def test_a_request_that_breaks_the_contract_is_refused(
    sqlite_url: str, land_unit: MakeUnit, fields: dict[str, Any], pointer: str
) -> None:
    async with running(sqlite_url) as (_, stub):
        error = await refusal(stub, pb.DivideLandRequest(land_unit=land_unit(), policy=RULES, **fields))
    assert (error.code, error.status) == ("invalid_payload", grpc.StatusCode.INVALID_ARGUMENT)
    assert [violation.pointer for violation in error.violations] == [pointer]


async def test_a_question_about_no_land_is_refused_and_not_recorded(sqlite_url: str, land_unit: MakeUnit) -> None:
    async with running(sqlite_url) as (server, stub):
        request = pb.DivideLandRequest(land_unit=land_unit(), question="Capitale du Portugal ?", policy=RULES)
        error = await refusal(stub, request)
        assert (error.code, error.status) == ("question_off_topic", grpc.StatusCode.INVALID_ARGUMENT)
        assert server.runs.latest(5) == []


async def test_a_question_of_two_thousand_characters_is_accepted(sqlite_url: str, land_unit: MakeUnit) -> None:
    question = "Pente ?" + "é" * 1993
    async with running(sqlite_url) as (_, stub):
        request = pb.DivideLandRequest(land_unit=land_unit(), question=question, policy=RULES)
        assert (await stub.DivideLand(request, **OUTGOING(60.0))).prompt.question == question


async def test_without_a_model_the_rules_answer_with_a_warning(sqlite_url: str, land_unit: MakeUnit) -> None:
    async with running(sqlite_url) as (_, stub):
        request = pb.DivideLandRequest(land_unit=land_unit(), policy=MODEL)
        response = await stub.DivideLand(request, **OUTGOING(60.0))
    assert response.prompt.provider == "rules"
    assert [warning.code for warning in response.warnings] == ["model_unavailable"]


async def test_land_without_blocks_is_undetermined(sqlite_url: str) -> None:
    async with running(sqlite_url) as (_, stub):
        unit = land_pb2.LandUnit(parcel_ids=["75118000AB0012"])
        response = await stub.DivideLand(pb.DivideLandRequest(land_unit=unit, policy=RULES), **OUTGOING(60.0))
    assessment = response.quick_assessment
    assert assessment.verdict == pb.VERDICT_UNDETERMINED
    assert {check.status for check in assessment.checks} == {pb.CHECK_STATUS_UNKNOWN}
    assert not assessment.proposals


async def test_a_failing_database_does_not_prevent_the_answer(
    sqlite_url: str, land_unit: MakeUnit, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(sqlite_url) as (server, stub):
        with server.runs.engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE runs")
        request = pb.DivideLandRequest(land_unit=land_unit(), question="secret land", policy=RULES)
        response = await stub.DivideLand(request, **OUTGOING(60.0))
    assert response.answer.text
    assert "run not recorded" in caplog.text
    assert "secret land" not in caplog.text


async def test_runs_past_their_retention_are_deleted_while_the_service_runs(
    sqlite_url: str, land_unit: MakeUnit
) -> None:
    async with running(sqlite_url) as (server, stub):
        await stub.DivideLand(pb.DivideLandRequest(land_unit=land_unit(), policy=RULES), **OUTGOING(60.0))
        settings = AssistantSettings(callers=entry("edge", "right"), database_url=sqlite_url)
        later = AssistantServer(settings, lambda: datetime(2026, 4, 1, tzinfo=UTC))
        later.purging.start()
        async with asyncio.timeout(60):
            while server.runs.latest(1):  # noqa: ASYNC110 (the purge has no event)
                await asyncio.sleep(0.02)
        await later.close()
        assert server.runs.latest(1) == []


async def test_lots_have_the_same_areas_in_the_answer_and_in_its_files(sqlite_url: str, land_unit: MakeUnit) -> None:
    unit = land_unit(42.0, 55.0, buildings=[box(8, 30, 20, 41)])
    unit.land.centroid.extend([1.9031, 47.8723])
    unit.parcels.add(parcel_id="45234000AB0012", cadastral_area_m2=2310.0)
    unit.urbanism.easements.add(category="AC1", name="Abords", geometry=unit.geometry)
    unit.parcels.add(parcel_id="45234000AB0013")
    unit.parcels[0].outline = unit.geometry
    unit.urbanism.prescriptions.add(label="Haie", type_code="07")
    unit.sources.add(id="dvf", dataset="DVF", edition="2026-04")
    request = pb.DivideLandRequest(land_unit=unit, question="Diviser en 3 lots", policy=RULES, with_drawing=True)
    async with running(sqlite_url) as (_, stub):
        with in_language("fr"):
            response = await stub.DivideLand(request, **OUTGOING(60.0))
        drawing = response.drawing
        request.in_conic_zone = True
        zoned = (await stub.DivideLand(request, **OUTGOING(60.0))).drawing
        file = await stub.WriteDxf(pb.WriteDxfRequest(drawing=drawing, rank=1), **OUTGOING(60.0))
        streamed = [event async for event in stub.StreamDivideLand(request, **OUTGOING(60.0))]
        drawing.generated_at = "yesterday"
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.WriteDxf(pb.WriteDxfRequest(drawing=drawing, rank=1), **OUTGOING(60.0))
    error = decode(refused.value)
    assert error is not None
    assert (error.code, error.violations[0].pointer) == ("invalid_payload", "/drawing/generated_at")
    assert {event.WhichOneof("event") for event in streamed} == {"quick_assessment", "answer_delta", "answer", "prompt"}
    assert (drawing.projection, drawing.projection_name) == (2154, "RGF93 v1 / Lambert-93")
    assert drawing.projection_wkt.startswith('PROJCS["RGF93')
    assert drawing.place == "Orléans"
    assert [(parcel.parcel_id, parcel.geometry) for parcel in drawing.parcels] == [
        ("45234000AB0012", drawing.land_unit), ("45234000AB0013", b""),
    ]  # fmt: skip
    assert [(item.kind, item.code, bool(item.geometry)) for item in drawing.restrictions] == [
        ("prescription", "07", False), ("easement", "AC1", True),
    ]  # fmt: skip
    space = read(io.StringIO(file.content.decode())).modelspace()
    lots = response.quick_assessment.proposals[0].lots
    assert len(lots) == 3
    for lot in lots:
        lines = [line for line in space.query(f'LWPOLYLINE[layer=="LOT_{lot.id}"]') if isinstance(line, LWPolyline)]
        [area] = [Polygon(line.get_points("xy")).area for line in lines]
        assert area == pytest.approx(lot.area_m2 * drawing.projection_scale**2, abs=0.1)
    assert len(drawing.proposals) == len(response.quick_assessment.proposals)
    assert shapely.from_geojson(drawing.land_unit).area == pytest.approx(2310 * drawing.projection_scale**2, abs=0.5)
    assert zoned.projection_name == "RGF93 v1 / CC48"
    assert shapely.from_geojson(zoned.land_unit).area == pytest.approx(2310, abs=0.7)


async def test_a_drawing_is_given_on_request_alone(sqlite_url: str, land_unit: MakeUnit) -> None:
    """The request costs nothing more without one. A land unit without an outline has a drawing of its texts."""
    async with running(sqlite_url) as (_, stub):
        request = pb.DivideLandRequest(land_unit=land_unit(), policy=RULES)
        assert not (await stub.DivideLand(request, **OUTGOING(60.0))).HasField("drawing")
        request.with_drawing = True
        request.land_unit.geometry = b""
        request.land_unit.land.department_code = "974"
        drawing = (await stub.DivideLand(request, **OUTGOING(60.0))).drawing
        file = await stub.WriteDxf(pb.WriteDxfRequest(drawing=drawing, rank=1), **OUTGOING(60.0))
    assert b"PRESENT STATE" in file.content
    assert (drawing.land_unit, len(drawing.proposals)) == (b"", 0)
