"""What an answer says about datasets that are being loaded, or that could not be loaded."""

from collections.abc import Mapping, Set
from dataclasses import replace

from land.answers.provenance import Coverage
from land.answers.warnings import warning
from land.datasets.parcels.registration import CADASTRE_COMMUNES
from land.datasets.planning.registration import GPU_IN_FORCE, GPU_INFORMATIONS, GPU_PRESCRIPTIONS, GPU_ZONES, PLANNING
from land.loading.load_queue import FAILED, LoadKey, LoadState
from land.units.model import LandUnit

_OF_UNKNOWN_DOCUMENTS = tuple(dataset.id for dataset in (GPU_ZONES, GPU_PRESCRIPTIONS, GPU_INFORMATIONS))
"""What is missing if the documents in force are not known."""


def with_load_states(unit: LandUnit, states: Mapping[LoadKey, LoadState]) -> LandUnit:
    """The land unit with the load states of its datasets in its coverage and warnings.

    The state of a further planning document does not matter if the loaded ones cover the whole land unit.
    """
    states_by_dataset: dict[str, set[LoadState]] = {}
    for key, state in states.items():
        names = _OF_UNKNOWN_DOCUMENTS if key.dataset == GPU_IN_FORCE.id else (key.dataset,)
        for name in names:
            if state != "loaded" and _uses(unit, name):
                states_by_dataset.setdefault(name, set()).add(state)
    if not states_by_dataset:
        return unit
    warnings = []
    for name, of_dataset in states_by_dataset.items():
        if not FAILED.isdisjoint(of_dataset):
            warnings.append(warning("source_unavailable", dataset=name))
        elif "loading" in of_dataset:
            warnings.append(warning("dataset_loading", dataset=name))
    if states_by_dataset.get(CADASTRE_COMMUNES.id, {"missing"}) != {"missing"}:
        unit = _without_frontage(unit)
    coverage = [
        _with_states(dataset_coverage, states_by_dataset.get(dataset_coverage.dataset, set()))
        for dataset_coverage in unit.coverage
    ]
    return replace(unit, coverage=coverage, warnings=[*unit.warnings, *warnings])


def _uses(unit: LandUnit, dataset: str) -> bool:
    """Whether the land unit, with the requested blocks, uses the dataset."""
    status = {coverage.dataset: coverage.status for coverage in unit.coverage}
    if dataset in _OF_UNKNOWN_DOCUMENTS:
        return status.get(dataset, "covered") != "covered"
    if dataset in PLANNING:
        return GPU_ZONES.id in status
    if dataset == CADASTRE_COMMUNES.id:
        return unit.land is not None
    return dataset in status


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


def _without_frontage(unit: LandUnit) -> LandUnit:
    """The land unit without a frontage: it is unknown whether it faces land of another commune."""
    if unit.land is None or unit.land.frontage_m is None:
        return unit
    land = replace(unit.land, frontage_m=None, frontage=b"")
    other_warnings = (unit_warning for unit_warning in unit.warnings if unit_warning.code != "frontage_estimated")
    return replace(unit, land=land, warnings=[*other_warnings, warning("frontage_unknown", "land")])
