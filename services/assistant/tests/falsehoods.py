"""Makes sentences false by a program: each class of falsehood changes what an honest sentence states."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assistant.writing.facts import SLOT, Fact
from servicekit.languages import Language


class Falsehood(NamedTuple):
    kind: str
    text: str
    facts: tuple[str, ...]


EXACT = (
    "figure",
    "number_word",
    "article",
    "label",
    "name",
    "unit",
    "foreign_slot",
    "slot_of_another_fact",
    "other_lot",
)
"""Classes of which none may pass: figures, articles, labels and names."""

_SWAPS: dict[Language, dict[str, list[tuple[str, str]]]] = {
    "fr": {
        "negation_dropped": [
            (r"\bn[e’]\s?(\w+) (?:pas|plus) ", r"\1 "),
            (r"\bn’y (\w+) pas\b", r"y \1"),
            (r"\b[Aa]ucune? ([^.;]*?) n(?:e |’)", r"Un \1 "),
            (r"\bne (\w+) (?:pas|plus|jamais)\b", r"\1"),
            (r"\bsans ", "avec "),
        ],
        "negation_added": [
            (r" est ", " n’est pas "),
            (r"(?<!ne) sont ", " ne sont pas "),
            (r" dure ", " ne dure pas "),
            (r" demande ", " ne demande pas "),
            (r" prend ", " ne prend pas "),
            (r" fournit ", " ne fournit pas "),
        ],
        "quantifier": [
            (r"\btou(?:s|tes) les\b", "certains"),
            (r"\bchaque\b", "un certain"),
            (r"\bToute\b", "Certaine"),
            (r"\b[Ll]es lots\b", "tous les lots"),
            (r"\btout le terrain\b", "une partie du terrain"),
            (r"\b[Uu]n lot\b", "chaque lot"),
            (r"\bles tiers\b", "tous les tiers"),
        ],
        "duty": [
            (r"\bpeut\b", "doit"),
            (r"\bpeuvent\b", "doivent"),
            (r"\bdoivent\b", "peuvent"),
            (r"\best exigé\b", "est possible"),
            (r"\bdoit\b", "peut"),
            (r"\best à consulter\b", "peut être consulté"),
            (r"\bfournit\b", "peut fournir"),
        ],
        "condition_dropped": [
            (r",? ?(?:sauf|sous réserve|à condition)[^.;:]*", ""),
            (r"^Si [^,]*(?:, [^,]*)?, ", ""),
            (r"(?<!sauf) si (?!bien)[^.;]*", ""),
            (r"aux conditions du règlement", "librement"),
            (r" sous \w+ conditions?", ""),
        ],
        "doubt_dropped": [
            (r",? ?\ben principe,?", ""),
            (r" ?\benviron\b", ""),
            (r" \bmoyenne?\b", ""),
            (r" en moyenne", ""),
            (r" \bmédian\b", ""),
            (r"\bindicatives\b", "exactes"),
            (r"est estimée?", "est"),
        ],
        "bound": [
            (r"\bau plus\b", "au moins"),
            (r"\bau moins\b", "au plus"),
            (r"\b[Àà] moins de\b", "À plus de"),
            (r"\bou moins\b", "ou plus"),
        ],
        "word": [
            (r"\bvendeur\b", "acheteur"),
            (r"\bacheteur\b", "vendeur"),
            (r"\burbaine\b", "agricole"),
            (r"\bforte\b", "faible"),
            (r"\bouverte\b", "fermée"),
            (r"\bfermée\b", "ouverte"),
            (r"\bmaisons\b", "appartements"),
            (r"\bun géomètre-expert\b", "un notaire"),
            (r"\bnotaire\b", "maire"),
            (r"\bpermis d’aménager\b", "permis de construire"),
            (r"\bmairie\b", "préfecture"),
        ],
        "claim_added": [
            (r"\.?$", ", à deux pas de la gare."),
            (r"\.?$", ", ce que le maire accepte."),
            (r"\.?$", ", et le terrain est inondable."),
            (r"\.?$", ", ce qui suffit pour bâtir."),
            (r"\.?$", ", donc la vente est possible."),
        ],
    },
    "en": {
        "negation_dropped": [
            (r" (?:is|are) not ", " is "),
            (r" does not ", " does "),
            (r"\bNo\b", "A"),
            (r"\bno\b", "a"),
            (r"\bnot\b ", ""),
            (r"\bwithout\b", "with"),
            (r"\bnor\b", "and"),
        ],
        "negation_added": [
            (r" is (?!no)", " is not "),
            (r" are (?!no)", " are not "),
            (r" takes ", " does not take "),
            (r" lies ", " does not lie "),
            (r" may ", " may not "),
            (r" provides ", " does not provide "),
        ],
        "quantifier": [
            (r"\ball of the land\b", "part of the land"),
            (r"\b[Ee]ach\b", "some"),
            (r"\b[Ee]very\b", "some"),
            (r"\b[Nn]o\b", "some"),
            (r"\b[Tt]he lots\b", "all the lots"),
            (r"\bthird parties\b", "all third parties"),
            (r"\bThe building plots\b", "All plots"),
        ],
        "duty": [
            (r"\bmay\b", "must"),
            (r"\bcan\b", "must"),
            (r"\bmust\b", "may"),
            (r"\btakes\b", "may take"),
            (r"\bprovides\b", "may provide"),
            (r"\bis to be consulted\b", "may be consulted"),
            (r"\brequires\b", "allows"),
        ],
        "condition_dropped": [
            (r",? ?(?:unless|except\b|subject to|but for)[^.;:]*", ""),
            (r"^(?:If|Where|Unless) [^,]*, ", ""),
            (r" if [^.;,]*", ""),
            (r"follows the terms of its regulation", "is free"),
        ],
        "doubt_dropped": [
            (r",? ?\bin principle,?", ""),
            (r" ?\babout\b", ""),
            (r"\bmean ", ""),
            (r" on average", ""),
            (r"\bmedian ", ""),
            (r"\bindicative\b", "exact"),
            (r"\bis estimated at\b", "is"),
        ],
        "bound": [
            (r"\bat most\b", "at least"),
            (r"\bat least\b", "at most"),
            (r"\b[Ww]ithin\b", "beyond"),
            (r"\bor less\b", "or more"),
        ],
        "word": [
            (r"\bseller\b", "buyer"),
            (r"\bbuyer\b", "seller"),
            (r"\burban zone\b", "farm zone"),
            (r"\bhigh\b", "low"),
            (r"\bopen\b", "closed"),
            (r"\bclosed\b", "open"),
            (r"\bhouses\b", "flats"),
            (r"\blicensed surveyor\b", "notary"),
            (r"\bnotary\b", "mayor"),
            (r"\bplanning permit\b", "building permit"),
            (r"\btown hall\b", "prefecture"),
        ],
        "claim_added": [
            (r"\.?$", ", close to the station."),
            (r"\.?$", ", which the mayor accepts."),
            (r"\.?$", ", and the land may be flooded."),
            (r"\.?$", ", which is enough to build on."),
            (r"\.?$", ", so the sale is possible."),
        ],
    },
}
_OUTSIDE: dict[Language, dict[str, str]] = {
    "fr": {
        "number_word": " pour deux lots.",
        "article": " (art. L442-1).",
        "label": " en zone UX.",
        "name": " selon Dupont.",
    },
    "en": {
        "number_word": " for two lots.",
        "article": " (art. L442-1).",
        "label": " in zone UX.",
        "name": " according to Dupont.",
    },
}


def falsehoods(text: str, ids: Sequence[str], facts: Sequence[Fact], language: Language) -> Iterator[Falsehood]:
    """The falsehoods that can be made of a sentence."""
    by_id = {fact.id: fact for fact in facts}
    slots = {key: words for fact in facts for key, words in fact.slots.items()}
    for kind, swaps in _SWAPS[language].items():
        for pattern, replacement in swaps:
            changed = re.sub(pattern, replacement, text, count=1)
            if changed != text:
                yield Falsehood(kind, changed, tuple(ids))
    for kind, added in _OUTSIDE[language].items():
        yield Falsehood(kind, re.sub(r"\.?$", added, text, count=1), tuple(ids))
    shapes = {fact.id: SLOT.sub("{}", fact.text) for fact in facts}
    for key in dict.fromkeys(SLOT.findall(text)):
        if key not in slots:
            continue
        yield Falsehood("figure", text.replace(f"{{{key}}}", slots[key]), tuple(ids))
        if _kind(key) in ("area", "length", "price", "share", "time"):
            yield Falsehood(
                "unit", text.replace(f"{{{key}}}", f"{{{key}}} {'ha' if _kind(key) != 'time' else 'jours'}"), tuple(ids)
            )
        own = key.partition(".")[0]
        for other, words in slots.items():
            fact = other.partition(".")[0]
            if fact == own or _kind(other) != _kind(key) or words == slots[key] or other in text:
                continue
            changed = text.replace(f"{{{key}}}", f"{{{other}}}")
            if fact not in ids:
                yield Falsehood("foreign_slot", changed, tuple(ids))
            is_twin = shapes[fact] == shapes[own] and by_id[own].subject == by_id[fact].subject
            if is_twin and len([k for k in SLOT.findall(text) if k.startswith(f"{own}.")]) < 2:
                continue  # a true sentence about the other fact
            yield Falsehood(
                "other_lot" if is_twin else "slot_of_another_fact", changed, tuple(dict.fromkeys((*ids, fact)))
            )


def _kind(key: str) -> str:
    return re.sub(r".*\.|\d+$", "", key)
