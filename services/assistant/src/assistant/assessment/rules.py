"""The rules, in the order of the checks."""

from assistant.assessment import (
    documents,
    easements,
    informations,
    land_unit,
    legal,
    ownership,
    planning,
    procedure,
    risks,
    transaction,
)
from assistant.assessment.documents import dataset
from assistant.assessment.prescriptions import REFS, prescriptions
from assistant.assessment.result import Rule
from servicekit.languages import Text

RULES: tuple[Rule, ...] = (
    Rule(
        "unit_area",
        land_unit.unit_area,
        Text(
            "L’unité foncière offre assez de terrain pour les lots demandés.",
            "The land unit holds enough ground for the lots asked for.",
        ),
        (),
        weight=3,
        settled_by=dataset("cadastre-parcels"),
        is_decisive=True,
    ),
    Rule(
        "contiguity",
        ownership.contiguity,
        Text(
            "L’unité foncière est un îlot d’un seul tenant appartenant à un même propriétaire ou à une même "
            "indivision.",
            "A land unit is one block of land of one owner, or of one undivided ownership.",
        ),
        (legal.UNIT_DEFINITION, legal.MULTI_SITE, legal.JOINT_OWNERSHIP, legal.LOTISSEMENT),
        weight=2,
        settled_by=(*dataset("cadastre-parcels", "personnes-morales", "rnic"), documents.TITLE),
        is_decisive=True,
    ),
    Rule(
        "zone_type",
        planning.zone_type,
        Text(
            "Un lot à bâtir se détache en zone ouverte à la construction.",
            "A building plot is detached in a zone that is open to building.",
        ),
        (
            legal.ZONE_U,
            legal.ZONE_AU,
            legal.ZONE_A,
            legal.ZONE_N,
            legal.CARTE_COMMUNALE,
            legal.SECTOR_OF_ACTIVITIES,
            legal.RNU_BUILT_UP,
        ),
        weight=4,
        settled_by=(*dataset("gpu-zones"), documents.CERTIFICATE),
        is_decisive=True,
    ),
    Rule(
        "prescriptions",
        prescriptions,
        Text(
            "Aucune prescription du document d’urbanisme n’interdit de bâtir sur le terrain.",
            "No prescription of the planning document forbids building on the land.",
        ),
        REFS,
        weight=2,
        settled_by=(*dataset("gpu-prescriptions"), documents.REGULATION),
        is_decisive=True,
    ),
    Rule(
        "plan_informations",
        informations.plan_informations,
        Text(
            "Aucune information annexée au plan ne restreint la construction sur le terrain.",
            "No information annexed to the plan restricts building on the land.",
        ),
        (
            legal.ZAC,
            legal.PAE,
            legal.TRANSPORT_NOISE,
            legal.AIRPORT_NOISE,
        ),
        weight=2,
        settled_by=(*dataset("gpu-informations"), documents.CERTIFICATE),
        is_decisive=True,
    ),
    Rule(
        "easements",
        easements.easements,
        Text(
            "Aucune servitude d’utilité publique n’empêche de construire sur le terrain.",
            "No public easement keeps buildings off the land.",
        ),
        (
            legal.EASEMENTS_IN_FORCE,
            legal.WATER_CATCHMENTS,
        ),
        weight=2,
        settled_by=(*dataset("gpu-sup"), documents.EASEMENT_PLAN, documents.CERTIFICATE),
        is_decisive=True,
    ),
    Rule(
        "risks",
        risks.risks,
        Text(
            "Aucun risque connu n’interdit de construire sur le terrain.",
            "No known risk forbids building on the land.",
        ),
        (
            legal.NATURAL_RISK_PLANS,
            legal.TECHNOLOGICAL_RISK_PLANS,
            legal.DRAFT_RISK_PLANS,
            legal.RISK_REFUSAL,
        ),
        weight=3,
        settled_by=(*dataset("georisques"), documents.RISK_STATEMENT, documents.RISK_REGULATION),
        is_decisive=True,
    ),
    Rule(
        "access",
        land_unit.access,
        Text(
            "Le terrain est desservi par une voie publique ou privée, ou par un passage qui y mène.",
            "The land is served by a public or private way, or by a passage that leads to one.",
        ),
        (legal.RNU_ACCESS, legal.RIGHT_OF_WAY),
        weight=3,
        settled_by=(*dataset("cadastre-parcels"), documents.SITE_SURVEY),
        is_decisive=True,
    ),
    Rule(
        "existing_buildings",
        land_unit.existing_buildings,
        Text(
            "Les bâtiments existants laissent du terrain libre à détacher.",
            "The existing buildings leave free ground to detach.",
        ),
        (),
        weight=2,
        settled_by=dataset("cadastre-buildings", "bdtopo", "rnb"),
        is_decisive=True,
    ),
    Rule(
        "division_layout",
        land_unit.division_layout,
        Text(
            "Les lots demandés se dessinent sur le terrain dans les hypothèses énoncées.",
            "The lots asked for can be drawn on the land within the stated assumptions.",
        ),
        (),
        weight=3,
        settled_by=(*dataset("cadastre-parcels"), documents.SITE_SURVEY),
        is_decisive=True,
    ),
    Rule(
        "ownership",
        ownership.ownership,
        Text(
            "Les propriétaires connus peuvent diviser et vendre le terrain sans régime particulier.",
            "The known owners may divide and sell the land under no special regime.",
        ),
        (
            legal.PUBLIC_DOMAIN,
            legal.DECOMMISSIONING,
            legal.JOINT_OWNERSHIP,
        ),
        weight=1,
        settled_by=(*dataset("personnes-morales", "rnic"), documents.TITLE),
    ),
    Rule(
        "slope",
        land_unit.slope,
        Text(
            "La pente du terrain permet l’accès et les terrassements ordinaires.",
            "The slope of the land allows ordinary access and earthworks.",
        ),
        (),
        weight=1,
        settled_by=(*dataset("altimetry"), documents.SITE_SURVEY),
    ),
    Rule(
        "lotissement_definition",
        procedure.lotissement_definition,
        Text(
            "Diviser une unité foncière, ou plusieurs contiguës, pour créer un ou plusieurs lots à bâtir est un "
            "lotissement.",
            "Dividing a land unit, or several that adjoin, to create one or more building plots is a lotissement.",
        ),
        (legal.LOTISSEMENT, legal.EXEMPTIONS),
        weight=1,
        settled_by=dataset("cadastre-parcels"),
    ),
    Rule(
        "lotissement_procedure",
        procedure.lotissement_procedure,
        Text(
            "Un lotissement demande une déclaration préalable, ou un permis d’aménager s’il crée ou aménage des "
            "ouvrages communs à plusieurs lots à bâtir ou se trouve en site protégé.",
            "A lotissement takes a prior declaration, or a planning permit where it creates or fits out works common "
            "to several building plots or lies in a protected site.",
        ),
        (legal.DECLARATION_PREALABLE, legal.PERMIS_AMENAGER, legal.EXEMPTIONS, legal.DECLARED_DIVISIONS),
        weight=2,
        settled_by=(*dataset("cadastre-parcels", "gpu-sup", "gpu-informations"), documents.CERTIFICATE),
    ),
    Rule(
        "protected_surroundings",
        easements.protected_surroundings,
        Text(
            "Le terrain n’est dans aucun périmètre de protection du patrimoine ou des sites.",
            "The land lies in no protected perimeter of heritage or sites.",
        ),
        (
            legal.SURROUNDINGS,
            legal.SURROUNDINGS_WORKS,
            legal.HERITAGE_SITES,
            legal.LISTED_SITES,
            legal.CLASSIFIED_SITES,
            legal.LONGER_EXAMINATION,
        ),
        weight=1,
        settled_by=(*dataset("gpu-sup"), documents.HERITAGE_OPINION),
    ),
    Rule(
        "minimum_lot_size",
        planning.minimum_lot_size,
        Text(
            "Un plan local d’urbanisme n’impose plus de superficie minimale de terrain depuis la loi ALUR.",
            "A local plan has set no minimum plot area since the ALUR law.",
        ),
        (legal.ALUR,),
        weight=1,
        settled_by=dataset("cadastre-parcels"),
    ),
    Rule(
        "project_reading",
        planning.project_reading,
        Text(
            "Les règles du plan s’apprécient sur l’ensemble du projet, sauf disposition contraire.",
            "The plan's rules are read on the project as a whole, unless it provides otherwise.",
        ),
        (legal.PROJECT_READING,),
        weight=1,
        settled_by=(*dataset("gpu-zones"), documents.REGULATION),
    ),
    Rule(
        "stay_of_decision",
        planning.stay_of_decision,
        Text(
            "L’autorité peut surseoir à statuer lorsqu’un plan local est en cours d’élaboration ou de révision, une "
            "fois ses orientations débattues.",
            "The authority may put off its decision while a local plan is being drawn up or revised, once its "
            "guidelines have been debated.",
        ),
        (legal.STAY_OF_DECISION, legal.PLAN_UNDER_WAY, legal.CERTIFICATE),
        weight=1,
        settled_by=(*dataset("gpu-informations"), documents.CERTIFICATE),
    ),
    Rule(
        "networks",
        planning.networks,
        Text(
            "Le terrain est desservi par les réseaux, ou le sera dans un délai connu.",
            "The land is served by the networks, or will be by a known date.",
        ),
        (legal.NETWORKS, legal.CERTIFICATE, legal.SANITATION_ZONES),
        weight=1,
        settled_by=(documents.OPERATIONAL_CERTIFICATE, documents.NETWORK_OPERATORS),
    ),
    Rule(
        "soil_studies",
        risks.soil_studies,
        Text(
            "Aucune étude de sol n’est exigée à la vente ou dans la demande.",
            "No soil study is required at the sale or in the application.",
        ),
        (
            legal.SOIL_STUDY,
            legal.SOIL_INFORMATION_SECTORS,
            legal.SOIL_INFORMATION_AT_SALE,
        ),
        weight=1,
        settled_by=(*dataset("georisques"), documents.RISK_STATEMENT),
    ),
    Rule(
        "boundary_survey",
        transaction.boundary_survey,
        Text(
            "La vente d’un lot à bâtir repose sur un bornage.",
            "The sale of a building plot rests on a boundary survey.",
        ),
        (legal.BORNAGE, legal.SURVEYORS),
        weight=1,
        settled_by=(*dataset("cadastre-parcels"), documents.BOUNDARY_SURVEY),
    ),
    Rule(
        "pre_emption",
        informations.pre_emption,
        Text(
            "Aucun droit de préemption ne s’applique à la vente.",
            "No right of pre-emption applies to the sale.",
        ),
        (
            legal.PRE_EMPTION,
            legal.DEFERRED_DEVELOPMENT,
            legal.SENSITIVE_AREAS,
            legal.INTENT_TO_SELL,
        ),
        weight=1,
        settled_by=(*dataset("gpu-informations"), documents.CERTIFICATE),
    ),
    Rule(
        "buyer_information",
        risks.buyer_information,
        Text(
            "Le vendeur informe l’acheteur des risques et du bruit relevés.",
            "The seller tells the buyer of the risks and noise found.",
        ),
        (
            legal.RISK_STATEMENT,
            legal.BRUSH_CLEARING,
            legal.AIRPORT_NOISE_AT_SALE,
        ),
        weight=1,
        settled_by=(*dataset("georisques"), documents.RISK_STATEMENT),
    ),
    Rule(
        "recent_sales",
        transaction.recent_sales,
        Text(
            "Les ventes relevées situent la valeur du terrain.",
            "The sales on record place the value of the land.",
        ),
        (legal.SALES_REGISTER,),
        weight=1,
        settled_by=dataset("dvf"),
    ),
)
