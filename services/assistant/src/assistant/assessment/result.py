"""The parts of an assessment: checks, verdict, procedure and summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain

from assistant.assessment.articles import named, of_sentences
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.official_codes import legal_refs
from assistant.assessment.sentences import tell
from assistant.text import read_table
from servicekit.languages import Text


class Status(Enum):
    """`UNKNOWN` means that facts for the check are missing."""

    PASS = "pass"  # noqa: S105 (no password)
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"


class Verdict(Enum):
    FAVOURABLE = "favourable"
    CONDITIONAL = "conditional"
    UNFAVOURABLE = "unfavourable"
    UNDETERMINED = "undetermined"


Value = float | str | bool | None


@dataclass(frozen=True)
class Finding:
    """The result of one check. If the check is unknown and `settled_by` is empty, what settles the rule settles it."""

    status: Status
    detail: Text
    value: Value = None
    threshold: float | None = None
    unit: str | None = None
    legal_refs: tuple[str, ...] = ()
    settled_by: tuple[Text, ...] = ()
    """The datasets (ids) and documents that settle the check."""
    is_minor: bool = False
    """The point is to be checked, and decides nothing."""
    precedes_zoning: bool = False
    """Of two points with the same status, this one decides before the zoning, which a new plan may open."""


def found(
    status: Status,
    *keys: str,
    value: Value = None,
    threshold: float | None = None,
    unit: str | None = None,
    articles: tuple[str, ...] = (),
    settled_by: tuple[str, ...] = (),
    **values: object,
) -> Finding:
    """A finding that says the sentences with these keys. It names their articles, then those with the other names."""
    refs = of_sentences(keys, *articles)
    return Finding(status, tell(*keys, **values), value, threshold, unit, refs, settling(*settled_by))


def settling(*names: str) -> tuple[Text, ...]:
    """The ids of datasets, and the documents of `document.` keys."""
    return tuple(tell(name) if name.startswith("document.") else Text(name, name) for name in names)


@dataclass(frozen=True)
class Rule:
    """One check. Its code is the name of its function."""

    test: Callable[[LandFacts, Layout], Finding]
    legal_refs: tuple[str, ...]
    """The references that the check may name."""
    weight: int
    """The weight of the check in the confidence."""
    settled_by: tuple[Text, ...]
    """What settles the check if it is unknown."""
    is_decisive: bool
    """The check counts for the verdict."""

    @property
    def code(self) -> str:
        return self.test.__name__

    @cached_property
    def point(self) -> Text:
        """The subject of the check in a few words."""
        return tell(f"point.{self.code}")


TABLE = read_table("assessment/rules.toml")
"""The rules by code, in the order of the checks."""


def rule(test: Callable[[LandFacts, Layout], Finding]) -> Rule:
    """Makes the rule of a check from its table."""
    code, table = test.__name__, TABLE[test.__name__]
    refs = dict.fromkeys([*chain(*legal_refs(code).values()), *named(*table.get("legal_refs", ()))])
    return Rule(test, tuple(refs), table["weight"], settling(*table["settled_by"]), table.get("is_decisive", False))


@dataclass(frozen=True, kw_only=True)
class Check(Finding):
    """A rule applied to one land unit."""

    code: str
    point: Text
    """The subject in a few words."""
    is_decisive: bool
    """The check counts for the verdict."""


@dataclass(frozen=True)
class Procedure:
    """`code` is permis_amenager, declaration_prealable, exempt or undetermined."""

    code: str
    label: Text
    legal_refs: tuple[str, ...]


@dataclass(frozen=True)
class Assessment:
    verdict: Verdict
    confidence: float
    """The share of the checks' weight whose facts were known, 0 to 1."""
    procedure: Procedure
    summary: Text
    beside: Text
    """The summary where nobody asks about a division."""
    checks: tuple[Check, ...]
    deciding_check: Check | None
    """The check that decides first, which the summary names; None if every decisive check passes."""
    disclaimer: Text
    rules_version: str


_WEIGHT_OF_POINTS = (
    "contiguity", "zone_type", "risks", "prescriptions", "access", "division_layout", "unit_area", "existing_buildings",
    "protected_surroundings", "easements", "plan_informations",
)  # fmt: skip
"""Decisive checks in the order in which a surveyor settles them."""


def deciding_check(checks: Sequence[Check]) -> Check | None:
    """The first decisive check that fails, else that warns, else whose facts are missing."""
    decisive = sorted(
        (check for check in checks if check.is_decisive),
        key=lambda check: (
            not check.precedes_zoning,
            check.status is not Status.UNKNOWN or check.code != "access",  # without it there are no lots
            _WEIGHT_OF_POINTS.index(check.code),
        ),
    )
    order = (Status.FAIL, Status.WARN, Status.UNKNOWN)
    return next((check for status in order for check in decisive if check.status is status), None)
