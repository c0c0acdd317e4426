"""Sentences of an answer in lines and sections, with the words that they may have."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assistant.assessment import articles
from assistant.models.base import Passage
from assistant.text import Sentences, split_sentences

tell = Sentences("models/texts.toml")
Line = tuple[str, tuple[str, ...]]
"""A line of Markdown, and the codes of the checks and facts that it rests on."""


@dataclass
class Room:
    """The words that an answer may still have."""

    left: int

    def take(self, parts: Iterable[Passage | str]) -> None:
        text = "".join(part if isinstance(part, str) else part.text for part in parts)
        self.left -= len(text.split())


def fitting(
    detail: str, refs: tuple[str, ...], printed: set[str], room: Room, *, is_first: bool = False, is_card: bool = False
) -> str:
    """The first sentences that are not printed yet and fit, with the references that they state; empty if there are
    none. The first sentence fits if `is_first`. A card of law has the references of its sentences only.
    """
    kept: list[str] = []
    line = ""
    for sentence in split_sentences(detail):
        if sentence.strip() in printed:
            continue
        longer = "".join([*kept, sentence]).rstrip()
        longer = cited(longer, refs if is_card else articles.stated(longer, refs))
        if len(longer.split()) >= room.left and not (is_first and not kept):  # the line's dash counts as a word
            break
        kept.append(sentence)
        line = longer
    printed.update(sentence.strip() for sentence in kept)
    room.take(["- ", line] if line else [])
    return line


def cited(detail: str, refs: tuple[str, ...]) -> str:
    """The detail with its references before the last full stop. Articles of one code are grouped."""
    if not refs:
        return detail
    articles: dict[str, list[str]] = {}
    for ref in refs:
        work, _, article = ref.partition(", art. ")
        articles.setdefault(work, []).append(article)
    works = [
        f"{work}, art. {', '.join(articles_of_work)}" if articles_of_work[0] else work
        for work, articles_of_work in articles.items()
    ]
    cited = "\N{NARROW NO-BREAK SPACE}; ".join(works)
    return f"{detail.removesuffix('.')} ({cited})."


def as_section(heading: str, lines: Sequence[Line]) -> Iterator[Passage]:
    """The sentences of a section. The heading is part of the first one."""
    return as_passages(lines, f"\n### {heading}\n\n")


def as_passages(lines: Sequence[Line], lead: str = "") -> Iterator[Passage]:
    """The sentences of the lines. `lead` is part of the first one."""
    for line, codes in lines:
        for sentence in split_sentences(f"{line}\n"):
            yield Passage(f"{lead}{sentence}", codes)
            lead = ""
