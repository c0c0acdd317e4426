"""Which communes a reading is for, and the text forms that all sources share."""

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from land.errors import UnreadableFile
from land.parcels import department_of

_COMMUNE_CODE = re.compile(r"(?:[0-9]{2}|2[AB])[0-9]{3}|00[0-9A-Z]{3}")
"""The second form is that of fictional communes, where 998 are not enough."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Selection:
    """A commune, a département, or everything."""

    commune: str | None = None
    department: str | None = None

    def includes(self, commune_code: str) -> bool:
        if self.commune is not None and commune_code != self.commune:
            return False
        return self.department is None or department_of(commune_code) == self.department


def refuse_commune(file: str, commune: str | None) -> None:
    """Raises UnreadableFile where a commune is chosen from a file that does not tell communes."""
    if commune is not None:
        raise UnreadableFile(f"{file}: published by département: choose one with --department, not a commune")


def is_commune_code(text: str) -> bool:
    """Five characters as INSEE gives them: 01001, 2A004, 97105; or as the demo does: 00001, 00B4Z."""
    return _COMMUNE_CODE.fullmatch(text) is not None


@lru_cache(maxsize=16_384)
def is_date(text: str) -> bool:
    """A day that exists, as YYYY-MM-DD."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
