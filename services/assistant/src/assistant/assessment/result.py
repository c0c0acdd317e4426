"""What an assessment is: checks, a verdict, a procedure and a summary."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from assistant.assessment.facts import LandFacts, Layout
from assistant.text import Text


class Status(Enum):
    """`UNKNOWN`: the facts that the check needs are missing."""

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
    """What one check found. `legal_refs` narrows the rule's own list to those that decided."""

    status: Status
    detail: Text
    value: Value = None
    threshold: float | None = None
    unit: str | None = None
    legal_refs: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rule:
    """One check: its stable code, what it tests, the law it rests on and how much it weighs."""

    code: str
    test: Callable[[LandFacts, Layout], Finding]
    statement: Text
    """The rule in one sentence."""
    legal_refs: tuple[str, ...]
    weight: int
    is_decisive: bool = False
    """Its outcome alone can turn the verdict."""


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


@dataclass(frozen=True)
class Procedure:
    """permis_amenager, declaration_prealable, exempt or undetermined."""

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
    disclaimer: Text
    rules_version: str
