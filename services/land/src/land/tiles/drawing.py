"""One tile of one layer, from the loaded data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import shapely

from land.addresses.model import Scope
from land.answers.provenance import loads_of
from land.answers.refusals import invalid
from land.answers.texts import REFUSALS
from land.datasets.buildings.queries import buildings_in_boxes
from land.datasets.buildings.registration import BUILDINGS
from land.datasets.easements.queries import DATASET as EASEMENTS_DATASET
from land.datasets.easements.queries import facts_in as easements_in
from land.datasets.parcels.queries import communes_in_boxes, outlines_in_boxes, territories_of
from land.datasets.parcels.registration import CADASTRE_COMMUNES, PARCELS
from land.datasets.partitions import is_demo
from land.datasets.planning.queries import facts_in, zones_in
from land.datasets.planning.registration import GPU_PRESCRIPTIONS, GPU_ZONES
from land.datasets.risk_zones.queries import zones_in_boxes
from land.datasets.risk_zones.registration import PPRN_ZONES, PPRT_ZONES
from land.datasets.sales.queries import sales_in_box
from land.datasets.sales.registration import SALE_DATASETS
from land.datasets.territory import Geometries
from land.store.boxes import Box
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.tiles.grid import Tile
from servicekit.errors import expect

LAST_ZOOM = 18
"""The last zoom of all layers. Maps enlarge these tiles: a unit is 4 cm."""
Value = str | int | float | bool | None
FIRST_NUMBERS = 17
"""The first zoom at which a parcel has room for its number."""
FORM = 1
"""Raised when tiles of the same data look different."""
_SURFACE, _STRIP_DEGREES = 2, 1e-5
"""The dimension of a surface, and half the width of what a line becomes: about a metre."""
_SALE_KINDS = ("house", "flat", "commercial", "building_land", "land")


class Drawing(NamedTuple):
    """One layer of a tile."""

    name: str
    geometries: Geometries
    """Valid surfaces, or points, in degrees."""
    properties: Sequence[Mapping[str, Value]]
    """The properties of each geometry; None is left out."""


class DrawnTile(NamedTuple):
    version: str
    """Changes when the tile may change."""
    drawings: Sequence[Drawing] | None
    """None if the client has this version."""


@dataclass(frozen=True)
class _View:
    """The loaded data under a tile."""

    reads: Reads
    tile: Tile
    box: Box
    communes: tuple[str, ...]
    """The communes that have a parcel there."""
    scope: Scope

    def shows(self, partition: str) -> bool:
        return self.scope != "demo" or is_demo(partition)

    def loads(self, *datasets: str) -> list[Load]:
        return [load for load in self.reads.cached(loads_of, self.communes).all if load.dataset in datasets]


class Layer(NamedTuple):
    first_zoom: int
    """Tiles of smaller zooms would have too many features."""
    read: Callable[[_View], tuple[list[Drawing], Sequence[Load]]]
    """What the tile draws, and the loads that it is from."""


def check_tile(name: str, tile: Tile) -> Layer:
    """The layer of this name. Raises InvalidPayload if it has no such tile."""
    layer = expect(
        LAYERS.get(name), invalid("/layer", "unknown_value", REFUSALS["no_layer"].format(names=", ".join(LAYERS)))
    )
    if not layer.first_zoom <= tile.zoom <= LAST_ZOOM:
        raise invalid("/z", "out_of_range", REFUSALS["no_zoom"].format(first=layer.first_zoom, last=LAST_ZOOM))
    if not tile.is_on_map:
        raise invalid("/x", "out_of_range", REFUSALS["no_tile"])
    return layer


def draw_tile(reads: Reads, layer: Layer, tile: Tile, scope: Scope, known_version: str) -> DrawnTile:
    box = tile.box()
    communes = tuple(reads.cached(communes_in_boxes, (box,)))
    if scope == "demo":
        communes = tuple(filter(is_demo, communes))
    is_elsewhere = scope == "demo" and not communes  # what is there would be read only to be left out
    drawings, loads = ([], []) if is_elsewhere else layer.read(_View(reads, tile, box, communes, scope))
    version = _version(loads)
    return DrawnTile(version, None) if version == known_version else DrawnTile(version, drawings)


def _version(loads: Sequence[Load]) -> str:
    named = [f"{FORM}", *sorted(f"{load.dataset} {'/'.join(load.partition)} {load.digest}" for load in loads)]
    return blake2b("\n".join(named).encode(), digest_size=12).hexdigest()


def _from_wkb(outlines: Sequence[bytes]) -> Geometries:
    geometries: Geometries = shapely.from_wkb(np.array(outlines, dtype=object))
    return geometries


def _parcels(view: _View) -> tuple[list[Drawing], Sequence[Load]]:
    """The parcels, their numbers, and the territories of their communes. Ground of these in no parcel is public."""
    shown = [parcel for parcel in outlines_in_boxes(view.reads.snapshot, [view.box]) if view.shows(parcel.parcel_id)]
    of_parcels: list[Mapping[str, Value]] = [
        {
            "id": parcel.parcel_id,
            "section": parcel.parcel_id[8:10].lstrip("0"),
            "number": parcel.parcel_id[10:].lstrip("0"),
        }
        for parcel in shown
    ]
    territories = view.reads.cached(territories_of, view.communes)
    of_communes: list[Mapping[str, Value]] = [{"code": code} for code in territories]
    outlines = _from_wkb([parcel.geometry for parcel in shown])
    drawings = [
        Drawing("communes", _from_wkb(list(territories.values())), of_communes),
        Drawing("parcels", outlines, of_parcels),
    ]
    if view.tile.zoom >= FIRST_NUMBERS:
        drawings.append(_numbers(view.tile, outlines, of_parcels))
    return drawings, view.loads(PARCELS.id, CADASTRE_COMMUNES.id)


def _numbers(tile: Tile, outlines: Geometries, of_parcels: Sequence[Mapping[str, Value]]) -> Drawing:
    """A point in each parcel for its number, in one tile only."""
    points: Geometries = shapely.point_on_surface(outlines)
    west, south, east, north = tile.box(buffer=0)
    x, y = shapely.get_coordinates(points).T
    places = np.flatnonzero((x >= west) & (x < east) & (y > south) & (y <= north)).tolist()
    return Drawing("numbers", points[places], [{"number": of_parcels[place]["number"]} for place in places])


def _buildings(view: _View) -> tuple[list[Drawing], Sequence[Load]]:
    """The outlines of one source: several would cover each other."""
    buildings = [
        building for building in buildings_in_boxes(view.reads.snapshot, [view.box]) if view.shows(building.partition)
    ]
    sources = {building.dataset for building in buildings if shapely.from_wkb(building.geometry).area}
    source = next((name for name in BUILDINGS if name in sources), None)
    shown = [building for building in buildings if building.dataset == source]
    properties: list[Mapping[str, Value]] = [{"is_light": building.is_light} for building in shown]
    return [Drawing("buildings", _from_wkb([building.geometry for building in shown]), properties)], view.loads(
        *BUILDINGS
    )


def _zones(view: _View) -> tuple[list[Drawing], Sequence[Load]]:
    """Nothing if they are more than a request reads."""
    zones, _, loads = zones_in(view.reads, [view.box], view.communes) or ((), {}, ())
    shown = [zone for zone in zones if view.shows(zone.partition)]
    properties: list[Mapping[str, Value]] = [
        {"label": zone.label, "zone_type": zone.zone_type or zone.sector_type, "partition": zone.partition}
        for zone in shown
    ]
    of_zones = [load for load in loads if load.dataset == GPU_ZONES.id and view.shows(load.partition.code)]
    return [Drawing("zones", _from_wkb([zone.geometry for zone in shown]), properties)], of_zones


def _sales(view: _View) -> tuple[list[Drawing], Sequence[Load]]:
    """The comparable sales, as points. Maps draw the newest one above the others of a place."""
    found = sales_in_box(view.reads.snapshot, view.communes, _SALE_KINDS, view.box)
    sales = sorted(found, key=lambda sale: sale.date_mutation)
    properties: list[Mapping[str, Value]] = [
        {
            "id_mutation": sale.id_mutation,
            "date_mutation": sale.date_mutation,
            "kind": sale.kind,
            "price_eur": sale.price_eur,
            "price_eur_per_m2": round(sale.price_eur / sale.area_m2, 2),
        }
        for sale in sales
    ]
    points: Any = shapely.points(np.array([(sale.lon, sale.lat) for sale in sales]).reshape(-1, 2))
    return [Drawing("sales", points, properties)], view.loads(*SALE_DATASETS)


def _risks(view: _View) -> tuple[list[Drawing], Sequence[Load]]:
    """The regulated zones of risk prevention plans. A demo key sees none where no demo commune is."""
    loads = [load for load in view.loads(PPRN_ZONES.id, PPRT_ZONES.id) if view.shows(load.partition.code)]
    zones = zones_in_boxes(view.reads.snapshot, [view.box]) if loads else []
    properties: list[Mapping[str, Value]] = [
        {"plan_id": zone.plan_id, "subject": zone.subject, "code": zone.code, "regulation": zone.regulation}
        for zone in zones
    ]
    return [Drawing("risks", _from_wkb([zone.geometry for zone in zones]), properties)], loads


def _restrictions(view: _View) -> tuple[list[Drawing], Sequence[Load]]:
    """The prescriptions of plans and the public easements. Lines and points are narrow strips."""
    planning = facts_in(view.reads, [view.box], view.communes)
    pieces, published = easements_in(view.reads, [view.box], view.communes)
    prescriptions = [each for each in planning.prescriptions if view.shows(each.partition)] if planning else []
    easements = [piece for piece in pieces if view.shows(piece.document)]
    properties: list[Mapping[str, Value]] = [
        *({"kind": "prescription", "label": each.label} for each in prescriptions),
        *({"kind": "easement", "label": f"{piece.category} {piece.name}"} for piece in easements),
    ]
    outlines = _from_wkb([*(each.geometry for each in prescriptions), *(piece.geometry for piece in easements)])
    is_thin = shapely.get_dimensions(outlines) < _SURFACE
    outlines[is_thin] = shapely.buffer(outlines[is_thin], _STRIP_DEGREES, quad_segs=2)
    loads = [*(planning.loads if planning else ()), *published.loads]
    shown = [
        load
        for load in loads
        if load.dataset in (GPU_PRESCRIPTIONS.id, EASEMENTS_DATASET) and view.shows(load.partition.code)
    ]
    return [Drawing("restrictions", outlines, properties)], shown


LAYERS: Mapping[str, Layer] = {
    "parcels": Layer(14, _parcels),
    "buildings": Layer(15, _buildings),
    "zones": Layer(13, _zones),
    "sales": Layer(14, _sales),
    "risks": Layer(13, _risks),
    "restrictions": Layer(14, _restrictions),
}
