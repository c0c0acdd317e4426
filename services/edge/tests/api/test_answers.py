"""The answers to partners: every field of land and the assistant, and the problem for every failure."""

import json
from typing import Any

import grpc
import pytest
from answer_schemas import checked, members
from fakes import Refusal, Unreachable
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from running_edge import Edge, StartEdge, serving

from contract.enums import BLOCKS, DEFAULT_BLOCKS, enum_numbers
from contract.messages.assistant import ANSWER, PROMPT, QUICK_ASSESSMENT
from contract.messages.land import RESOLUTION, feature_collection
from edge.clients.errors import problem_of
from edge.descriptions.operations import operation_of
from edge.pages.routes import PAGES
from edge.responses import json_response
from edge.routing import PlainRoute
from landpartner.assistant.v1 import assistant_pb2
from landpartner.keys.v1 import keys_pb2
from landpartner.land.v1 import land_pb2
from servicekit.errors import Violation
from servicekit.health import SELLER

RESOLVE = "/api/v1/addresses/resolve"
GEOJSON = "/api/v1/land-units/geojson"
DIVIDE = "/api/v1/assistant/divide-land"
PARCEL = "00001000AB0012"
WITH_BLOCKS = land_pb2.GetLandUnitRequest(
    blocks=[enum_numbers(land_pb2.Block.DESCRIPTOR)[name] for name in DEFAULT_BLOCKS]
)
GEOMETRY = b'{"type":"Point","coordinates":[2.1,47.1]}'


def filled(message_type: Any) -> Any:
    """A message with every field set, each list with one element."""
    message = message_type()
    for number, member in enumerate(message.DESCRIPTOR.fields, start=1):
        if (
            member.containing_oneof is not None
            and member.containing_oneof.name == "value"
            and member.name != "number_value"
        ):
            continue
        if member.message_type is not None:
            value: Any = filled(member.message_type._concrete_class)
        elif member.enum_type is not None:
            value = member.enum_type.values[1].number
        elif member.type == FieldDescriptor.TYPE_BYTES:
            value = GEOMETRY
        elif member.type == FieldDescriptor.TYPE_STRING:
            value = f"{member.name}-{number}"
        elif member.type == FieldDescriptor.TYPE_BOOL:
            value = True
        else:
            value = number
        if member.is_repeated:
            getattr(message, member.name).append(value)
        elif member.message_type is not None:
            getattr(message, member.name).CopyFrom(value)
        else:
            setattr(message, member.name, value)
    return message


def encoded(document: object) -> bytes:
    return bytes(json_response(document).body)


def test_a_full_land_unit_matches_the_schema_and_has_every_text() -> None:
    unit = filled(land_pb2.LandUnit)
    collection = checked("FeatureCollection", encoded(feature_collection(unit, WITH_BLOCKS)))
    history = collection["features"][0]["properties"]["history"]
    for name in members("DvfSale"):
        assert history["dvf_sales"][0][name] == getattr(unit.dvf_sales[0], name)
    body = encoded(feature_collection(unit, WITH_BLOCKS)).decode()
    for text in _texts(unit):
        assert text in body, text


def _texts(message: Any) -> list[str]:
    texts = []
    for member, value in message.ListFields():
        for item in value if member.is_repeated else [value]:
            if isinstance(item, Message):
                if item.DESCRIPTOR.name not in ("AddressAgreement",):
                    texts += _texts(item)
            elif isinstance(item, str) and member.name != "reason":
                texts.append(item)
    return texts


def test_an_empty_land_unit_has_nulls_and_no_gaps() -> None:
    unit = land_pb2.LandUnit(
        parcels=[land_pb2.Parcel()],
        dvf_sales=[land_pb2.DvfSale(id_mutation="m", id_parcelle="p")],
        urban_authorizations=[land_pb2.UrbanAuthorization()],
        land=land_pb2.LandBlock(),
        urbanism=land_pb2.UrbanismBlock(),
        buildings=land_pb2.BuildingsBlock(items=[land_pb2.Building()]),
        real_estate=land_pb2.RealEstateBlock(),
    )
    collection = feature_collection(unit, WITH_BLOCKS)
    checked("FeatureCollection", encoded(collection))
    feature = collection["features"][0]
    assert feature["geometry"] is None
    assert "bbox" not in collection
    history = feature["properties"]["history"]
    assert set(history["dvf_sales"][0]) == set(members("DvfSale"))
    assert history["dvf_sales"][0]["valeur_fonciere"] is None
    assert (history["dvf_sales"][0]["has_dependance"], history["dvf_sales"][0]["lot_count"]) == (False, 0)
    assert set(history["urban_authorizations"][0]) == set(members("UrbanAuthorization"))
    assert set(history["urban_authorizations"][0].values()) == {None}


def test_the_history_has_the_fields_of_the_contract() -> None:
    assert members("UrbanAuthorization") == [
        "parcelle_id", "type_dau", "num_dau", "etat_dau", "date_reelle_autorisation", "date_reelle_doc",
        "date_reelle_daact", "nature_projet_declaree", "nature_projet_completee", "destination_principale",
        "superficie_terrain",
    ]  # fmt: skip
    assert members("DvfSale")[:17] == [
        "id_mutation", "id_parcelle", "date_mutation", "nature_mutation", "type_local", "has_dependance", "lot_count",
        "surface_reelle_bati", "surface_terrain", "nombre_pieces_principales", "valeur_fonciere", "adresse_numero",
        "adresse_suffixe", "adresse_nom_voie", "code_postal", "code_commune", "nom_commune",
    ]  # fmt: skip


def test_a_resolution_matches_the_schema() -> None:
    message = filled(land_pb2.ResolveAddressResponse)
    answer = checked("ResolveResponse", encoded(RESOLUTION.write(message)))
    assert answer["parcels"][0]["match"] == "declared"
    assert answer["address"]["type"] == "housenumber"


def test_the_parts_of_the_assistant_match_the_schema() -> None:
    response = filled(assistant_pb2.DivideLandResponse)
    assessment = QUICK_ASSESSMENT.write(response.quick_assessment)
    checked("QuickAssessment", encoded(assessment))
    checked("Answer", encoded(ANSWER.write(response.answer)))
    checked("Prompt", encoded(PROMPT.write(assistant_pb2.PromptEvent(prompt=response.prompt))))
    body = encoded(assessment).decode()
    for text in _texts(response.quick_assessment):
        assert text in body, text


async def test_geojson_has_its_media_type_and_noindex(edge: Edge) -> None:
    response = await edge.post(GEOJSON, {"parcel_ids": [PARCEL]})
    assert response.headers["content-type"] == "application/geo+json"
    assert response.headers["x-robots-tag"] == "noindex"
    document = response.json()
    assert document["features"][0]["geometry"] == {"type": "Point", "coordinates": [2.1, 47.1]}
    assert document["bbox"] == [2.1, 47.1, 2.1, 47.1]


@pytest.mark.parametrize(
    ("path", "accept"),
    [(RESOLVE, "*/*"), (GEOJSON, "*/*"), (DIVIDE, "application/json"), (DIVIDE, "text/event-stream")],
)
async def test_answers_with_sales_have_noindex(edge: Edge, path: str, accept: str) -> None:
    body = {"label": "1 rue"} if path == RESOLVE else {"parcel_ids": [PARCEL]}
    for sent in (body, {"parcel_ids": 7}):
        response = await edge.post(path, sent, headers={"accept": accept})
        assert response.headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize(
    "accept", ["application/json", "application/geo+json", "application/*", "application/problem+json"]
)
async def test_any_json_is_geojson(edge: Edge, accept: str) -> None:
    response = await edge.post(GEOJSON, {"parcel_ids": [PARCEL]}, headers={"accept": accept})
    assert (response.status_code, response.headers["content-type"]) == (200, "application/geo+json")


async def test_a_land_unit_in_another_format_is_refused(edge: Edge) -> None:
    response = await edge.post(GEOJSON, {"parcel_ids": [PARCEL]}, headers={"accept": "application/pdf"})
    assert (response.status_code, response.json()["code"]) == (406, "not_acceptable")


async def test_every_answer_of_a_route_with_several_media_types_varies_by_accept(edge: Edge) -> None:
    chosen = [
        (method, route.path)
        for route in edge.app.routes
        if isinstance(route, PlainRoute) and (operation := operation_of(route)) and operation.alternative_media_types
        for method in route.methods or ()
    ]
    assert {path for _, path in chosen} >= {GEOJSON, DIVIDE, "/api/v1/land-units/batch", "/api/v1/admin/usage"}
    for method, path in chosen:
        credential = {"authorization": "Bearer lpa_secret"} if "/admin/" in path else {"x-api-key": edge.key}
        for accept in ("*/*", "application/pdf"):
            body = {"parcel_ids": [PARCEL]} if method == "POST" else None
            answer = await edge.client.request(method, path, headers={**credential, "accept": accept}, json=body)
            assert {"accept", "accept-language"} <= {name.strip() for name in answer.headers["vary"].split(",")}, path


@pytest.mark.parametrize("path", [path for path, _ in PAGES.values()])
async def test_pages_have_noindex(edge: Edge, path: str) -> None:
    assert (await edge.client.get(path)).headers["x-robots-tag"] == "noindex"


async def test_large_answers_are_compressed_if_accepted(edge: Edge) -> None:
    edge.land.unit.geometry = b'{"type":"MultiPoint","coordinates":[' + b"[2.1,47.1]," * 2000 + b"[2.1,47.1]]}"
    packed = await edge.post(GEOJSON, {"parcel_ids": [PARCEL]}, headers={"accept-encoding": "gzip"})
    plain = await edge.post(GEOJSON, {"parcel_ids": [PARCEL]}, headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 10
    assert packed.json() == plain.json()
    assert "content-encoding" not in plain.headers


async def test_divide_land_has_four_parts_and_the_context_of_geojson(edge: Edge) -> None:
    edge.keys.terms.assistant_mode = keys_pb2.ASSISTANT_MODE_MODEL
    edge.keys.terms.limits_tokens, edge.keys.terms.tokens_per_call = True, 900
    answer = (await edge.post(DIVIDE, {"parcel_ids": [PARCEL]})).json()
    assert list(answer) == ["prompt", "quick_assessment", "context", "answer"]
    every_block = {"parcel_ids": [PARCEL], "include": BLOCKS}
    assert answer["context"] == (await edge.post(GEOJSON, every_block)).json()
    request = edge.assistant.requests[0]
    assert request.land_unit == edge.land.unit
    assert (request.policy.mode, request.policy.token_limit, request.key_id) == (3, 900, "key-1")
    assert edge.assistant.languages == ["fr"]
    outcome = await edge.keys.outcome()
    assert (outcome.endpoint, outcome.status) == ("assistant.divide-land", 200)
    assert (outcome.units, outcome.assistant_mode, outcome.token_limit) == (10, keys_pb2.ASSISTANT_MODE_MODEL, 900)
    assert (outcome.input_tokens, outcome.output_tokens) == (11, 7)


@pytest.mark.parametrize("form", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("question", "header", "expected"),
    [
        ("Can I split my garden into 2 plots?", None, "en"),
        ("Can I split my garden into 2 plots?", "*", "en"),
        ("Can I split my garden into 2 plots?", "fr", "fr"),
        ("Puis-je diviser mon terrain ?", None, "fr"),
        ("Puis-je diviser mon terrain ?", "en", "en"),
        ("2 lots", None, "fr"),
    ],
)
async def test_the_language_of_the_question_decides_where_no_header_does(
    edge: Edge, form: str, question: str, header: str | None, expected: str
) -> None:
    headers = {"accept": form} if header is None else {"accept": form, "accept-language": header}
    await edge.post(DIVIDE, {"parcel_ids": [PARCEL], "question": question}, headers=headers)
    assert edge.assistant.languages[:1] == [expected]
    assert edge.land.languages[-1:] == [expected]


@pytest.mark.parametrize(("header", "expected"), [(None, "the wrong type"), ("fr", "le bon type")])
async def test_an_error_has_the_language_of_the_question(edge: Edge, header: str | None, expected: str) -> None:
    headers = {} if header is None else {"accept-language": header}
    body = {"address": "1 rue des Lilas", "question": "Can I split my garden into 2 plots?"}
    response = await edge.post(DIVIDE, body, headers=headers)
    assert response.status_code == 400
    assert expected in response.json()["errors"][0]["detail"]


async def test_divide_land_streams_its_parts_in_order(edge: Edge) -> None:
    response = await edge.post(DIVIDE, {"parcel_ids": [PARCEL]}, headers={"accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    names = [line.removeprefix("event: ") for line in response.text.splitlines() if line.startswith("event: ")]
    assert names == ["quick_assessment", "context", "answer.delta", "answer", "prompt", "done"]
    outcome = await edge.keys.outcome()
    assert (outcome.status, outcome.input_tokens, outcome.output_tokens) == (200, 11, 7)
    first, *others = response.text.removesuffix("\n\n").split("\n\n")
    assert "\nid: 1\nretry: 86400000\n: A reconnection begins the answer again and is paid again" in first
    assert [block.splitlines()[2] for block in others] == [f"id: {number}" for number in range(2, len(names) + 1)]


async def test_an_event_has_one_line_of_data_for_every_reader(edge: Edge) -> None:
    edge.assistant.deltas = ["Une\u2028phrase\u2029en\u0085lignes."]
    response = await edge.post(DIVIDE, {"parcel_ids": [PARCEL]}, headers={"accept": "text/event-stream"})
    lines = response.text.splitlines()  # ends a line at each separator of Unicode, as httpx does
    data = lines[lines.index("event: answer.delta") + 1].removeprefix("data: ")
    assert json.loads(data) == {"text": edge.assistant.deltas[0]}


async def test_a_stream_that_fails_before_it_begins_is_an_ordinary_problem(edge: Edge) -> None:
    edge.assistant.failure = Refusal("assistant_denied")
    response = await edge.post(DIVIDE, {"parcel_ids": [PARCEL]}, headers={"accept": "text/event-stream"})
    assert (response.status_code, response.json()["code"]) == (403, "assistant_denied")


async def test_a_stream_that_fails_midway_sends_an_error_event_and_is_not_billed(edge: Edge) -> None:
    edge.assistant.fails_midway = True
    response = await edge.post(DIVIDE, {"parcel_ids": [PARCEL]}, headers={"accept": "text/event-stream"})
    assert "event: error" in response.text
    assert "event: done" not in response.text
    assert (await edge.keys.outcome()).status == 502


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("address_not_found", 404),
        ("parcel_not_found", 404),
        ("parcel_retired", 404),
        ("commune_loading", 503),
        ("source_unavailable", 503),
        ("something_new", 502),
    ],
)
async def test_refusals_of_land_have_their_codes(edge: Edge, code: str, status: int) -> None:
    edge.land.failure = Refusal(code, "the reason", retry_after_s=3 if status == 503 else None)
    response = await edge.post(GEOJSON, {"parcel_ids": [PARCEL]})
    assert response.status_code == status
    assert response.json()["code"] == (code if status != 502 else "upstream_failed")
    assert response.headers.get("retry-after") == ("3" if status == 503 else None)
    assert (await edge.keys.outcome()).status == status


async def test_only_a_division_needs_all_parcels_and_outlines(edge: Edge) -> None:
    for path in (GEOJSON, DIVIDE):
        assert (await edge.post(path, {"parcel_ids": [PARCEL]})).status_code == 200
    options = [(request.needs_all_parcels, request.with_outlines) for request in edge.land.requests]
    assert options == [(False, False), (True, True)]


async def test_every_status_of_coverage_has_its_name(edge: Edge) -> None:
    statuses = {name.removeprefix("COVERAGE_STATUS_").lower(): value for name, value in land_pb2.CoverageStatus.items()}
    del statuses["unspecified"]
    edge.land.unit.coverage.extend(
        land_pb2.DatasetCoverage(dataset=name, status=value) for name, value in statuses.items()
    )
    answer = (await edge.post(GEOJSON, {"parcel_ids": [PARCEL]})).content
    [feature] = checked("FeatureCollection", answer)["features"]
    assert feature["properties"]["coverage"] == {name: name for name in statuses}


async def test_a_retired_parcel_names_its_successors(edge: Edge) -> None:
    edge.land.failure = Refusal("parcel_retired", metadata={"successors": "64547000AN0511,64547000AN0512"})
    response = await edge.post(GEOJSON, {"parcel_ids": ["64547000AN0221"]})
    assert response.json()["successors"] == ["64547000AN0511", "64547000AN0512"]


async def test_violations_of_land_keep_their_pointers(edge: Edge) -> None:
    edge.land.failure = Refusal("invalid_payload", violations=[Violation("/label", "too_vague", "too vague")])
    response = await edge.post(RESOLVE, {"label": "x"})
    assert response.json()["errors"] == [{"pointer": "/label", "code": "too_vague", "detail": "too vague"}]


async def test_unavailable_land_is_503_and_a_crash_is_502(edge: Edge) -> None:
    edge.land.failure = Unreachable()
    response = await edge.post(RESOLVE, {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert "retry-after" in response.headers
    edge.land.failure = RuntimeError("password=hunter2")
    response = await edge.post(RESOLVE, {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (502, "upstream_failed")
    assert "hunter2" not in response.text


async def test_an_idempotent_call_is_retried_once(edge: Edge) -> None:
    edge.land.failure = Unreachable()
    await edge.post(RESOLVE, {"label": "x"})
    assert len(edge.land.requests) == 2


async def test_a_deadline_that_passes_is_504(start_edge: StartEdge) -> None:
    async with start_edge(resolve_deadline_s=0.05) as edge:
        edge.land.delay_s = 5
        response = await edge.post(RESOLVE, {"label": "x"})
        assert (response.status_code, response.json()["code"]) == (504, "deadline_exceeded")


async def test_an_unexpected_error_in_the_edge_is_500(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr("edge.api.v1.addresses.answer", fail)
    response = await edge.post(RESOLVE, {"label": "x"})
    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert "hunter2" not in response.text
    assert (await edge.keys.outcome()).status == 500


async def test_usage_and_coverage_answer_with_a_key(edge: Edge) -> None:
    headers = {"x-api-key": edge.key}
    usage = await edge.client.get("/api/v1/usage", headers=headers)
    assert checked("UsageResponse", usage.content)["units"] == 5
    coverage = await edge.client.get("/api/v1/coverage?limit=5&commune_code=00001", headers=headers)
    assert checked("CoverageResponse", coverage.content)["datasets"][0]["row_count"] == 12
    assert (edge.land.requests[0].page_size, edge.land.requests[0].commune_code) == (5, "00001")
    wrong = await edge.client.get("/api/v1/coverage?limit=0", headers=headers)
    assert [fault["pointer"] for fault in wrong.json()["errors"]] == ["/limit"]


@pytest.mark.parametrize("missing", [[], [SELLER]])
async def test_readiness_warns_if_no_bill_is_issued(start_edge: StartEdge, missing: list[str]) -> None:
    async with serving([], missing) as target, start_edge(keys_target=target) as edge:
        ready = await edge.client.get("/readyz")
        assert (ready.status_code, len(ready.json()["warnings"])) == (200, len(missing))


@pytest.mark.parametrize("root", ["", "/api/v1"])
async def test_health_names_what_is_down_and_stays_200(start_edge: StartEdge, root: str) -> None:
    async with start_edge() as edge:
        healthy = (await edge.client.get(f"{root}/health")).json()
        assert healthy["status"] == "ok"
        assert (await edge.client.get(f"{root}/readyz?at=1")).status_code == 200
    async with start_edge(land_target="127.0.0.1:1") as edge:
        response = await edge.client.get(f"{root}/health")
        assert response.status_code == 200
        assert response.json()["dependencies"] == {"keys": "ok", "land": "down", "assistant": "ok"}
        ready = await edge.client.get(f"{root}/readyz")
        assert (ready.status_code, ready.json()["down"]) == (503, ["land"])
        assert (await edge.client.get(f"{root}/livez")).status_code == 200


async def test_the_request_id_is_returned_and_passed_on(edge: Edge) -> None:
    response = await edge.client.get("/api/v1/health", headers={"x-request-id": "trace-1"})
    assert response.headers["x-request-id"] == "trace-1"
    replaced = await edge.client.get("/api/v1/health", headers={"x-request-id": "not safe\t!"})
    assert replaced.headers["x-request-id"] not in ("", "not safe\t!")
    refused = await edge.client.post(RESOLVE, headers={"x-request-id": "trace-2"})
    assert refused.json()["request_id"] == "trace-2"


async def test_metrics_are_not_on_the_public_port(edge: Edge) -> None:
    assert (await edge.client.get("/metrics")).status_code == 404


def test_every_grpc_status_has_an_answer() -> None:
    for status in grpc.StatusCode:
        error = grpc.aio.AioRpcError(status, grpc.aio.Metadata(), grpc.aio.Metadata(), "x")
        assert problem_of(error, "land").status in (501, 502, 503, 504)
