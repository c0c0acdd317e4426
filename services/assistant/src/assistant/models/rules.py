"""Writes the answer from the replies, the checks and the proposals only. Deterministic, without network calls."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from assistant.assessment.assess import RULES_VERSION
from assistant.assessment.land_unit import STEEP_PERCENT
from assistant.assessment.result import Check, Status, Verdict
from assistant.division.wording import layout_summary, overview
from assistant.models.base import Brief, Passage, Written
from assistant.models.frame import LAYOUT, MOST_WORDS_OF_DETAIL, PROCEDURE, PROPOSALS, frame, is_quoted
from assistant.models.lines import Line, Room, as_passages, as_section, fitting, tell
from assistant.questions import replies
from assistant.questions.answers import Reply
from assistant.questions.replies import PARCEL_CHANGE, Statement
from assistant.text import capitalized, clause, join, listed, split_sentences, uncapitalized
from servicekit.languages import Language, Text
from servicekit.parts import Attempt

_STEP = replies.tell("law.next").fr.partition("{")[0]
_PART_OF_TEXT = Text("une partie de la réponse rédigée", "a part of the written answer")
_REGULATION = "project_reading"
_OF_ANY_SALE = ("boundary_survey", "pre_emption", "buyer_information", "soil_studies")
"""Duties and rights of any sale of land. They do not decide a division."""
_NO_OBSTACLE = ("lotissement_definition", "minimum_lot_size", "project_reading", "recent_sales")
"""Checks that never stand against a division."""
_CONTRADICTED = {
    "small_lot": ("unit_area",),
    "wished_size": ("unit_area", "existing_buildings"),
    "no_house_fits": ("unit_area",),
    "narrow_frontage": ("access",),
    "landlocked": ("access",),
    "right_of_way": ("access",),
    "unknown": ("access",),
    "building_setback": ("existing_buildings",),
    "closed_land": ("zone_type", "prescriptions", "easements", "risks"),
}
"""The checks that a violation, a role or an access of a lot contradicts."""
_LONG_GAP = re.compile(
    r"((?:connus|[Kk]nown|inconnues|unknown)\N{NO-BREAK SPACE}?: (?:[^,.;\n]+, ){4}[^,.;\n]+?)"
    r"(?:, | et | and )[^.;\n]+(?=\.)"
)
"""More than MOST_POINTS things that are not known. The checks have them all."""
MOST_WORDS, MORE_WORDS, MOST_WORDS_OF_STUDY, MOST_WORDS_OF_REPLY = 250, 100, 350, 120
"""The longest answer to one ask with its frame, what each further ask adds, the study by itself, and one reply."""
_MOST_WORDS_OF_POINT, _MOST_WORDS_OF_RULES, _MOST_WORDS_OF_VERDICT = 36, 80, 32
"""The longest finding that decides nothing, that of the rules of the regulation, and what follows the verdict."""
_MOST_WORDS_OF_HEADING, _MOST_WORDS_OF_QUOTE = 30, 20
"""The longest quote in a heading, and in one of several."""
_BETWEEN_MARKS = re.compile("[^«»“”\N{NO-BREAK SPACE}]+[^«»“”\N{NO-BREAK SPACE} ]")
"""What a heading quotes."""
_WORDS_OF_HEADING, _WORDS_OF_NAMES = 6, 36
"""What the study keeps for a heading, and for the names of the checks without a sentence."""

PROVIDER, RULES_NAME = "rules", f"rules-{RULES_VERSION}"


def passages(brief: Brief, written: Written = Written()) -> Iterator[Passage]:  # noqa: B008 (immutable)
    """The sentences of the answer. Joined, they are its Markdown. No sentence is printed twice.

    What is written about facts stands before the replies, in place of the rules' sentences about them. The answer has
    at most `word_limit` words: checks whose sentences do not fit are named.
    """
    lead = "\n"
    for passage in _all(brief, written):
        yield passage._replace(text=_LONG_GAP.sub(r"\1…", passage.text.removeprefix(lead)))
        lead = ""


def word_limit(brief: Brief) -> int:
    """The longest answer, in words: one ask with its frame, and more for each further ask; or the study."""
    asks = [reply for reply in brief.replies.answered if reply.statements or not reply.question.is_stated]
    limit = MOST_WORDS + MORE_WORDS * max(0, len(asks) + len(brief.replies.unanswered) - 1)
    return max(limit, MOST_WORDS_OF_STUDY) if brief.replies.is_general else limit


def leads_with_verdict(brief: Brief) -> bool:
    """Whether the verdict is the first sentence: it is the reply to what is asked, something stands against the
    division, or closes some of the land, or no other reply is sure.
    """
    [zoning] = [check for check in brief.assessment.checks if check.code == "zone_type"]
    is_closed = zoning.status in (Status.WARN, Status.FAIL) and isinstance(zoning.value, float) and zoning.value < 1
    is_against = brief.assessment.verdict is Verdict.UNFAVOURABLE or brief.division.layout().closed_lot_count > 0
    doubtful = [reply.is_doubtful for reply in brief.replies.answered if reply.statements]
    is_against |= bool(doubtful) and all(doubtful)
    return is_against or is_closed or brief.replies.is_verdict_asked


def _all(brief: Brief, written: Written) -> Iterator[Passage]:
    printed, room = {*written.replaced, *_said(brief)}, Room(word_limit(brief))
    framed = set(printed)
    verdict = _attempted(lambda: _verdict(brief, framed))
    warning = _attempted(lambda: _paragraph(brief.heard.warning, brief))
    heard = _attempted(lambda: _paragraph(brief.heard.wishes, brief))
    framing = _attempted(lambda: frame(brief, framed))
    end = [Passage(f"\n*{brief.assessment.disclaimer.read(brief.language)}*\n", ())]
    heading = f"### {tell('heading.frame').read(brief.language)}\n"
    room.take([*verdict, *warning, *heard, heading, *framing, *written.passages, *end])
    gaps = _attempted(lambda: unanswered(brief, printed))
    room.take(gaps)
    replies = _attempted(lambda: answered(brief, brief.replies.answered, printed, room))
    printed.update(framed)
    if room.left < 0:
        framing = _attempted(lambda: frame(brief, framed, is_short=True))
    asked = [*written.passages, *replies]
    if not (asked or brief.replies.is_general):
        asked, gaps = gaps, []
    is_first = leads_with_verdict(brief)
    if is_first and asked and framing:
        framing[0] = framing[0]._replace(text=f"\n{heading}{framing[0].text}")
    first, then = (verdict, asked) if is_first else (asked, verdict)
    yield from (*first, *then, *warning, *framing, *heard, *gaps)
    if brief.replies.is_general:
        yield from _attempted(lambda: _study(brief, printed, room))
    yield from end


def _attempted(write: Callable[[], Iterable[Passage]]) -> list[Passage]:
    """What is written up to a defect."""
    written: list[Passage] = []
    with Attempt(_PART_OF_TEXT):
        written.extend(write())
    return written


def _paragraph(text: Text, brief: Brief) -> Iterator[Passage]:
    return as_passages([(line, ())] if (line := text.read(brief.language)) else [], "\n")


def answered(brief: Brief, replies: Sequence[Reply], printed: set[str], room: Room) -> Iterator[Passage]:
    """A section for each question that the facts answer. Sentences in `printed` are left out, new ones are added.

    What the law says of the question stands before what the checks found, the next steps stand last. Each reply gets
    its share of the room, so that the study keeps one too.
    """
    for index, reply in enumerate(sorted(replies, key=lambda reply: reply.is_doubtful)):
        shares = len(replies) - index + brief.replies.is_general
        of_lots = LAYOUT in reply.codes  # the frame leaves them out
        share = Room(
            min(
                MOST_WORDS_OF_REPLY,
                room.left - MOST_WORDS_OF_DETAIL * (shares - 1) if of_lots else room.left // shares,
            )
        )
        share.take(["### ", heading := _shortened(reply.title.read(brief.language))])
        lines: list[Line] = []
        for statement in sorted(reply.statements, key=_rank):
            if statement.code == PROPOSALS:  # the frame has them
                continue
            detail = statement.text.read(brief.language)
            is_card = statement.code == "law"
            if line := fitting(detail, statement.legal_refs, printed, share, is_first=not lines, is_card=is_card):
                lines.append((f"- {line}", (statement.code,)))
        section = [*as_section(heading, lines)]
        room.take(section)
        yield from section


def _rank(statement: Statement) -> int:
    return 2 if statement.text.fr.startswith(_STEP) else int(statement.code != "law")


def unanswered(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """A section that names what is not answered, with the reason and whom to ask. Adds the reasons to `printed`."""
    colon = "\N{NO-BREAK SPACE}: " if brief.language == "fr" else ": "
    headings: dict[tuple[str, str], list[str]] = {}
    for reply in brief.replies.unanswered:
        heading = f"**{_shortened(reply.heading.read(brief.language))}**"
        reason, ask = (text.read(brief.language) for text in reply.gap)
        headings.setdefault((reason, ask), []).append(heading)
    lines = []
    for (reason, ask), names in headings.items():
        cut = fitting(reason, (), printed, Room(MOST_WORDS_OF_DETAIL), is_first=True) or reason
        lines.append((f"- {', '.join(dict.fromkeys(names))}{colon}{cut[:1].lower()}{cut[1:]} {ask}", ()))
    yield from as_section(tell("heading.unanswered").read(brief.language), lines)


def _shortened(heading: str) -> str:
    """The heading; of each longer text that it quotes, the first words."""
    quotes = _BETWEEN_MARKS.findall(heading)
    most = _MOST_WORDS_OF_HEADING if len(quotes) == 1 else _MOST_WORDS_OF_QUOTE
    for quoted in quotes:
        if len(words := quoted.split(" ")) > most:
            heading = heading.replace(quoted, f"{' '.join(words[:most])}…")
    return heading


def _study(brief: Brief, printed: set[str], room: Room) -> Iterator[Passage]:
    """The study after its frame: what decides, the lots, the sale, and the rest, as far as there is room.

    Checks without a sentence are named last.
    """
    language, told = brief.language, set[str]()
    checks = [check for check in brief.assessment.checks if check.code not in (PROCEDURE, LAYOUT)]
    deciding = brief.assessment.deciding_check
    unsettled = [check for check in checks if check.status in (Status.FAIL, Status.WARN)]
    room.left -= _WORDS_OF_NAMES

    def section(heading: Text, lines: Iterable[Line]) -> Iterator[Passage]:
        """The lines of the section that there is room for."""
        title, kept = heading.read(language), list[Line]()
        for line, codes in lines:
            if len(f"{'' if kept else f'### {title} '}{line}".split()) <= room.left:
                room.take(["" if kept else f"### {title} ", line])
                kept.append((line, codes))
                told.update(codes)
            elif line[0].isdecimal():  # no number is left out
                break
        return as_section(title, kept)

    def details(checks: Iterable[Check]) -> Iterator[Line]:
        for check in checks:
            is_weighty = check is deciding or check.status is Status.FAIL
            most = MOST_WORDS_OF_DETAIL if is_weighty else _MOST_WORDS_OF_POINT
            most = _MOST_WORDS_OF_RULES if check.code == _REGULATION else most
            share = Room(min(most, room.left - _WORDS_OF_HEADING))
            if line := fitting(check.detail.read(language), check.legal_refs, printed, share):
                yield f"- {line}", (check.code,)

    blocking = [check for check in unsettled if check.status is Status.FAIL]
    yield from section(tell("heading.blocking"), details(blocking))
    decides = [check for check in unsettled if check not in blocking and _decides(check)]
    decides.sort(key=lambda check: check.code != _REGULATION)  # the frame has told the others in part
    yield from section(tell("heading.deciding"), details(decides))
    yield from section(tell("heading.proposals"), _others(brief))
    changes = [(f"- {change.summary.read(language)}", (LAYOUT,)) for change in brief.changes[1:]]  # after the frame's
    yield from section(tell("heading.changes"), changes)
    assumed = [(f"- {item.detail.read(language)}", (LAYOUT,)) for item in brief.assumptions if item.is_printed]
    yield from section(tell("heading.assumptions"), assumed)
    change = PARCEL_CHANGE.read(language)
    is_new = brief.division.proposals and not brief.division.project.is_for_neighbour  # else it is the next step
    of_division: list[Line] = [(f"- {change}", ())] if is_new and change not in printed else []
    at_sale = details(check for check in unsettled if check.code in _OF_ANY_SALE)
    yield from section(tell("heading.sale"), chain(of_division, at_sale))
    costs = (
        (f"- {line}", (statement.code,))
        for statement in brief.replies.costs
        if (line := fitting(statement.text.read(language), statement.legal_refs, printed, Room(room.left)))
    )
    yield from section(tell("heading.costs"), costs)
    room.left += _WORDS_OF_NAMES
    said = brief.assessment.summary.read(language)
    is_shut = any(check.code == "access" and check.status is Status.FAIL for check in checks)
    in_steps = told if is_shut else {*told, "boundary_survey"}
    untold = [check for check in unsettled if check.code not in in_steps and check is not deciding]
    untold = [check for check in untold if clause(check.detail).read(language) not in said]
    yield from section(tell("heading.other"), _points(untold, language))
    if brief.assessment.verdict is not Verdict.UNFAVOURABLE:
        yield from section(tell("heading.clear"), _points(_clear(brief), language))


def _clear(brief: Brief) -> list[Check]:
    """The checks that pass, without those that a drawn lot contradicts. None if nothing can be drawn."""
    if not brief.division.proposals:
        return []
    lots = [lot for proposal in brief.division.proposals[:1] for lot in proposal.lots]
    codes = {code for lot in lots for code in (*lot.violations, lot.role, lot.access)}
    contradicted = {check for code in codes for check in _CONTRADICTED.get(code, ())}
    if any((lot.mean_slope_percent or 0.0) >= STEEP_PERCENT for lot in lots):
        contradicted.add("slope")
    without = contradicted.union(_NO_OBSTACLE, (PROCEDURE, LAYOUT))
    return [c for c in brief.assessment.checks if c.status is Status.PASS and c.code not in without]


def _decides(check: Check) -> bool:
    """Whether the check belongs to what decides: the verdict, the procedure by a protection, who must agree, or rules
    of the regulation about the lots.
    """
    return (
        check.is_decisive
        or check.code in ("ownership", "protected_surroundings")
        or (check.code == _REGULATION and check.value is not None)
    )


def _verdict(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """The verdict with the point that decides, why the lots are not those of the project, and what was found about the
    point unless a reply says so.
    """
    language, assessment = brief.language, brief.assessment
    codes = tuple(check.code for check in assessment.checks if check.is_decisive and check.status is not Status.PASS)
    deciding = assessment.deciding_check
    room = Room(_MOST_WORDS_OF_VERDICT)
    has_faults = any(proposal.violation_count for proposal in brief.division.proposals[:1])  # its lots name them
    in_gaps = [reply.gap[0] for reply in brief.replies.unanswered]  # as the reason why there is no reply
    untold = [
        check
        for check in ([] if deciding is None else [deciding])
        if check.detail not in in_gaps
        and not is_quoted(check.code, brief)
        and not (check.code == LAYOUT and check.status is Status.WARN and has_faults)
    ]
    found = "".join(
        # the line of the lots has what was found about them
        fitting(c.detail.read(language), (), printed, room, is_first=c.status is Status.FAIL and c.code != LAYOUT)
        for c in untold
    )
    missed = join([text for text in brief.division.limitations if text.fr]).read(language)
    sentences = [sentence.strip() for sentence in split_sentences(missed) if sentence.strip() not in printed]
    printed.update(sentences)
    more = " ".join(filter(None, (*sentences, found)))
    yield Passage(f"\n**{brief.headline.read(language)}**{' ' if more else ''}", codes)
    for sentence in split_sentences(more):
        yield Passage(sentence, codes)
    yield Passage("\n", ())


def _said(brief: Brief) -> set[str]:
    """The sentences that the summary says."""
    language, summary = brief.language, brief.headline.read(brief.language)
    texts = [*brief.division.limitations, *(check.detail for check in brief.assessment.checks)]
    sentences = {sentence.strip() for text in texts for sentence in split_sentences(text.read(language))}
    return {sentence for sentence in sentences if sentence[1:].removesuffix(".") in summary}


def _points(checks: Sequence[Check], language: Language) -> list[Line]:
    """The subjects of the checks in one line."""
    names = capitalized(listed([check.point for check in checks])).read(language)
    return [(f"{names}.", tuple(check.code for check in checks))] if checks else []


def _others(brief: Brief) -> Iterator[Line]:
    """The other proposals, each with its lots, and with its procedure if that is not the first one's."""
    for proposal, procedure in zip(brief.division.proposals[1:], brief.other_procedures, strict=True):
        texts = [layout_summary(proposal), overview(proposal, "areas")]
        if procedure.code != brief.assessment.procedure.code:
            texts.append(tell("frame.other_procedure", procedure=uncapitalized(procedure.label)))
        yield f"{proposal.rank}. {join(texts).read(brief.language)}", (LAYOUT,)
