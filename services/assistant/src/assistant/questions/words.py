"""The words that split a text and tell a question from a statement, in lower case without accents."""

import re
import unicodedata


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


SENTENCE = re.compile(r"[^.!?\n;•]+(?:\.(?=\d)[^.!?\n;•]+)*[.!?;]*")
WORD = re.compile(r"[^\W_]+")
EDGE = " -–—*\"'«»()<>/"
"""Characters around a part that are not of its text."""

OPENING = _set(
    """
    quel quelle quels quelles combien comment pourquoi ou qui que quoi quand est puis peut peux peuvent pouvons
    pourrait pourrais dois doit devons faut faudra faudrait existe suis sont ai t y what which who whose how
    when where why can could may must should is are does do did will would was has have whom am
    """
)
"""First words of a question."""
ORDERING = _set(
    """
    dis dites donne donnez indique indiquez explique expliquez liste listez ecris ecrivez reponds repondez
    ignore ignorez oublie oubliez affiche affichez montre montrez revele revelez repete repetez traduis resume
    compare calcule recommande approuve confirme tell give list write answer forget show reveal print say
    describe explain act pretend repeat translate summarize calculate recommend approve confirm
    """
)
"""First words of an order."""
BEFORE_OPENING = _set(
    """
    et and or mais but alors so also aussi a de pour jusqu depuis to from in for over by at with sur par avec chez dans
    """
)
"""Words that may precede the first word of a question."""
ASKING = re.compile(r"\b(?:combien|how (?:much|many|long)|pourquoi|why|qui (?:c'est )?(?:qui )?pa[iy]e|who pays)\b")
"""A word that asks, wherever it stands."""
PART = re.compile(
    r",(?!\d)|:|\s[+/]\s|(?<![\w'])[(]?[a-e1-5][)/](?=\s)|"
    r"\s(?:et|and|ou|or|puis|then|ainsi que|as well as|mais|but|also)\s+"
    r"(?:(?:a|de|pour|aussi|also|then)\s+)?"
    rf"(?=(?:{'|'.join(sorted(OPENING | ORDERING))}|a-t)\b)"
)
"""The end of one part of a sentence."""
CLAIMED_PART = re.compile(r"\s(?:et|and|mais|but)\s+(?=qu[e']|that\b)")
"""The end of one of several things that somebody takes for true: "He says that I pay and that I must ask." """
REFERRING = re.compile(
    r"(?:est[- ]ce|c'est|c|ca|cela|lequel|laquelle|(?:is|are|does|do|would|will) (?:he|she|it|that|this|they|these)|"
    r"which one|am i|(?:a|ont|ai)-?t? ?-?(?:il|elle|ils|elles|je)|(?:il|elle|ils|elles|j|on) ?'?(?:a|ai|ont)|"
    r"what (?:does|would) (?:it|that|this))\b"
)
"""How a part begins that refers to what stands before it."""
CONJUNCTION = re.compile(r"\s(?:et|and|ou|or)\s")
COMMAND = re.compile(
    r"(?:ignore|ignorez|oublie|oubliez|forget|say|pretend|act|repeat|repete|repetez|print|reveal|revele|revelez|approuve|"
    r"approve|write|ecris|ecrivez|affiche|affichez|reponds|repondez|dis que|dites que|tell me that|answer that)\b"
)
"""Orders about the answer itself. They ask nothing that facts can answer."""
COURTESY = re.compile(
    r"\b(?:bonjour|bonsoir|salut|coucou|je (?:vous|t')? ?explique|good (?:day|morning|evening)|"
    r"madame|monsieur|merci(?: d'avance| beaucoup)?|s'il vous plait|s'il te plait|svp|"
    r"cordialement|hello|hi|dear sir|please|thank you|thanks|kind regards|"
    r"(?:pouvez|pourriez)[- ]vous (?:me |nous |m')?(?:dire|indiquer|preciser|expliquer|donner|confirmer)|"
    r"(?:peux|pourrais)[- ]tu (?:me |nous |m')?(?:dire|indiquer|preciser|expliquer|donner)|"
    r"(?:je|nous|on|j) ?(?:voulais|voulions|voudrais?|voudrions|souhaite|souhaitons|aimerais|aimerions|veux) "
    r"(?:bien |juste )?(?:savoir|connaitre)|(?:je|on) (?:me|se) demand\w+|(?:i|we) (?:was|were) wondering|"
    r"(?:can|could) you (?:please )?(?:tell|give|explain|show)(?: me| us)?|"
    r"(?:i|we) (?:would|want|need|'d) (?:like )?to know|dites[- ]moi|dis[- ]moi|tell me|est-ce que vous savez|"
    r"do you know|savez[- ]vous|(?:c'est|est-ce) permis|(?:is it|are they|are these) (?:allowed|ok)|"
    r"que (?:dois-je )?faire(?= ?\?)|what (?:then|now|can i do)(?= ?\?))\b"
)
"""What asks nothing by itself."""
_EACH = r"\b(?:moi|lui|nous|eux|vendeu\w+|acheteu\w+|acquereur|me|him|her|us|them|seller|buyer)\b"
INDIRECT = re.compile(
    r"\b(?:(?:je|on|nous|j) ?(?:voul(?:ais|ait|ions)|voudr(?:ais?|ait|ions)|souhait\w+|aimer(?:ais?|ait|ions)|veu[tx]|"
    r"cherche a) (?:bien |juste |simplement )?(?:savoir|connaitre|comprendre)|(?:je|on) (?:me|se) demand\w+|"
    r"ma question|est[- ]ce qu[e']|"
    r"(?:savoir|demand\w+|sai[st] (?:plus|pas|meme pas)|dire|comprend\w* pas) "
    r"(?:si|s'il|qui|quand|comment|combien|ou|pourquoi|quel\w*|ce qu[e'])\b|"
    r"(?:know|tell me|not sure|unsure|no idea|wonder\w*|(?:ask|asks|asked|asking)(?: me| us)?) "
    r"(?:if|whether|who|how|when|where|what|which)\b|"
    r"(?:dites|dis)[- ]moi (?:si|qui|quand|comment|combien)|tell me (?:if|whether|who|how)|"
    r"(?:aucune|pas la moindre|une) idee (?:si|de|du|s'il|qui|quand|comment|combien|ou)|"
    r"(?:quelqu'un|qqn) (?:sait|connait|peut)|(?:anyone|anybody|someone) (?:know|knows|tell|help)|any idea|"
    r"(?:confused|curious|worried|puzzled) (?:about|as to|if|whether|how)|can't (?:work|figure) out|"
    rf"{_EACH} (?:ou|or) (?:bien )?(?:(?:a|au|pour|par|c'est|to|for|by) ){{0,2}}(?:l'|le |la |the )?{_EACH}|"
    r"(?:i|we)(?: was| were| am|'m)? (?:just )?wonder\w*|"
    r"(?:i|we)(?:'d| would)? (?:like|want|need|wanted) to (?:know|understand)|"
    r"(?:j'ai|il a|elle a|ils ont|on a|ai-je) (?:raison|tort)|c'est (?:bien )?(?:vrai|normal|legal|permis)|"
    r"ou (?:pas|non)(?=\W*$)|"
    r"(?:am i|is (?:he|she|it|that|this)|are they) (?:right|true|legal|normal|allowed))\b"
)
"""How a sentence asks without a question mark."""
CLAIM = re.compile(
    r"\b(?:(?:je|nous|on) (?:croi[st]|croyons|croyai\w+|croyions|pens\w+|suppos\w+)|j'imagine|parait-il|il parait|"
    r"(?:i|we) (?:suppose|think|thought|believed?|guess|assumed?)|"
    r"(?<!plu )(?<!loi )(?<!acte )(?:dit|disent|affirm\w+|pretend\w*|soutien\w+|jur\w+|assure\w*|croi\w+|repet\w+) "
    r"(?:\w+ ){0,2}(?:qu[e']|pas d)|"
    r"dit\W{1,4}(?:pas besoin|c'est)\b|says?(?= [\w\"'])(?! (?:yes|no|ok)\b)|claims?|"
    r"(?:m'a|nous a|m'ont|nous ont) (?:bien )?(?:dit|parle)|(?:parle|parlent) d'une?|me parait|on raconte|"
    r"told (?:me|us)|reckons?|swears?|(?:been|was|were) told|(?:i|we)(?:'ve| have)? (?:heard|read) |apparently|"
    r"supposedly|j'ai (?:lu|entendu)|parait que|parait qu'|soi-disant|apparemment|"
    r"(?:refuse|refusent|refuses) (?:de|toujours|encore|to)\b)"
)
"""How a sentence tells what somebody takes for true: it asks whether it is, if there is an answer."""
RULE = re.compile(
    r"\b(?:(?:peu[tx]|peuvent|pouvait|pourra\w*|doi[tv]\w*|devra\w*|fau[td]\w*|oblige\w*|obligatoire|interdit\w*|"
    r"gratuit\w*|exonere\w*|suffit|pas besoin|droit|taxe\w*|impot\w*|(?:ne )?(?:paie|paye|paiera|payera)\w*|"
    r"can|cannot|can't|could|must|may|need|needs|no permit|no tax|exempt|allowed|free of|have to|has to|nothing)\b)"
)
"""A word of a rule: what somebody takes for a rule is asked, also if nothing answers it."""
DOUBT = re.compile(
    r"(?:j'ai|j'avoue avoir|nous avons|on a) (?:un|des|quelques) doutes?|je (?:doute|suis perdue?|m'y perds)|"
    r"(?:qu'en|vous en|t'en|tu en) (?:pens\w+|dit\w+)|votre avis|(?:i have|i've|i've got) (?:my )?doubts|"
    r"(?:not|am not|i'm not) (?:so )?sure|(?:any|your) (?:thoughts|views|opinion)|"
    r"je (?:ne )?sais (?:pas|plus)(?: quoi penser)?|(?:il|elle|on) (?:rigole|plaisante|se moque de (?:moi|nous))|"
    r"(?:is (?:he|she)|are they) (?:joking|kidding|having me on)"
)
"""A sentence that puts the one before in doubt."""
LOOSE = re.compile(
    r"\b(?:comment|combien|pourquoi|(?:pour|a|chez) qui\b|quand\W*$|quoi\W*$|how|why|who (?:pays?|signs?|must|has)|"
    r"(?:je|on|nous|il|elle|ils) (?:peu[tx]|peuvent|pouvons|doi[ts]|doivent|devons|risque\w*)|faut|j'ai (?:le )?droit|"
    r"(?:can|could|must|should|may|do|does|will|would) (?:i|we|he|she|it|they|that))\b"
)
"""What asks in a last sentence without a mark at its end."""
POSSIBLE = re.compile(
    r"(?<!\bsi )(?<!\bif )\b(?:"
    r"(?:est[- ]ce|c'est|is (?:it|this|that)) (?:possible|faisable|jouable|realisable|feasible)|"
    r"(?:possible|faisable|jouable|feasible) ?\?|can (?:we|i)(?=[,?])|(?:peut[- ]on|puis[- ]je)(?= ?[,?]))"
)
"""How a text asks about what it has told."""
STATEMENT = re.compile(
    r"(?:j'ai|j'habite|j'envisage|j'avais|j'heberge|je suis|nous avons|nous sommes|nous habitons|on a|il y a|c'est|mon|"
    r"ma|mes|notre|nos|(?:le|ce) terrain est(?!.t?.?il)|(?:la|cette) parcelle est(?!.t?.?elle)|i have|i own|i am|i'm|"
    r"we have|"
    r"we own|we are|there is|there are|my|our|"
    r"it is|it's|the land is|the plot is|je possede|nous possedons|je viens|"
    r"i bought|i inherited|j'ai achete|the house is|la maison est)\b"
)
"""How a part begins that describes and does not ask."""
PRICE_OF_SALE = re.compile(
    r"(\b(?:quand|when)\b.*\b(?:achet\w+|vend\w+|buy|bought|sold)\b.*?|\b(?:achet\w+|vend\w+|bought|sold)\b.*\b(?:quand|when)\b)"
    r"[ ,]+(?:et |and )?(?:(?:a|pour|at|for) (?:quel|combien|what|how much))(?: prix| tarif| price)?"
)
"""The price of a sale whose day is asked for: it is not a question about the value of the land."""
WISH = re.compile(r"(?:je|nous|on|i|we)\b")
"""How a part begins that tells what somebody wants."""
NO_CONTENT = _set(
    """
    arnaque bloquer correct droit exact grave justifie legal marche non normal obligatoire obligee oblige oui
    probleme raison refuser refuse suffit tient vrai allowed fine okay refuse right true
    """
)
"""Words that ask about what stands before them: "Il a raison ?"."""
WITHOUT_SOMEBODY = re.compile(
    r"\b(?:sans (?:moi|lui|elle|eux|nous|(?:mon|son|notre|leur|l') ?(?:accord|avis|signature|consentement))|"
    r"without (?:me|him|her|them|us|(?:my|his|our|their) (?:consent|signature|agreement))|"
    r"a (?:deux|trois|quatre|cinq) (?:on|nous)|(?:%|deux tiers) des (?:droits|parts)|a la majorite|by a majority)\b"
)
"""What asks whether somebody may act alone."""
CONDITION = re.compile(
    r"(?:si|s'il|s'ils|pour|afin|lorsque|lorsqu'|comme|avant|apres|avec|sachant|etant|dans|sur|if|to|in order|once|"
    r"before|after|with|since|given|on|in|as|en cas|concernant|regarding|about|for|quant)\b"
)
"""How a part begins that gives the circumstances of a question."""
FUNCTION_WORDS = _set(
    """
    le la les un une des de du d l ce cet cette ces c s je tu il elle on nous vous ils elles me te se mon ma mes
    notre nos et ou a au aux en y est the an of to it this that these i we you my our is are and or not ne pas
    que qu donc alors ok oui non yes no consequence consequences
    """
)


def plain_text(text: str) -> str:
    """Lower case without accents, with as many characters as the text."""
    return text.translate(_PLAIN)


_PLAIN = (
    {
        code: unicodedata.normalize("NFKD", chr(code).lower())[0]
        for code in (*range(0x41, 0x5B), *range(0xC0, 0x180), 0x202F, 0xA0)
    }
    | {ord("²"): "2", ord("œ"): "o", ord("Œ"): "o", ord("æ"): "a", ord("Æ"): "a"}
    | dict.fromkeys(map(ord, "’ʼ‘`´"), "'")
)
HOW_MANY_LOTS = re.compile(
    r"\b(?:combien (?:[\w ]{0,20} )?(?:de|d)|nombre (?:maxim\w+ )?de|how many|number of)"
    r" (?:building |equal )?(?:lots?|terrains?|parcelles|plots|parts|parcels)\b"
)
"""An ask for a number of lots, in lower case without accents."""
