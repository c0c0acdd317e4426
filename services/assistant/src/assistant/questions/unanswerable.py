"""The questions that no fact answers, by intent: why not, and whom to ask."""

from collections.abc import Mapping
from typing import NamedTuple

from assistant.questions.reading import OTHER
from assistant.questions.replies import Gap
from servicekit.languages import Text


class Refusal(NamedTuple):
    heading: Text
    gap: Gap


def _refusal(heading: tuple[str, str], reason: tuple[str, str], ask: tuple[str, str]) -> Refusal:
    return Refusal(Text(*heading), Gap(Text(*reason), Text(*ask)))


UNANSWERABLE: Mapping[str, Refusal] = {
    "persons": _refusal(
        ("Personnes", "People"),
        (
            "Ce service ne donne aucune donnée sur des particuliers.",
            "This service gives no data about private persons.",
        ),
        (
            "Un notaire ou le service de la publicité foncière identifie le titulaire d’un droit, dans les limites de "
            "la loi.",
            "A notary or the land registration office (service de la publicité foncière) identifies the holder of a "
            "right, within the limits of the law.",
        ),
    ),
    "construction_cost": _refusal(
        ("Coût de construction ou de travaux", "Cost of building or works"),
        (
            "Aucun coût de construction ou de travaux n’est dans les données.",
            "No cost of building or works is in the data.",
        ),
        (
            "Un architecte, un constructeur ou le gestionnaire du réseau établit un devis.",
            "An architect, a builder or the operator of the network gives a quotation.",
        ),
    ),
    "financing": _refusal(
        ("Financement", "Financing"),
        ("Le financement n’est pas dans les données.", "Financing is not in the data."),
        (
            "Une banque ou un courtier répond ; l’ADIL renseigne gratuitement sur les aides.",
            "A bank or a broker answers; the ADIL informs about aids free of charge.",
        ),
    ),
    "forecast": _refusal(
        ("Évolution et rendement", "Future and yield"),
        (
            "Les données décrivent des ventes passées ; elles ne prédisent ni prix, ni loyer, ni rendement.",
            "The data describes past sales; it predicts no price, rent or yield.",
        ),
        (
            "Un expert immobilier ou une agence du secteur donne un avis.",
            "A property expert or a local agency gives an opinion.",
        ),
    ),
    "neighbourhood": _refusal(
        ("Environs", "Surroundings"),
        (
            "Les écoles, les transports, les commerces et le bruit des environs ne sont pas dans les données.",
            "Schools, transport, shops and noise in the surroundings are not in the data.",
        ),
        ("La mairie renseigne sur la commune.", "The town hall tells about the commune."),
    ),
    "dispute": _refusal(
        ("Voisinage et litiges", "Neighbours and disputes"),
        (
            "Une relation de voisinage ou un litige s’apprécie sur pièces, et aucune donnée ouverte n’en parle.",
            "Relations with neighbours or a dispute are judged on documents, and no open data is about them.",
        ),
        (
            "Un conciliateur de justice, gratuit, ou un avocat répond ; un géomètre-expert établit les limites.",
            "A court conciliator, free of charge, or a lawyer answers; a licensed surveyor establishes the limits.",
        ),
    ),
    "family": _refusal(
        ("Transmission et famille", "Inheritance and family"),
        (
            "Une transmission dépend de la situation de la famille, qui n’est pas dans les données.",
            "A transfer depends on the situation of the family, which is not in the data.",
        ),
        ("Un notaire répond.", "A notary answers."),
    ),
    "lease": _refusal(
        ("Bail et occupants", "Lease and occupants"),
        ("Les baux et les occupants ne sont pas dans les données.", "Leases and occupants are not in the data."),
        (
            "Le propriétaire et son notaire connaissent le bail ; pour un bail rural, la SAFER ou un avocat répond.",
            "The owner and the owner's notary know the lease; for a farm lease the SAFER or a lawyer answers.",
        ),
    ),
    "guarantee": _refusal(
        ("Garantie ou conseil personnel", "Guarantee or personal advice"),
        (
            "Aucune donnée ne garantit une décision de l’administration, ni ne dit s’il faut acheter ou vendre.",
            "No data guarantees a decision of the authorities, or tells whether to buy or to sell.",
        ),
        (
            "La mairie répond par un certificat d’urbanisme opérationnel ; un notaire conseille avant de signer.",
            "The town hall answers by an operational planning certificate; a notary advises before signing.",
        ),
    ),
    "evasion": _refusal(
        ("Contournement d’une règle", "Avoidance of a rule"),
        (
            "Ce service n’indique pas comment se soustraire à une règle ou à un impôt.",
            "This service does not tell how to escape a rule or a tax.",
        ),
        (
            "Un notaire ou un avocat dit quelles exonérations la loi prévoit.",
            "A notary or a lawyer tells which exemptions the law provides.",
        ),
    ),
    OTHER: _refusal(
        ("Demande non reconnue", "Request not recognized"),
        (
            "Une partie du texte n’est pas une question que les données sur le terrain permettent de traiter.",
            "A part of the text is no question that data about the land can answer.",
        ),
        (
            "La mairie répond sur l’urbanisme, un notaire sur le droit et un géomètre-expert sur le terrain.",
            "The town hall answers about planning, a notary about law and a licensed surveyor about the land.",
        ),
    ),
}
