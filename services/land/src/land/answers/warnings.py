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
    dataset: str | None = None
    """The dataset that the warning is about."""
    retry: bool | None = None
    """Whether the same request may have the dataset later; None without a dataset."""


def warning(code: str, block: str | None = None, dataset: str | None = None, **values: object) -> AnswerWarning:
    declared = _DECLARED[code]
    about = dataset or declared.get("dataset")
    retry = declared.get("retry", False) if about else None
    return AnswerWarning(code, fill(WARNINGS[code], dataset=about, **values), block, about, retry)


def truncated(code: str, block: str, count: int, limit: int) -> list[AnswerWarning]:
    """The warning that an answer has only the first ones, if there are more than the limit."""
    return [warning(code, block, limit=limit)] if count > limit else []


_DECLARED = {code: texts for code, texts in read_texts("answers")["value"]["warning"].items() if "detail" in texts}
WARNINGS: Mapping[str, Text] = {code: Text(**texts["detail"]) for code, texts in _DECLARED.items()}
"""Every warning of an answer, by code, with the values that it needs."""
