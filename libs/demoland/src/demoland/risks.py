"""Recorded answers of Géorisques about the first commune: a brook with a flood plan, clay, and a few sites.

Only the first parcels have answers: a benchmark has too many parcels.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from demoland import quarter as q
from demoland.geometry import Point
from demoland.model import Parcel

MAX_PARCELS = 1_000
RETRIEVED_AT = "2026-01-01T06:00:00Z"
REACH_M = 900.0
"""Sites that are farther from a parcel are not in its answers."""
CLAY_SOUTH_OF_M = 55.0
"""North limit of the strong clay in the old quarter."""
_CONVENT: Point = (-180, 160)
_GARAGE: Point = (-30, 20)
_COOPERATIVE: Point = (-300, -120)
_DUMP: Point = (-178, -98)
PLAN_ID = "00DDT20180001"
_DATA: Mapping[str, Any] = json.loads(files("demoland").joinpath("georisques.json").read_text(encoding="utf-8"))
"""The rows of answers, by question."""


class RiskZone(NamedTuple):
    """A rectangle of the flood plan, by its west, south, east and north."""

    code: str
    type_code: str
    label: str
    name: str
    sides: tuple[float, float, float, float]

    def touches(self, corners: Sequence[Point]) -> bool:
        """Whether the rectangle meets the one around the corners."""
        west, south, east, north = self.sides
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        return min(xs) < east and max(xs) > west and min(ys) < north and max(ys) > south


_RED, _BLUE = ("R1", "03", "Interdiction", "Zone rouge"), ("B2", "02", "Prescriptions", "Zone bleue")
RISK_ZONES = (
    RiskZone(*_RED, (-400, -40, -352, 260)),  # along the brook
    RiskZone(*_BLUE, (-420, -40, -400, 260)),
    RiskZone(*_BLUE, (-352, -40, -332, 260)),
    RiskZone(*_RED, (-270, 30, -215, 55)),  # a hollow of the Prés-Fleuris, where building is open otherwise
    RiskZone(*_BLUE, (-215, 30, -205, 55)),
)


def recorded_answers(parcels: Iterable[Parcel]) -> Iterator[Mapping[str, Any]]:
    """The lines of the file. A line has all parcels with the same answer."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for parcel in parcels:
        if parcel.polygons:
            for question, body in _of_parcel(parcel):
                grouped.setdefault((question, json.dumps(body, ensure_ascii=False)), []).append(parcel.parcel_id)
    for question, rows in _DATA["commune"].items():
        yield _line(question, [q.COMMUNE.code], _data(rows))
    for (question, text), places in grouped.items():
        yield _line(question, places, json.loads(text))


def _line(question: str, places: list[str], body: object) -> Mapping[str, Any]:
    return {"question": question, "places": places, "retrieved_at": RETRIEVED_AT, "body": body}


def _of_parcel(parcel: Parcel) -> Iterator[tuple[str, object]]:
    corners = [point for outline, *_ in parcel.polygons for point in outline]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    is_in_field = parcel.section == q.FIELD_SECTION
    clay = "2" if middle[0] > 0 else "3" if middle[1] < CLAY_SOUTH_OF_M else "1"
    labels = {"1": "Exposition faible", "2": "Exposition moyenne", "3": "Exposition forte"}
    yield "clay_of_parcel", _content([] if is_in_field else [{"codeExposition": clay, "exposition": labels[clay]}])
    yield "cavities", _data(_near(middle, _CONVENT, _DATA["cavities"]))
    yield "landslides", _data([])
    yield "casias", _data(_near(middle, _GARAGE, _DATA["former_sites"]))
    yield "instructions", _data([])
    yield "information_sectors", _data(_near(middle, _DUMP, _DATA["sectors"]))
    yield "installations", _data(_near(middle, _COOPERATIVE, _DATA["installation"], _DATA["shop"]))
    yield "floods", _data([_DATA["floods"]] if RISK_ZONES[0].touches(corners) else [])
    yield "brush_clearing", [_DATA["brush"]] if parcel.parcel_id == q.FIELD_IN_TWO else []
    touching = sorted({zone[:4] for zone in RISK_ZONES if zone.touches(corners)}, reverse=True)
    zones = [{"codeZone": code, "libelle": label, "nom": name} for code, _, label, name in touching]
    zoning = {"zoneRegExists": bool(zones), "listTypeReg": zones}
    yield "pprn_of_parcel", _content([{**_DATA["plan"], "zonageReglementaire": zoning}])
    yield "pprt_of_parcel", _content([])
    yield "pprm_of_parcel", _content([])


def _near(middle: Point, at: Point, *rows: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows if the place is near the parcel."""
    is_near = abs(middle[0] - at[0]) < REACH_M and abs(middle[1] - at[1]) < REACH_M
    return list(rows) if is_near else []


def _data(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Rows in the envelope of most endpoints."""
    return {
        "results": len(rows),
        "page": 1,
        "total_pages": 1,
        "data": rows,
        "response_code": 200,
        "message": None,
        "next": None,
        "previous": None,
    }


def _content(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Rows in the envelope of plans."""
    return {"totalElements": len(rows), "totalPages": 1, "pageNumber": 0, "pageSize": 100, "content": rows}
