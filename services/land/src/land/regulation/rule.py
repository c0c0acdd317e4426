"""A rule of a zone, as it is printed."""

from dataclasses import dataclass, field

KINDS = MAIN, EXCEPTION, ALTERNATIVE, MAY_BE_IMPOSED = "main", "exception", "alternative", "may_be_imposed"

AS_EAVE = "height at the eave"
"""The formula of a parapet that is bound to the eave; "+ 0.5" may follow."""


@dataclass(frozen=True)
class Rule:
    """A rule with the words that state it. A rule without value is to be read by a person.

    Without operator, it says of a subject why it has no rule: nothing is fixed, or a map decides, for example.
    """

    subject: str
    operator: str
    quote: str
    page: int | None
    """The index of the page; in an answer, its number in the file, if it has one."""
    article: str
    kind: str = MAIN
    value: float | None = None
    """The figure; the lower one of a range."""
    value_max: float | None = None
    """The upper figure of a range."""
    unit: str = ""
    formula: str = ""
    condition: str = ""
    also: tuple[str, ...] = ()
    scope: dict[str, str] = field(default_factory=dict)
    ambiguous: bool = False
    needs_map: bool = False
    note: str = ""
    printed_page: int | None = None
    level: str = ""
    """"general" for the common rules of another file, which `file` names."""
    file: str = ""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects that the rule is for."""
        return (self.subject, *self.also)
