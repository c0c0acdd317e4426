"""What the words of a sentence say of its rules: main or exception, for which buildings, on the map, not regulated."""

import re

from land.regulation.rule import ALTERNATIVE, EXCEPTION, MAIN, MAY_BE_IMPOSED

_SPECIAL_WORDS = (
    r"annexes?|abris?|piscines?|bassins?|garages?|carports?|extensions?|surelevations?|"
    r"agrandissements?|(?:constructions?|batiments?|habitations?|logements?|bati)"
    r" (?:deja )?(?:existante?s?|preexistante?s?)|equipements? (?:publics?|d'interet|collectifs?|"
    r"d'infra|techniques?)|services? publics?|(?:constructions|batiments|installations|ouvrages|"
    r"locaux) "
    r"(?:d'interet|techniques?|necessaires? (?:au fonctionnement|aux services))|"
    r"interet (?:collectif|general|public)|antennes?|pylones?|eoliennes?|silos?|chemine\w*|"
    r"saillies?|debords?|"
    r"balcons?|oriels?|perrons?|encorbellements?|isolation|vegetation exterieure|transformateurs?|"
    r"serres?|verandas?|auvents?|pergolas?|rampes?|reconstructions?|"
    r"rehabilitations?|portails?|portillons?|renovations?|changements? de destination|lucarnes?|"
    r"(?:constructions?|batiments?|volumes?|parties?) (?:dont la hauteur|(?:d'une|ayant une) hauteur|de moins de \d)|"
    r"sous-sols?|second (?:rang|rideau)|seconde? ligne|deuxieme (?:rang|ligne|rideau)|"
    r"arriere-plan|a l'angle|angles? de|terrasses? (?:non|de plain|accessible)|poulaillers?|"
    r"murs? (?:de )?(?:soutenement|bahut)|panneaux|capteurs|ombrieres?|"
    r"locaux? (?:poubelles?|velos?|a velos?)|aires? de jeux|ouvrages?|"
    r"installations? (?:techniques?|classees?|agricoles?|de production)|parcelles? (?:en )?"
    r"drapeaux?|mats?|"
    r"(?:logements? )?(?:locatifs? )?soci(?:al|aux)|prets? aides?|personnes agees|"
    r"residences? (?:universitaires?|etudiantes?)|parties? de (?:constructions?|"
    r"batiments?)[^,;.]{0,30}(?:enterre|sous)|enterre\w*"
)
_SPECIAL = re.compile(rf"\b(?:{_SPECIAL_WORDS})\b")
_LEFT_OUT = re.compile(
    r"\(?\b(?:hors|a l'exception|a l'exclusion|sauf|excepte|non compris|exclus?|y compris|"
    r"autres? que|en dehors|compris)\b[^,;:()]*[,)]?"
    r"|(?:constructions?|batiments?|habitations?)(?: principales?)?(?: a usage d'habitation)?"
    r",? (?:et|ou) (?:leurs |les |des )?(?:annexes|extensions)(?: et (?:annexes|extensions))?"
    r"|superstructures comprises|ouvrages? (?:techniques? )?(?:exclus|compris)|(?:annexes|extensions) comprises"
)
_EXEMPT = r"^\W*(?:sauf|hormis|excepte) [^;:]{5,160}?,(?= (?:toute?s?|les?|la|l'|une?|aucune?)\b)"
"""What a rule leaves out, before the rule: "Sauf le long de la rue des Ormes, toute construction …"."""
_NEUTRAL = re.compile(
    r"(?:en|dans (?:le|les|ce|tous les)) cas (?:(?:ou|d'implantation|de construction)\b)?"
    r"[^,;:]{0,70}?\b(?:retrait|recul|non[- ]implantation|discontinu\w*|non contig\w*|toits?|"
    r"toitures?|contraire)\b[^,;:]*[,:]?"
    r"|(?:lorsqu(?:e|')|si|quand|des lors qu(?:e|'))[^,;:]{0,100}?\b(?:ne|"
    r"n')(?=[ \w])[^,;:]{0,60}?(?:jouxt|contigu|implant|edifi|limite|accol|alignement)[^,;:]*[,:]?"
    r"|a moins qu(?:e|')[^,;:]*(?:jouxt|contigu|limite|implant)[^,;:]*[,:]?"
    r"|(?:lorsqu(?:e|')|quand|si)[^,;:]{0,80}?(?:est|sont|s'implant\w*) (?:\w+ )?en (?:retrait|"
    r"recul|bordure)[^,;:]*[,:]?"
    r"|(?:pour|dans le cas d\w*|lorsqu\w+[^,;:]{0,30}) (?:les |une |des )?(?:constructions? a |"
    r"batiments? a )?(?:toits?|toitures?)[ -](?:en )?(?:terrasses?|pentes?|plat\w*|a pans?|"
    r"inclinee?s?)\b[,:]?"
    r"|(?:lorsqu(?:e |')|si |quand )(?:elles?|ils?|celles?-ci|la superficie|le terrain|l'unite fonciere|la parcelle)"
    r"[^,;:.]{0,70}?(?:\d ?m[²2]|\b(?:double sens|sens unique))[,:]?"
    rf"|{_EXEMPT}"
    r"|(?:lorsqu(?:e |')|si |en l'absence )[^,;:]{0,60}?(?:inscrit|indiqu|figur|mentionn|indication|prescription)"
    r"[^,;:]{0,40},"
    r"|(?:sauf|hors) (?:indication|disposition|mention|prescription)s?[^,;:]*[,:]?|"
    r"sauf dans les cas (?:mention|prevu|enumer|defini|vise)[^,;:]*[,:]?|sous reserve[^,;:]*[,:]?|"
    r"cas general\s*:"
)
_EXCEPTION_START = re.compile(
    r"(?:^|[,;:]\s*|\bmais )(?:\W*)(?:toutefois|cependant|neanmoins|par exception|par derogation|"
    r"en derogation|exceptionnellement|nonobstant|en cas d|dans le cas|dans les cas|"
    r"lorsqu|si |quand |a condition|en revanche|s'il|sauf|uniquement|seul(?:e?s)? )"
)
_FOR_USE = re.compile(r"^\W*(?:-\s*)?pour (?:les?|la|l'|toute?s?|chaque)\b")
_RELAXED = re.compile(
    r"\b(?:ramene|reduit|abaisse|porte|majore|augmente|minore|releve|depasse)e?s? (?:a\b|de\b|d'|"
    r"jusqu)|ne s'appliqu|ne sont pas (?:applicables?|concern|soumis|pris|tenu)|"
    r"n'est pas (?:applicable|concern)|ne concern|derog|pas applicable|au plus egale? a celle|"
    r"meme recul|identique|prolongement|peut atteindre|peuvent atteindre|pourr\w+ atteindre|exceptionnellement|"
    r"(?:est|sont|sera|seront) (?:toutefois|cependant|neanmoins)\b|"
    r"a titre (?:exceptionnel|derogatoire)|pour (?:des|un) (?:motifs?|raisons?)\b"
)
_CASE_AFTER = re.compile(r"\b(?:en cas d|lorsqu|pour (?:les|l')? ?(?:extension|annexe|construction\w* existante))")
_DISCRETION = re.compile(
    r"(?:peu(?:t|vent)|pourr(?:a|ont|ait|aient))(?: \w+){0,3}? (?:etre )?(?:\w+ment )?(?:admis|"
    r"autoris|accord|toler|accept|refus|port|ramen|redui|major|augment|adapt|differ|deroge)"
)
_IMPOSED = re.compile(
    r"(?:peu(?:t|vent)|pourr(?:a|ont|ait|aient))(?: \w+){0,3}? (?:etre )?(?:impose|exige|demande|prescri)|peut imposer"
)
_FLAT = re.compile(r"toit\w*[ -](?:en )?(?:terrasses?|plat\w*)|terrasses? (?:inaccessibles?|vegetalisees?)")
_USES: tuple[tuple[str, str], ...] = (
    ("social housing", r"logements? (?:locatifs? )?soci|pret aide|logements? aides?"),
    (
        "other than dwelling",
        r"autres? (?:constructions?|batiments?|destinations?|usages?)(?! (?:destinee?s?|"
        r"a usage) (?:a |d')?(?:l')?habitation)|autres? (?:que (?:l'|d')?habitation|"
        r"que celles destinees a l'habitation)|autres qu'a usage d'habitation",
    ),
    ("leisure", r"(?:habitations?|residences?) (?:legeres?|mobiles?|demontables?|de (?:loisirs?|tourisme))"),
    ("farm", r"agricoles?|batiments? d'exploitation|exploitation agricole|silos?"),
    ("hotel", r"hotel|hebergement hotelier|chambres?"),
    ("restaurant", r"restaura(?:nt|tion)"),
    ("office", r"bureaux?|tertiaire"),
    ("shop", r"commerc|surface de vente|magasin"),
    ("industry", r"industri|entrepots?|logisti"),
    ("craft", r"artisan"),
    ("activities", r"activites?"),
    ("public equipment", r"equipements?|services? publics?|enseignement|scolaire|salle|spectacle"),
    ("health and care", r"foyers?|personnes agees|residences?|clinique|hopita|sante|lits?"),
    ("dwelling", r"habitations?|logements?|habitat\b|maisons?|collectifs?\b|individuel"),
)
_NOT_REGULATED = re.compile(
    r"\b(?:sans objet|neant|non reglementee?s?|non (?:fixe|limite)e?s?|"
    r"(?:implantation|retrait|recul|hauteur|emprise|distance) est libre|(?:n'(?:est|y a)|ne (?:sont|font|"
    r"fait)|n'est)[^.;]{0,30}\b(?:pas|point|aucune?)\b[^.;]{0,20}\b(?:reglementee?s?|fixee?s?|"
    r"reglementation|objet d'une reglementation|limitee?s?|prescrite?s?)"
    r"|pas de (?:prescriptions?|regles?|limitations?|reglementation|cos|coefficient)|"
    r"aucune (?:prescription|regle|disposition|limite)\w*(?: (?:particuliere|specifique))?|"
    r"article (?:non reglemente|abroge|supprime)|il n'est pas (?:fixe|prevu|impose))"
)
_LIMITED = re.compile(
    r"\b(?:sauf|toutefois|lorsqu|en cas|pour les|si |autres?(?! (?:sous-?)?(?:secteurs|zones))|cependant|mais|"
    r"sous reserve|en l'absence|a defaut|pylones?|eclairage)\b|\d ?(?:m\b|%|metres?)"
)
_MAP_PLACE = (
    r"documents? graphiques?|reglement graphique|plans? de (?:zonage|detail)|plans? des? (?:formes?|"
    r"hauteurs?|emprises?|epannelage|gabarits?|implantation|masse|vegetation|stationnement|"
    r"secteurs)|\batlas\b|"
    r"planches? graphiques?|plan (?:graphique|n°|local)? ?(?:de|des|n°) ?(?:\d|hauteur|emprise|"
    r"implant)|pieces? graphiques?|(?:inscrit|port|indiqu|figur|mentionn|defini|repere)\w* (?:au|"
    r"aux|sur les?) plans?\b|documents? cartographiques?|carte des"
)
_MAP = re.compile(_MAP_PLACE)
_MAP_OTHER = re.compile(
    r"patrimoine|elements? (?:bati|paysag|architect|vegeta|remarquable|repere|protege|de)|"
    r"espaces? boises?|emplacements? reserves?|protege|l\.? ?(?:151|123)-(?:19|23|1)|risques?|"
    r"inondation|perimetres? de (?:bruit|nuisance)|"
    r"servitude|haies?|cours d'eau|zone humide|mixite|commerc|diversite|schema|illustrat|cheminement"
)
_SIZE = re.compile(
    r"(?:terrains?|parcelles?|unites? foncieres?|lots?|tenements?|operations?|programmes?|"
    r"superficies?)\b[^.;,]{0,60}?(?:moins|plus|inferieure?s?|superieure?s?|egale?s?|comprise?s?|"
    r"jusqu|de \d)[^.;,]{0,50}?\d[\d ]* ?(?:m2|m²|metres? carres?)(?: et (?:plus|moins))?"
    r"|(?:lorsqu(?:e |')|si |quand )(?:elles?|ils?|celles?-ci)\b[^.;,]{0,60}?\d[\d ]* ?m[²2]"
    r"|(?:operations?|lotissements?|programmes?|ensembles?) (?:\w+ ){0,3}?(?:plus|moins|partir)"
    r" de \w+ (?:lots?|logements?)"
)


def kind_at(text: str, position: int, intro: str = "", *, use_matters: bool = False) -> str:
    """Returns the kind of rule that a folded sentence states at a position."""
    window = re.sub(r"^\W*\d+(?:\.\d+)*[\s.)-]+", "", text[:position])
    end = re.search(r"[;.]|, |\bet\b", text[position:])
    after = text[position : position + (end.start() if end else len(text))]
    whole = f"{intro} {window}" if intro else window
    if _IMPOSED.search(text):
        return MAY_BE_IMPOSED
    if _DISCRETION.search(text) or _RELAXED.search(whole) or _RELAXED.search(after):
        return ALTERNATIVE
    neutral, neutral_after = _NEUTRAL.sub(" ", whole).strip(), _NEUTRAL.sub(" ", after)
    last = f"{intro[-200:].rsplit('. ', maxsplit=1)[-1].replace('nonobstant', '')} {window}" if intro else window
    is_exception = (
        any(_EXCEPTION_START.search(_NEUTRAL.sub(" ", part).strip()) for part in (last, window))
        or is_special(neutral)
        or _CASE_AFTER.search(neutral_after)
        or (is_special(after) and re.search(r"\bpour (?:les|l'|des|une?)\b|\bdes (?:annexes|extensions)", after))
        or not (use_matters or not _FOR_USE.match(neutral) or use_of(neutral))
    )
    return EXCEPTION if is_exception else MAIN


def without_exempt(text: str) -> str:
    """Returns a folded text without the words before a rule that leave something out of it."""
    return re.sub(_EXEMPT, "", text)


def is_special(window: str) -> bool:
    """Returns whether the words before a figure are about annexes, extensions or other special works."""
    return bool(_SPECIAL.search(_LEFT_OUT.sub(" ", window)))


def is_flat_roof(text: str) -> bool:
    """Returns whether a folded text names a flat roof."""
    return bool(_FLAT.search(text))


def use_of(text: str) -> str:
    """Returns the use of buildings that a folded text names first, "" if none."""
    hits = [
        (match.start() if rank > 1 else -1, rank, use)  # the first two are special cases of others
        for rank, (use, pattern) in enumerate(_USES)
        if (match := re.search(rf"\b(?:{pattern})", text))
    ]
    return min(hits)[2] if hits else ""


def land_size(text: str) -> str:
    """Returns the condition on the size of the land, in the document's folded words."""
    match = _SIZE.search(text)
    return match[0] if match else ""


def denies(text: str) -> bool:
    """Returns whether a folded text says that something is not regulated."""
    return bool(_NOT_REGULATED.search(text))


def is_plain_denial(text: str) -> bool:
    """Returns whether a folded sentence says only that: without a use, a special work or a condition."""
    if not denies(text) or len(text) > 140 or is_special(text) or use_of(text):
        return False
    return not _LIMITED.search(text)


def is_on_map(text: str) -> bool:
    """Returns whether a folded sentence sends to a graphic document for the rule itself."""
    match = _MAP.search(text)
    return match is not None and not _MAP_OTHER.search(text[max(0, match.start() - 120) : match.end() + 60])
