"""Compares what the reader of texts finds with the careful readings of the sets."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from assistant.project import Project
from assistant.reading.project import read

_FOLDER = Path(__file__).parent / "reading"
_WORDS = ("facts", "town_said", "shared_way_with", "holder", "keep_outs", "has_lease")
"""Told facts that the readings of the sets leave out."""


def digest(messages: list[dict[str, str]]) -> str:
    """The digest of messages, by which a recorded answer to them is found."""
    return sha256(json.dumps(messages, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def entries(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def fields(project: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """The members of a project that a reading can have right or wrong. Numbers of lots count all, however told."""
    lots = [lot for lot in project.get("lots", ()) for _ in range(lot.get("count", 1))]
    has_house_lot = any(lot.get("use") == "house" for lot in lots)
    count = project.get("lot_count")
    if count is None and (len(lots) > 1 or project.get("keeps_house")) and lots:
        count = len(lots) + bool(project.get("keeps_house") and not has_house_lot and not any(map(_rest, lots)))
    yield from [("lot_count", count)] if (count or 0) > 1 else []
    if project.get("keeps_house") or has_house_lot:
        yield "keeps_house", True  # the plot of a house is that of a house that stays
    for lot in filter(_is_told, lots):
        size = [int(lot.get(name) or 0) for name in ("area_m2", "least_m2", "most_m2")]
        size.append(round(100 * (lot.get("share_ratio") or 0)))
        yield "lot", (*map(float, size), bool(lot.get("is_rest")), lot.get("use") == "house")
        yield from ((name, lot[name]) for name in ("use", "position") if lot.get(name))
    shares = (owner.get("share_ratio") for owner in project.get("owners", ()))
    yield from (("owner", round(share, 2)) for share in shares if share)  # a name alone is a text
    skipped = (*_WORDS, "lot_count", "lots", "owners", "keeps_house")
    yield from ((name, value) for name, value in project.items() if name not in skipped and value not in (None, False))
    if project.get("has_shared_way") is False:
        yield "has_shared_way", False


def _is_told(lot: dict[str, Any]) -> bool:
    """Whether more is told than that there is the lot, or that the house has what is left."""
    return any(
        value
        for name, value in lot.items()
        if name not in ("count", "holder", *(("use", "is_rest") if lot.get("use") == "house" else ()))
    )


def told_fields(project: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """`fields` with the told facts: each by its figure, else by its presence."""
    yield from fields(project)
    yield from (("keep_out", keep_out.get("distance_m")) for keep_out in project.get("keep_outs", ()))
    yield from (("holder", True) for lot in project.get("lots", ()) if lot.get("holder"))
    yield from ((name, True) for name in ("town_said", "has_lease") if project.get(name))


def _rest(lot: dict[str, Any]) -> bool:
    return bool(lot.get("is_rest"))


def score(entry: dict[str, Any]) -> tuple[Counter[str], list[str]]:
    """How many members of the project are right, wrong or missing, and which are wrong or missing."""
    return compared(entry["project"], read(entry["text"]).project, fields)


def compared(
    careful: dict[str, Any], project: Project, kinds: Callable[[dict[str, Any]], Iterator[tuple[str, object]]]
) -> tuple[Counter[str], list[str]]:
    """How many members are as in the careful reading, and which are not."""
    told = asdict(Project()) | {"lots": []}
    wanted = Counter(_rounded(kinds(told | careful)))
    found = Counter(_rounded(kinds(asdict(project))))
    wrong, missing = found - wanted, wanted - found
    counts = Counter(right=(wanted & found).total(), wrong=wrong.total(), missing=missing.total())
    return counts, [*(f"wrong {key}" for key in wrong), *(f"missing {key}" for key in missing)]


def _rounded(pairs: Iterator[tuple[str, object]]) -> list[str]:
    return [f"{name}={float(value) if type(value) is int else value}" for name, value in pairs]
