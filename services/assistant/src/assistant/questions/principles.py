"""Answers in principle: time limits, documents, certificate, pool and taxes, with their articles.

They state the law, not a fact of the land. principles.toml has the statements.
"""

from assistant.questions.replies import Statement, Subject, state
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
    longer = "longer_as_protected" if subject.facts.has_easement(*_PROTECTED) else "longer_if_protected"
    return principles("time_limits", "examination", longer, "appeal", "lapse")


def documents(subject: Subject) -> tuple[Statement, ...]:
    procedure = subject.assessment.procedure.code
    if procedure == "exempt":
        return (*subject.quote("lotissement_procedure"), *principles("documents", "none"))
    return principles("documents", *(("permit",) if procedure == "permis_amenager" else ("declaration", "permit")))


def certificate(subject: Subject) -> tuple[Statement, ...]:
    return principles("certificate")


def pool(subject: Subject) -> tuple[Statement, ...]:
    zone = subject.quote("zone_type", "prescriptions") or (state(subject.check("zone_type")),)
    return (*zone, *principles("pool_rules"), *principles("plan_regulation", "pool"))


def taxes(subject: Subject) -> tuple[Statement, ...]:
    return principles("taxes")
