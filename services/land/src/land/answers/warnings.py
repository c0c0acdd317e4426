"""The warnings of answers. Their sentences stand in contract/texts/answers.toml, beside what to do about them."""

from collections.abc import Mapping
from dataclasses import dataclass

from contract.dictionary import read_texts
from land.answers.texts import fill
from servicekit.languages import Text


@dataclass(frozen=True)
class AnswerWarning:
    code: str
    detail: Text
    block: str | None = None
    """The part of the answer that the warning is about; None for all of it."""


def warning(code: str, block: str | None = None, **values: object) -> AnswerWarning:
    return AnswerWarning(code, fill(WARNINGS[code], **values), block)


WARNINGS: Mapping[str, Text] = {
    code: Text(**texts["detail"])
    for code, texts in read_texts("answers")["value"]["warning"].items()
    if "detail" in texts
}
"""Every warning of an answer, by code, with the values that it needs."""
