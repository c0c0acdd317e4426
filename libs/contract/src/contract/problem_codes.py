"""The codes of the problems that the edge answers, with their HTTP statuses and their texts, from texts/problems.toml.

Keys denies requests with some of these codes, and counts requests by all of them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from contract.dictionary import read_texts
from servicekit.languages import Text


class ProblemType(NamedTuple):
    status: int
    title: Text
    detail: Text | None = None
    """The sentence of a denial, or of a failed call to another service. Other problems have a detail of their own."""
    is_retried: bool = False
    """Whether the answer always has Retry-After."""


_TABLES = read_texts("problems")
PROBLEMS: Mapping[str, ProblemType] = {
    code: ProblemType(
        problem["status"],
        Text(**problem["title"]),
        Text(**problem["detail"]) if "detail" in problem else None,
        problem.get("is_retried", False),
    )
    for code, problem in _TABLES["value"]["problem"].items()
}
_DENIALS: Mapping[str, Text] = {code: Text(**texts) for code, texts in _TABLES["denial"].items()}
_ALLOWANCES: Mapping[str, Text] = {name: Text(**texts) for name, texts in _TABLES["allowance"].items()}


def denial_detail(code: str, facts: Mapping[str, str]) -> Text | None:
    """The sentence of a denial, with its facts if keys sent all that the sentence needs.

    Returns None if this is not the code of a denial.
    """
    sentence = _DENIALS.get(f"{code}/{facts['subject']}" if "subject" in facts else code)
    if sentence is None:
        return PROBLEMS[code].detail
    values: dict[str, object] = dict(facts)
    if "units" in facts:
        plural = "" if facts["units"] == "1" else "s"
        values["units"] = Text(f"{facts['units']} unité{plural}", f"{facts['units']} unit{plural}")
    if "cap" in facts:
        values["cap"] = Text(facts["cap"].replace(".", ","), facts["cap"])
    try:
        if "of" in facts:
            values["of"] = _ALLOWANCES[facts["of"]]
        return sentence.format(**values)
    except KeyError:
        return PROBLEMS[code].detail
