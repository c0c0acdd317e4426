"""Reading lines: NDJSON and CSV, with the faults of single lines at their place."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from contract.endpoints import MAX_LINES
from edge.api.v1.batches import _ADDRESS_COLUMNS, _UNIT_COLUMNS
from edge.batches import inputs
from edge.batches.inputs import (
    CSV,
    MAX_ID,
    MAX_ROW_BREAKS,
    NDJSON,
    Columns,
    Dialect,
    Line,
    Lines,
    line_media_type,
    read_lines,
)
from edge.problems import Problem

LIMIT = 2_000


async def read(body: bytes, media_type: str = NDJSON, columns: Columns = _ADDRESS_COLUMNS, limit: int = LIMIT) -> Lines:
    request = Request({"type": "http", "headers": [(b"content-type", media_type.encode())]})
    return await read_lines(body, line_media_type(request), columns, limit)


async def lines(*args: Any) -> list[Line]:
    parsed = await read(*args)
    read_now = list(parsed.read())
    assert [line.number for line in read_now] == list(range(1, parsed.count + 1))
    return read_now


def fault(line: Line) -> tuple[str, str, str]:
    assert isinstance(line.document, Problem)
    first = line.document.violations[0] if line.document.violations else None
    return line.document.code, first.pointer if first else "", first.code if first else ""


async def test_ndjson_has_a_line_for_each_object_and_ignores_blank_ones() -> None:
    first, second = await lines(b'\xef\xbb\xbf{"id": "a", "label": "1 rue X"}\r\n\n  \n{"id": 7, "postcode": "75018"}')
    assert first == Line(1, "a", {"label": "1 rue X"})
    assert second == Line(2, 7, {"postcode": "75018"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"{", ("invalid_json", "", "")),
        (b'{"label": "\xff"}', ("invalid_json", "", "")),
        (b"[1]", ("invalid_payload", "", "wrong_type")),
        (b'{"id": true}', ("invalid_payload", "/id", "wrong_type")),
        (b'{"id": "%s"}' % (b"x" * (MAX_ID + 1)), ("invalid_payload", "/id", "too_long")),
        (b'{"label": "%s"}' % (b"x" * 2_000), ("invalid_payload", "", "too_long")),
    ],
)
async def test_a_fault_stays_at_its_line(text: bytes, expected: tuple[str, str, str]) -> None:
    before, faulty, after = await lines(b'{"label":"a"}\n' + text + b'\n{"label":"b"}')
    assert fault(faulty) == expected
    assert (before.document, after.document) == ({"label": "a"}, {"label": "b"})


@pytest.mark.parametrize("delimiter", [",", ";"])
async def test_a_table_names_its_columns_and_may_quote_its_cells(delimiter: str) -> None:
    text = '\ufeffID;Note;Label;postcode\r\n7;x;"1, rue ""X""; Y\nsuite";75018\n\n;;2 rue Z;\n'
    if delimiter == ",":
        text = 'ID,Note,Label,postcode\r\n7,x,"1, rue ""X""; Y\nsuite",75018\n,,2 rue Z,\n'
    parsed = await read(text.encode(), f"{CSV}; charset=utf-8")
    assert parsed.dialect == Dialect(delimiter, has_mark=delimiter == ";")
    assert list(parsed.read()) == [
        Line(
            1,
            "7",
            {"label": '1, rue "X"; Y\nsuite', "postcode": "75018"},
            ["7", "x", '1, rue "X"; Y\nsuite', "75018"],
        ),
        Line(2, None, {"label": "2 rue Z"}, ["", "", "2 rue Z", ""]),
    ]


async def test_a_table_of_land_units_has_lists_and_an_address() -> None:
    text = b"parcel_ids,include,street,city_code\n00001000AA0001 00001000AA0002,land|urbanism,,\n,,rue X,00001\n"
    first, second = await lines(text, CSV, _UNIT_COLUMNS)
    assert first.document == {"parcel_ids": ["00001000AA0001", "00001000AA0002"], "include": ["land", "urbanism"]}
    assert second.document == {"address": {"street": "rue X", "city_code": "00001"}}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (b"a,b,c", ("invalid_payload", "", "malformed")),
        (b"a", ("invalid_payload", "", "malformed")),
        (b"1,\xff", ("invalid_payload", "/label", "malformed")),
        (b"1," + b"x" * 2_001, ("invalid_payload", "", "too_long")),
        (b"x" * (MAX_ID + 1) + b",a", ("invalid_payload", "/id", "too_long")),
    ],
)
async def test_a_fault_stays_at_its_row(row: bytes, expected: tuple[str, str, str]) -> None:
    before, faulty, after = await lines(b"id,label\n1,a\n" + row + b"\n3,b\n", CSV)
    assert fault(faulty) == expected
    assert (before.document, after.document) == ({"label": "a"}, {"label": "b"})


async def test_a_quote_that_nothing_closes_spoils_a_few_lines() -> None:
    first, faulty, *later_lines = await lines(b'label\na\n"' + b"x\n" * 100, CSV)
    assert first.document == {"label": "a"}
    assert fault(faulty) == ("invalid_payload", "", "too_long")
    assert [line.document for line in later_lines] == [{"label": "x"}] * (100 - MAX_ROW_BREAKS - 1)


async def test_a_table_may_end_its_lines_with_carriage_returns() -> None:
    assert await lines(b"label,city\ra,b\rc,d", CSV) == [
        Line(1, None, {"label": "a", "city": "b"}, ["a", "b"]),
        Line(2, None, {"label": "c", "city": "d"}, ["c", "d"]),
    ]


HOSTILE = {
    "blank lines": (b"\n" * 1_000_000, NDJSON),
    "blank rows": (b"label\n" + b"\n" * 1_000_000, CSV),
    "rows of empty cells": (b"label\n" + b",\n" * 500_000, CSV),
    "blank rows before the header": (b"\n" * 1_000_000 + b"label\n", CSV),
    "a quoted cell of line breaks": (b'label\n"' + b"\n" * 1_000_000 + b'"', CSV),
    "quotes that nothing closes": (b"label\n" + b'"\n' * 500_000, CSV),
    "carriage returns": (b"label\r" + b"\r" * 1_000_000, CSV),
}


@pytest.mark.parametrize("shape", HOSTILE)
async def test_rows_without_content_count_and_others_run_between_them(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "_SLICE_S", -1.0)
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    with pytest.raises(Problem) as refused:
        await read(*HOSTILE[shape])
    counting.cancel()
    codes = [violation.code for violation in refused.value.violations]
    assert (codes, turns > MAX_LINES) in ((["too_many"], True), (["malformed"], False))


@pytest.mark.parametrize("row", [b"," * 8_000, b'"' + b"," * 8_000, b"x" * 200_000])
async def test_a_wide_row_is_one_faulty_line(row: bytes) -> None:
    before, faulty, after = await lines(b"label\na\n" + row + b"\nb\n", CSV, _ADDRESS_COLUMNS, 300_000)
    assert fault(faulty)[0] == "invalid_payload"
    assert (before.document, after.document) == ({"label": "a"}, {"label": "b"})


@pytest.mark.parametrize(
    "head", [b"x" * 200_000 + b"\nlabel\n", b"," * 100_000 + b"label", b'"label' + b"\n" * 200_000]
)
async def test_a_head_that_cannot_be_read_is_malformed(head: bytes) -> None:
    with pytest.raises(Problem) as refused:
        await read(head, CSV, _ADDRESS_COLUMNS, 256 * 1024)
    assert [violation.code for violation in refused.value.violations] == ["malformed"]


@pytest.mark.parametrize(
    ("body", "media_type", "code"),
    [
        (b"", NDJSON, "invalid_payload"),
        (b"\n \n", NDJSON, "invalid_payload"),
        (b"{}\n" * (MAX_LINES + 1), NDJSON, "invalid_payload"),
        (b"{}", "application/json", "unsupported_media_type"),
        (b"{}", "", "unsupported_media_type"),
        (b"{}", f"{NDJSON}; charset=latin-1", "unsupported_media_type"),
        (b"label\n", CSV, "invalid_payload"),
        (b"", CSV, "invalid_payload"),
        (b"id,name\n1,x\n", CSV, "invalid_payload"),
        (b"label,label\na,b\n", CSV, "invalid_payload"),
    ],
)
async def test_a_body_without_lines_or_with_too_many_is_refused(body: bytes, media_type: str, code: str) -> None:
    with pytest.raises(Problem) as refused:
        await read(body, media_type)
    assert refused.value.code == code


async def test_the_digest_is_that_of_content_and_form() -> None:
    one, same, other = await read(b"{}"), await read(b"{}"), await read(b"{} ")
    assert one.digest == same.digest != other.digest
