"""The attributes of a planning document's features: which document they belong to, dates and web addresses.

Each document has a partition on the Géoportail de l'urbanisme: DU_ and the INSEE code of the commune or the SIREN of
the intercommunality. A new document replaces the old one of the same partition.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from land.datasets.planning.codes import DOCUMENT_TYPES
from land.sources.values import check, given, is_date

FILES = "https://data.geopf.fr/annexes/gpu/documents"
"""The Géoportail's written parts of documents, by partition, deposit id and file."""

PAGES = "https://www.geoportail-urbanisme.gouv.fr/document/by-id"

MAX_TEXT = 2_000
_DEPOSIT = re.compile(r"[0-9a-f]{8,64}")
_OWNER = r"(?:[0-9]{9}|(?:[0-9]{2}|2[AB])[0-9]{3})"
_PARTITION = re.compile(rf"(?:DU|PSMV)_{_OWNER}(?:_[0-9A-Z]{{1,20}})?")
_IDURBA = re.compile(rf"({_OWNER})_?(?:([A-Z]{{2,5}})_)?([0-9]{{8}})(?:_([0-9A-Z]{{1,20}}))?", re.IGNORECASE)
_FILE = re.compile(rf"(?<![0-9A-Z])({_OWNER}_(?:[A-Z]{{2,5}}_)?[0-9]{{8}})(?![0-9])", re.IGNORECASE)
_LONE_DATE = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})-?([01][0-9])-?([0-3][0-9])(?![0-9])")


class Document(NamedTuple):
    partition: str
    document_id: str
    """IDURBA, else the partition."""
    document_type: str | None
    approved_on: str | None


def document_of(properties: Mapping[str, Any], file: str) -> Document:
    """The document of a feature, from PARTITION, else IDURBA, else the file's name, else INSEE.

    Standards before 2017 have no IDURBA. Raises ValueError without all of these.
    """
    published = text(properties, "IDURBA")
    named = _FILE.search(file)
    document_id = published or (named[1] if named else "")
    parts = _IDURBA.fullmatch(document_id)
    approved_on = day(properties.get("DATAPPRO")) or (day(parts[3]) if parts else None)
    partition = given(_partition(properties, parts), "neither PARTITION, IDURBA nor INSEE tells the document")
    kind = DOCUMENT_TYPES.get((parts[2] or "").upper()) if parts else None
    if partition.startswith("PSMV_"):
        kind = "PSMV"
    return Document(partition, document_id or partition, kind, approved_on)


def _partition(properties: Mapping[str, Any], parts: re.Match[str] | None) -> str | None:
    published = text(properties, "PARTITION").upper()
    if _PARTITION.fullmatch(published):
        return published
    if parts:
        prefix = "PSMV" if (parts[2] or "").upper() == "PSMV" else "DU"
        return f"{prefix}_{parts[1].upper()}" + (f"_{parts[4].upper()}" if parts[4] else "")
    owner = code(properties.get("INSEE"), 5).upper()
    return f"DU_{owner}" if re.fullmatch(_OWNER, owner) else None


def is_partition(name: str) -> bool:
    """Whether a text has the form of DU_64547, DU_200011781, DU_200067213_B or PSMV_75056_A."""
    return _PARTITION.fullmatch(name) is not None


def text(properties: Mapping[str, Any], name: str) -> str:
    """A text attribute, or a number as text; empty if it is absent. Raises ValueError if it is too long."""
    value = properties.get(name)
    if value is None or isinstance(value, bool) or value != value:  # noqa: PLR0124 (not a number: GDAL's null)
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    content = repaired(str(value).replace("\0", "").strip())
    check(len(content) <= MAX_TEXT, f"{name}: longer than {MAX_TEXT} characters")
    return content


def repaired(published: str) -> str:
    """Some texts of the live service are UTF-8 that was read as another encoding. They become UTF-8 again."""
    for encoding in ("latin-1", "cp1252"):
        try:
            return published.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return published


def code(value: Any, width: int) -> str:
    """A code as text. Restores the leading zeros of a code that was read as a number."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return f"{int(value):0{width}}" if value == value and value >= 0 else ""  # noqa: PLR0124 (not a number)
    return str(value).strip()


def day(value: Any) -> str | None:
    """A date as YYYY-MM-DD, from 20140123, 2014-01-23, 2014/01/23 or an instant; None for other values."""
    digits = code(value, 8).replace("/", "-")[:10]
    if len(digits) >= 8 and digits[:8].isdigit():  # noqa: PLR2004 (YYYYMMDD)
        digits = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
    return digits if is_date(digits) else None


def compact_date_in(name: str) -> str | None:
    """The date in a file's name, also without hyphens, as in 30014_PLU_20171013_zone_urba.geojson."""
    return next((day for parts in _LONE_DATE.findall(name) if is_date(day := "-".join(parts))), None)


def regulation_url(properties: Mapping[str, Any]) -> str | None:
    """The address of the written rule: URLFIC, else the Géoportail's address of NOMFIC; None without these."""
    published = text(properties, "URLFIC")
    if _is_web(published):
        return published
    name, deposit = text(properties, "NOMFIC"), text(properties, "GPU_DOC_ID")
    partition = text(properties, "PARTITION")
    if not (name and _DEPOSIT.fullmatch(deposit) and _PARTITION.fullmatch(partition.upper())):
        return None
    file, _, anchor = name.partition("#")
    address = f"{FILES}/{partition}/{deposit}/{quote(file, safe='')}"
    return f"{address}#{quote(anchor, safe='=&,')}" if anchor else address


def deposit_of(url: str) -> str | None:
    """The deposit of a file at the Géoportail; None for an address elsewhere, which is not requested."""
    return url.removeprefix(f"{FILES}/").split("/")[1] if url.startswith(f"{FILES}/") else None


def document_url(properties: Mapping[str, Any]) -> str | None:
    """A document's web page: the Géoportail's if there is a deposit id, else URLREG, else SITEWEB, else None."""
    deposit = text(properties, "GPU_DOC_ID") or text(properties, "ID")
    if _DEPOSIT.fullmatch(deposit):
        return f"{PAGES}/{deposit}"
    return next((url for name in ("URLREG", "SITEWEB") if _is_web(url := text(properties, name))), None)


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
