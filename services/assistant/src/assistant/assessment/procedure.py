"""Checks on the lotissement and the procedure that it needs."""

from collections.abc import Mapping

from assistant.assessment import documents, legal
from assistant.assessment.easements import is_classified, is_free_of_permit, protections, surroundings_keys
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.assessment.sentences import tell
from assistant.text import percent
from landpartner.land.v1 import land_pb2

WHOLE_RATIO = 0.99
"""Surroundings with this share count as covering the unit."""
SEVERAL_PLOTS = 2
"""A way is common works from so many building plots on. The plot of a kept house is none."""
DECLARATION, PERMIT = "declaration_prealable", "permis_amenager"
_MONTHS = {DECLARATION: 1, PERMIT: 3}
"""How long the town hall examines a complete file outside of protected surroundings."""
DECLARED_DIVISIONS = "11"
"""Type of information (TYPEINF): an area where the commune subjects divisions to a prior declaration."""

_REFS = (
    legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER, legal.OWNERS_ASSOCIATION, legal.PROMISES_OF_SALE,
    legal.EXAMINATION, legal.LONGER_EXAMINATION, legal.EXEMPTIONS, legal.DECLARED_DIVISIONS, legal.LOTISSEMENT,
    legal.BUILDING_PLOT, legal.BUILT_DIVISION, legal.PERMIT_WITH_DIVISION, legal.MULTI_SITE,
)  # fmt: skip
"""The references of the procedures."""


@rule(
    legal_refs=(legal.LOTISSEMENT, legal.EXEMPTIONS, legal.BUILDING_PLOT, legal.BUILT_DIVISION),
    weight=1,
    settled_by=("cadastre-parcels",),
)
def lotissement_definition(facts: LandFacts, layout: Layout) -> Finding:
    """Is the division a lotissement? One lot for building is enough."""
    refs = (legal.LOTISSEMENT,)
    if facts.is_contiguous is None:
        return Finding(Status.UNKNOWN, tell("lotissement_definition.unknown"), legal_refs=refs)
    if layout.project.is_for_neighbour:
        detail = tell("lotissement_definition.neighbour")
        return Finding(Status.PASS, detail, value=False, legal_refs=(*refs, legal.BUILDING_PLOT))
    if keeps_only_built_lots(layout):
        detail = tell("lotissement_definition.built_lots_only")
        return Finding(Status.PASS, detail, value=False, legal_refs=(*refs, legal.EXEMPTIONS))
    if layout.has_only_closed_lots:
        return Finding(Status.PASS, tell("lotissement_definition.closed"), value=False, legal_refs=refs)
    if layout.project.has_one_builder:
        detail = tell("lotissement_definition.one_builder")
        return Finding(Status.PASS, detail, value=False, legal_refs=(*refs, legal.BUILT_DIVISION))
    return Finding(Status.PASS, tell("lotissement_definition.building_plot"), value=True, legal_refs=refs)


@rule(
    legal_refs=_REFS,
    weight=2,
    settled_by=("cadastre-parcels", "gpu-sup", "gpu-informations", documents.CERTIFICATE),
)
def lotissement_procedure(facts: LandFacts, layout: Layout) -> Finding:
    """Which procedure does the division need: permis d'aménager, déclaration préalable or none?"""
    if facts.is_contiguous is None:
        return Finding(Status.UNKNOWN, tell("lotissement_procedure.unknown"), legal_refs=())
    is_declared = facts.has_information(DECLARED_DIVISIONS)
    if layout.project.is_for_neighbour:
        refs: tuple[str, ...] = (legal.LOTISSEMENT, legal.BUILDING_PLOT)
        return _without_building_plot("lotissement_procedure.neighbour", refs, is_declared=is_declared)
    if keeps_only_built_lots(layout):
        return _without_building_plot("lotissement_procedure.exempt", (legal.EXEMPTIONS,), is_declared=is_declared)
    if layout.has_only_closed_lots:
        return _without_building_plot("lotissement_procedure.closed", (legal.LOTISSEMENT,), is_declared=is_declared)
    if layout.project.has_one_builder:
        refs = (legal.PERMIT_WITH_DIVISION, legal.BUILT_DIVISION)
        detail = tell("lotissement_procedure.one_builder")
        return Finding(Status.WARN, detail, "permis_construire_valant_division", legal_refs=refs)
    apart = () if facts.is_contiguous else ("lotissement_procedure.separate_units",)
    apart_refs = () if facts.is_contiguous else (legal.MULTI_SITE,)
    by_category = protections(facts)
    times = {name: tell(f"lotissement_procedure.months_{examination_months(name, facts)}") for name in _MONTHS}
    time_refs = (legal.EXAMINATION, *((legal.LONGER_EXAMINATION,) if by_category else ()))
    if reasons := _permit_reasons(by_category, layout):
        share = percent(by_category["AC1"].overlap_ratio) if "AC1" in by_category else ""
        detail = tell("lotissement_procedure.permit", *reasons, *apart, share=share, permit_time=times[PERMIT])
        has_way = "lotissement_procedure.owners_association" in reasons
        of_way = (legal.OWNERS_ASSOCIATION,) if has_way else ()
        refs = (legal.PERMIS_AMENAGER, legal.PROMISES_OF_SALE, *time_refs, *of_way, *apart_refs)
        return Finding(Status.WARN, detail, PERMIT, legal_refs=refs)
    declared = ("lotissement_procedure.declared_area",) if is_declared else ()
    declared_refs = (legal.DECLARED_DIVISIONS,) if is_declared else ()
    refs = (legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER, *time_refs, *apart_refs, *declared_refs)
    is_one_plot = layout.is_drawn and layout.building_plot_count == 1
    plots = "lotissement_procedure.declaration_of_one_plot" if is_one_plot else "lotissement_procedure.declaration"
    if is_free_of_permit(facts):
        site = "lotissement_procedure.no_protected_site"
    elif "AC2" in by_category and is_classified(by_category["AC2"]) is None:
        site = "lotissement_procedure.unknown_site"
    else:
        site = "lotissement_procedure.protected_site_unknown"
    detail = tell(plots, *declared, site, *apart, time=times[DECLARATION], permit_time=times[PERMIT])
    return Finding(Status.WARN, detail, DECLARATION, legal_refs=refs)


def examination_months(procedure: str, facts: LandFacts) -> int:
    """How long the town hall examines a complete file; one more month in protected surroundings. 0 without a file."""
    return _MONTHS[procedure] + bool(protections(facts)) if procedure in _MONTHS else 0


def _without_building_plot(key: str, refs: tuple[str, ...], *, is_declared: bool | None) -> Finding:
    """A division that is no lotissement is declared only in an area that the commune delimited."""
    if is_declared:
        detail = tell(key, "lotissement_procedure.declared_area")
        return Finding(Status.WARN, detail, DECLARATION, legal_refs=(*refs, legal.DECLARED_DIVISIONS))
    if is_declared is False:
        return Finding(Status.PASS, tell(key), "exempt", legal_refs=refs)
    detail = tell(key, "lotissement_procedure.outside_areas_unknown")
    return Finding(Status.PASS, detail, "exempt", legal_refs=(*refs, legal.DECLARED_DIVISIONS))


def _permit_reasons(by_category: Mapping[str, land_pb2.Easement], layout: Layout) -> list[str]:
    """The sentences that say why a permis d'aménager is needed."""
    reasons = []
    if layout.has_shared_way and layout.building_plot_count >= SEVERAL_PLOTS:
        is_told = layout.project.has_shared_way
        reasons.append("lotissement_procedure.shared_way_told" if is_told else "lotissement_procedure.shared_way")
        reasons.append("lotissement_procedure.owners_association")
    if "AC4" in by_category or "AC4bis" in by_category:
        reasons.append("protected_surroundings.AC4")
    if surroundings := by_category.get("AC1"):
        reasons += surroundings_keys(surroundings)
        if surroundings.HasField("overlap_ratio") and surroundings.overlap_ratio < WHOLE_RATIO:
            reasons.append("lotissement_procedure.surroundings_in_part")
    if "AC2" in by_category and is_classified(by_category["AC2"]):
        reasons.append("protected_surroundings.classified")
    return reasons


def is_lotissement(layout: Layout) -> bool:
    """Whether the division creates a building plot that whoever divides does not build on."""
    project = layout.project
    is_without_plot = project.is_for_neighbour or layout.has_only_closed_lots or keeps_only_built_lots(layout)
    return not (is_without_plot or project.has_one_builder)


def keeps_only_built_lots(layout: Layout) -> bool:
    """Whether each lot drawn keeps a building: none is bare land."""
    return bool(layout.is_drawn) and layout.built_lot_count == layout.lot_count
