"""Checks on the lotissement and the procedure that it needs."""

from collections.abc import Mapping

from assistant.assessment.articles import named, of_sentences
from assistant.assessment.easements import (
    cover,
    is_classified,
    is_free_of_permit,
    is_partial,
    protections,
    surroundings_keys,
)
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, found, rule
from assistant.assessment.sentences import tell
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

SEVERAL_PLOTS = 2
"""A way is common works from so many building plots on. The plot of a kept house is none."""
DECLARATION, PERMIT = "declaration_prealable", "permis_amenager"
_MONTHS = {DECLARATION: 1, PERMIT: 3}
"""How long the town hall examines a complete file outside of protected surroundings."""
DECLARED_DIVISIONS = "11"
"""Type of information (TYPEINF): an area where the commune subjects divisions to a prior declaration."""


@rule
def lotissement_definition(facts: LandFacts, layout: Layout) -> Finding:
    """Is the division a lotissement? One lot for building is enough."""
    if facts.is_contiguous is None:
        return found(Status.UNKNOWN, "lotissement_definition.unknown")
    exception = _exception(layout)
    return found(Status.PASS, f"lotissement_definition.{exception or 'building_plot'}", value=not exception)


@rule
def lotissement_procedure(facts: LandFacts, layout: Layout) -> Finding:
    """Which procedure does the division need: permis d'aménager, déclaration préalable or none?"""
    if facts.is_contiguous is None:
        return found(Status.UNKNOWN, "lotissement_procedure.unknown")
    is_declared, exception = facts.has_information(DECLARED_DIVISIONS), _exception(layout)
    if exception == "one_builder":
        return found(Status.WARN, "lotissement_procedure.one_builder", value="permis_construire_valant_division")
    if exception:
        return _without_building_plot(f"lotissement_procedure.{exception}", is_declared=is_declared)
    by_category = protections(facts)
    times = {name: tell(f"lotissement_procedure.months_{examination_months(name, facts)}") for name in _MONTHS}
    time_refs = ["examination", "longer_examination"] if by_category else ["examination"]
    if reasons := _permit_reasons(by_category, layout):
        of_way = ["owners_association"] if "lotissement_procedure.owners_association" in reasons else []
        apart = [] if facts.is_contiguous else ["lotissement_procedure.separate_units"]
        abords = cover([by_category["AC1"]], layout) if "AC1" in by_category else {}
        detail = tell("lotissement_procedure.permit", *reasons, *apart, permit_time=times[PERMIT], **abords)
        refs = named("permis_amenager", "promises_of_sale", *time_refs, *of_way) + of_sentences(apart)
        return Finding(Status.WARN, detail, PERMIT, legal_refs=refs)
    share = cover(by_category.values(), layout)["share"] if by_category else ""
    is_one_plot = layout.is_drawn and layout.building_plot_count == 1
    keys = ["lotissement_procedure.unbuilt"] if layout.project.shares_land else []
    keys.append("lotissement_procedure.declaration_of_one_plot" if is_one_plot else "lotissement_procedure.declaration")
    apart = [] if facts.is_contiguous else ["lotissement_procedure.separate_files"]
    declared = ["lotissement_procedure.declared_area"] if is_declared else []
    unless = tell("lotissement_procedure.unless_protected") if is_protection_unknown(facts, layout) else Text("", "")
    if by_category and layout.is_outside_protection:
        site = ["lotissement_procedure.outside_protection"]
    elif is_free_of_permit(facts):
        site = ["lotissement_procedure.no_protected_site"]
    else:
        site = ["lotissement_procedure.unknown_site"] if not unless.fr and by_category else []
    is_told = layout.project.tells_building
    condition = tell("lotissement_procedure.for_building" if is_told else "lotissement_procedure.if_for_building")
    values = {"share": share, "unless": unless, "time": times[DECLARATION], "condition": condition}
    detail = tell(*keys, *declared, *site, *apart, **values)
    refs = named("declaration_prealable", *time_refs) + of_sentences([*apart, *declared])
    return Finding(Status.WARN, detail, DECLARATION, legal_refs=refs)


def is_protection_unknown(facts: LandFacts, layout: Layout) -> bool:
    """Whether a protected site that is not known could make a permis d'aménager necessary."""
    by_category = protections(facts)
    is_outside = bool(by_category) and layout.is_outside_protection
    is_site_unclear = "AC2" in by_category and is_classified(by_category["AC2"]) is None  # that is said
    return not is_outside and not is_site_unclear and not is_free_of_permit(facts)


def examination_months(procedure: str, facts: LandFacts) -> int:
    """How long the town hall examines a complete file; one more month in protected surroundings. 0 without a file."""
    return _MONTHS[procedure] + bool(protections(facts)) if procedure in _MONTHS else 0


def _without_building_plot(key: str, *, is_declared: bool | None) -> Finding:
    """A division that is no lotissement is declared only in an area that the commune delimited."""
    if is_declared:
        return found(Status.WARN, key, "lotissement_procedure.declared_area", value=DECLARATION)
    if is_declared is False:
        return found(Status.PASS, key, value="exempt")
    return found(Status.PASS, key, "lotissement_procedure.outside_areas_unknown", value="exempt")


def _permit_reasons(by_category: Mapping[str, land_pb2.Easement], layout: Layout) -> list[str]:
    """The sentences that say why a permis d'aménager is needed."""
    reasons = []
    if layout.has_shared_way and layout.building_plot_count >= SEVERAL_PLOTS:
        is_told = layout.project.has_shared_way
        reasons.append("lotissement_procedure.shared_way_told" if is_told else "lotissement_procedure.shared_way")
        reasons.append("lotissement_procedure.owners_association")
    if layout.is_outside_protection:
        return reasons
    if "AC4" in by_category or "AC4bis" in by_category:
        reasons.append("protected_surroundings.AC4")
    if surroundings := by_category.get("AC1"):
        reasons += surroundings_keys(surroundings)
        if is_partial(surroundings):
            reasons.append("lotissement_procedure.surroundings_in_part")
    if "AC2" in by_category and is_classified(by_category["AC2"]):
        reasons.append("protected_surroundings.classified")
    return reasons


def is_lotissement(layout: Layout) -> bool:
    """Whether the division creates a building plot that whoever divides does not build on."""
    return not _exception(layout)


def _exception(layout: Layout) -> str:
    """The sentence that says why the division is no lotissement; empty if it is one."""
    exceptions = {
        "neighbour": layout.project.is_for_neighbour,
        "built_lots_only": keeps_only_built_lots(layout),
        "closed": layout.has_only_closed_lots,
        "one_builder": layout.project.has_one_builder,
    }
    return next((name for name, is_met in exceptions.items() if is_met), "")


def keeps_only_built_lots(layout: Layout) -> bool:
    """Whether each lot drawn keeps a building: none is bare land."""
    return bool(layout.is_drawn) and layout.built_lot_count == layout.lot_count
