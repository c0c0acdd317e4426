"""Requests with many lines: answers in order, one reservation, and what is charged when something ends early."""

import asyncio
import codecs
import contextlib
import csv
import io
import json
import zipfile
from typing import Any

import grpc
import httpx
import openpyxl
import pytest
from fakes import Refusal, wait_until
from running_edge import Edge, StartEdge, edge_process, listening

from contract.endpoints import LAND_UNITS_BATCH, MAX_LINES, RESOLVE_BATCH
from edge.batches import running, sheet_reader
from edge.batches.spreadsheets import XLSX
from edge.clients import lines
from landpartner.keys.v1 import keys_pb2
from landpartner.land.v1 import land_pb2
from servicekit.rpc_errors import encode_status

RESOLVE, UNITS = "/api/v1/addresses/resolve/batch", "/api/v1/land-units/batch"
NDJSON, CSV, GEOPACKAGE = "application/x-ndjson", "text/csv", "application/geopackage+sqlite3"


async def post(edge: Edge, path: str, body: bytes, media_type: str = NDJSON, **headers: str) -> httpx.Response:
    standard_headers = {"x-api-key": edge.key, "content-type": media_type, "accept-language": "en"}
    response: httpx.Response = await edge.client.post(path, content=body, headers={**standard_headers, **headers})
    return response


def addresses(count: int) -> bytes:
    return b"".join(b'{"id":%d,"label":"%d rue X"}\n' % (number, number) for number in range(1, count + 1))


def objects(response: httpx.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in response.text.splitlines()]


async def ended(edge: Edge) -> None:
    await wait_until(lambda: any(outcome.lines.is_last for outcome in edge.keys.outcomes))


async def test_lines_are_answered_in_order_and_the_succeeded_ones_charged(edge: Edge) -> None:
    body = addresses(40).replace(b'"9 rue X"', b'""').replace(b'{"id":20,', b'{"id":20')
    response = await post(edge, RESOLVE, body)
    assert (response.status_code, response.headers["content-type"]) == (200, NDJSON)
    assert response.headers["line-count"] == "40"
    lines = objects(response)
    assert [line["line"] for line in lines] == list(range(1, 41))
    assert lines[0]["id"] == 1
    assert lines[0]["body"]["parcel_ids"] == ["00001000AB0012"]
    assert (lines[8]["status"], lines[8]["id"], lines[8]["problem"]["code"]) == (400, 9, "invalid_payload")
    assert (lines[19]["status"], lines[19]["problem"]["code"]) == (400, "invalid_json")
    await ended(edge)
    assert edge.keys.charged() == set(range(40)) - {8, 19}
    [last] = [outcome.lines for outcome in edge.keys.outcomes if outcome.lines.is_last]
    bits = int.from_bytes(last.succeeded, "little") << last.first_line
    assert {line for line in range(40) if bits >> line & 1} == edge.keys.charged(), "keys may count it first"
    [reserved] = edge.keys.line_requests
    assert (reserved.lines.lines, reserved.endpoint, reserved.api_key) == (40, RESOLVE_BATCH, edge.key)
    assert reserved.goes_on
    await wait_until(lambda: any(not outcome.HasField("lines") for outcome in edge.keys.outcomes))
    assert max(map(len, edge.land.batches)) <= 16


async def test_the_largest_file_is_answered_and_charged_to_its_last_line(edge: Edge) -> None:
    response = await post(edge, RESOLVE, addresses(MAX_LINES))
    assert len(response.content.splitlines()) == MAX_LINES
    await ended(edge)
    assert edge.keys.charged() == set(range(MAX_LINES))


async def test_a_line_is_one_line_for_every_reader(edge: Edge) -> None:
    identity = "a\u2028b\u2029c\u0085d"
    response = await post(edge, RESOLVE, json.dumps({"id": identity, "label": "9 rue X"}).encode())
    [line] = response.text.splitlines()  # ends a line at each separator of Unicode, as httpx does
    assert json.loads(line)["id"] == identity


async def test_a_table_in_gives_a_table_out(edge: Edge) -> None:
    edge.land.resolution.address.label = "=1+1"
    response = await post(edge, RESOLVE, b"id;label;city\na;1 rue X;Y\n-b;;\n", CSV)
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert not response.content.startswith(codecs.BOM_UTF8)
    rows = list(csv.DictReader(io.StringIO(response.text), delimiter=";"))
    assert [(row["line"], row["id"], row["status"]) for row in rows] == [("1", "a", "200"), ("2", "'-b", "400")]
    assert rows[0]["label"] == "'=1+1"
    assert rows[0]["parcel_ids"] == "00001000AB0012"
    assert (rows[1]["error_code"], rows[1]["label"]) == ("invalid_payload", "")


async def test_a_table_comes_back_as_the_spreadsheet_wrote_it(edge: Edge) -> None:
    edge.land.resolution.address.latitude = 47.5
    french = "\ufeffid;label;prix\r\na;1 rue X;12,50\r\n".encode()  # as a spreadsheet in French writes it
    returned = (await post(edge, RESOLVE, french, CSV)).content
    assert returned.startswith(codecs.BOM_UTF8)
    [row] = csv.DictReader(io.StringIO(returned.decode("utf-8-sig")), delimiter=";")
    assert (row["line"], row["id"], row["latitude"], row["prix"]) == ("1", "a", "47,5", "12,50")


async def test_a_table_comes_back_with_its_own_columns_first_as_they_came(edge: Edge) -> None:
    table = b'Nom;label;note\r\n=1+1;1 rue X;"a;""b""\nc"\r\n-12,5;\xff;\r\n;;too;long;row\r\nshort\r\n'
    returned = (await post(edge, RESOLVE, table, CSV)).content
    text = io.StringIO(returned.decode(errors="surrogateescape"), newline="")
    header, *rows = csv.reader(text, delimiter=";")
    assert header[:6] == ["Nom", "label", "note", "line", "id", "status"]
    assert [row[:6] for row in rows] == [
        ["=1+1", "1 rue X", 'a;"b"\nc', "1", "", "200"],
        ["-12,5", "\udcff", "", "2", "", "400"],
        ["", "", "too", "3", "", "400"],
        ["short", "", "", "4", "", "400"],
    ]
    assert {len(row) for row in rows} == {len(header)}


async def test_accept_selects_the_form(edge: Edge) -> None:
    assert (await post(edge, RESOLVE, addresses(1), accept=CSV)).text.startswith("line,id,status")
    assert objects(await post(edge, RESOLVE, b"label\nx\n", CSV, accept=NDJSON))[0]["status"] == 200
    assert objects(await post(edge, RESOLVE, addresses(1), accept="*/*"))[0]["status"] == 200


async def test_a_refused_body_reserves_nothing(edge: Edge) -> None:
    for body, status in (
        (b"", 400),
        (addresses(MAX_LINES + 1), 400),
        (b" " * (edge.settings.batch_body_limit_bytes + 1), 413),
    ):
        assert (await post(edge, RESOLVE, body)).status_code == status
    assert not edge.keys.line_requests
    assert not edge.land.requests


async def test_a_denied_reservation_answers_no_line(edge: Edge) -> None:
    edge.keys.lines_denial = keys_pb2.Denial(code="quota_exhausted", facts={"units": "3", "left": "2"})
    response = await post(edge, RESOLVE, addresses(3))
    assert (response.status_code, response.json()["code"]) == (429, "quota_exhausted")
    assert response.json()["detail"] == "This request takes 3 units; 2 of this month's are left."
    edge.keys.lines_denial = keys_pb2.Denial(code="idempotency_mismatch")
    assert (await post(edge, RESOLVE, addresses(3))).status_code == 422
    assert not edge.land.requests


async def test_a_line_that_fails_in_passing_is_tried_again(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MAX_WAIT_S", 0)
    passing = Refusal("commune_loading", retry_after_s=1)
    status = encode_status(passing, grpc.StatusCode.FAILED_PRECONDITION)
    edge.land.results["2 rue X"] = land_pb2.ResolvedAddress(failure=status)
    second = objects(await post(edge, RESOLVE, addresses(3)))[1]
    assert (second["line"], second["problem"]["code"]) == (2, "commune_loading")
    assert sum("2 rue X" in batch for batch in edge.land.batches) == 1 + running.MAX_RETRIES


async def test_a_key_that_is_revoked_gets_no_more_lines(start_edge: StartEdge) -> None:
    async with start_edge(batch_renewal_s=0.01) as edge:
        edge.land.delay_s = 0.05

        async def revoke() -> None:
            await wait_until(lambda: len(edge.keys.outcomes) > 0)
            edge.keys.lines_denial = keys_pb2.Denial(code="revoked_key")

        revoking = asyncio.create_task(revoke())
        lines = objects(await post(edge, RESOLVE, addresses(2_000)))
        await revoking
        codes = [line.get("problem", {}).get("code") for line in lines]
        assert codes[0] is None
        assert codes[-1] == "revoked_key"
        await ended(edge)
        assert edge.keys.charged() == {place for place, code in enumerate(codes) if code is None}
        assert len({request.lines.run for request in edge.keys.line_requests}) == 1


async def test_a_revocation_ends_a_file_when_the_lease_of_its_key_is_over(edge: Edge) -> None:
    """Keys answers the revocation after the time of a lease. No group of lines begins then."""
    edge.keys.valid_ms = 200
    edge.land.delay_s = 0.02
    sending = asyncio.create_task(post(edge, RESOLVE, addresses(5_000)))
    await wait_until(lambda: len(edge.land.batches) > 3)
    edge.keys.denial = keys_pb2.Denial(code="revoked_key")
    await asyncio.sleep(edge.keys.valid_ms / 1000)
    begun = len(edge.land.batches)
    lines = objects(await sending)
    assert len(edge.land.batches) == begun
    codes = [line.get("problem", {}).get("code") for line in lines]
    assert codes[0] is None
    assert codes[-1] == "revoked_key"
    await ended(edge)
    assert edge.keys.charged() == {place for place, code in enumerate(codes) if code is None}
    assert all(request.goes_on for request in edge.keys.lease_requests[1:])


async def test_a_file_asks_keys_once_for_each_lease(edge: Edge) -> None:
    edge.keys.valid_ms = 60_000
    edge.land.delay_s = 0.02
    await post(edge, RESOLVE, addresses(500))
    assert edge.keys.lease_calls == 2  # the first lease has one request, and ends with it


async def test_a_file_waits_while_keys_is_not_available(start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_CHECK_RETRY_S", 0.01)
    async with start_edge() as edge:
        edge.keys.valid_ms = 50
        edge.land.delay_s = 0.02
        sending = asyncio.create_task(post(edge, RESOLVE, addresses(1_000)))
        await wait_until(lambda: len(edge.land.batches) > 3)
        edge.keys.abort_with = grpc.StatusCode.UNAVAILABLE
        calls = edge.keys.lease_calls
        await wait_until(lambda: edge.keys.lease_calls > calls + 5)
        begun = len(edge.land.batches)
        await wait_until(lambda: edge.keys.lease_calls > calls + 10)
        assert len(edge.land.batches) == begun
        edge.keys.abort_with = None
        assert {line["status"] for line in objects(await sending)} == {200}


async def test_a_file_without_keys_ends_with_its_deadline(
    start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_CHECK_RETRY_S", 0.01)
    async with start_edge(batch_deadline_s=1.0) as edge:
        edge.keys.valid_ms = 50
        edge.land.delay_s = 0.02
        sending = asyncio.create_task(post(edge, RESOLVE, addresses(1_000)))
        await wait_until(lambda: len(edge.land.batches) > 3)
        edge.keys.abort_with = grpc.StatusCode.UNAVAILABLE
        codes = [line.get("problem", {}).get("code") for line in objects(await sending)]
        assert (codes[0], codes[-1]) == (None, "deadline_exceeded")
        edge.keys.abort_with = None
        await ended(edge)
        assert edge.keys.charged() == {place for place, code in enumerate(codes) if code is None}


async def test_lines_after_the_deadline_are_free(start_edge: StartEdge) -> None:
    async with start_edge(batch_deadline_s=1e-9) as edge:
        lines = objects(await post(edge, UNITS, b'{"parcel_ids":["00001000AA0001"]}\n' * 5))
        assert [line["problem"]["code"] for line in lines] == ["deadline_exceeded"] * 5
        await ended(edge)
        assert edge.keys.charged() == set()


async def test_a_lost_connection_ends_the_work_and_the_same_key_resumes(edge: Edge) -> None:
    edge.land.delay_s = 0.02
    body = addresses(5_000)
    head = (
        f"POST {RESOLVE} HTTP/1.1\r\nhost: x\r\nx-api-key: {edge.key}\r\ncontent-type: {NDJSON}\r\n"
        f"idempotency-key: file-1\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    async with listening(edge) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + body)
        await reader.readuntil(b'"line":20,')
        writer.transport.abort()
        await ended(edge)
        answered_count = len(edge.land.requests)
        assert 20 <= len(edge.keys.charged()) <= answered_count < 5_000
        edge.land.delay_s = 0
        url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:
            headers = {"x-api-key": edge.key, "content-type": NDJSON, "idempotency-key": "file-1"}
            response = await client.post(RESOLVE, content=body, headers=headers)
    assert len(objects(response)) == 5_000
    first, second = edge.keys.line_requests
    assert first.lines.request_id == second.lines.request_id
    assert first.lines.request_digest == second.lines.request_digest
    assert first.lines.run != second.lines.run
    await wait_until(lambda: edge.keys.charged() == set(range(5_000)))


async def test_ids_of_other_keys_and_without_an_idempotency_key_differ(edge: Edge) -> None:
    await post(edge, RESOLVE, addresses(1), **{"idempotency-key": "a"})
    edge.keys.terms.key_id = "key-2"
    await post(edge, RESOLVE, addresses(1), **{"idempotency-key": "a"})
    await post(edge, RESOLVE, addresses(1))
    await post(edge, RESOLVE, addresses(1))
    assert len({request.lines.request_id for request in edge.keys.line_requests}) == 4


async def test_a_killed_edge_has_written_what_it_sent(edge: Edge, tmp_path: Any) -> None:
    edge.keys.accepts_outcomes = False
    edge.land.delay_s = 0.02
    spool = tmp_path / "killed"
    sent = 0
    async with edge_process(edge, spool) as (process, url), httpx.AsyncClient(base_url=url, timeout=60) as client:
        headers = {"x-api-key": edge.key, "content-type": NDJSON}
        with contextlib.suppress(httpx.TransportError):
            async with client.stream("POST", RESOLVE, content=addresses(5_000), headers=headers) as response:
                async for _ in response.aiter_lines():
                    sent += 1
                    if sent == 50:
                        process.kill()
    edge.keys.accepts_outcomes = True
    async with edge_process(edge, spool):
        await wait_until(lambda: len(edge.keys.charged()) >= sent)
    assert not any(outcome.lines.is_last for outcome in edge.keys.outcomes)  # the rest lapses


@pytest.mark.parametrize("keys", [["key-1"] * 3, ["key-1", "key-2", "key-3"]])
async def test_a_key_and_a_partner_take_a_share_of_the_files(start_edge: StartEdge, keys: list[str]) -> None:
    async with start_edge(max_batches_per_key=2, max_batches_per_partner=2) as edge:

        async def send_as(key_id: str, partner_id: str = "partner-1") -> httpx.Response:
            edge.keys.terms.key_id, edge.keys.terms.partner_id = key_id, partner_id
            return await post(edge, RESOLVE, addresses(1))

        edge.land.delay_s = 60
        tasks: list[asyncio.Task[httpx.Response]] = []
        for key_id in keys[:2]:
            tasks.append(asyncio.create_task(send_as(key_id)))
            await wait_until(lambda: len(edge.land.requests) == len(tasks))
        refused = await send_as(keys[2])
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "10"
        edge.land.delay_s = 0
        assert (await send_as("key-9", "partner-9")).status_code == 200
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (await send_as(keys[2])).status_code == 200


async def test_a_body_that_arrives_slowly_takes_no_slot_of_others(start_edge: StartEdge) -> None:
    async with start_edge(max_batches=1) as edge, listening(edge) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"POST {RESOLVE} HTTP/1.1\r\nhost: x\r\nx-api-key: {edge.key}\r\n"
            f"content-type: {NDJSON}\r\ncontent-length: 100\r\n\r\n"
        )
        writer.write(head.encode() + b"{")
        await wait_until(lambda: edge.keys.lease_requests)
        assert (await post(edge, RESOLVE, addresses(1))).status_code == 200
        writer.close()
        await writer.wait_closed()


async def test_land_units_are_answered_in_each_form(edge: Edge) -> None:
    body = b'{"id":"a","parcel_ids":["00001000AB0012"]}\n{"parcel_ids":["x"]}\n'
    first, second = objects(await post(edge, UNITS, body))
    assert first["body"]["features"][0]["properties"]["parcel_ids"] == ["00001000AB0012"]
    assert second["problem"]["errors"][0]["pointer"] == "/parcel_ids/0"
    assert edge.keys.line_requests[0].endpoint == LAND_UNITS_BATCH
    rows = list(csv.DictReader(io.StringIO((await post(edge, UNITS, body, accept=CSV)).text)))
    assert [(row["parcel_ids"], row["error_pointer"]) for row in rows] == [
        ("00001000AB0012", ""),
        ("", "/parcel_ids/0"),
    ]
    many = b'{"parcel_ids":["00001000AB0012"]}\n' * 1_001
    assert (await post(edge, UNITS, many, accept=GEOPACKAGE)).status_code == 400


async def test_no_success_is_sent_after_the_reservation_ended(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    reserve, reservations = lines.LineReservation.reserve, []

    async def remember(reservation: lines.LineReservation) -> Any:
        reservations.append(reservation)
        return await reserve(reservation)

    async def end_after_answers() -> None:
        await wait_until(lambda: len(edge.land.batches) > 20)
        reservations[0].ends_at = 0

    monkeypatch.setattr(lines.LineReservation, "reserve", remember)
    edge.land.delay_s = 0.01
    ending = asyncio.create_task(end_after_answers())
    codes = [line.get("problem", {}).get("code") for line in objects(await post(edge, RESOLVE, addresses(5_000)))]
    await ending
    assert codes[0] is None
    assert codes[-1] == "deadline_exceeded"
    await ended(edge)
    assert edge.keys.charged() == {place for place, code in enumerate(codes) if code is None}


def workbook(*rows: tuple[Any, ...]) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(out)
    return out.getvalue()


def sheet(content: bytes) -> list[tuple[object, ...]]:
    return list(openpyxl.load_workbook(io.BytesIO(content)).worksheets[0].iter_rows(values_only=True))


HEADER = ("Réf.", "Bien", "Prix", "CP", "Notes")


async def test_a_workbook_comes_back_with_its_own_columns_first(edge: Edge) -> None:
    edge.land.resolution.address.city_code = "01004"
    edge.land.resolution.parcels[0].parcel_id = "751180000E0012"
    body = workbook(HEADER, ("a", "1 rue X", 12.5, "01000", "mardi"), (None,) * 5, (7, None, 3, None, None))
    response = await post(edge, f"{RESOLVE}?columns=id:1,label:2,postcode:4", body, XLSX)
    assert (response.status_code, response.headers["content-type"]) == (200, XLSX)
    assert response.headers["line-count"] == "2"
    head, first, second = sheet(response.content)
    assert head[:8] == (*HEADER, "line", "id", "status")
    assert first[:8] == ("a", "1 rue X", 12.5, "01000", "mardi", 1, "a", 200), "a number is one again, a code is none"
    row = dict(zip(head, first, strict=True))
    assert row["city_code"] == "01004"
    assert row["parcel_ids"] == "751180000E0012"
    assert second[:9] == (7, None, 3, None, None, 2, "7", 400, "invalid_payload")
    await ended(edge)
    assert edge.keys.charged() == {0}


async def test_a_table_of_any_form_can_be_answered_as_a_workbook(edge: Edge) -> None:
    answer = await post(edge, RESOLVE, "\ufefflabel;Prix\n1 rue X;12,50\n".encode(), CSV, accept=XLSX)
    assert [row[:3] for row in sheet(answer.content)] == [("label", "Prix", "line"), ("1 rue X", "12,50", 1)]
    unit = b'{"id":"=x","parcel_ids":["00001000AA0001"]}\n'
    [_, row] = sheet((await post(edge, UNITS, unit, accept=XLSX)).content)
    assert row[:3] == (1, "'=x", 200), "no formula of somebody else"
    assert (await post(edge, UNITS, unit * 1_001, accept=XLSX)).json()["errors"][0]["code"] == "too_many"


@pytest.mark.parametrize(
    "body", [b"", b"PK\x03\x04", b"label\nx\n", workbook()[:2000], workbook(("a",)).replace(b"xl/", b"xx/")]
)
async def test_a_file_that_is_no_workbook_is_refused(edge: Edge, body: bytes) -> None:
    response = await post(edge, RESOLVE, body, XLSX)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
    assert not edge.keys.line_requests


async def test_a_workbook_that_unpacks_to_too_much_is_refused(edge: Edge) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * (sheet_reader._MAX_UNPACKED_BYTES + 1))
    assert (await post(edge, RESOLVE, out.getvalue(), XLSX)).status_code == 400


@pytest.mark.parametrize("form", [CSV, XLSX])
async def test_a_preview_has_ten_lines_with_their_faults_and_costs_nothing(edge: Edge, form: str) -> None:
    rows = [(f"r{number}", "" if number == 2 else f"{number} rue X", "n") for number in range(1, 13)]
    table = "\n".join(";".join(row) for row in (("Réf.", "Bien", "Notes"), *rows)).encode()
    body = table if form == CSV else workbook(("Réf.", "Bien", "Notes"), *rows)
    response = await post(edge, f"{RESOLVE}?preview=true&columns=id:1,label:2", body, form)
    header, *lines = objects(response)
    assert response.headers["line-count"] == "12"
    assert header == {"line": 0, "id": None, "status": 200, "cells": ["Réf.", "Bien", "Notes"]}
    assert [(line["line"], line["id"], line["status"]) for line in lines] == [
        (number, f"r{number}", 400 if number == 2 else 200) for number in range(1, 11)
    ]
    assert lines[0]["cells"] == ["r1", "1 rue X", "n"]
    assert lines[1]["problem"]["code"] == "invalid_payload"
    unknown = objects(await post(edge, f"{RESOLVE}?preview=true", body, form))
    assert (unknown[0]["cells"], unknown[1]["status"]) == (header["cells"], 400), "the header is there to choose from"
    assert not edge.keys.line_requests
    assert not edge.land.requests
    await wait_until(lambda: bool(edge.keys.outcomes))
    assert all(outcome.is_free for outcome in edge.keys.outcomes)


async def test_columns_are_known_members_each_once(edge: Edge) -> None:
    for columns in ("label:1,label:2", "parcel_ids:1", "label", "label:x"):
        response = await post(edge, f"{RESOLVE}?columns={columns}", b"x\n1 rue X\n", CSV)
        assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "/columns")
    assert (
        objects(await post(edge, f"{RESOLVE}?columns=label:1", b"x\n1 rue X\n", CSV, accept=NDJSON))[0]["status"] == 200
    )


async def test_a_spreadsheet_makes_no_number_of_a_code(edge: Edge) -> None:
    edge.land.resolution.address.city_code = "01004"
    edge.land.resolution.parcels[0].parcel_id = "751180000E0012"
    marked = (await post(edge, RESOLVE, "\ufefflabel\n1 rue X\n".encode(), CSV)).content.decode("utf-8-sig")
    assert '="01004"' in marked.replace('""', '"')
    assert '="751180000E0012"' in marked.replace('""', '"')
    plain = (await post(edge, RESOLVE, b"label\n1 rue X\n", CSV)).text
    assert ",01004," in plain, "a program reads what there is"
