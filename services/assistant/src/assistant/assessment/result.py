"""The parts of an assessment: checks, verdict, procedure and summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.sentences import tell
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
    """The result of one check. `legal_refs`, if set, replaces the references of the rule by those that decided.

    `settled_by`, if set, replaces the datasets and documents of the rule. Otherwise only an unknown check has them.
    """

    status: Status
    detail: Text
    value: Value = None
    threshold: float | None = None
    unit: str | None = None
    legal_refs: tuple[str, ...] | None = None
    settled_by: tuple[Text, ...] | None = None
    precedes_zoning: bool = False
    """Of two points with the same status, this one decides before the zoning, which a new plan may open."""


@dataclass(frozen=True)
class Rule:
    """One check. Its code is the name of its function."""

    test: Callable[[LandFacts, Layout], Finding]
    legal_refs: tuple[str, ...]
    weight: int
    """The weight of the check in the confidence."""
    settled_by: tuple[Text, ...]
    """The datasets (ids) and documents that settle the check if it is unknown."""
    is_decisive: bool
    """The check counts for the verdict."""

    @property
    def code(self) -> str:
        return self.test.__name__

    @cached_property
    def point(self) -> Text:
        """The subject of the check in a few words."""
        return tell(f"point.{self.code}")

    @property
    def statement(self) -> Text:
        """The rule in one sentence."""
        return tell(f"{self.code}.rule")


def rule(
    *,
    legal_refs: tuple[str, ...] = (),
    weight: int,
    settled_by: tuple[str | Text, ...],
    is_decisive: bool = False,
) -> Callable[[Callable[[LandFacts, Layout], Finding]], Rule]:
    """Makes a rule of a check. `settled_by` has ids of datasets, and documents."""
    settling = tuple(Text(item, item) if isinstance(item, str) else item for item in settled_by)
    return lambda test: Rule(test, legal_refs, weight, settling, is_decisive)


@dataclass(frozen=True)
class Check:
    """A rule applied to one land unit."""

    code: str
    status: Status
    detail: Text
    value: Value
    threshold: float | None
    unit: str | None
    legal_refs: tuple[str, ...]
    settled_by: tuple[Text, ...]
    point: Text
    """The subject in a few words."""
    is_decisive: bool
    """The check counts for the verdict."""
    precedes_zoning: bool


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
        key=lambda check: (not check.precedes_zoning, _WEIGHT_OF_POINTS.index(check.code)),
    )
    order = (Status.FAIL, Status.WARN, Status.UNKNOWN)
    return next((check for status in order for check in decisive if check.status is status), None)
