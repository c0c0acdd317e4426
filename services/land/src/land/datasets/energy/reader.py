"""Energy ratings of dwellings (DPE, ADEME) since July 2021: answers of the API of its portal, or CSV exports.

Fields: https://data.ademe.fr/datasets/dpe03existant. Existing and new dwellings are two sets with the same columns. The
sets of other premises (tertiaire) and of the years before July 2021 are left out: their letters have another meaning.
The API leaves out columns without a value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from land.addresses.normalise import fold
from land.datasets.energy.records import RatingCountRecord, RatingRecord
from land.datasets.grouping import grouped
from land.datasets.partitions import Partition
from land.errors import SourceError, UnreadableFile
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_csv
from land.sources.json_files import open_json
from land.sources.values import check, commune_code, coordinates, date_in, given, is_date

SETS = {"dpe03existant": "existing", "dpe02neuf": "new"}
"""The part of a partition, by the id of the set."""
PAGE_ROWS = 2_500
"""Rows of one page. The API takes up to 10,000 and gives about 500 in a second; land waits 10 s for the first byte."""
LETTERS = frozenset("ABCDEFG")
LEAST_SCORE = 0.8
"""The score of a point that is surely at its address."""
FIRST_DAY = "2021-07-01"
"""The present method. Letters of older diagnoses are not comparable."""
_CHANGED_ON = "date_derniere_modification_dpe"
_COLUMNS = (
    "numero_dpe", "numero_dpe_remplace", "date_etablissement_dpe", "etiquette_dpe", "etiquette_ges", "identifiant_ban",
    "code_insee_ban", "id_rnb", "score_ban", "statut_geocodage", "_geopoint", _CHANGED_ON,
)  # fmt: skip
_NUMBER = re.compile(r"[0-9]{2}[0-9A-Z]{11}")
_NEW, _SET_AT = "N", 4
"""The letter of the set of new dwellings in the number of a diagnosis, and its place."""
_RNB_ID = re.compile(r"[0-9A-Z]{12}")
_HOUSE_NUMBER = re.compile(r"([0-9AB]{5}_[0-9a-z]{4,6})_([0-9]{5})(?:_([0-9a-z]{1,20}))?")
_AT_ADDRESS = "geocodee ban a l"
MAX_CURSOR = 200


class Dpe(FileReader):
    pages_continue = True
    max_paged_rows = 200_000

    def urls(self, request: PartitionRequest) -> list[str]:
        return [self._url(name, request.commune_code) for name in SETS]

    def _url(self, name: str, commune: str, **more: str) -> str:
        query = {
            "qs": f'code_insee_ban:"{commune}"',
            "select": ",".join(_COLUMNS),
            "sort": f"-{_CHANGED_ON}",
            "size": str(PAGE_ROWS),
            **more,
        }
        return f"{self._base}/{name}/lines?{urlencode(query, quote_via=quote)}"

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        name = url.removeprefix(f"{self._base}/").partition("/")[0]
        is_asked = commune is not None and name in SETS and url == self._url(name, commune)
        return Partition(commune, SETS[name]) if is_asked and commune else None

    def page_url(self, url: str, report: ReadReport) -> str | None:
        """The page after the one that was read. Only the cursor is taken from the address that the API names, which has
        another id of the set.
        """
        if not url.startswith(f"{self._base}/"):
            return None
        cursor = parse_qs(urlsplit(report.next_page).query).get("after", [""])[0]
        return f"{url}&{urlencode({'after': cursor})}" if 0 < len(cursor) <= MAX_CURSOR else None

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name, else the day of the newest change, which is in the first row of an answer."""
        try:
            _, first = next(_items(path, ReadReport(name)), (0, {}))
        except SourceError:
            first = {}
        changed_on = _text(first, _CHANGED_ON)[:10]
        return date_in(name) or (changed_on if is_date(changed_on) else None)

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[RatingRecord]:
        is_new = "neuf" in report.file.casefold()
        for commune, record in report.parse(_items(path, report), lambda item: _record(item, report)):
            if selection.includes(commune):
                part = "new" if is_new or record.number[_SET_AT] == _NEW else "existing"
                yield Partition(commune, part), record


def _items(path: Path, report: ReadReport) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of an answer or of a CSV file with their lines, counted in the report."""
    with open_json(path, report.file) as reader:
        is_json = reader.peek() == "{"
        if is_json:
            has_results = False
            for name in reader.members():
                if name == "results" and reader.peek() == "[":
                    has_results = True
                    yield from report.number(item if isinstance(item, dict) else {} for item in reader.items())
                    continue
                value = reader.value()
                if name == "total" and isinstance(value, int):
                    report.expected_count = value
                elif name == "next" and isinstance(value, str):
                    report.next_page = value
            reader.end()
            if not has_results:
                raise UnreadableFile(f"{report.file}: an answer without results")
    if not is_json:
        with open_csv(path, report.file, ",") as table:
            for line, values in table.values(report, _COLUMNS):
                yield line, dict(zip(_COLUMNS, values, strict=True))


def _record(item: Mapping[str, Any], report: ReadReport) -> tuple[str, RatingRecord]:
    """The commune, and the record. Raises ValueError naming the column that cannot be read."""
    number = _text(item, "numero_dpe")
    check(_NUMBER.fullmatch(number), f"numero_dpe: {number[:20]!r} is none")
    address = _text(item, "identifiant_ban")
    commune = commune_code(f"{number}: code_insee_ban", _text(item, "code_insee_ban") or address[:5])
    established_on = _text(item, "date_etablissement_dpe")[:10]
    is_comparable = is_date(established_on) and established_on >= FIRST_DAY
    check(is_comparable, f"{number}: date_etablissement_dpe: {established_on!r} is no day since {FIRST_DAY}")
    energy, greenhouse_gas = (_letter(item, name, report) for name in ("etiquette_dpe", "etiquette_ges"))
    check(energy or greenhouse_gas, f"{number}: etiquette_dpe, etiquette_ges: no letter")
    lat, _, lon = _text(item, "_geopoint").partition(",")
    x, y = (given(axis, f"{number}: _geopoint: no place") for axis in coordinates(lon, lat))
    rnb_id = _text(item, "id_rnb").replace("-", "").upper()
    status = fold(_text(item, "statut_geocodage"))
    is_at_address = _AT_ADDRESS in status
    house = _HOUSE_NUMBER.fullmatch(address) if is_at_address or not status else None
    rating = RatingCountRecord(
        lat=y,
        lon=x,
        place=0,
        rnb_id=rnb_id if _RNB_ID.fullmatch(rnb_id) else "",
        street_id=house[1] if house else "",
        house_number=int(house[2]) if house else 0,
        suffix=(house[3] or "") if house else "",
        is_placed=is_at_address and _score(item) >= LEAST_SCORE,
        energy=energy,
        greenhouse_gas=greenhouse_gas,
        rating_count=1,
        oldest_on=established_on,
        newest_on=established_on,
    )
    return commune, RatingRecord(number, _text(item, "numero_dpe_remplace"), rating)


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value.strip() if isinstance(value, str) else "" if value is None else str(value)


def _letter(item: Mapping[str, Any], name: str, report: ReadReport) -> str:
    letter = _text(item, name).upper()
    return (report.known(name, letter if letter in LETTERS else None) or "") if letter else ""


def _score(item: Mapping[str, Any]) -> float:
    try:
        return float(_text(item, "score_ban") or 0)
    except ValueError:
        return 0.0


def rating_counts(records: Iterable[RatingRecord]) -> list[RatingCountRecord]:
    """Leaves out diagnoses that another one of the file replaces. Of two with one number, the last one counts."""
    replaced: set[str] = set()
    newest: dict[str, RatingCountRecord] = {}
    for number, replaced_number, rating in records:
        if replaced_number not in ("", number):
            replaced.add(replaced_number)
        newest[number] = RatingCountRecord(*rating)  # a plain tuple after the spool
    days_of = grouped(
        (rating._replace(oldest_on="", newest_on=""), rating.oldest_on)
        for number, rating in newest.items()
        if number not in replaced
    )
    return [
        rating._replace(place=place, rating_count=len(days), oldest_on=min(days), newest_on=max(days))
        for place, (rating, days) in enumerate(days_of.items())
    ]
