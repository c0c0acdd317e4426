"""What lists say of a commune: its rates of the development tax, the laws on mountains and coasts, its plan."""

from typing import NamedTuple


class CommuneRule(NamedTuple):
    """What one list says of a commune. The other lists' fields are None."""

    dataset: str
    department: str
    commune_code: str
    """Empty for a département of which the list has no commune."""
    extent: str | None = None
    """`whole` or `part`: how much of the commune the law applies to."""
    year: int | None = None
    """The first year of the rates."""
    commune_percent: float | None = None
    """The lowest rate of the commune or its intercommunality."""
    highest_percent: float | None = None
    """The highest rate of its sectors."""
    department_percent: float | None = None
    region_percent: float | None = None
    plan: str | None = None
    """The plan in force, as the publisher calls its state."""
    plan_under_way: str | None = None
