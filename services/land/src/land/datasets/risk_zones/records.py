"""Regulated zones of risk prevention plans."""

from typing import Literal, NamedTuple

Regulation = Literal["forbidden", "conditions", "acquisition"]
"""`acquisition`: owners may require, or the State may order, that the land is bought. New building has no place there.
"""
PlanSubject = Literal["natural_risk_plan", "technological_risk_plan"]


class RiskZoneRecord(NamedTuple):
    """One zone of one plan."""

    plan_id: str
    """The number of the plan in GASPAR, the State's register of plans."""
    subject: PlanSubject
    code: str
    """The zone's name on the map, such as R1."""
    name: str | None
    regulation: Regulation | None
    """None if the file does not tell it."""
    regulation_url: str | None
    is_repaired: bool
    geometry: bytes
