"""Assembles the parts of a land unit: reads what they need, and computes them one after the other."""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from land.addresses.model import Address, ParcelMatch
from land.answers.provenance import CommuneLoads, Coverage, sources_of
from land.answers.texts import AnswerWarning, fill, warning
from land.datasets.addresses.registration import ADDRESSES, BAN
from land.datasets.parcels.registration import CADASTRE_COMMUNES, PARCELS
from land.datasets.planning.registration import (
    GPU_COMMUNES,
    GPU_DOCUMENTS,
    GPU_IN_FORCE,
    GPU_INFORMATIONS,
    GPU_PRESCRIPTIONS,
    GPU_ZONES,
    PLANNING,
)
from land.datasets.relief.registration import ALTIMETRY
from land.loading.load_queue import FAILED, LoadKey, LoadState
from land.store.cached_reads import Reads
from land.store.snapshot import STORE_ERRORS
from land.units import (
    buildings,
    commune_rules,
    easements,
    energy_ratings,
    farmed_land,
    geometry,
    history,
    joint_ownerships,
    land,
    nearby_monuments,
    nearby_permits,
    real_estate,
    regulation,
    risk_zones,
    risks,
    urbanism,
)
from land.units.model import Block, LandUnit
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site
from land.units.succession import AbsentParcel
from servicekit.errors import ServiceError
from servicekit.languages import Text
from servicekit.parts import Attempt

RECIPES: Sequence[Recipe] = (
    history.RECIPE,
    land.RECIPE,
    nearby_permits.RECIPE,
    commune_rules.RECIPE,
    farmed_land.RECIPE,
    buildings.RECIPE,
    joint_ownerships.RECIPE,
    energy_ratings.RECIPE,
    real_estate.RECIPE,
    easements.RECIPE,
    nearby_monuments.RECIPE,
    urbanism.RECIPE,
    regulation.RECIPE,
    risks.RECIPE,
    risk_zones.RECIPE,
)
"""The recipes in the order of their warnings. A block comes after those that it needs."""
_BLOCK_OF = {"easements": "urbanism"}
"""The block of recipes that are neither one nor a part of one."""
_ALWAYS_STATED = (BAN.id, PARCELS.id)
_OF_UNKNOWN_DOCUMENTS = tuple(dataset.id for dataset in (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_INFORMATIONS))
"""What is missing if the documents in force are not known."""
_LISTS_OF_DOCUMENTS = (GPU_DOCUMENTS.id, GPU_COMMUNES.id)
"""Their states are not named beside that of the zones, to which they lead."""
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
    """The selected parcels, and what selected them."""

    ids: Sequence[str]
    """The parcels whose plans are loaded. Some may not exist."""
    address: Address | None = None
    matches: Sequence[ParcelMatch] = ()
    """How the address led to its parcels. Empty if parcel ids selected."""
    states: Mapping[LoadKey, LoadState] = field(default_factory=dict)
    """Load states of datasets that were missing when the request came."""
    warnings: Sequence[AnswerWarning] = ()
    unavailable: ServiceError | None = None
    """The error for the selected parcels whose plan is unavailable."""

    @property
    def is_territory_missing(self) -> bool:
        """Whether a commune's territory that is published could not be loaded."""
        return any(
            key.dataset == CADASTRE_COMMUNES.id and state not in ("loaded", "missing")
            for key, state in self.states.items()
        )


def part_names(blocks: Collection[Block]) -> tuple[str, ...]:
    """The names of the parts of a land unit with these blocks, in the order of the answer. History is always one."""
    return tuple(recipe.name for recipe in RECIPES if recipe.name == "history" or recipe.name in blocks)


def assemble(reads: Reads, site: Site, names: Sequence[str], absent: Mapping[str, AbsentParcel]) -> dict[str, LandUnit]:
    """These parts of the land unit, by name. The history comes with the parcels and their geometry.

    Each part has its own warnings and the coverage that it computes; `statement` has the coverage by commune. A recipe
    that fails is left out, with a warning (`servicekit.parts`).
    """
    needed = [recipe for recipe in RECIPES if recipe.is_needed(names)]
    parts: dict[str, Part[Any]] = {}
    for recipe in needed:
        parts[recipe.name] = _computed(recipe, reads, site, parts)
    units = {name: _unit(name, needed, parts) for name in names}
    if "history" in units:
        units["history"] = _with_ground(units["history"], site, absent)
    return units


def statement(loads: CommuneLoads, names: Sequence[str], has_address: bool, failed: Collection[str]) -> LandUnit:
    """The coverage and the sources of a land unit with these parts that follow from the loads of its communes.

    `has_address` says whether an address selected the land. A dataset that no part used is no source. The datasets of
    recipes that `failed` are not covered.
    """
    needed = [recipe for recipe in RECIPES if recipe.is_needed(names)]
    used = {name for recipe in needed for name in (*recipe.datasets, *recipe.unstated)}
    used.update(ADDRESSES if has_address else ())
    optional = {name for recipe in RECIPES for name in (*recipe.datasets, *recipe.unstated)}
    unused = frozenset((optional | {*ADDRESSES, ALTIMETRY.id}) - used)  # altitudes are cited by the part they are in
    datasets = [*_ALWAYS_STATED, *(name for recipe in needed for name in recipe.datasets)]
    lost = {name for recipe in needed if recipe.name in failed for name in recipe.datasets}
    coverage = [
        Coverage(name, "not_covered", "part_failed") if name in lost else loads.coverage(name) for name in datasets
    ]
    return LandUnit(coverage=coverage, sources=loads.sources(unused))


def with_states(unit: LandUnit, states: Mapping[LoadKey, LoadState], requested: Collection[Block]) -> LandUnit:
    """The land unit, whose coverage and warnings say which loads have failed or last."""
    by_dataset = _states_by_dataset(states, unit.coverage, requested)
    coverage = [_with_states(item, by_dataset.get(item.dataset, set())) for item in unit.coverage]
    return replace(unit, coverage=coverage, warnings=[*unit.warnings, *_load_warnings(by_dataset)])


def failed_recipes(parts: Mapping[str, LandUnit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts.values() for name in part.failed))


def of_selection(selected: Selected) -> LandUnit:
    """What the land unit says of its selection."""
    return LandUnit(address=selected.address, matches=selected.matches, warnings=selected.warnings)


def _computed(recipe: Recipe, reads: Reads, site: Site, parts: Parts) -> Part[Any]:
    with Attempt(Text(recipe.name, recipe.name), *STORE_ERRORS):
        return recipe.compute(reads, site, parts)
    block = _BLOCK_OF.get(recipe.name, recipe.part_of or recipe.name)
    return Part(None, [warning("part_failed", block, part=recipe.name)], has_failed=True)


def _unit(name: str, needed: Sequence[Recipe], parts: Mapping[str, Part[Any]]) -> LandUnit:
    recipes = [recipe.name for recipe in needed if name in (recipe.name, recipe.part_of)]
    shown = [parts[recipe] for recipe in recipes]
    return LandUnit(
        **{recipe: parts[recipe].block for recipe in recipes if not parts[recipe].has_failed},
        coverage=[coverage for part in shown for coverage in part.coverage],
        sources=sources_of([load for part in shown for load in part.loads]),
        warnings=[part_warning for part in shown for part_warning in part.warnings],
        failed=[recipe.name for recipe in needed if parts[recipe.name].has_failed and recipe.is_needed((name,))],
    )


def _with_ground(unit: LandUnit, site: Site, absent: Mapping[str, AbsentParcel]) -> LandUnit:
    return replace(
        unit,
        geometry=geometry.to_geojson(site.shape.degrees) if site.shape else b"",
        bbox=geometry.bbox(site.shape.degrees) if site.shape else (),
        parcels=site.parcels,
        warnings=[*_parcel_warnings(site, absent), *unit.warnings],
    )


def _states_by_dataset(
    states: Mapping[LoadKey, LoadState], coverage: Sequence[Coverage], requested: Collection[Block]
) -> dict[str, set[LoadState]]:
    """The load states of the datasets that the answer uses, without loaded ones.

    The state of a further planning document does not matter if the loaded ones cover the whole land unit.
    """
    status = {item.dataset: item.status for item in coverage}

    def uses(dataset: str) -> bool:
        if dataset in _OF_UNKNOWN_DOCUMENTS:
            return status.get(dataset, "covered") != "covered"
        if dataset in PLANNING:
            return GPU_ZONES.id in status
        return dataset in status or (dataset == CADASTRE_COMMUNES.id and "land" in requested)

    states_by_dataset: dict[str, set[LoadState]] = {}
    for key, state in states.items():
        for dataset in _OF_UNKNOWN_DOCUMENTS if key.dataset == GPU_IN_FORCE.id else (key.dataset,):
            if state != "loaded" and uses(dataset):
                states_by_dataset.setdefault(dataset, set()).add(state)
    if GPU_ZONES.id in states_by_dataset:
        return {name: found for name, found in states_by_dataset.items() if name not in _LISTS_OF_DOCUMENTS}
    return states_by_dataset


def _load_warnings(states: Mapping[str, Set[LoadState]]) -> list[AnswerWarning]:
    failed = {dataset for dataset, of_dataset in states.items() if not FAILED.isdisjoint(of_dataset)}
    return [
        warning("source_unavailable" if dataset in failed else "dataset_loading", dataset=dataset)
        for dataset, of_dataset in states.items()
        if dataset in failed or "loading" in of_dataset
    ]


def _with_states(coverage: Coverage, states: Set[LoadState]) -> Coverage:
    is_empty = coverage.status not in ("covered", "partial")
    if not FAILED.isdisjoint(states):
        return Coverage(coverage.dataset, "partial", "source_unavailable")
    if "loading" in states:
        return Coverage(coverage.dataset, "loading" if is_empty else "partial", "loading")
    if "refused" in states and coverage.status == "covered":
        return Coverage(coverage.dataset, "partial", "not_loaded")
    if "missing" in states and coverage.reason == "not_loaded":
        return Coverage(coverage.dataset, "not_published" if is_empty else "partial", "not_published")
    return coverage


def _parcel_warnings(site: Site, absent: Mapping[str, AbsentParcel]) -> list[AnswerWarning]:
    existing_ids = {record.parcel_id for record in site.parcels}
    warnings = [_missing(parcel_id, absent) for parcel_id in site.selected if parcel_id not in existing_ids]
    for record in site.parcels:
        if record.geometry is None:
            warnings.append(warning("geometry_missing", parcel_id=record.parcel_id))
        elif record.is_repaired:
            warnings.append(warning("geometry_repaired", parcel_id=record.parcel_id))
        if record.cadastral_area_m2 is None:
            warnings.append(warning("cadastral_area_missing", parcel_id=record.parcel_id))
    return warnings


def _missing(parcel_id: str, absent: Mapping[str, AbsentParcel]) -> AnswerWarning:
    parcel = absent.get(parcel_id)
    if parcel is None or parcel.reason != "retired":
        return warning(f"parcel_{parcel.reason}" if parcel else "parcel_not_found", parcel_id=parcel_id)
    named = ", ".join(parcel.successors)
    following = fill(_SUCCESSORS, parcels=named) if named else _SUCCESSORS_UNKNOWN
    return warning("parcel_retired", parcel_id=parcel_id, successors=following)
