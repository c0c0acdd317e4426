"""Answers in principle: time limits, documents, certificate, pool and taxes, with their articles.

They state the law, not a fact of the land. assessment/legal_sources.md lists what each article was compared with.
"""

from assistant.questions.replies import Found, Statement, Subject, state
from servicekit.languages import Text

_CU = "Code de l'urbanisme, art. "
_CGI = "Code général des impôts, art. "
PROTECTED = ("AC1", "AC4", "AC4bis")
"""Easements that make the examination one month longer: surroundings of monuments, remarkable heritage sites."""


def time_limits(subject: Subject) -> Found:
    longer = Text(
        "Ce délai est majoré d’un mois aux abords d’un monument historique ou dans un site patrimonial remarquable.",
        "That takes one month more in the surroundings of a listed monument or in a remarkable heritage site.",
    )
    if subject.facts.has_easement(*PROTECTED):
        longer = Text(
            "Ce délai est majoré d’un mois, car le terrain est aux abords d’un monument historique ou dans un site "
            "patrimonial remarquable.",
            "That takes one month more, because the land lies in the surroundings of a listed monument or in a "
            "remarkable heritage site.",
        )
    return (
        Statement(
            "time_limits",
            Text(
                "L’instruction dure un mois pour une déclaration préalable et trois mois pour un permis d’aménager, à "
                "compter de la réception en mairie d’un dossier complet.",
                "The examination takes one month for a prior declaration (déclaration préalable) and three months for "
                "a planning permit (permis d’aménager), from the day the town hall has a complete file.",
            ),
            (_CU + "R423-19", _CU + "R423-23"),
        ),
        Statement("time_limits", longer, (_CU + "R423-24",)),
        Statement(
            "time_limits",
            Text(
                "Les tiers peuvent former un recours pendant deux mois à compter du premier jour de l’affichage sur le "
                "terrain.",
                "Third parties may appeal for two months from the first day of the notice on the land.",
            ),
            (_CU + "R600-2",),
        ),
        Statement(
            "time_limits",
            Text(
                "La décision se périme si la division ou les travaux n’ont pas eu lieu dans les trois ans.",
                "The decision lapses if the division or the works have not taken place within three years.",
            ),
            (_CU + "R424-17", _CU + "R424-18"),
        ),
    )


def documents(subject: Subject) -> Found:
    if subject.assessment.procedure.code == "exempt":
        return (
            *subject.quote("lotissement_procedure"),
            Statement(
                "documents",
                Text(
                    "Aucun dossier de lotissement n’est donc à déposer ; le géomètre-expert dresse le document "
                    "d’arpentage que la vente demande.",
                    "No lotissement file is therefore to be lodged; the licensed surveyor (géomètre-expert) draws up "
                    "the document d’arpentage that the sale takes.",
                ),
            ),
        )
    declaration = Statement(
        "documents",
        Text(
            "Une déclaration préalable de division se dépose en mairie avec le formulaire Cerfa n° 16703, un plan de "
            "situation, un plan sommaire des lieux avec les bâtiments existants, et un croquis et un plan coté dans "
            "les trois dimensions avec les divisions projetées.",
            "A prior declaration (déclaration préalable) of a division is lodged at the town hall with the form Cerfa "
            "n° 16703, a site location plan, a summary plan of the place with the existing buildings, and a sketch and "
            "a plan with dimensions that shows the divisions planned.",
        ),
        (_CU + "R441-9", _CU + "R441-10"),
    )
    permit = Statement(
        "documents",
        Text(
            "Un permis d’aménager se demande avec le formulaire Cerfa n° 16297, un plan de situation, une notice, un "
            "plan de l’état actuel et un plan de composition d’ensemble coté dans les trois dimensions ; un "
            "lotissement y ajoute notamment le programme des travaux et un projet de règlement.",
            "A planning permit (permis d’aménager) is applied for with the form Cerfa n° 16297, a site location plan, "
            "an explanatory note, a plan of the present state and an overall layout plan with dimensions; a "
            "lotissement adds, among others, the programme of works and a draft regulation.",
        ),
        (_CU + "R441-1", _CU + "R441-2", _CU + "R441-3", _CU + "R441-4", _CU + "R442-5"),
    )
    if subject.assessment.procedure.code == "permis_amenager":
        return (permit,)
    return (declaration, permit)


def certificate(subject: Subject) -> Found:
    return (
        Statement(
            "certificate",
            Text(
                "Un certificat d’urbanisme n’est pas obligatoire. Il donne les règles, les servitudes et les taxes "
                "applicables au terrain, et le certificat opérationnel dit en plus si le projet y est réalisable.",
                "A planning certificate (certificat d’urbanisme) is not compulsory. It gives the rules, easements and "
                "taxes that apply to the land, and the operational certificate also tells whether the project can be "
                "carried out there.",
            ),
            (_CU + "L410-1",),
        ),
        Statement(
            "certificate",
            Text(
                "Il se demande en mairie ; un projet déposé dans les dix-huit mois garde le bénéfice de ces règles.",
                "It is applied for at the town hall; a project lodged within eighteen months keeps these rules.",
            ),
            (_CU + "L410-1",),
        ),
    )


def pool(subject: Subject) -> Found:
    rules = Statement(
        "pool_rules",
        Text(
            "En principe, une piscine ne demande aucune formalité jusqu’à 10 m² de bassin, et une déclaration "
            "préalable jusqu’à 100 m² si elle n’est pas couverte ou si sa couverture a moins de 1,80 m de haut. "
            "Au-delà, elle demande un permis de construire.",
            "In principle a pool takes no formality up to a basin of 10 m², and a prior declaration up to 100 m² if it "
            "is not covered or if its cover is less than 1.80 m high. Beyond that it takes a building permit.",
        ),
        (_CU + "R421-1", _CU + "R421-2 d", _CU + "R421-9 f"),
    )
    zone = subject.quote("zone_type", "prescriptions") or (state(subject.check("zone_type")),)
    regulation = Statement(
        "plan_regulation",
        Text(
            "Le règlement écrit de la zone peut l’interdire, la compter dans l’emprise au sol ou lui imposer un "
            "recul ; il n’est pas dans les données et se lit en mairie.",
            "The written regulation of the zone may forbid it, count it in the footprint or require a setback; it is "
            "not in the data and is read at the town hall.",
        ),
    )
    return (*zone, rules, regulation)


def taxes(subject: Subject) -> Found:
    return (
        Statement(
            "taxes",
            Text(
                "La taxe d’aménagement est due, en principe, sur les constructions et les aménagements soumis à "
                "autorisation ; la commune et le département en fixent le taux.",
                "The development tax (taxe d’aménagement) is due, in principle, on building and works that take an "
                "authorisation; the commune and the département set its rate.",
            ),
            (_CGI + "1635 quater A", _CGI + "1635 quater B"),
        ),
        Statement(
            "taxes",
            Text(
                "Le gain d’un particulier qui vend un lot est imposé comme plus-value immobilière, avec un abattement "
                "selon la durée de détention et des exonérations.",
                "The gain of a private person who sells a lot is taxed as a capital gain on property (plus-value), "
                "with a relief by length of ownership and exemptions.",
            ),
            (_CGI + "150 U", _CGI + "150 VC"),
        ),
        Statement(
            "taxes",
            Text(
                "Un professionnel qui vend un terrain à bâtir facture en principe la TVA.",
                "A professional who sells building land charges VAT (TVA) in principle.",
            ),
            (_CGI + "257",),
        ),
        Statement(
            "taxes",
            Text(
                "L’acheteur paie, sauf accord contraire, les frais d’acte, dont les droits de mutation.",
                "Unless agreed otherwise, the buyer pays the costs of the deed, transfer duties (droits de mutation) "
                "among them.",
            ),
            ("Code civil, art. 1593", _CGI + "683"),
        ),
        Statement(
            "taxes",
            Text(
                "Le bornage avec les voisins se fait à frais communs ; aucun tarif n’est réglementé pour le "
                "géomètre-expert.",
                "The boundary survey with the neighbours is at shared cost; the fees of the licensed surveyor are not "
                "regulated.",
            ),
            ("Code civil, art. 646",),
        ),
        Statement(
            "taxes",
            Text(
                "Les montants ne sont pas dans les données : le notaire et le géomètre-expert les chiffrent.",
                "The amounts are not in the data: the notary and the licensed surveyor give them.",
            ),
        ),
    )
