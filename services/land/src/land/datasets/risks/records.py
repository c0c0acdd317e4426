"""What the publisher of risks answered about a parcel or a commune."""

from typing import Any, Literal, NamedTuple

RiskStatus = Literal["present", "none", "not_covered"]
Grain = Literal["parcel", "point", "site", "commune"]


class Finding(NamedTuple):
    """A site, a plan, a zone, a recorded risk, or a recognition of natural disaster."""

    name: str
    id: str | None = None
    type: str | None = None
    status: str | None = None
    date: str | None = None
    ended_on: str | None = None
    decreed_on: str | None = None
    url: str | None = None
    zones: tuple[str, ...] = ()
    zone_labels: tuple[str, ...] = ()
    """The labels of `zones` in the same order; empty texts without a label."""
    geometry: Any = None
    """GeoJSON, in degrees. None without a place."""
    distance_m: float | None = None
    """From a land unit to a site; None in what is stored."""


class RiskAnswer(NamedTuple):
    """The answer to one question about one place."""

    commune_code: str
    place: str
    """A parcel id or a commune code."""
    question: str
    """A name of `land.datasets.risks.questions`."""
    retrieved_at: str
    status: RiskStatus
    level: str | None
    label: str | None
    total: int
    """What the publisher has; more than `findings` if they are too many."""
    findings: str
    """JSON: a list of objects with the fields of Finding that are not empty."""
