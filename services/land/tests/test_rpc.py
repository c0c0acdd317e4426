"""The gRPC service over a loopback connection: messages, errors and test keys."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import ast
import asyncio
import contextlib
import inspect
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType
from typing import Never, cast, get_args

import grpc
import pytest
from land_builders import COMMUNE, address, dvf_row, load, parcel, resolution_of, square, unit_of
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.answers.provenance import Coverage, CoverageStatus
from land.answers.texts import warning
from land.errors import AddressNotFound, StoreUnavailable
from land.events.watches import Watches
from land.pipeline import Pipeline
from land.rpc import messages, servicer
from land.rpc.servicer import CALLERS, MAX_ADDRESSES, STATUSES, LandServicer
from land.selection import AddressRequest, Selection
from land.server import create_server
from land.settings import LandSettings
from land.store import MIGRATIONS
from land.unit_answers import WrittenLandUnit
from land.units.assembly import Selected
from land.units.model import LandUnit
from landpartner.land.v1 import land_pb2 as pb
from landpartner.land.v1 import land_pb2_grpc
from servicekit.callers import entry
from servicekit.context import request_id, requester
from servicekit.database import open_engine
from servicekit.errors import InvalidPayload
from servicekit.languages import Language, in_language
from servicekit.postgres import DatabaseUnfit
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import RemoteError, decode, decode_status
from servicekit.rpc_server import Registration, RpcServer
from servicekit.schema import upgrade
from servicekit.settings import RpcSettings
from servicekit.workers import Workers

A = f"{COMMUNE}000AB0001"


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[land_pb2_grpc.LandServiceAsyncStub]:
    url = f"sqlite:///{folder}/land.sqlite"
    engine = open_engine(url)
    upgrade(engine, MIGRATIONS)
    load(engine, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    load(engine, "ban", COMMUNE, [address(12, "Rue des Lilas", (10, 10), suffix="bis")])
    load(engine, "dvf", COMMUNE, [dvf_row(A)], part="2021")
    engine.dispose()
    server = create_server(LandSettings(database_url=url, callers=entry("edge", "token"), on_demand="off"))
    port = await server.start()
    try:
        async with open_channel(f"127.0.0.1:{port}") as channel:
            yield land_pb2_grpc.LandServiceStub(channel)
    finally:
        await server.stop()


CALL = Outgoing("token")


async def test_a_resolved_address_is_sent_with_parcels_and_sources(tmp_path: Path) -> None:
    async with serving(tmp_path) as land:
        query = pb.AddressQuery(label="12 bis rue des lilas 18900 Trifouillis-sur-Cher")
        request = pb.ResolveAddressesRequest(requests=[pb.ResolveAddressRequest(query=query)])
        answer = (await land.ResolveAddresses(request, **CALL(60))).results[0].found
        assert answer.address.number == "12 bis"
        assert answer.address.type == pb.ADDRESS_TYPE_HOUSENUMBER
        assert answer.address.matched.street == 1
        assert [(p.parcel_id, p.kind, p.distance_m) for p in answer.parcels] == [
            (A, pb.PARCEL_MATCH_KIND_CONTAINING, 0)
        ]
        assert {source.id for source in answer.sources} == {"ban", "cadastre-parcels"}


async def test_a_batch_answers_each_address_like_a_single_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("land.pipeline.BATCH_S", 60.0)  # a slow machine answers all of them, too
    labels = ["12 bis rue des lilas 18900 Trifouillis-sur-Cher", "1 rue de nulle part", "", "rue des lilas 18900"]
    requests = [pb.ResolveAddressRequest(query=pb.AddressQuery(label=label)) for label in labels]
    async with serving(tmp_path) as land:

        async def results(*some: pb.ResolveAddressRequest) -> list[pb.ResolvedAddress]:
            return list((await land.ResolveAddresses(pb.ResolveAddressesRequest(requests=some), **CALL(60))).results)

        together = await results(*requests)
        assert [result.WhichOneof("result") for result in together] == ["found", "failure", "failure", "found"]
        assert together == [result for request in requests for result in await results(request)]


async def test_what_is_logged_about_one_address_of_a_batch_has_the_id_of_its_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("land.pipeline.BATCH_S", 60.0)
    requests: list[str] = []

    def resolve(*_: object) -> Never:
        requests.append(request_id.get())
        raise AddressNotFound("none")

    monkeypatch.setattr(Pipeline, "_resolve", resolve)
    request = pb.ResolveAddressesRequest(requests=[pb.ResolveAddressRequest()] * 3)
    async with serving(tmp_path) as land:
        request_id.set("one two three")
        await land.ResolveAddresses(request, **CALL(60))
    assert requests == ["one", "two", "three"]


async def test_a_batch_that_runs_out_of_time_leaves_the_rest_unanswered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("land.pipeline.BATCH_S", 0.0)
    query = pb.AddressQuery(label="12 bis rue des lilas 18900 Trifouillis-sur-Cher")
    request = pb.ResolveAddressesRequest(requests=[pb.ResolveAddressRequest(query=query)] * 3)
    async with serving(tmp_path) as land:
        results = (await land.ResolveAddresses(request, **CALL(60))).results
    assert [result.WhichOneof("result") for result in results] == ["found", None, None]


async def test_too_many_addresses_are_refused(tmp_path: Path) -> None:
    request = pb.ResolveAddressesRequest(requests=[pb.ResolveAddressRequest()] * (MAX_ADDRESSES + 1))
    async with serving(tmp_path) as land:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await land.ResolveAddresses(request, **CALL(60))
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("module", [messages, servicer])
def test_every_field_of_an_answer_is_written(module: ModuleType) -> None:
    """mypy rejects a field that does not exist; a field that is not written would be null for ever."""
    answers = [
        (call.func.attr, {keyword.arg for keyword in call.keywords})
        for call in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) == "pb"
        and not call.func.attr.endswith("Request")
        and call.func.attr not in ("ResolvedAddress", "GetLandUnitResponse")  # have one of two
    ]
    assert answers
    for name, fields in answers:
        written_later = {"state"} if name == "Warning" else set()
        assert fields == {*pb.DESCRIPTOR.message_types_by_name[name].fields_by_name} - written_later, name


def test_a_land_unit_names_each_dataset_in_the_warnings_of_one_code() -> None:
    unit = LandUnit(
        coverage=[Coverage("dvf", "partial", "source_unavailable"), Coverage("rnic", "not_loaded", None)],
        warnings=[
            warning("dataset_not_covered", "history", dataset="dvf"),
            warning("real_estate_not_covered", "real_estate", commune="01001"),
            warning("geometry_missing", parcel_id=A),
            warning("dataset_not_covered", "buildings", dataset="rnic"),
            warning("source_unavailable", dataset="dvf"),
        ],
    )
    message = messages.read_land_unit(WrittenLandUnit(Selected([]), [], [messages.write_land_unit(unit)], None))
    assert [(item.code, item.dataset, item.block, item.state, item.retry) for item in message.warnings] == [
        ("geometry_missing", "", "", pb.COVERAGE_STATUS_UNSPECIFIED, False),
        ("dataset_not_covered", "rnic", "buildings", pb.COVERAGE_STATUS_NOT_LOADED, False),
        ("source_unavailable", "dvf", "", pb.COVERAGE_STATUS_PARTIAL, True),
    ]


def test_every_status_of_coverage_has_a_message() -> None:
    sent = [
        messages.message_of(pb.DatasetCoverage, Coverage("dvf", status, None)).status
        for status in get_args(CoverageStatus)
    ]
    assert sorted([pb.COVERAGE_STATUS_UNSPECIFIED, *sent]) == sorted(pb.CoverageStatus.values())


class RecordingPipeline:
    """Records the requester in the thread that answers. Finds nothing."""

    def __init__(self) -> None:
        self.requesters: list[str] = []

    def written_land_unit(self, *_: object) -> Never:
        self.requesters.append(requester.get())
        raise AddressNotFound("none")

    resolve_addresses = written_land_unit


async def test_the_key_id_of_a_call_is_the_requester() -> None:
    pipeline = RecordingPipeline()
    servicer = LandServicer(cast(Pipeline, pipeline), Workers(1), cast(Watches, None))
    registration = Registration(
        "landpartner.land.v1.LandService",
        lambda server: land_pb2_grpc.add_LandServiceServicer_to_server(servicer, server),
        CALLERS,
    )
    server = RpcServer(RpcSettings(callers=entry("edge", "token")), [registration], STATUSES)
    async with open_channel(f"127.0.0.1:{await server.start()}") as channel:
        land: land_pb2_grpc.LandServiceAsyncStub = land_pb2_grpc.LandServiceStub(channel)
        for key_id in ("key-1", "key-2", ""):
            with pytest.raises(grpc.aio.AioRpcError):
                await land.ResolveAddresses(pb.ResolveAddressesRequest(), **CALL(60, key_id))
            with pytest.raises(grpc.aio.AioRpcError):
                await land.GetLandUnit(pb.GetLandUnitRequest(), **CALL(60, key_id))
    await server.stop()
    assert pipeline.requesters == ["key-1", "key-1", "key-2", "key-2", "", ""]


async def test_a_land_unit_is_sent_with_blocks_and_sales(tmp_path: Path) -> None:
    async with serving(tmp_path) as land:
        request = pb.GetLandUnitRequest(parcel_ids=[A.lower()], blocks=[pb.BLOCK_LAND])
        unit = (await land.GetLandUnit(request, **CALL(60))).land_unit
        assert unit.parcel_ids == [A]
        assert json.loads(unit.geometry)["type"] == "Polygon"
        assert unit.HasField("land")
        assert not unit.HasField("urbanism")
        (sale,) = unit.dvf_sales
        assert (sale.id_parcelle, sale.valeur_fonciere, sale.code_commune) == (A, 250_000, COMMUNE)
        assert not sale.HasField("adresse_suffixe")


async def test_coverage_is_paged(tmp_path: Path) -> None:
    async with serving(tmp_path) as land:
        datasets, token = [], ""
        while True:
            page = await land.GetCoverage(pb.GetCoverageRequest(page_size=1, page_token=token), **CALL(60))
            datasets += [item.dataset for item in page.datasets]
            token = page.next_page_token
            if not token:
                break
        assert datasets == ["ban", "cadastre-parcels", "dvf"]


async def test_coverage_names_publishers_and_licences(tmp_path: Path) -> None:
    async with serving(tmp_path) as land:
        page = await land.GetCoverage(pb.GetCoverageRequest(), **CALL(60))
        assert [source.id for source in page.sources] == ["ban", "cadastre-parcels", "dvf"]
        assert all(source.licence and source.attribution and source.publisher for source in page.sources)


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        (pb.GetLandUnitRequest(), grpc.StatusCode.INVALID_ARGUMENT, "invalid_payload"),
        (pb.GetLandUnitRequest(parcel_ids=["nonsense"]), grpc.StatusCode.INVALID_ARGUMENT, "invalid_payload"),
        (pb.GetLandUnitRequest(parcel_ids=["99999000AB0001"]), grpc.StatusCode.NOT_FOUND, "parcel_not_found"),
        (
            pb.GetLandUnitRequest(address=pb.AddressQuery(label="1 rue de nulle part")),
            grpc.StatusCode.NOT_FOUND,
            "place_missing",
        ),
        (
            pb.GetLandUnitRequest(address=pb.AddressQuery(label="1 rue de nulle part", city_code=A[:5])),
            grpc.StatusCode.NOT_FOUND,
            "address_not_found",
        ),
        (pb.GetLandUnitRequest(parcel_ids=[A], scope=pb.SCOPE_DEMO), grpc.StatusCode.NOT_FOUND, "parcel_not_found"),
    ],
)
async def test_errors_have_their_status_and_code(
    tmp_path: Path, request_: pb.GetLandUnitRequest, status: grpc.StatusCode, code: str
) -> None:
    async with serving(tmp_path) as land:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await land.GetLandUnit(request_, **CALL(60))
        error = decode(caught.value)
        assert isinstance(error, RemoteError)
        assert (error.status, error.code) == (status, code)


def test_an_outdated_schema_is_refused_with_the_migrate_command(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnfit, match="land migrate"):
        create_server(LandSettings(database_url=f"sqlite:///{tmp_path}/empty.sqlite", callers=entry("edge", "token")))


def test_a_database_that_does_not_answer_is_unavailable() -> None:
    with socket.socket() as closed:  # the port is bound and does not listen: it refuses connections
        closed.bind(("127.0.0.1", 0))
        engine = open_engine(f"postgresql+psycopg://land:secret@127.0.0.1:{closed.getsockname()[1]}/land")
        with pytest.raises(StoreUnavailable) as caught:
            unit_of(Pipeline(engine), Selection(AddressQuery(), [A]), [], "all")
    assert "secret" not in str(caught.value)


def test_an_error_of_the_database_is_an_unavailable_store(engine: Engine) -> None:
    pipeline, query = Pipeline(engine), AddressQuery(label="1 rue des lilas 18000 Bourges")
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE parcel")
    with pytest.raises(StoreUnavailable):
        unit_of(pipeline, Selection(AddressQuery(), [A]), [], "all")
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE revision")
    with pytest.raises(StoreUnavailable):
        resolution_of(pipeline, query)
    with pytest.raises(StoreUnavailable):
        pipeline.resolve_addresses([AddressRequest(query, "all")])


def test_a_store_that_fails_for_one_address_fails_the_call_which_may_be_retried(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Never:
        raise StoreUnavailable("silent")

    monkeypatch.setattr(Pipeline, "_resolve", fail)
    request = AddressRequest(AddressQuery(label="1 rue des lilas 18000 Bourges"), "all")
    for count in (1, 2):
        with pytest.raises(StoreUnavailable):
            Pipeline(engine).resolve_addresses([request] * count)


@pytest.mark.parametrize(
    ("selection", "count"),
    [
        (Selection(AddressQuery(), []), 1),
        (Selection(AddressQuery(), ["nonsense", "x"]), 2),
        (Selection(AddressQuery(), [A] * 101), 1),
    ],
)
def test_errors_of_a_request_are_in_its_language(engine: Engine, selection: Selection, count: int) -> None:
    with pytest.raises(InvalidPayload) as caught:
        unit_of(Pipeline(engine), selection, [], "all")
    details = [caught.value.detail, *(violation.detail for violation in caught.value.violations)]
    assert len(details) == 1 + count
    with in_language("fr"):
        french = {str(detail) for detail in details}
    assert french.isdisjoint(map(str, details))


def test_an_empty_address_is_refused_in_its_language(engine: Engine) -> None:
    [error] = Pipeline(engine).resolve_addresses([AddressRequest(AddressQuery(), "all")])
    assert isinstance(error, InvalidPayload)
    with in_language("fr"):
        assert str(error.detail).startswith("L’adresse est vide")
    assert str(error.detail).startswith("The address is empty")


async def test_each_of_several_calls_at_a_time_is_answered_in_its_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Warnings and the errors of a batch are made in worker threads, and the error of a call on the event loop."""
    monkeypatch.setattr("land.pipeline.BATCH_S", 60.0)
    missing_parcel = A.replace("0001", "0009")
    empty_addresses = pb.ResolveAddressesRequest(requests=[pb.ResolveAddressRequest()] * 2)

    async with serving(tmp_path) as land:

        async def texts(language: Language) -> list[str]:
            with in_language(language):
                options = CALL(60)
            unit = (await land.GetLandUnit(pb.GetLandUnitRequest(parcel_ids=[A, missing_parcel]), **options)).land_unit
            [warning] = [warning for warning in unit.warnings if warning.code == "parcel_not_found"]
            failures = (await land.ResolveAddresses(empty_addresses, **options)).results
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await land.GetLandUnit(pb.GetLandUnitRequest(parcel_ids=[missing_parcel]), **options)
            return [
                warning.detail,
                *(cast(RemoteError, decode_status(result.failure)).detail for result in failures),
                cast(RemoteError, decode(caught.value)).detail,
            ]

        languages: list[Language] = ["fr", "en"] * 8
        answers = await asyncio.gather(*map(texts, languages))
    french = [
        f"La parcelle {missing_parcel} n’existe pas dans le plan cadastral chargé\N{NARROW NO-BREAK SPACE}; "
        "elle est ignorée.",
        *["L’adresse est vide\N{NO-BREAK SPACE}: donnez label, ou certains des champs."] * 2,
        "Aucune des parcelles n’existe dans le plan cadastral chargé.",
    ]
    english = [
        f"Parcel {missing_parcel} does not exist in the loaded cadastral plan; it is left out.",
        *["The address is empty: give a label, or some of the fields."] * 2,
        "None of the parcels exists in the loaded cadastral plan.",
    ]
    assert answers == [french, english] * 8
