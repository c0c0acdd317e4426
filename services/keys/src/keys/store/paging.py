"""Pages by key: the place after the last row of a page, as an opaque text."""

import base64
import json
from datetime import datetime

from keys.store.key_pages import KeyOrder, Place, SortBy
from servicekit.errors import InvalidPayload, Violation

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 200


def page_size(asked: int) -> int:
    """The default where nothing is asked, never more than the most."""
    return min(asked, MAX_PAGE_SIZE) if asked > 0 else DEFAULT_PAGE_SIZE


def write_token(*place: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_row_token(token: str) -> tuple[datetime, str]:
    """The instant and the id after which a page starts. Raises InvalidPayload."""
    try:
        at, row_id = _read(token)
        return datetime.fromisoformat(str(at)), str(row_id)
    except ValueError:
        raise _not_ours() from None


def write_key_token(order: KeyOrder, end: Place) -> str:
    value = end.value.isoformat() if isinstance(end.value, datetime) else end.value
    return write_token(order.by, int(order.is_descending), value, end.key_id)


def read_key_token(token: str, order: KeyOrder) -> Place:
    """The place after which a page of keys starts. Raises InvalidPayload, also for the token of another order."""
    try:
        by, is_descending, value, key_id = _read(token)
        if KeyOrder(SortBy(str(by)), bool(is_descending)) != order:
            raise _not_ours()
        match order.by:
            case SortBy.CREATED_AT | SortBy.LAST_USED_AT:
                return Place(datetime.fromisoformat(str(value)), str(key_id))
            case SortBy.LABEL | SortBy.PARTNER:
                return Place(str(value), str(key_id))
            case SortBy.MONTH_UNITS:
                return Place(int(value), str(key_id))
    except ValueError:
        raise _not_ours() from None


def read_id_token(token: str) -> int:
    """The id after which a page starts. Raises InvalidPayload."""
    try:
        (row_id,) = _read(token)
        return int(row_id)
    except (ValueError, TypeError):
        raise _not_ours() from None


def _read(token: str) -> list[str | int]:
    place = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    if not isinstance(place, list):
        raise ValueError("a place is a list")
    return place


def _not_ours() -> InvalidPayload:
    violation = Violation("/page_token", "malformed", "is the token of the page before")
    return InvalidPayload("The page token is not one that was given.", violations=[violation])
