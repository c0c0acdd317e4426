"""Documents that settle what the datasets cannot. Each names who has it."""

from servicekit.languages import Text

CERTIFICATE = Text(
    "certificat d’urbanisme d’information, en mairie", "planning certificate (certificat d’urbanisme), at the town hall"
)
OPERATIONAL_CERTIFICATE = Text(
    "certificat d’urbanisme opérationnel, en mairie",
    "operational planning certificate (certificat d’urbanisme opérationnel), at the town hall",
)
REGULATION = Text("règlement écrit du plan, en mairie", "written regulation of the plan, at the town hall")
EASEMENT_PLAN = Text(
    "plan et liste des servitudes annexés au document d’urbanisme, en mairie",
    "plan and list of easements annexed to the planning document, at the town hall",
)
RISK_REGULATION = Text(
    "règlement et zonage du plan de prévention, en mairie ou en préfecture",
    "regulation and zones of the risk prevention plan, at the town hall or the prefecture",
)
RISK_STATEMENT = Text("état des risques, sur Géorisques", "statement of risks (état des risques), on Géorisques")
HERITAGE_OPINION = Text(
    "avis de l’architecte des Bâtiments de France (UDAP)",
    "opinion of the State's heritage architect (architecte des Bâtiments de France, UDAP)",
)
TITLE = Text(
    "titre de propriété, chez le notaire ou au service de la publicité foncière",
    "title deed, from the notary or the land registration office (service de la publicité foncière)",
)
SITE_SURVEY = Text(
    "relevé topographique d’un géomètre-expert", "topographic survey by a licensed surveyor (géomètre-expert)"
)
BOUNDARY_SURVEY = Text(
    "procès-verbal de bornage, chez un géomètre-expert (Géofoncier)",
    "record of the boundary survey, from a licensed surveyor (Géofoncier)",
)
NETWORK_OPERATORS = Text(
    "gestionnaires des réseaux d’eau, d’assainissement et d’électricité",
    "operators of the water, drainage and power networks",
)
NOISE_PLAN = Text(
    "plan d’exposition au bruit, en mairie ou sur le Géoportail",
    "airport noise plan (plan d’exposition au bruit), at the town hall or on the Géoportail",
)
