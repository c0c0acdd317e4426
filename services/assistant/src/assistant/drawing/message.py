"""Makes the message of a drawing, in metres of the plane of a projection."""

from datetime import datetime
from functools import lru_cache

from pyproj import CRS, Proj
from shapely.geometry.base import BaseGeometry

from assistant.division.proposal import LAMBERT_93, Site
from assistant.geojson import WGS84, read_geometry, to_plane_geojson
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2
from servicekit.languages import language

_CONIC_ZONES = range(42, 51)
"""Latitudes of the conic conformal zones CC42 to CC50 of mainland France; their EPSG codes are 3942 to 3950."""
_EPSG_OF_ZONES = 3900


def plane_of(unit: land_pb2.LandUnit, *, in_conic_zone: bool) -> int:
    """The EPSG code of the territory's legal projection, or of its conic conformal zone in mainland France."""
    legal = int(unit.land.projection.removeprefix("EPSG:") or LAMBERT_93)
    if not in_conic_zone or legal != LAMBERT_93 or not unit.land.centroid:
        return legal
    return _EPSG_OF_ZONES + min(max(round(unit.land.centroid[1]), _CONIC_ZONES[0]), _CONIC_ZONES[-1])


def drawing_of(
    unit: land_pb2.LandUnit,
    site: Site | None,
    plane: int,
    proposals: list[pb.Proposal],
    disclaimer: str,
    made_at: datetime,
) -> pb.Drawing:
    name, definition = _described(plane)
    drawing = pb.Drawing(
        projection=plane,
        projection_name=name,
        projection_wkt=definition,
        language=language.get(),
        generated_at=made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        place=unit.address.label or unit.land.commune_name,
        parcels=_parcels(unit, plane),
        restrictions=_restrictions(unit, plane),
        proposals=proposals,
        disclaimer=disclaimer,
        sources=unit.sources,
    )
    if unit.land.centroid:
        # a length in the plane over the one on the ground: all these projections are conformal
        longitude, latitude = unit.land.centroid
        drawing.projection_scale = Proj(plane).get_factors(longitude, latitude).meridional_scale
    if site is not None:
        [drawing.land_unit] = to_plane_geojson([site.unit], site.projection, plane)
        drawing.buildings.extend(to_plane_geojson(site.buildings, site.projection, plane))
        if site.frontage:
            [drawing.frontage] = to_plane_geojson([site.frontage], site.projection, plane)
    return drawing


def _parcels(unit: land_pb2.LandUnit, plane: int) -> list[pb.DrawnParcel]:
    """The outline of the unit is that of its only parcel."""
    outlines = [unit.geometry] if len(unit.parcels) == 1 else [parcel.outline for parcel in unit.parcels]
    metric = _metric(outlines, plane)
    return [
        pb.DrawnParcel(
            parcel_id=parcel.parcel_id,
            cadastral_area_m2=parcel.cadastral_area_m2 if parcel.HasField("cadastral_area_m2") else None,
            geometry=outline,
        )
        for parcel, outline in zip(unit.parcels, metric, strict=True)
    ]


def _restrictions(unit: land_pb2.LandUnit, plane: int) -> list[pb.DrawnRestriction]:
    restrictions: list[tuple[str, str, str, bytes]] = [
        ("prescription", item.type_code, item.label or item.type_label, item.geometry)
        for item in unit.urbanism.prescriptions
    ]
    restrictions += [
        ("easement", item.category, item.name or item.category_label, item.geometry) for item in unit.urbanism.easements
    ]
    restrictions += [("risk_zone", item.code, item.name, item.geometry) for item in unit.risks.zones]
    outlines = _metric([geometry for *_, geometry in restrictions], plane)
    return [
        pb.DrawnRestriction(kind=kind, code=code, label=label, geometry=outline)
        for (kind, code, label, _), outline in zip(restrictions, outlines, strict=True)
    ]


def _metric(geometries: list[bytes], plane: int) -> list[bytes]:
    """GeoJSON in WGS84 as GeoJSON in metres. Empty bytes stay empty."""
    shapes: list[BaseGeometry | None] = [read_geometry(geometry) for geometry in geometries]
    moved = iter(to_plane_geojson([shape for shape in shapes if shape is not None], WGS84, plane))
    return [b"" if shape is None else next(moved) for shape in shapes]


@lru_cache(maxsize=16)
def _described(plane: int) -> tuple[str, str]:
    """The name and the definition (WKT 1) of a projection."""
    system = CRS.from_epsg(plane)
    return system.name, system.to_wkt("WKT1_GDAL")
