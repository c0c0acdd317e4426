"""Answers in principle: time limits, documents, certificate, pool and taxes, with their articles.

They state the law, not a fact of the land. principles.toml has the statements.
"""

import re

from assistant.assessment.easements import is_classified, is_free_of_protection, protections
from assistant.questions.development_tax import estimate
from assistant.questions.replies import Statement, Subject, state
from assistant.questions.words import plain_text
from assistant.text import read_table
from servicekit.languages import Text

_STATEMENTS = {
    code: {
        name: Statement(code, Text(*entry["text"]), tuple(entry.get("legal_refs", ()))) for name, entry in named.items()
    }
    for code, named in read_table("questions/principles.toml").items()
}
_PROTECTED = ("AC1", "AC4", "AC4bis")
"""Easements that make the examination one month longer: surroundings of monuments, remarkable heritage sites."""


def principles(code: str, *names: str) -> tuple[Statement, ...]:
    """The statements with these names, or all statements of the code."""
    return tuple(_STATEMENTS[code][name] for name in names or _STATEMENTS[code])


def time_limits(subject: Subject) -> tuple[Statement, ...]:
    is_protected = subject.facts.has_easement(*_PROTECTED)
    longer = ("longer_as_protected",) if is_protected else () if is_protected is False else ("longer_if_protected",)
    return principles("time_limits", "examination", *longer, "appeal", "lapse")


_FILES = {
    "permis_amenager": ("permit",),
    "declaration_prealable": ("declaration",),
    "permis_construire_valant_division": ("building_permit",),
    "exempt": ("none",),
    "undetermined": ("declaration", "permit"),
}
"""The file that each procedure takes."""


def documents(subject: Subject) -> tuple[Statement, ...]:
    """The file of the procedure, one file for plots that do not touch, and the document of every division."""
    files = principles("documents", *_FILES[subject.assessment.procedure.code])
    one_file = principles("documents", "one_file") if subject.facts.is_contiguous is False else ()
    return (*subject.quote("lotissement_procedure"), *files, *one_file, *principles("documents", "parcel_change"))


def certificate(subject: Subject) -> tuple[Statement, ...]:
    return principles("certificate")


def pool(subject: Subject) -> tuple[Statement, ...]:
    """Protected surroundings take a declaration for the smallest pool too (R421-2 exempts no pool there)."""
    zone = subject.quote("zone_type", "prescriptions", "risks") or (state(subject.check("zone_type")),)
    is_free = is_free_of_protection(subject.facts)
    protected = {code: item for code, item in protections(subject.facts).items() if code != "AC2"}
    site = protections(subject.facts).get("AC2")
    if protected or (site is not None and is_classified(site) is not False):
        rules = (*principles("pool_rules", "protected"), *subject.quote("protected_surroundings"))
    else:
        rules = principles("pool_rules", "sizes", *(() if is_free else ("sizes_if_free",)))
    return (*zone, *rules, *principles("plan_regulation", "pool"))


_TAX = re.compile(
    r"\b(?:tax|impo[ts]|fisc|tva|vat|plus.?value|gain|dut(?:y|ies)|droits|exoner|exempt|abattement|relief)"
)
_COSTS = (
    (re.compile(r"\b(?:geometre|born|survey)"), ("survey",)),
    (re.compile(r"\b(?:notai?r|acte|deed)"), ("deed", "amounts")),
)
"""The words of costs, with their statements."""
_DIVISION = re.compile(r"\b(?:divi[sd]|decoup|split)")
_COST_OF_DIVISION = re.compile(r"\b(?:cout|cost|prix|price|frais|revien)\w* (?:\w+ ){0,3}(?:divi[sd]|decoup|split)")


def costs(subject: Subject) -> tuple[Statement, ...]:
    """The development tax of a division that makes building plots, if its rates are loaded, and costs without data."""
    has_plots = subject.division.layout().building_plot_count
    return (*estimate(subject.facts.unit), *principles("taxes", "amounts")) if has_plots else ()


def taxes(subject: Subject) -> tuple[Statement, ...]:
    """The costs that the text names; those of the division; or, if it names a tax or none of these, all of them."""
    text = plain_text(subject.question)
    development, *others = principles("taxes")
    if not _TAX.search(text):
        named = [name for words, names in _COSTS if words.search(text) for name in names]
        if (_COST_OF_DIVISION if named else _DIVISION).search(text):
            change = principles("documents", "parcel_change")
            return (development, *estimate(subject.facts.unit), *change, *principles("taxes", *(named or ["survey"])))
        if named:
            return principles("taxes", *named)
    return (development, *estimate(subject.facts.unit), *others)
