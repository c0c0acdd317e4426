"""Pages of rows by any sort column, and page tokens: the last row of a page as an opaque text."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter
from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Select, literal, tuple_

from keys.values.checks import malformed, refuse
from keys.values.clock import read_instant
from servicekit.errors import InvalidPayload
from servicekit.languages import Text

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
MAX_TOKEN_LENGTH = 2_000
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
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


def read_id_token(token: str) -> int:
    """Returns the id of the row before the page. Raises InvalidPayload."""
    return int(_read(token, _ID)[0])


_Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A text that the database can compare: without NUL or lone surrogates, which no text of JSON has here."""
_Number = Annotated[int, Field(ge=0, le=2**63 - 1)]
"""A value of a BIGINT column."""
_Amount = Annotated[str, Field(pattern=r"^-?[0-9]{1,20}\.[0-9]{2}$")]
"""An amount in euros with two decimals, which may be negative."""
_Instant = Annotated[str, AfterValidator(read_instant)]
_LastUse = Annotated[str, AfterValidator(lambda text: NEVER if text == NEVER.isoformat() else read_instant(text))]
_VALUES: Mapping[str, Any] = {
    "created_at": _Instant,
    "last_used_at": _LastUse,
    **dict.fromkeys(("label", "partner", "name"), _Text),
    **dict.fromkeys(("month_units", "keys", "requests", "units"), _Number),
    "net": _Amount,
}
"""The value of each sort column in a token."""
_ENDS: Mapping[str, TypeAdapter[Any]] = {
    by: TypeAdapter(tuple[Literal[by], int, value, _Text])  # type: ignore[valid-type] # made here
    for by, value in _VALUES.items()
}
_ID: TypeAdapter[Any] = TypeAdapter(tuple[_Number])


def _read_end(token: str, order: Order[SortT]) -> Cursor:
    _, is_descending, value, row_id = _read(token, _ENDS[order.by.value])
    if is_descending != int(order.is_descending):
        raise _invalid_token()
    return Cursor(value, row_id)


def _read(token: str, parts: TypeAdapter[Any]) -> Any:
    """Returns the parts of a token, which may be any JSON of a client. Raises InvalidPayload."""
    try:
        return parts.validate_json(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)), strict=True)
    except ValueError:
        raise _invalid_token() from None


def _invalid_token() -> InvalidPayload:
    return refuse("/page_token", malformed(Text("next_page_token de la page précédente", "that of the page before")))
