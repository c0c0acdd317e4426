"""What became of the words of a project: each wish is followed, not followed for a reason, or not read."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Literal, NamedTuple, get_args

from assistant.division.places import placed
from assistant.division.proposal import Division, Proposal, Site
from assistant.division.ranking import has_strip, strips_m
from assistant.project import DENIABLE, LEAST_LOT_COUNT, NEAR, KeepOut, Owner, Project, ToldFact, WishedLot
from assistant.questions.words import FUNCTION_WORDS, WORD, plain_text
from assistant.reading.project import Reading
from assistant.reading.spans import Span, is_in
from assistant.reading.tokens import read_tokens
from assistant.text import Sentences, area, in_quotes, join, listed, metres, quantity, say, span
from servicekit.languages import Text

Status = Literal["followed", "not_followed", "not_read"]
STATUSES: tuple[Status, ...] = get_args(Status)

_tell = Sentences("reading/wishes.toml")
_EMPTY = Text("", "")
_UNFOLLOWED = (
    "shared_way_with", "height_m", "storey_count", "dwelling_count", "keep_outs",
    "owners", "has_lease", "town_said",
)  # fmt: skip
"""Members of a project that no drawing follows."""
_DRAWN = ("lot_count", "has_even_lots", "has_shared_way", "keeps_house", "lot_width_m", "footprint_m2")
_FACTS = ("/owners", "/has_lease", "/town_said")
"""Members that alone tell no project, as in a question about a lease."""
_OTHERWISE, _NO_MEMBER, _NOTED = _tell("reason.otherwise"), _tell("reason.no_member"), _tell("reason.noted")
_DESCRIBED = _tell("reason.described")
_DESCRIPTIONS = ("land", "lease", "ownership", "parcel", "people", "price", "received")
"""Kinds of told facts that wish nothing of a drawing."""
_BESIDE = (_OTHERWISE, _NOTED, _DESCRIBED)
"""Reasons of what is no wish of the project."""
_OF_DIVISION = re.compile(
    r"\b(?:vend|cede|detach|sell)\w* .{0,12}\b(?:partie|bout|morceau|moitie|part|bit|piece|half)\b"
)
"""What tells nothing but that the land is divided."""
_ONE_LOT = _tell("meaning.one_lot_count")
_MAX_QUOTE, _MAX_QUOTES = 120, 4
_WHOLE_CLAUSES = re.compile(rf".{{1,{_MAX_QUOTE}}}[,;:.!?)](?= )|.{{1,{_MAX_QUOTE}}}(?= )|.{{{_MAX_QUOTE}}}")
"""What is quoted of words that are too many: whole clauses, else whole words."""
_SHORTEST_QUOTE = 4
"""Fewer letters say nothing, such as "put"."""
_FIGURE = re.compile(
    r"(?:[^\W\d]+(?:['’]| )){0,3}"
    r"(\b\d+(?:[.,]\d+)? ?(?:m[eè]t(?:re|er)s?\b|m[2²]?(?!\w))|\b\d\d ?/ ?\d\d\b(?!/))",
    re.IGNORECASE,
)
"""A length, an area or a division of a hundred, with the words before it."""
_WHO = re.compile(
    r"\b(?:bonjour|bonsoir|salut|hello|hi)\b|"
    r"\b(?:promoteur|lotisseur|am[ée]nageur|g[ée]om[èe]tre|propri[ée]taire|developer|builder|owner|surveyor) ?:|"
    r"\b(?:je suis|nous sommes|on est|i am|i['’]m|we are|we['’]re)(?: [^\W\d]+){1,4}(?=\s*(?:[,.;:!?\n]|$))",
    re.IGNORECASE,
)
"""A greeting, or what somebody says to be: no part of a project."""
_YOURS = {
    "mon": "votre", "ma": "votre", "notre": "votre", "mes": "vos", "nos": "vos", "moi": "vous", "nous": "vous",
    "my": "your", "our": "your", "me": "you", "us": "you",
}  # fmt: skip
_MINE = re.compile(rf"\b(?:{'|'.join(_YOURS)})\b", re.IGNORECASE)
_ENDS = re.compile(r"^[\s,;:.–—-]+|(?:[\s,;:.–—-]|\b(?:et|and|ou|or|mais|but)$)+$")
"""What says nothing at the ends of a quote."""
_HALF = 0.5
_LEAST_NEW = 0.5
"""A note with fewer new words among its words with a meaning repeats what is said of the wishes."""
_KEPT = re.compile(r"\b(?:gard|conserv|reste|keep|kept|stay)")
_LARGEST_PART = re.compile(
    r"\b(?:(?:plus (?:grande?|grosse|gros) (?:partie|part|morceau|lot|terrain)|majeure partie|essentiel)|"
    r"(?:bigg?e(?:r|st)|larger|largest) (?:part|share|plot|lot|piece)|most of)\b"
)
_TELLING = (
    "NUM", "AREA", "SHARE", "LENGTH", "PERCENT", "KEEP", "GIVE", "SELL", "DETACH", "DEMOLISH", "REST",
)  # fmt: skip
"""Tags of words that tell a project, even if no rule reads it."""


@dataclass(frozen=True)
class Wish:
    """A wish, by the member of the project that says it, or words that were not read."""

    field: str
    """The pointer of the member in `project`, such as `/lots/0`; empty for words without a member, or not read."""
    words: str
    """The words of the text; empty if a field of the request says it."""
    meaning: Text
    status: Status
    reason: Text = _EMPTY


def wishes_of(project: Project, reading: Reading, text: str, division: Division) -> tuple[Wish, ...]:
    """The wishes in the order of the project's members, then the words that were not read."""
    wishes = []
    for pointer, meaning, reason in _members(project, division):
        top = "/".join(pointer.split("/")[:3]) if pointer.count("/") > 1 else pointer
        names = (name for name in (pointer, top, "/" + pointer.split("/")[1]) if reading.words.get(name))
        quoted = " … ".join(text[slice(*words)] for words in reading.words.get(next(names, ""), ()))
        wishes.append(Wish(pointer, quoted, meaning, "not_followed" if reason else "followed", reason or _EMPTY))
    for note in reading.notes:
        wishes.append(Wish("", quoted := text[slice(*note)], _quoted(quoted), "not_followed", _NO_MEMBER))
    return (*wishes, *(Wish("", text[slice(*words)], _EMPTY, "not_read") for words in reading.unread))


def otherwise(project: Project, reading: Reading, text: str, division: Division) -> tuple[Wish, ...]:
    """What another reading tells, which is not followed."""
    return tuple(
        replace(wish, status="not_followed", reason=_OTHERWISE)
        for wish in wishes_of(project, replace(reading, unread=()), text, division)
    )


def unfollowed_figures(text: str, others: Sequence[Span]) -> tuple[Wish, ...]:
    """The lengths, areas and shares of a hundred that stand in none of these words."""
    figures = (match for match in _FIGURE.finditer(text) if not any(is_in(match.span(1), [span]) for span in others))
    return tuple(Wish("", match[0].strip(), _quoted(match[0]), "not_followed", _NO_MEMBER) for match in figures)


class Heard(NamedTuple):
    """What the answer says about the reading of the text; empty if no project is told."""

    warning: Text = _EMPTY
    """The first line of the answer, if little of the text was read."""
    wishes: Text = _EMPTY
    """What was understood, not followed and not read, in one sentence each."""


OTHER_LANGUAGE = Heard(_tell("heard.other_language"))


def heard(wishes: Sequence[Wish], read_ratio: float) -> Heard:
    other = [wish.meaning for wish in wishes if wish.reason == _OTHERWISE]
    told = [wish for wish in wishes if wish.field and wish.reason not in _BESIDE]
    noted = [wish for wish in wishes if wish.reason in (_NO_MEMBER, _NOTED)]
    free = [(wish.words, wish.meaning) for wish in noted if _is_new(wish.words, told)]
    free = [note for note in free if not any(note[0] != whole and note[0] in whole for whole, _ in free)]
    is_project = any(wish.reason == _NO_MEMBER for wish in wishes) or any(wish.field not in _FACTS for wish in told)
    left = (_ENDS.sub("", _WHO.sub("", wish.words)) for wish in wishes if wish.status == "not_read")
    unread = [(words, _quoted(words)) for words in left if len(words) >= _SHORTEST_QUOTE and tells_project(words)]
    passages = (wish.words for wish in wishes if not wish.field or wish.reason in (_NOTED, _DESCRIBED))
    if not is_project and not any(map(tells_project, passages)):
        return Heard()
    has_plot = any(wish.meaning.fr.startswith(_tell("lot.house").fr) for wish in told)
    stated = [
        wish
        for wish in told
        if (wish.field != "/lot_count" or wish.meaning == _ONE_LOT)  # the verdict has it
        and not (has_plot and wish.field == "/keeps_house" and not wish.reason.fr)
    ]
    followed = [wish.meaning for wish in stated if not wish.reason.fr]
    reasons = dict.fromkeys(wish.reason for wish in stated if wish.reason.fr)
    unfollowed = [
        say("{m} ({r})", "{m} ({r})", m=listed([wish.meaning for wish in stated if wish.reason == reason]), r=reason)
        for reason in reasons
    ]
    sentences = [_tell("heard.understood", wishes=listed(followed))] if followed else []
    sentences += [_tell("heard.unfollowed", wishes=listed(unfollowed))] if unfollowed else []
    sentences += [_tell("heard.free", words=_first_of(free))] if free else []
    sentences += [_tell("heard.unread", words=_first_of(unread))] if unread else []
    sentences += [_tell("heard.otherwise", wishes=listed(other[:_MAX_QUOTES]))] if other else []
    warning = "" if read_ratio >= _HALF else "mostly_unread" if told or free else "nothing_read"
    return Heard(_tell(f"heard.{warning}") if warning else _EMPTY, join(sentences))


def _content(text: str) -> set[str]:
    return {*WORD.findall(plain_text(text))} - FUNCTION_WORDS


def _is_new(words: str, told: Iterable[Wish]) -> bool:
    """Whether a note says more than what is drawn, and does not hold it; one told in fields has no words."""
    if _OF_DIVISION.search(plain_text(words)) or any(wish.words and wish.words in words for wish in told):
        return False
    content, read = _content(words), _content(" ".join(wish.words for wish in told))
    return not words or len(content - read) > _LEAST_NEW * len(content)


def _first_of(passages: Sequence[tuple[str, Text]]) -> Text:
    """The first meanings, those of words that tell a project before others, and the number of the rest."""
    quotes = [meaning for _, meaning in sorted(passages, key=lambda passage: tells_project(passage[0]), reverse=True)]
    more = len(quotes) - _MAX_QUOTES + 1
    return listed(quotes if more < 2 else [*quotes[:-more], _tell("heard.more", count=str(more))])  # noqa: PLR2004 (several)


def tells_project(text: str) -> bool:
    return any(token.tag in _TELLING for token in read_tokens(text))


def _quoted(words: str) -> Text:
    line = " ".join(words.split())
    if len(line) > _MAX_QUOTE and (whole := _WHOLE_CLAUSES.match(line)):
        line = f"{whole[0].rstrip(' ,;:')} …"
    return in_quotes(line)


def _members(project: Project, division: Division) -> Iterator[tuple[str, Text, Text | None]]:
    """The pointer, the meaning and the reason against each told member."""
    for member in fields(project):
        name, value = member.name, getattr(project, member.name)
        if name == "lots":
            for index, lot in enumerate(value):
                yield from _lot(index, lot, division)
        elif name == "keep_outs":
            for index, keep_out in enumerate(value):
                key = "kept_things" if keep_out.distance_m is None else name
                yield f"/{name}/{index}", _tell(f"meaning.{key}", v=_keep_out(keep_out)), _tell(f"reason.{name}")
        elif name == "facts":
            for index, fact in enumerate(value):
                pointer, words = f"/{name}/{index}", plain_text(fact.words or "")
                is_kept = fact.kind == "kept" or (fact.kind == "wish" and _KEPT.search(words))
                if division.proposals and is_kept and _LARGEST_PART.search(words):
                    yield pointer, _tell("meaning.largest_part"), _larger_lot(division.proposals[0])
                else:
                    yield pointer, _fact(fact), _DESCRIBED if fact.kind in _DESCRIPTIONS else _NOTED
        elif name == "owners" and value:
            yield f"/{name}", _tell(f"meaning.{name}", v=listed([*map(_owner, value)])), _tell(f"reason.{name}")
        elif value or (name in DENIABLE and value is False):
            is_one = name.endswith("_count") and value == 1
            key = f"no_{name.removeprefix('has_')}" if value is False else f"one_{name}" if is_one else name
            reasons = partial(_reason, name, project, division)
            yield f"/{name}", _tell(f"meaning.{key}", v=_value(name, value)), _pointing(reasons, division)


def _value(name: str, value: object) -> Text:
    if not isinstance(value, float):
        return Text(str(value), str(value))
    return _exact(value * 100 if name.endswith("_ratio") else value, "", 1)


def _keep_out(keep_out: KeepOut) -> Text:
    distance = [] if keep_out.distance_m is None else [metres(keep_out.distance_m)]
    return join([Text(keep_out.thing, keep_out.thing), *distance], ", ")


def _owner(owner: Owner) -> Text:
    share = _EMPTY if owner.share_ratio is None else _share(owner.share_ratio)
    name = yours(owner.name or "")
    return Text(f"{name} {share.fr}".strip(), f"{name} {share.en}".strip())


def _share(ratio: float) -> Text:
    """With a decimal where it has one: shares of an eighth add up to the whole."""
    return _exact(round(ratio * 100, 1), "%", 1)


def _exact(value: float, unit: str, decimals: int = 2) -> Text:
    return quantity(value, unit, 0 if float(value).is_integer() else decimals)


_FIGURES: Mapping[str, Callable[[float], Text]] = {
    "area_m2": area,
    "distance_m": partial(_exact, unit="m"),
    "share_ratio": _share,
    "price_eur": partial(quantity, unit="€"),
    "price_eur_per_m2": partial(_exact, unit="€/m²"),
}
"""How the figures of a fact are printed."""


def _fact(fact: ToldFact) -> Text:
    """What a fact tells: its words, else its figures."""
    figures = [printed(value) for name, printed in _FIGURES.items() if (value := getattr(fact, name)) is not None]
    return _tell(f"note.{fact.kind}", told=_quoted(fact.words) if fact.words else join(figures, ", "))


def _larger_lot(best: Proposal) -> Text | None:
    """The lot that is larger than what is kept, with both areas; None if there is none."""
    kept_m2 = max((lot.area_m2 for lot in best.lots if lot.role in ("kept_house", "rest")), default=0.0)
    largest = max(best.lots, key=lambda lot: lot.area_m2)
    return (
        None
        if largest.area_m2 <= kept_m2
        else _tell("reason.larger_lot", id=largest.id, v=area(largest.area_m2), kept=area(kept_m2))
    )


def _lot(index: int, lot: WishedLot, division: Division) -> Iterator[tuple[str, Text, Text | None]]:
    pointer, best = f"/lots/{index}", division.proposals[0] if division.proposals else None
    kind = "house" if lot.use == "house" else "more" if lot.count > 1 else "one"
    what = join([_tell(f"lot.{kind}", count=lot.count), _use(lot)], "")
    drawn = division.project.lots[index : index + 1]  # another reading may tell other lots
    is_about = lot.area_m2 is not None and any(one.area_m2 == lot.area_m2 and one.bounds_m2 for one in drawn)
    kinds = {
        "about": is_about, "exact": lot.area_m2 is not None, "range": None not in (lot.least_m2, lot.most_m2),
        "least": lot.least_m2 is not None, "most": lot.most_m2 is not None, "share": lot.share_ratio is not None,
        "rest": lot.is_rest,
    }  # fmt: skip
    kind = next((name for name, is_told in kinds.items() if is_told), "none")
    reason = _pointing(partial(_lot_reason, lot), division)
    figures = {"area": lot.area_m2, "least": lot.least_m2, "most": lot.most_m2, "share": lot.share_ratio}
    values = {
        name: (_share if name == "share" else area)(value) for name, value in figures.items() if value is not None
    }
    yield pointer, _tell(f"lot.{kind}", what=what, **values), reason
    if lot.position:
        cost = division.misplaced.get(index) if best else "nothing"
        place = _tell(f"position.{lot.position}")
        yield f"{pointer}/position", _tell("meaning.position", v=place), _tell(f"misplaced.{cost}") if cost else None


def _use(lot: WishedLot) -> Text:
    for_whom = _tell("use.holder", v=yours(lot.holder)) if lot.holder else _EMPTY
    use = _tell(f"use.{lot.use}") if lot.use and not (lot.holder and lot.use == "neighbour") else _EMPTY
    return join([use, for_whom], "")


def yours(words: str) -> str:
    """The words of a person in the mouth of the service: their son is yours."""
    return _MINE.sub(lambda match: _YOURS[match[0].lower()], words)


def with_purposes(division: Division, site: Site) -> Division:
    """The division with what each drawn lot is for, where it is the one that the project wishes."""
    proposals = [_with_purposes(proposal, division.project, site) for proposal in division.proposals]
    return replace(division, proposals=tuple(proposals))


def _with_purposes(proposal: Proposal, project: Project, site: Site) -> Proposal:
    told: dict[str, Text] = {}
    by_place = placed(proposal, project, site)
    wishes = sorted(enumerate(project.lots), key=lambda item: (item[0] not in by_place, not item[1].size_m2))
    for number, wish in wishes:
        free = [lot for lot in by_place.get(number) or proposal.lots if lot.id not in told]
        free = [lot for lot in free if lot.is_built == (wish.use == "house") or wish.use is None]
        free = [lot for lot in free if wish.admits(lot.area_m2, NEAR)] if wish.size_m2 else free
        use = _use(replace(wish, use=None) if wish.use == "building" else wish)
        use = _tell("use.rest") if wish.is_rest and not use.fr else use
        place = [_tell(f"position.{wish.position}")] if wish.position and by_place.get(number) else []
        purpose = join([*place, *([use] if use.fr else [])], ",")
        if len(free) > wish.count:
            free = [lot for lot in free if lot.wished_m2 is not None and not lot.is_built]
        if len(free) == wish.count:
            told.update({lot.id: Text(purpose.fr.strip(), purpose.en.strip()) for lot in free})
    lots = tuple(replace(lot, purpose=told.get(lot.id, _EMPTY)) for lot in proposal.lots)
    return replace(proposal, lots=lots)


def _pointing(reason_of: Callable[[Proposal | None], Text | None], division: Division) -> Text | None:
    """The reason against a wish in the first proposal, with the number of another one that follows it."""
    first, *others = division.proposals or (None,)
    reason = reason_of(first)
    following = next((p.rank for p in others if p and not reason_of(p)), None) if reason else None
    return join([reason, _tell("reason.in_other", v=following)], "") if reason and following else reason


def _lot_reason(lot: WishedLot, best: Proposal | None) -> Text | None:
    if best is None or lot.use in ("garden", "farming"):
        return _tell(f"reason.{'nothing' if best is None else lot.use}")
    if not lot.is_sized or lot.is_rest:
        return None
    sized = (
        replace(lot, area_m2=lot.share_ratio * sum(drawn.area_m2 for drawn in best.lots)) if lot.share_ratio else lot
    )
    may_shrink = bool(lot.bounds_m2) and lot.least_m2 is None
    drawn_lots = [drawn for drawn in best.lots if may_shrink or drawn.wished_m2 is not None]
    fitting = sum(sized.admits(drawn.area_m2) for drawn in drawn_lots if "wished_size" not in drawn.violations)
    return None if fitting >= lot.count else _tell("reason.area")


def _reason(name: str, project: Project, division: Division, best: Proposal | None) -> Text | None:
    """Why the study does not follow a member; None if it does."""
    if name in _UNFOLLOWED:
        return _tell(f"reason.{name}")
    if best is None:
        return _tell("reason.nothing") if name in _DRAWN else None
    against = {
        "lot_count": (len(best.lots) != max(project.lot_count or 0, LEAST_LOT_COUNT), "count"),
        "keeps_house": (division.is_bare, "unseen"),
        "has_even_lots": (any("uneven" in lot.violations for lot in best.lots), "uneven"),
        "has_shared_way": (best.shared_way is None, "no_way")
        if project.has_shared_way
        else (any(lot.right_of_way is not None for lot in best.lots), "no_own_access"),
        "shared_way_m": (best.shared_way is None, "no_way"),
        "lot_width_m": (
            not has_strip(best, project.lot_width_m or 0.0),
            "strip_m" if project.is_for_neighbour else "lot_width_m",
        ),
        "footprint_m2": (best.lot_without_house_count > 0, "no_house"),
        "setback_m": (bool(project.is_for_neighbour), "no_building"),
    }
    is_against, key = against.get(name, (False, ""))
    least, most = area(best.smallest_lot_m2), area(best.largest_lot_m2)
    strip = span([metres(math.floor(strip_m * 10) / 10) for strip_m in strips_m(best)] or [_EMPTY])
    return _tell(f"reason.{key}", v=len(best.lots), least=least, most=most, strip=strip) if is_against else None
