"""Energy ratings of the dwellings on a land unit: how many of each letter, and by which id they were joined.

Each diagnosis is joined by the best id that it has. Nothing is said of one dwelling.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import shapely

from land.datasets.addresses.registration import BAN
from land.datasets.buildings.registration import RNB
from land.datasets.energy.queries import ratings_in_boxes
from land.datasets.energy.records import NearbyRating
from land.datasets.energy.registration import DPE
from land.store.cached_reads import Reads
from land.units.buildings import BuildingsBlock
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Shape, Site

REACH_M = 50.0
"""How far from a parcel the address point of its dwellings may lie, as in the block of land."""
LEAST_SHARE = 0.5
"""A building's dwellings are on the land unit if at least this share of it is."""
_JOINS = ("rnb_id", "ban_id", "address_point")


@dataclass(frozen=True)
class EnergyRatings:
    count: int
    energy: Mapping[str, int]
    """Number of ratings by letter, in order; those without a letter are left out."""
    greenhouse_gas: Mapping[str, int]
    oldest_on: str
    newest_on: str
    joined_by: Mapping[str, int]
    """Number of ratings by the id that joined them, the best id first."""


def compute(reads: Reads, site: Site, parts: Parts) -> Part[EnergyRatings | None]:
    """None if no rating is joined."""
    if not site.has(DPE.id) or site.shape is None:
        return Part(None)
    rows = ratings_in_boxes(reads.snapshot, site.communes, site.boxes(REACH_M))
    buildings: BuildingsBlock | None = parts["buildings"].block
    rnb_shares = buildings.rnb_shares if buildings else {}
    joined = [
        (join, row)
        for row, is_inside in zip(rows, _inside(site.shape, rows), strict=True)
        if (join := _join(site, row, rnb_shares, is_inside))
    ]
    return Part(_ratings(joined) if joined else None)


RECIPE = Recipe("energy_ratings", (DPE.id,), compute, unstated=(BAN.id,), part_of="buildings")


def _inside(shape: Shape, rows: Sequence[NearbyRating]) -> list[bool]:
    """Whether the address of each row lies on the land unit, by the address file if it has the address."""
    is_inside: list[bool] = shapely.intersects_xy(
        shape.degrees,
        [row.rating.lon if row.address_lon is None else row.address_lon for row in rows],
        [row.rating.lat if row.address_lat is None else row.address_lat for row in rows],
    ).tolist()
    return is_inside


def _join(site: Site, row: NearbyRating, rnb_shares: Mapping[str, float], is_inside: bool) -> str | None:
    """The id that joins the rating to the land unit; None if it does not belong to it, or if this is not sure."""
    rnb_id = row.rating.rnb_id
    if rnb_id in rnb_shares:
        return "rnb_id" if rnb_shares[rnb_id] >= LEAST_SHARE else None
    if rnb_id and site.loads.coverage(RNB.id).status == "covered":
        return None  # the register has the building elsewhere
    if row.parcel_ids is None:
        return "address_point" if row.rating.is_placed and is_inside else None
    declared = [parcel_id in site.outlines for parcel_id in row.parcel_ids.split("|") if parcel_id]
    is_here = all(declared) or (is_inside and any(declared)) if declared else is_inside
    return "ban_id" if is_here else None


def _ratings(joined: Sequence[tuple[str, NearbyRating]]) -> EnergyRatings:
    energy, greenhouse_gas, joins = Counter[str](), Counter[str](), Counter[str]()
    for join, (rating, *_) in joined:
        energy[rating.energy] += rating.rating_count
        greenhouse_gas[rating.greenhouse_gas] += rating.rating_count
        joins[join] += rating.rating_count
    return EnergyRatings(
        count=joins.total(),
        energy={letter: energy[letter] for letter in sorted(energy) if letter},
        greenhouse_gas={letter: greenhouse_gas[letter] for letter in sorted(greenhouse_gas) if letter},
        oldest_on=min(row.rating.oldest_on for _, row in joined),
        newest_on=max(row.rating.newest_on for _, row in joined),
        joined_by={join: joins[join] for join in _JOINS if joins[join]},
    )
