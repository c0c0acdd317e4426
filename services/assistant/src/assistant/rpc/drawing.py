"""Makes the message of a drawing, and reads it as a plan to write."""

from datetime import datetime
from functools import lru_cache
from typing import Literal

from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from assistant.drawing.model import (
    Drawing,
    DrawnLot,
    DrawnParcel,
    DrawnProposal,
    Restriction,
    SharedWay,
    Side,
)
from assistant.rpc.site import ProjectedSite, read_geometry, to_metric_geojson, transformed
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2
from servicekit.errors import InvalidPayload, Violation
from servicekit.languages import language

_KEPT_HOUSE = "kept_house"
_Kind = Literal["prescription", "easement"]


def drawing_of(
    unit: land_pb2.LandUnit,
    projected: ProjectedSite | None,
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
    if projected is not None:
        site = projected.site
        [drawing.land_unit] = to_metric_geojson([site.unit])
        drawing.buildings.extend(to_metric_geojson(site.buildings))
        if site.frontage:
            [drawing.frontage] = to_metric_geojson([site.frontage])
    return drawing


def plan_of(drawing: pb.Drawing, rank: int) -> Drawing:
    """Raises InvalidPayload."""
    try:
        made_at = datetime.fromisoformat(drawing.generated_at)
    except ValueError as error:
        violation = Violation("/drawing/generated_at", "malformed", "is an instant (RFC 3339)")
        raise InvalidPayload("The call breaks the contract.", violations=[violation]) from error
    return Drawing(
        projection_name=f"{drawing.projection_name} (EPSG:{drawing.projection})",
        language="en" if drawing.language == "en" else "fr",
        made_at=made_at,
        place=drawing.place,
        parcels=[
            DrawnParcel(
                parcel.parcel_id,
                parcel.cadastral_area_m2 if parcel.HasField("cadastral_area_m2") else None,
                read_geometry(parcel.geometry),
            )
            for parcel in drawing.parcels
        ],
        land=read_geometry(drawing.land_unit),
        frontage=read_geometry(drawing.frontage),
        buildings=[shape for outline in drawing.buildings if (shape := read_geometry(outline)) is not None],
        restrictions=[
            Restriction(_kind(item), item.code, item.label, read_geometry(item.geometry))
            for item in drawing.restrictions
        ],
        proposal=next((_proposal(item) for item in drawing.proposals if item.rank == rank), None),
        disclaimer=drawing.disclaimer,
        sources=[f"{source.dataset or source.id}, {source.edition}" for source in drawing.sources],
    )


def _proposal(message: pb.Proposal) -> DrawnProposal:
    way, outline = message.shared_way, read_geometry(message.shared_way.geometry)
    return DrawnProposal(
        rank=message.rank,
        summary=message.summary,
        lots=[lot for lot_message in message.lots if (lot := _lot(lot_message)) is not None],
        shared_way=None if outline is None else SharedWay(outline, way.area_m2, way.width_m),
    )


def _lot(message: pb.Lot) -> DrawnLot | None:
    outline = read_geometry(message.geometry)
    if outline is None:
        return None
    lines = [(side.length_m, read_geometry(side.geometry)) for side in message.sides]
    return DrawnLot(
        id=message.id,
        outline=outline,
        area_m2=message.area_m2,
        sides=[Side(length, line) for length, line in lines if line is not None],
        envelope=read_geometry(message.buildable_envelope),
        is_kept_house=message.role == _KEPT_HOUSE,
    )


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
    restrictions: list[tuple[_Kind, str, str, bytes]] = [
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
    moved = iter(to_metric_geojson(transformed([shape for shape in shapes if shape is not None], 4326, projection)))
    return [b"" if shape is None else next(moved) for shape in shapes]


def _kind(message: pb.DrawnRestriction) -> _Kind:
    return "easement" if message.kind == "easement" else "prescription"


@lru_cache(maxsize=16)
def _described(projection: int) -> tuple[str, str]:
    """The name and the definition (WKT 1) of a projection."""
    system = CRS.from_epsg(projection)
    return system.name, system.to_wkt("WKT1_GDAL")
