"""Measures GET /parcels and POST /parcels/search on the plans of 75118 and 91216, and a bounding box against tipg.

Plans, with the demo's other data, are all that is loaded: filters read what the demo has. Boxes and points lie in both
communes, the same for all contestants. LAND_TEST_DATA names the sample data.
"""

import random
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import shapely
import tipg_server
from contestants import Contestant, Ours, compare, embedded
from load_generator import Call
from measuring import Figures, parser
from sample_data import DATA, require
from sqlalchemy import create_engine, select

from attacks import request
from land.datasets.parcels.queries import parcel

COMMUNES = ("75118", "91216")
FILES = tuple(DATA / "cadastre" / f"cadastre-{code}-parcelles.json.gz" for code in COMMUNES)
PLACES = 500
PAGE = 50
BOX_DEGREES = 0.002
"""The length of a side: about 150 m by 220 m, as a map shows when it is zoomed in on a street."""
AREA_DEGREES = 0.02
"""About 1.5 km by 2.2 km: filters examine as many parcels as a page may."""
SECONDS = 2.0
DEMO_AREA = (1.985, 46.992, 2.015, 47.008)


def places(store_url: str) -> list[tuple[str, float, float]]:
    """Parcels of both communes, each with a point in it."""
    statement = select(parcel.c.parcel_id, parcel.c.geometry).where(
        parcel.c.commune_code.in_(COMMUNES), parcel.c.geometry.is_not(None)
    )
    with create_engine(store_url).connect() as store:
        rows = store.execute(statement.order_by(parcel.c.parcel_id)).all()
    chosen = random.Random(1).sample(rows, PLACES)  # noqa: S311 (a sample, no secret)
    points = [(parcel_id, shapely.from_wkb(geometry).representative_point()) for parcel_id, geometry in chosen]
    return [(parcel_id, point.x, point.y) for parcel_id, point in points]


def around(lon: float, lat: float, side: float) -> str:
    half = side / 2
    return f"{lon - half:.6f},{lat - half:.6f},{lon + half:.6f},{lat + half:.6f}"


def rectangle(west: float, south: float, east: float, north: float) -> Mapping[str, Any]:
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def get(ours: Ours, query: str) -> Call:
    return Call(request(f"/api/v1/parcels?{query}", method="GET", x_api_key=ours.secret), b"FeatureCollection")


def search(ours: Ours, body: Mapping[str, Any]) -> Call:
    return ours.ask("/api/v1/parcels/search", body, "FeatureCollection")


def cases(ours: Ours, at: Sequence[tuple[str, float, float]]) -> dict[str, list[Call]]:
    def areas(side: float, **filters: Any) -> list[Call]:
        boxes = [map(float, around(lon, lat, side).split(",")) for _, lon, lat in at]
        return [search(ours, {"geometry": rectangle(*box), "filters": filters}) for box in boxes]

    demo = {"geometry": rectangle(*DEMO_AREA), "limit": 200}
    return {
        "a point": [get(ours, f"lat={lat}&lon={lon}") for _, lon, lat in at],
        f"a box, {PAGE} parcels": [
            get(ours, f"bbox={around(lon, lat, BOX_DEGREES)}&limit={PAGE}") for _, lon, lat in at
        ],
        "neighbours": [search(ours, {"neighbours_of": parcel_id}) for parcel_id, _, _ in at],
        "100 m around": [search(ours, {"around": {"lat": lat, "lon": lon, "distance_m": 100}}) for _, lon, lat in at],
        "a polygon of 3 km²": areas(AREA_DEGREES),
        "a polygon of 3 km², by area": areas(AREA_DEGREES, min_area_m2=2_000),
        "a filter that rejects all": areas(AREA_DEGREES, min_area_m2=1e9),
        "demo, unbuilt": [search(ours, {**demo, "filters": {"unbuilt": True}})],
        "demo, zones": [search(ours, {**demo, "filters": {"zone_types": ["U", "N"]}})],
        "demo, sold and permitted": [
            search(ours, {**demo, "filters": {"sold_since": "2015-01-01", "permit_since": "2015-01-01"}})
        ],
    }


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("--without-tipg", action="store_true", help="leave tipg out")
    options = arguments.parse_args()
    require(*FILES)
    figures = Figures.of(options, SECONDS)
    with ExitStack() as stack:
        ours = stack.enter_context(embedded())
        for file in FILES:
            ours.command("land", "import", "cadastre-parcels", str(file))
        at = places(ours.store_url)
        them: list[Contestant] = []
        if not options.without_tipg:
            try:
                them, versions = stack.enter_context(tipg_server.serving(Path("var/tipg").resolve(), ours.store_url))
                figures.note(f"tipg runs with {versions}.")
            except Exception as error:
                figures.fail("start", "tipg", error)
        for name, calls in cases(ours, at).items():
            asked: dict[Contestant, Sequence[Call]] = {ours: calls}
            if name.startswith("a box"):
                boxes = [tipg_server.ask_box(around(lon, lat, BOX_DEGREES), PAGE) for _, lon, lat in at]
                asked |= dict.fromkeys(them, boxes)
            compare(figures, f"parcels, {name}, 1 client", asked, 1)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
