"""Page sizes, and page tokens: the last row of a page as an opaque text."""

import base64
import json
import re
from datetime import datetime

from keys.checks import malformed, refuse
from keys.clock import read_instant
from keys.store.key_pages import NEVER, KeyCursor, KeyOrder, SortBy
from keys.store.partner_pages import PartnerCursor, PartnerOrder, PartnerSort
from servicekit.errors import InvalidPayload
from servicekit.languages import Text

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
MAX_TOKEN_LENGTH = 2_000
_MAX_NUMBER = 2**63 - 1
"""The largest value of a BIGINT column."""
_AMOUNT = re.compile(r"-?[0-9]{1,20}\.[0-9]{2}")


def write_token(*place: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(place, ensure_ascii=False).encode()).decode().rstrip("=")


def write_sorted_token(order: KeyOrder | PartnerOrder, end: KeyCursor | PartnerCursor) -> str:
    place, row_id = end
    value = place.isoformat() if isinstance(place, datetime) else place
    return write_token(order.by, int(order.is_descending), value, row_id)


def read_partner_token(token: str, order: PartnerOrder) -> PartnerCursor:
    """Does the same as `read_key_token`."""
    value, partner_id = _read_sorted(token, order)
    match order.by:
        case PartnerSort.CREATED_AT:
            return PartnerCursor(_instant(value), _text(partner_id))
        case PartnerSort.NAME:
            return PartnerCursor(_text(value), _text(partner_id))
        case PartnerSort.KEYS | PartnerSort.REQUESTS | PartnerSort.UNITS:
            return PartnerCursor(_number(value), _text(partner_id))
        case PartnerSort.NET:
            return PartnerCursor(_amount(value), _text(partner_id))


def read_key_token(token: str, order: KeyOrder) -> KeyCursor:
    """Returns the cursor of the page before. Raises InvalidPayload, also for the token of another order."""
    value, key_id = _read_sorted(token, order)
    match order.by:
        case SortBy.CREATED_AT:
            return KeyCursor(_instant(value), _text(key_id))
        case SortBy.LAST_USED_AT:
            return KeyCursor(NEVER if value == NEVER.isoformat() else _instant(value), _text(key_id))
        case SortBy.LABEL | SortBy.PARTNER:
            return KeyCursor(_text(value), _text(key_id))
        case SortBy.MONTH_UNITS:
            return KeyCursor(_number(value), _text(key_id))


def read_id_token(token: str) -> int:
    """Returns the id of the row before the page. Raises InvalidPayload."""
    (row_id,) = _read(token, 1)
    return _number(row_id)


def _read_sorted(token: str, order: KeyOrder | PartnerOrder) -> tuple[object, object]:
    """Returns the value and the id of the row before the page."""
    by, is_descending, value, row_id = _read(token, 4)
    if (by, is_descending) != (order.by.value, int(order.is_descending)):
        raise _invalid_token()
    return value, row_id


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


def _invalid_token() -> InvalidPayload:
    return refuse("/page_token", malformed(Text("next_page_token de la page précédente", "that of the page before")))
