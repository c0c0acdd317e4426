"""Pages of rows by any sort column, and page tokens: the last row of a page as an opaque text."""

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Select, literal, tuple_

from keys.values.checks import malformed, refuse
from keys.values.clock import read_instant
from servicekit.errors import InvalidPayload
from servicekit.languages import Text

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
MAX_TOKEN_LENGTH = 2_000
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_NUMBER = 2**63 - 1
"""The largest value of a BIGINT column."""
_AMOUNT = re.compile(r"-?[0-9]{1,20}\.[0-9]{2}")
SortT = TypeVar("SortT", bound=StrEnum)
RecordT = TypeVar("RecordT")


@dataclass(frozen=True)
class Order(Generic[SortT]):
    """A sort column and its direction. Rows with equal values are sorted by id."""

    by: SortT
    is_descending: bool = True


class Cursor(NamedTuple):
    """The end of a page: the sort value and the id of its last row. Amounts are texts."""

    value: str | int | datetime
    row_id: str


class Page(NamedTuple, Generic[RecordT]):
    """`end` is None on the last page. `total_count` counts the rows of all pages."""

    records: Sequence[RecordT]
    end: Cursor | None
    total_count: int


class PageRequest(NamedTuple, Generic[SortT]):
    """It asks for at most `limit` rows after the end of the page before, which must be of the same order."""

    order: Order[SortT]
    after: Cursor | None
    limit: int

    def token_of_next(self, end: Cursor | None) -> str:
        """Returns the token of the page after this end; "" for None."""
        if end is None:
            return ""
        value = end.value.isoformat() if isinstance(end.value, datetime) else end.value
        return write_token(self.order.by, int(self.order.is_descending), value, end.row_id)


def read_page(order_by: str, token: str, size: int, sorts: type[SortT]) -> PageRequest[SortT]:
    """Reads an order such as "label" or "-label"; the default is the newest row first. Raises InvalidPayload for a
    wrong token, also for that of another order.
    """
    text = order_by or "-created_at"
    order = Order(sorts(text.removeprefix("-")), text.startswith("-"))
    return PageRequest(order, _read_end(token, order) if token else None, size or DEFAULT_PAGE_SIZE)


def page_rows(
    connection: Connection, statement: Select[Any], by: ColumnElement[Any], row_id: Column[str], page: PageRequest[Any]
) -> tuple[Sequence[RowMapping], Cursor | None]:
    """Returns the rows of the page, sorted by the column, and the end of the page."""
    after, limit, is_descending = page.after, page.limit, page.order.is_descending
    place = tuple_(by, row_id)
    if after is not None:
        start = tuple_(literal(after.value, by.type), literal(after.row_id))
        statement = statement.where(place < start if is_descending else place > start)
    direction = (column.desc() if is_descending else column.asc() for column in (by, row_id))
    ordered = statement.add_columns(by.label("place")).order_by(*direction).limit(limit + 1)
    rows = connection.execute(ordered).mappings().all()
    last = rows[limit - 1] if len(rows) > limit else None
    return rows[:limit], None if last is None else Cursor(last["place"], last[row_id])


def write_token(*place: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(place, ensure_ascii=False).encode()).decode().rstrip("=")


def _read_end(token: str, order: Order[SortT]) -> Cursor:
    by, is_descending, value, row_id = _read(token, 4)
    if (by, is_descending) != (order.by.value, int(order.is_descending)):
        raise _invalid_token()
    return Cursor(_VALUES[order.by.value](value), _text(row_id))


def read_id_token(token: str) -> int:
    """Returns the id of the row before the page. Raises InvalidPayload."""
    (row_id,) = _read(token, 1)
    return _number(row_id)


def _read(token: str, length: int) -> list[object]:
    """Returns the parts of a token, of any type, since clients can send any JSON. Raises InvalidPayload."""
    try:
        place = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (ValueError, RecursionError):
        raise _invalid_token() from None
    if not isinstance(place, list) or len(place) != length:
        raise _invalid_token()
    return place


def _text(part: object) -> str:
    """Accepts a text that the database can compare: without NUL or lone surrogates."""
    if not isinstance(part, str) or "\0" in part:
        raise _invalid_token()
    try:
        part.encode()
    except UnicodeEncodeError:
        raise _invalid_token() from None
    return part


def _number(part: object) -> int:
    if type(part) is not int or not 0 <= part <= _MAX_NUMBER:  # True is an int, too
        raise _invalid_token()
    return part


def _amount(part: object) -> str:
    """Accepts an amount in euros with two decimals, which may be negative."""
    text = _text(part)
    if not _AMOUNT.fullmatch(text):
        raise _invalid_token()
    return text


def _instant(part: object) -> datetime:
    try:
        return read_instant(_text(part))
    except ValueError:
        raise _invalid_token() from None


_VALUES: Mapping[str, Callable[[object], str | int | datetime]] = {
    "created_at": _instant,
    "last_used_at": lambda part: NEVER if part == NEVER.isoformat() else _instant(part),
    "label": _text,
    "partner": _text,
    "name": _text,
    "month_units": _number,
    "keys": _number,
    "requests": _number,
    "units": _number,
    "net": _amount,
}
"""Reads the value of each sort column from a token."""


def _invalid_token() -> InvalidPayload:
    return refuse("/page_token", malformed(Text("next_page_token de la page précédente", "that of the page before")))
