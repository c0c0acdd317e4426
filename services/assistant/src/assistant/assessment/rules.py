"""The rules, in the order of the checks."""

from assistant.assessment import (
    easements,
    informations,
    land_unit,
    ownership,
    planning,
    prescriptions,
    procedure,
    risks,
    transaction,
)
from assistant.assessment.result import Rule

RULES: tuple[Rule, ...] = (
    land_unit.unit_area, ownership.contiguity, planning.zone_type, prescriptions.prescriptions,
    informations.plan_informations, easements.easements, risks.risks, land_unit.access,
    land_unit.existing_buildings, land_unit.division_layout, ownership.ownership, land_unit.slope,
    procedure.lotissement_definition, procedure.lotissement_procedure, easements.protected_surroundings,
    planning.minimum_lot_size, planning.project_reading, planning.mountain_and_coast, planning.stay_of_decision,
    planning.networks, risks.soil_studies, transaction.boundary_survey, informations.pre_emption,
    risks.buyer_information, transaction.recent_sales,
)  # fmt: skip
