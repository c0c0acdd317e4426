"""Assembles a land unit: reads what the requested blocks need, and computes them one after the other."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from land.addresses.model import Address, ParcelMatch
from land.answers.provenance import sources_of
from land.answers.texts import fill
from land.answers.warnings import AnswerWarning, warning
from land.datasets.addresses.registration import BAN
from land.datasets.parcels.registration import PARCELS
from land.loading.load_queue import LoadKey, LoadState
from land.store.cached_reads import Reads
from land.store.prepared import together
from land.units import (
    buildings,
    easements,
    energy_ratings,
    geometry,
    history,
    joint_ownerships,
    land,
    real_estate,
    risks,
    urbanism,
)
from land.units.load_states import with_load_states
from land.units.model import Block, LandUnit
from land.units.recipe import Part, Recipe
from land.units.site import Site
from land.units.succession import RetiredParcel
from servicekit.errors import ServiceError
from servicekit.languages import Text

RECIPES: Sequence[Recipe[Any, Any]] = (
    history.RECIPE,
    land.RECIPE,
    buildings.RECIPE,
    joint_ownerships.RECIPE,
    energy_ratings.RECIPE,
    real_estate.RECIPE,
    easements.RECIPE,
    urbanism.RECIPE,
    risks.RECIPE,
)
"""The recipes in the order of their warnings. A block comes after those that it needs."""
_ALWAYS_STATED = (BAN.id, PARCELS.id)
_SUCCESSORS = Text(
    "Lui succèdent : {parcels}.",
    "It was followed by: {parcels}.",
)
_SUCCESSORS_UNKNOWN = Text(
    "Le plan ne montre pas ce qui lui succède.",
    "The plan does not show what followed it.",
)


@dataclass(frozen=True)
class Selected:
    """What selected the parcels, and what became of the other ids."""

    address: Address | None = None
    matches: Sequence[ParcelMatch] = ()
    """How the address led to its parcels. Empty if parcel ids selected."""
    retired: Mapping[str, RetiredParcel] | None = None
    """The selected ids that no longer are parcels."""
    states: Mapping[LoadKey, LoadState] | None = None
    """Load states of datasets that were missing when the request came."""
    warnings: Sequence[AnswerWarning] = ()
    unavailable: ServiceError | None = None
    """The error for the selected parcels whose plan is unavailable."""


def assemble(reads: Reads, site: Site, requested: Collection[Block], selected: Selected) -> LandUnit:
    """The land unit with its history, always, and the requested blocks."""
    parts: dict[str, Part[Any]] = {}
    needed = [recipe for recipe in RECIPES if recipe.is_needed(requested)]
    with together(reads.snapshot):
        facts = [recipe.read(reads, site) for recipe in needed]
    for recipe, finish_reading in zip(needed, facts, strict=True):
        parts[recipe.name] = recipe.compute(site, finish_reading(), parts)
    included = [parts[recipe.name] for recipe in RECIPES if recipe.is_included(requested)]
    blocks = {recipe.name: parts[recipe.name].block for recipe in RECIPES if recipe.is_included(requested)}
    unused = frozenset(
        name for recipe in RECIPES if recipe not in needed for name in (*recipe.datasets, *recipe.unstated)
    )
    stated_datasets = [*_ALWAYS_STATED, *(name for recipe in needed for name in recipe.datasets)]
    unit = LandUnit(
        geometry=geometry.to_geojson(site.shape.degrees) if site.shape else b"",
        bbox=geometry.bbox(site.shape.degrees) if site.shape else (),
        parcels=site.parcels,
        matches={match.parcel_id: match for match in selected.matches},
        address=selected.address,
        history=blocks["history"],
        land=blocks.get("land"),
        buildings=blocks.get("buildings"),
        joint_ownerships=blocks.get("joint_ownerships", ()),
        energy_ratings=parts["energy_ratings"].block if "energy_ratings" in parts else None,
        real_estate=blocks.get("real_estate"),
        urbanism=blocks.get("urbanism"),
        risks=blocks.get("risks"),
        coverage=[
            *(site.loads.coverage(name) for name in stated_datasets),
            *(coverage for part in included for coverage in part.coverage),
        ],
        sources=[*site.loads.sources(unused), *sources_of([load for part in included for load in part.loads])],
        warnings=[
            *selected.warnings,
            *_parcel_warnings(site, selected.retired or {}),
            *(warning for part in included for warning in part.warnings),
        ],
    )
    return with_load_states(unit, selected.states or {})


def _parcel_warnings(site: Site, retired: Mapping[str, RetiredParcel]) -> list[AnswerWarning]:
    existing_ids = {record.parcel_id for record in site.parcels}
    warnings = [_missing(site, parcel_id, retired) for parcel_id in site.selected if parcel_id not in existing_ids]
    for record in site.parcels:
        if record.geometry is None:
            warnings.append(warning("geometry_missing", parcel_id=record.parcel_id))
        elif record.is_repaired:
            warnings.append(warning("geometry_repaired", parcel_id=record.parcel_id))
    return warnings


def _missing(site: Site, parcel_id: str, retired: Mapping[str, RetiredParcel]) -> AnswerWarning:
    parcel = retired.get(parcel_id)
    if parcel is None:
        return warning("parcel_not_found", parcel_id=parcel_id)
    following = _SUCCESSORS_UNKNOWN
    if parcel.successors:
        following = fill(_SUCCESSORS, parcels=", ".join(parcel.successors))
    return warning("parcel_retired", parcel_id=parcel_id, successors=following)
