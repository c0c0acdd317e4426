"""The written rules of the zones of a land unit: a part of the block `urbanism`.

They are what the reader found in the regulation that each zone names, or the national rules (RNU) where a commune has
no plan with a regulation. Each subject has one of five states: regulated, said not to be regulated, on a map, not
found, not read.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from land.answers.provenance import Coverage, CoverageStatus
from land.answers.texts import fill, join
from land.datasets.partitions import Partition
from land.datasets.planning.attributes import deposit_of
from land.datasets.planning.records import ZoneRecord
from land.datasets.regulations import queries as regulations
from land.datasets.regulations.reader import MISSING, PROTECTED, place_of
from land.datasets.regulations.records import RegulationRecord
from land.datasets.regulations.registration import GPU_REGULATIONS
from land.store import loads
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site
from land.units.urbanism import UrbanismBlock
from servicekit.languages import Text

MAX_ZONES = 10
"""Zones whose rules an answer has, the largest."""
_DATASET = GPU_REGULATIONS.id
READ, NOT_READ, NATIONAL_RULES, REGULATED = "read", "not_read", "national_rules", "regulated"
NOT_LOADED, NO_FILE, ELSEWHERE = "not_loaded", "no_file", "elsewhere"
"""Further reasons why a regulation was not read: it is not loaded, the zone names no file, or the file is not at the
Géoportail.
"""
_TEXTS: Mapping[str, Any] = tomllib.loads(files("land.units").joinpath("regulation.toml").read_text(encoding="utf-8"))
_WITHOUT_RULE = ("not_regulated", "needs_map", "not_found", "not_read")
_WORDS = "qualitative"
_FRENCH_PLURAL = 2
"""French writes 1,5 in the singular."""
OPERATORS = tuple(_TEXTS["operators"])
REGULATION_STATES = (READ, NOT_READ, NATIONAL_RULES)
RULE_STATES = (REGULATED, *_WITHOUT_RULE)


class RegulationRule(NamedTuple):
    """A rule, or a subject without one."""

    id: str
    zone: str | None
    url: str | None
    """The address of its page."""
    row: Mapping[str, Any]
    """The subject, the state, and the rule's fields as in `land.regulation`."""

    @property
    def text(self) -> str:
        """The rule in words, in the language of the call."""
        row, is_regulated = self.row, self.row["state"] == REGULATED
        subjects = join([_text("subjects", name) for name in (row["subject"], *row.get("also", ()))], ", ")
        limits = {name for name, part in (row.get("scope") or {}).items() if (name, part) != ("sector", self.zone)}
        formula = row.get("formula")
        parts = [_statement(row) if is_regulated else _text("states", row["state"])]
        parts += [_words(formula)] if formula else []
        marks = {
            row.get("kind"): True,
            "is_read_twice": row.get("is_read_twice"),
            "is_ambiguous": row.get("ambiguous"),
            "needs_map": row.get("needs_map") and is_regulated,
            "is_limited": bool(row.get("condition") or limits - {"reference", "base", "point"}),
        }
        parts += [_text("marks", str(name)) for name, is_set in marks.items() if is_set and name in _TEXTS["marks"]]
        sentence = Text("{subject} : {statement}", "{subject}: {statement}")
        return str(fill(sentence, subject=subjects, statement=join(parts, Text("\N{NARROW NO-BREAK SPACE}; ", "; "))))


def _statement(row: Mapping[str, Any]) -> Text:
    operator, value, unit = row.get("operator"), row.get("value"), row.get("unit")
    if operator in ("min", "max", "exact") and value is None:
        return _text("operators", _WORDS)
    amount = Text("{value}\N{NO-BREAK SPACE}{unit}", "{value} {unit}") if unit else Text("{value}", "{value}")
    figure = row.get("value_max") or value or 0.0
    filled = fill(amount, value=figure, unit=_unit(unit or "", figure))
    return fill(_text("operators", operator or _WORDS), value=filled, low=value or 0.0)


def _unit(unit: str, number: float) -> Text:
    if not unit.startswith("place"):
        return _text("units", unit) if unit in _TEXTS["units"] else _words(unit)
    one = _words(unit)
    several = Text(one.fr.replace("place", "places", 1), one.en.replace("place", "places", 1))
    return Text(several.fr if number >= _FRENCH_PLURAL else one.fr, several.en if number > 1 else one.en)


@dataclass(frozen=True)
class Regulation:
    """The regulation of one zone, and whether it was read."""

    zone: str | None
    state: str
    why: str | None = None
    file: str | None = None
    url: str | None = None
    idurba: str | None = None
    approved_on: str | None = None
    pages: Sequence[int] = ()
    unreadable_pages: Sequence[int] = ()
    reader: str | None = None
    read_at: str | None = None
    sha256: str | None = None
    size_bytes: int | None = None


@dataclass(frozen=True)
class RegulationBlock:
    regulation: Regulation
    """That of the largest zone."""
    rules: Sequence[RegulationRule]


def compute(reads: Reads, site: Site, parts: Parts) -> Part[RegulationBlock | None]:
    """None without a zone, unless the national rules apply."""
    block: UrbanismBlock | None = parts["urbanism"].block
    overlaps = block.zones if block else ()
    zones = [overlap.record for overlap in overlaps if overlap.record.document_type != "CC"][:MAX_ZONES]
    if not zones:
        if not (overlaps or (block and block.is_rnu)):
            return Part(None, coverage=[Coverage(_DATASET, "not_loaded", "not_loaded")])
        return Part(_national_rules(), coverage=[Coverage(_DATASET, "covered", None)])
    partitions = tuple(sorted({zone.partition for zone in zones}))
    urls = [zone.regulation_url for zone in zones if zone.regulation_url]
    rows = regulations.read_zones(reads.snapshot, partitions, urls)
    found = {(row.label, row.url, row.document_id): (part, row) for part, row in rows}
    of_documents = reads.cached(loads.of_partitions, partitions)
    loaded = {load.partition: load for load in of_documents if load.dataset == _DATASET}
    stated, rules, used = list[Regulation](), list[RegulationRule](), list[Load]()
    for zone in zones:
        part, row = found.get((zone.label, zone.regulation_url or "", zone.document_id), ("", None))
        load = loaded.get(Partition(zone.partition, part))
        reading = json.loads(row.reading) if row and row.reading else {}
        stated.append(_regulation(zone, part, row, load, reading))
        if stated[-1].state == READ:
            rules += _rules(zone, reading, part)
        used += [load] if load else []
    return Part(
        RegulationBlock(stated[0], rules),
        coverage=[_coverage(stated)],
        loads=list(dict.fromkeys(used)),
    )


RECIPE = Recipe("regulation", (), compute, part_of="urbanism")


def _regulation(
    zone: ZoneRecord, file: str, row: RegulationRecord | None, load: Load | None, reading: Mapping[str, Any]
) -> Regulation:
    address = zone.regulation_url
    known = Regulation(zone.label, NOT_READ, url=address, idurba=zone.document_id, approved_on=zone.approved_on)
    if row is None or load is None:
        return replace(known, why=NO_FILE if address is None else NOT_LOADED if deposit_of(address) else ELSEWHERE)
    is_read = row.state == READ
    return replace(
        known,
        state=READ if is_read else NOT_READ,
        why=None if is_read else row.state,
        file=file,
        pages=[page for page in reading.get("pages", ()) if page is not None],
        unreadable_pages=[entry["page"] for entry in reading.get("unreadable", ()) if entry["page"] is not None],
        reader=reading.get("reader"),
        read_at=load.retrieved_at,
        sha256=row.sha256,
        size_bytes=row.size_bytes,
    )


def _rules(zone: ZoneRecord, reading: Mapping[str, Any], file: str) -> Iterator[RegulationRule]:
    """The rules of a zone, then its subjects without one."""
    address = place_of(zone.regulation_url or "")[0] if file.lower().endswith(".pdf") else None
    rows = [{**rule, "state": REGULATED} for rule in reading["rules"]]
    for state in _WITHOUT_RULE:
        entries = ({"subject": entry} if isinstance(entry, str) else entry for entry in reading[state])
        rows += [{**entry, "state": state} for entry in entries]
    for number, row in enumerate(rows, 1):
        page = row.get("page")
        url = f"{address}#page={page}" if address and page else None
        yield RegulationRule(f"{zone.label}-{number}", zone.label, url, row)


def _national_rules() -> RegulationBlock:
    national = _TEXTS["national"]
    rules = [
        RegulationRule(f"RNU-{number}", None, national["url"], {"state": REGULATED, **row})
        for number, row in enumerate(national["rules"], 1)
    ]
    return RegulationBlock(Regulation(None, NATIONAL_RULES, url=national["url"]), rules)


def _coverage(stated: Sequence[Regulation]) -> Coverage:
    """Covered if the regulation of each zone was read."""
    reasons = {regulation.why for regulation in stated if regulation.why}
    if not reasons:
        return Coverage(_DATASET, "covered", None)
    status: CoverageStatus = "not_loaded" if reasons == {"not_loaded"} else "not_covered"
    if reasons <= {NO_FILE, ELSEWHERE, MISSING, PROTECTED}:
        status = "not_published"
    is_partial = any(regulation.state == READ for regulation in stated)
    return Coverage(_DATASET, "partial" if is_partial else status, "not_loaded" if "not_loaded" in reasons else status)


@lru_cache(maxsize=1_024)
def _words(code: str) -> Text:
    """A unit or a formula that the reader made, such as `place per dwelling` or `L >= max(H/2, 3.5)`, in words."""
    texts = {}
    for language, words in _TEXTS["words"].items():
        texts[language] = code
        for word, translated in words.items():
            texts[language] = re.sub(rf"\b{word}\b", translated, texts[language])
    texts["fr"] = re.sub(r"(?<=\d)\.(?=\d)", ",", re.sub(r",(?=[^(]*\))", " ;", texts["fr"]))
    return Text(**texts)


def _text(kind: str, name: str) -> Text:
    """The text for a code; the code itself, as it stands in the text of a plan, if it has none."""
    entry = _TEXTS[kind].get(name)
    if entry is None and kind == "operators":
        entry = _TEXTS[kind][_WORDS]
    return Text(**entry) if entry else Text(name, name)
