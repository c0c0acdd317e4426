"""A rule of a zone, as it is printed."""

from dataclasses import dataclass, field

MAIN = "main"
EXCEPTION = "exception"
ALTERNATIVE = "alternative"
MAY_BE_IMPOSED = "may_be_imposed"
KINDS = (MAIN, EXCEPTION, ALTERNATIVE, MAY_BE_IMPOSED)


@dataclass(frozen=True)
class Rule:
    """A rule with the words that state it. A rule without value is to be read by a person."""

    subject: str
    operator: str
    quote: str
    page: int
    article: str
    kind: str = MAIN
    value: float | None = None
    unit: str = ""
    formula: str = ""
    condition: str = ""
    also: tuple[str, ...] = ()
    scope: dict[str, str] = field(default_factory=dict)
    ambiguous: bool = False
    needs_map: bool = False
    note: str = ""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects that the rule is for."""
        return (self.subject, *self.also)


@dataclass(frozen=True)
class Statement:
    """What a text says of a subject without giving it a rule: that nothing is fixed, or that a map decides."""

    subject: str
    quote: str
    page: int
    article: str
    is_of_sector: bool = False
    """Whether it is said of the zone's own sector alone: it then replaces the rules of the whole zone."""
