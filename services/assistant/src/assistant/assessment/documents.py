"""Documents that settle what the datasets cannot. Each names who has it."""

from assistant.assessment.sentences import tell

CERTIFICATE = tell("document.certificate")
OPERATIONAL_CERTIFICATE = tell("document.operational_certificate")
REGULATION = tell("document.regulation")
EASEMENT_PLAN = tell("document.easement_plan")
RISK_REGULATION = tell("document.risk_regulation")
RISK_STATEMENT = tell("document.risk_statement")
HERITAGE_AGREEMENT = tell("document.heritage_agreement")
HERITAGE_OPINION = tell("document.heritage_opinion")
TITLE = tell("document.title")
SITE_SURVEY = tell("document.site_survey")
BOUNDARY_SURVEY = tell("document.boundary_survey")
NETWORK_OPERATORS = tell("document.network_operators")
NOISE_PLAN = tell("document.noise_plan")
