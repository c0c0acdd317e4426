"""The facts about risks. Each subject has its own status, since each has its own publisher."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

RiskStatus = Literal["present", "none", "not_covered", "unavailable"]


@dataclass(frozen=True)
class RiskFinding:
    """A site near the unit, or a plan with its zones."""

    name: str
    """Free text of the publisher."""
    type: str | None = None
    status: str | None = None
    distance_m: float | None = None
    date: str | None = None
    zones: tuple[str, ...] = ()
    """Codes of the regulated zones that touch the parcels, such as R1."""
    zone_labels: tuple[str, ...] = ()
    """The labels of the zones in the same order: free text of the publisher."""


@dataclass(frozen=True)
class Risk:
    """What is known of one subject. Only `none` means that there is no such risk."""

    subject: str
    status: RiskStatus = "not_covered"
    level: str | None = None
    """Official level, such as "3" of clay."""
    grain: str = ""
    """What the answer is about: parcel, point, site or commune."""
    findings: tuple[RiskFinding, ...] = ()
    reason: str | None = None

    @property
    def is_known(self) -> bool:
        return self.status in ("present", "none")

    @property
    def is_present(self) -> bool:
        return self.status == "present"

    @property
    def zones(self) -> Mapping[str, str]:
        """The labels of the regulated zones of all plans, by code; "" without a label."""
        return {
            zone: label
            for finding in self.findings
            for zone, label in zip_longest(finding.zones, finding.zone_labels[: len(finding.zones)], fillvalue="")
        }

    def is_within(self, distance_m: float) -> bool:
        """Whether a site is at most so far from the unit, or its place is not given."""
        return self.is_present and (
            not self.findings
            or any(finding.distance_m is None or finding.distance_m <= distance_m for finding in self.findings)
        )


@dataclass(frozen=True)
class Risks:
    """The risks of the unit by subject, and what the State recorded about the whole commune."""

    items: Mapping[str, Risk] = field(default_factory=dict)
    recorded_in_commune: tuple[str, ...] = ()
    """Risks that the départemental file (DDRM) lists. They say nothing about the unit."""
    natural_disaster_count: int | None = None
    """Decrees of natural disaster of the commune."""

    def of(self, subject: str) -> Risk:
        """The risk of this subject; not covered if the answer does not have it."""
        return self.items.get(subject, Risk(subject))
