"""The part of a land unit that a farmer declared for aid (RPG): a part of the block `land`."""

from dataclasses import dataclass

import shapely

from land.datasets.farming.queries import fields_in_boxes
from land.datasets.farming.registration import RPG
from land.datasets.grouping import grouped
from land.store.cached_reads import Reads
from land.units.overlap import surfaces_on
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site

EDGE_M = 4.0
"""A narrower overlap is left out: there the outlines of register and cadastre differ."""


@dataclass(frozen=True)
class FarmedLand:
    """The parts of the land unit with one crop."""

    year: int | None
    """None if the file did not state it."""
    crop_code: str
    crop_group: str | None
    overlap_area_m2: float
    overlap_ratio: float


def compute(reads: Reads, site: Site, _: Parts) -> Part[tuple[FarmedLand, ...]]:
    """The largest first. Of each commune, only the newest year counts."""
    fields = fields_in_boxes(reads.snapshot, site.boxes(0), site.communes)
    if site.shape is None or not fields:
        return Part(())
    newest: dict[str, str] = {}
    for field in fields:
        newest[field.partition] = max(field.year, newest.get(field.partition, ""))
    unique = {field.geometry: field for field in fields if field.year == newest[field.partition]}
    pieces = grouped(
        ((field.year, field.crop_code, field.crop_group), piece)
        for field, piece in zip(unique.values(), surfaces_on([*unique.values()], site.shape), strict=True)
        if not piece.buffer(-EDGE_M / 2).is_empty
    )
    whole_m2 = site.shape.metric.area
    areas = {crop: float(shapely.union_all(group).area) for crop, group in pieces.items()}
    return Part(
        tuple(
            FarmedLand(int(year) if year else None, code, group, round(area, 1), round(min(1.0, area / whole_m2), 4))
            for (year, code, group), area in sorted(areas.items(), key=lambda item: -item[1])
        )
    )


RECIPE = Recipe("farmed_land", (RPG.id,), compute, part_of="land")
