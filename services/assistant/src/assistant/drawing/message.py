"""Makes the message of a drawing, in metres of the legal projection."""

from datetime import datetime
from functools import lru_cache

from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from assistant.division.proposal import Site
from assistant.geojson import WGS84, read_geometry, to_metric_geojson, transformed
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2
from servicekit.languages import language


def drawing_of(
    unit: land_pb2.LandUnit,
    site: Site | None,
    projection: int,
    proposals: list[pb.Proposal],
    disclaimer: str,
    made_at: datetime,
) -> pb.Drawing:
    name, definition = _described(projection)
    drawing = pb.Drawing(
        projection=projection,
        projection_name=name,
        projection_wkt=definition,
        language=language.get(),
        generated_at=made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        place=unit.address.label or unit.land.commune_name,
        parcels=_parcels(unit, projection),
        restrictions=_restrictions(unit, projection),
        proposals=proposals,
        disclaimer=disclaimer,
        sources=unit.sources,
    )
    if site is not None:
        [drawing.land_unit] = to_metric_geojson([site.unit])
        drawing.buildings.extend(to_metric_geojson(site.buildings))
        if site.frontage:
            [drawing.frontage] = to_metric_geojson([site.frontage])
    return drawing


def _parcels(unit: land_pb2.LandUnit, projection: int) -> list[pb.DrawnParcel]:
    """The outline of the unit is that of its only parcel."""
    outlines = [unit.geometry] if len(unit.parcels) == 1 else [parcel.outline for parcel in unit.parcels]
    metric = _metric(outlines, projection)
    return [
        pb.DrawnParcel(
            parcel_id=parcel.parcel_id,
            cadastral_area_m2=parcel.cadastral_area_m2 if parcel.HasField("cadastral_area_m2") else None,
            geometry=outline,
        )
        for parcel, outline in zip(unit.parcels, metric, strict=True)
    ]


def _restrictions(unit: land_pb2.LandUnit, projection: int) -> list[pb.DrawnRestriction]:
    restrictions: list[tuple[str, str, str, bytes]] = [
        ("prescription", item.type_code, item.label or item.type_label, item.geometry)
        for item in unit.urbanism.prescriptions
    ]
    restrictions += [
        ("easement", item.category, item.name or item.category_label, item.geometry) for item in unit.urbanism.easements
    ]
    outlines = _metric([geometry for *_, geometry in restrictions], projection)
    return [
        pb.DrawnRestriction(kind=kind, code=code, label=label, geometry=outline)
        for (kind, code, label, _), outline in zip(restrictions, outlines, strict=True)
    ]


def _metric(geometries: list[bytes], projection: int) -> list[bytes]:
    """GeoJSON in WGS84 as GeoJSON in metres. Empty bytes stay empty."""
    shapes: list[BaseGeometry | None] = [read_geometry(geometry) for geometry in geometries]
    moved = iter(to_metric_geojson(transformed([shape for shape in shapes if shape is not None], WGS84, projection)))
    return [b"" if shape is None else next(moved) for shape in shapes]


@lru_cache(maxsize=16)
def _described(projection: int) -> tuple[str, str]:
    """The name and the definition (WKT 1) of a projection."""
    system = CRS.from_epsg(projection)
    return system.name, system.to_wkt("WKT1_GDAL")
