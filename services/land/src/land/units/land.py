"""The block `land`: place, areas, frontage, addresses and relief of a land unit."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from land.addresses.labels import numbered_address
from land.addresses.model import Address
from land.answers.texts import truncated, warning
from land.datasets import territory
from land.datasets.addresses.queries import addresses_in_boxes, commune_names
from land.datasets.addresses.registration import BAN
from land.datasets.communes.queries import names as communes_listed
from land.datasets.communes.registration import COG
from land.datasets.owners.queries import owners_on
from land.datasets.owners.records import REPRESENTATIVES
from land.datasets.owners.registration import OWNERS
from land.datasets.parcels.ids import commune_of
from land.datasets.parcels.queries import outlines_in_boxes, sections_with_undrawn, territories_of
from land.datasets.parcels.records import ParcelRecord
from land.datasets.parcels.registration import CADASTRE_COMMUNES, PARCELS
from land.datasets.partitions import COUNTRY, Partition, department_of
from land.datasets.relief.queries import altitudes_of
from land.datasets.ways.queries import ways_in_boxes
from land.datasets.ways.reader import ROADS
from land.datasets.ways.registration import BDTOPO_WAYS
from land.store import loads
from land.store.boxes import box_around
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.store.snapshot import Snapshot
from land.units import frontage, geometry, owners, terrain
from land.units.bounds import BoundKind, Way, bounds_of
from land.units.owners import Owner
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Shape, Site
from land.units.terrain import Terrain, terrain_of

MAX_ADDRESSES = 500
ADDRESS_REACH_M = 50.0
"""An address that declares a parcel is searched this far around it."""
NARROW_M = 4.0
"""Land with less frontage may need a right of way: the width of a car and the usual networks."""
MAX_NEIGHBOURS = 20
AREA_DECIMALS = 1
_LENGTH_DECIMALS = 2


@dataclass(frozen=True)
class Neighbour:
    """A parcel beside the land unit, and its boundary on a way near it, as GeoJSON."""

    parcel_id: str
    geometry: bytes
    frontage: bytes
    owners: tuple[Owner, ...]
    """The owners that are legal persons."""


@dataclass(frozen=True)
class Bound:
    """What the boundary faces where no other parcel touches it, and this part of it as GeoJSON MultiLineString."""

    kind: BoundKind
    length_m: float
    geometry: bytes


@dataclass(frozen=True)
class LandBlock:
    commune_code: str | None
    """None where the land unit lies in several communes."""
    commune_name: str | None
    department_code: str | None
    sections: tuple[str, ...]
    numbers: tuple[str, ...]
    prefixes: tuple[str, ...]
    only_parcel: ParcelRecord | None
    """None if there are several."""
    cadastral_area_m2: int | None
    """None if it is unknown of a parcel: a sum without it would be wrong."""
    geometric_area_m2: float | None
    perimeter_m: float | None
    projection: str | None
    """The legal projection of the territory, as EPSG:2154. Measures are on the ground, not in its plane."""
    projection_scale: float | None
    """A length in the plane of this projection over the one on the ground."""
    centroid: Sequence[float]
    """Longitude and latitude; empty without an outline."""
    is_surveyed: bool | None
    frontage_m: float | None
    frontage: bytes
    """GeoJSON MultiLineString; empty where the frontage is unknown."""
    bounds: tuple[Bound, ...]
    """The longest first; empty where no roads are loaded. Then all of it counts as frontage."""
    addresses: tuple[Address, ...]
    is_contiguous: bool | None
    terrain: Terrain | None
    """None if no altitude is known."""
    owners: tuple[Owner, ...]
    """Legal persons with a right on the land unit, owners.MAX_OWNERS at most."""
    neighbours: tuple[Neighbour, ...]
    """Where the frontage is less than NARROW_M: over one of them a right of way may lead. At most MAX_NEIGHBOURS."""


def _commune_names(snapshot: Snapshot, communes: tuple[str, ...]) -> tuple[dict[str, str], list[Load]]:
    """The names by INSEE's list, or else by the address file, and the load of the list."""
    listed = communes_listed(snapshot, communes)
    load = loads.find(snapshot, COG.id, Partition(COUNTRY, "communes")) if listed else None
    return commune_names(snapshot, communes) | listed, [load] if load else []


def compute(reads: Reads, site: Site, _: Parts) -> Part[LandBlock]:
    snapshot, (names, commune_list) = reads.snapshot, reads.cached(_commune_names, site.communes)
    rights, silent = owners.read(reads, site)
    commune = site.communes[0] if len(site.communes) == 1 else None
    departments = {department_of(code) for code in site.communes}
    areas = [record.cadastral_area_m2 for record in site.parcels]
    surveyed = {record.is_surveyed for record in site.parcels}
    shape = site.shape
    centroid = geometry.centroid(shape.metric, shape.projection) if shape else ()
    epsg = territory.legal_projection(site.communes[0])
    lines: shapely.MultiLineString | None = None
    bounds: tuple[Bound, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    if shape and site.is_drawn and not site.is_territory_missing:
        lines, bounds, neighbours = _frontage(reads, site, shape)
    addresses = _addresses(snapshot, site, shape) if shape else []
    altitudes = {**altitudes_of(snapshot, list(site.outlines)), **site.altitudes.rows}
    owner_list = owners.owners_of(rights)
    block = LandBlock(
        commune_code=commune,
        commune_name=names.get(commune) if commune else None,
        department_code=next(iter(departments)) if len(departments) == 1 else None,
        sections=tuple(dict.fromkeys(record.section for record in site.parcels)),
        numbers=tuple(dict.fromkeys(record.number for record in site.parcels)),
        prefixes=tuple(dict.fromkeys(record.prefix for record in site.parcels)),
        only_parcel=site.parcels[0] if len(site.parcels) == 1 else None,
        cadastral_area_m2=None if None in areas else sum(area for area in areas if area is not None),
        geometric_area_m2=round(float(shape.metric.area), AREA_DECIMALS) if shape else None,
        perimeter_m=round(float(shape.metric.length), _LENGTH_DECIMALS) if shape else None,
        projection=f"EPSG:{epsg}" if shape else None,
        projection_scale=territory.scale_of(epsg, *centroid) if centroid else None,
        centroid=centroid,
        is_surveyed=None if None in surveyed else surveyed == {True},
        frontage_m=round(lines.length, _LENGTH_DECIMALS) if lines is not None else None,
        frontage=(
            geometry.to_geojson(territory.to_degrees(lines, shape.projection)) if lines is not None and shape else b""
        ),
        bounds=bounds,
        addresses=tuple(addresses[:MAX_ADDRESSES]),
        is_contiguous=geometry.is_contiguous(shape.metric) if shape and site.is_drawn else None,
        terrain=terrain_of([altitudes[parcel_id] for parcel_id in site.outlines if parcel_id in altitudes]),
        owners=tuple(owner_list[: owners.MAX_OWNERS]),
        neighbours=neighbours,
    )
    coverage = terrain.coverage_of(site, altitudes)
    warnings = [
        warning(
            "frontage_unknown" if lines is None else "frontage_estimated", "land", tolerance_m=frontage.TOLERANCE_M
        ),
        *truncated("addresses_truncated", "land", len(addresses), MAX_ADDRESSES),
        *owners.warnings(site, len(owner_list), silent),
    ]
    if coverage.reason == "source_unavailable":
        warnings.append(warning("source_unavailable", "land", dataset=coverage.dataset))
    used = [*terrain.loads_of(site, altitudes), *(commune_list if block.commune_name else ())]
    return Part(block, warnings, [coverage, owners.coverage_of(site, silent)], used)


RECIPE = Recipe("land", (BDTOPO_WAYS.id,), compute, unstated=(BAN.id, CADASTRE_COMMUNES.id, OWNERS.id))


def _frontage(
    reads: Reads, site: Site, shape: Shape
) -> tuple[shapely.MultiLineString | None, tuple[Bound, ...], tuple[Neighbour, ...]]:
    """The frontage, what the boundary faces, and the neighbours on a way if there is little frontage."""
    snapshot = reads.snapshot
    selected, outlines = set(site.selected), outlines_in_boxes(snapshot, site.boxes(frontage.SIGHT_M))
    others = [outline for outline in outlines if outline.parcel_id not in selected]
    drawn: territory.Geometries = shapely.from_wkb([outline.geometry for outline in others])
    around: list[geometry.Area] = territory.all_to_metres(drawn, shape.projection)
    communes = {*site.communes, *(commune_of(other.parcel_id) for other in others)}
    known_land = _known_territory(snapshot, communes, shape)
    lines = frontage.estimate(shape.metric, around, known_land)
    if lines is None:
        return None, (), ()
    ways = _near_ways(snapshot, site, shape)
    if ways is None and lines.length:  # where roads are loaded, they tell which of the open ground is one
        undrawn = reads.cached(_undrawn, tuple(sorted(communes)))
        if any(parcel_id.startswith(undrawn) for parcel_id in (*selected, *(near.parcel_id for near in others))):
            return None, (), ()

    def geojson(metric: BaseGeometry) -> bytes:
        return geometry.to_geojson(territory.to_degrees(metric, shape.projection))

    bounds: list[Bound] = []
    if ways is not None:
        kinds = bounds_of(shape.metric, lines, around, ways)
        bounds = [Bound(kind, round(part.length, _LENGTH_DECIMALS), geojson(part)) for kind, part in kinds.items()]
        bounds.sort(key=lambda bound: -bound.length_m)
        lines = kinds.get("road", shapely.MultiLineString())
    else:
        lines = frontage.reachable(lines, [shape.metric, *around])
    if lines.length >= NARROW_M:
        return lines, tuple(bounds), ()
    near, neighbours = shape.metric.buffer(frontage.SIGHT_M / 2), []
    beside = np.flatnonzero(shapely.dwithin(around, shape.metric, frontage.TOLERANCE_M))[:MAX_NEIGHBOURS].tolist()
    rights = owners_on(snapshot, [others[index].parcel_id for index in beside])
    for index in beside:
        other_parcels = [shape.metric, *around[:index], *around[index + 1 :]]
        front = frontage.estimate(around[index], other_parcels, known_land, near)
        if front and ways is not None:
            front = bounds_of(around[index], front, other_parcels, ways).get("road")
        elif front:
            front = frontage.reachable(front, [around[index], *other_parcels])
        if front:
            parcel_id = others[index].parcel_id
            holders = owners.owners_of(
                [r for r in rights if r.parcel_id == parcel_id and r.right_code not in REPRESENTATIVES]
            )
            neighbours.append(Neighbour(parcel_id, geojson(around[index]), geojson(front), tuple(holders)))
    return lines, tuple(bounds), tuple(neighbours)


def _undrawn(snapshot: Snapshot, communes: tuple[str, ...]) -> tuple[str, ...]:
    """The sections with a parcel that the plan does not draw, and the communes with a row that could not be read, as
    starts of parcel ids: there, ground that no outline covers may be that of a parcel.
    """
    plans = [load for load in loads.of_partitions(snapshot, communes) if load.dataset == PARCELS.id]
    lost = [load.partition.code for load in plans if load.rejected_count]
    return (*sections_with_undrawn(snapshot, communes), *lost)


def _near_ways(snapshot: Snapshot, site: Site, shape: Shape) -> list[Way] | None:
    """The parts of the ways near the land unit, in metres. None if the roads of a commune are not loaded."""
    loaded = [load for load in site.loads.all if (load.dataset, load.partition.part) == (BDTOPO_WAYS.id, ROADS)]
    if not {load.partition.code for load in loaded if load.row_count}.issuperset(site.communes):
        return None
    records = ways_in_boxes(snapshot, site.boxes(frontage.SIGHT_M))
    near = box_around(shape.degrees.bounds, 2 * frontage.SIGHT_M)
    parts = shapely.clip_by_rect(shapely.from_wkb([way.geometry for way in records]), *near)
    drawn: list[BaseGeometry] = territory.all_to_metres(parts, shape.projection)
    return [(way.kind, way.half_width_m, part) for way, part in zip(records, drawn, strict=True)]


def _known_territory(snapshot: Snapshot, communes: Set[str], shape: Shape) -> geometry.Area | None:
    """The territory of the communes around, near the land unit and in metres. None if that of one is not loaded."""
    territories = territories_of(snapshot, communes)
    if not communes <= territories.keys():
        return None
    near = box_around(shape.degrees.bounds, 2 * frontage.SIGHT_M)
    # Clipping takes a tenth of the time of an intersection, and may leave an outline that touches itself.
    clipped = (shapely.clip_by_rect(shapely.from_wkb(wkb), *near) for wkb in territories.values())
    parts = [geometry.polygons_of(shapely.make_valid(part)) for part in clipped]
    return geometry.polygons_of(shapely.union_all(territory.all_to_metres(parts, shape.projection)))


def _addresses(snapshot: Snapshot, site: Site, shape: Shape) -> list[Address]:
    """Addresses with their point on the land unit, and those that declare one of its parcels."""
    within, selected = box_around(shape.degrees.bounds, 1.0), set(site.selected)
    nearby = addresses_in_boxes(snapshot, site.communes, site.boxes(ADDRESS_REACH_M), site.selected, within)
    points = shapely.points(np.array([(near.lon, near.lat) for near in nearby], dtype=float).reshape(-1, 2))
    outlines = shapely.STRtree(list(site.outlines.values()))
    inside = set(outlines.query(points, "intersects")[0].tolist())
    return [
        numbered_address(near)
        for at, near in enumerate(nearby)
        if at in inside or not selected.isdisjoint(near.parcel_ids.split("|"))
    ]
