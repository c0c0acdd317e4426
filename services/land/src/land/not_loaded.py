"""What an answer says of data that is published and could not be loaded."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from land import registry
from land.addresses.model import Resolution
from land.errors import CommuneLoading, SourceUnavailable
from land.loading.load_queue import FAILED, LOADING, LoadKey, LoadState
from land.messages import AnswerWarning, Language, text, warning
from land.provenance import Coverage
from land.units.model import LandUnit

RETRY_AFTER_S = 3
RETRY_AFTER_REFUSAL_S = 10
RETRY_AFTER_FAILURE_S = 60
_TOLD_BY_PLANS = (registry.GPU_ZONES.id, registry.GPU_PRESCRIPTIONS.id)
"""What is missing where it is not known which plans are in force."""


def not_there(
    states: Mapping[LoadKey, LoadState], what: str, communes: str, language: Language
) -> CommuneLoading | SourceUnavailable:
    """The error that says why data is missing, and when to ask again."""
    found = set(states.values())
    if "refused" in found:
        return CommuneLoading(text("loads_refused", language), retry_after_s=RETRY_AFTER_REFUSAL_S)
    if "loading" in found:
        return CommuneLoading(text(f"{what}_loading", language, communes=communes), retry_after_s=RETRY_AFTER_S)
    if "no_space" in found:
        return SourceUnavailable(text("no_space", language), retry_after_s=RETRY_AFTER_FAILURE_S)
    detail = text(f"{what}_unavailable", language, communes=communes)
    return SourceUnavailable(detail, retry_after_s=RETRY_AFTER_FAILURE_S)


def lacking_addresses(
    found: Resolution | None, meant: Sequence[str], states: Mapping[LoadKey, LoadState], language: Language
) -> list[AnswerWarning]:
    """What to say where addresses of a commune that is meant are not there. Raises where no answer may be given."""
    lacking = {
        key: state
        for key, state in states.items()
        if (state in FAILED and key.dataset == registry.BAN.id)
        or (state in LOADING and (key.dataset == registry.BAN.id or found is None))
    }
    names = ", ".join(dict.fromkeys(key.commune_code for key in lacking))
    if not lacking:
        return []
    if not LOADING.isdisjoint(lacking.values()) or found is None or found.address.city_code not in meant:
        raise not_there(lacking, "addresses", names, language)
    return [warning("addresses_incomplete", language, communes=names)]


def unavailable_plans(states: Mapping[LoadKey, LoadState]) -> dict[LoadKey, LoadState]:
    """The states of the cadastral plans that cannot be had."""
    return {
        key: state
        for key, state in states.items()
        if key.dataset == registry.PARCELS.id and state != "loaded" and state not in LOADING
    }


def with_states(unit: LandUnit, states: Mapping[LoadKey, LoadState], language: Language) -> LandUnit:
    """The unit with the load states of its datasets in coverage and warnings.

    Plans that cover the whole unit are enough: the state of a further plan does not matter then.
    """
    found: dict[str, set[LoadState]] = {}
    for key, state in states.items():
        for name in _TOLD_BY_PLANS if key.dataset == registry.GPU_IN_FORCE.id else (key.dataset,):
            if state != "loaded" and _draws_on(unit, name):
                found.setdefault(name, set()).add(state)
    if not found:
        return unit
    said = []
    for name, of_dataset in found.items():
        if not FAILED.isdisjoint(of_dataset):
            said.append(warning("source_unavailable", language, dataset=name))
        elif "loading" in of_dataset:
            said.append(warning("dataset_loading", language, dataset=name))
    if registry.CADASTRE_COMMUNES.id in found and found[registry.CADASTRE_COMMUNES.id] != {"missing"}:
        unit = _without_frontage(unit, language)
    coverage = tuple(_with_states(each, found.get(each.dataset, set())) for each in unit.coverage)
    return replace(unit, coverage=coverage, warnings=(*unit.warnings, *said))


def _draws_on(unit: LandUnit, dataset: str) -> bool:
    """Whether the unit, with the blocks that were asked for, draws on the dataset."""
    status = {each.dataset: each.status for each in unit.coverage}
    if dataset in _TOLD_BY_PLANS:
        return status.get(dataset, "covered") != "covered"
    if dataset in registry.PLANNING:
        return registry.GPU_ZONES.id in status
    if dataset == registry.CADASTRE_COMMUNES.id:
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


def _without_frontage(unit: LandUnit, language: Language) -> LandUnit:
    """The unit, where it cannot be told whether what it faces is another commune's land."""
    if unit.land is None or unit.land.frontage_m is None:
        return unit
    land = replace(unit.land, frontage_m=None, frontage=b"")
    others = (each for each in unit.warnings if each.code != "frontage_estimated")
    return replace(unit, land=land, warnings=(*others, warning("frontage_unknown", language, "land")))
