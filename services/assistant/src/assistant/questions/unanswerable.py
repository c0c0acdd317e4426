"""The questions that no fact answers, by intent: why not, and whom to ask. unanswerable.toml has the texts."""

from collections.abc import Mapping
from typing import NamedTuple

from assistant.questions.replies import Gap
from assistant.text import read_table
from servicekit.languages import Text


class Refusal(NamedTuple):
    heading: Text
    gap: Gap


UNANSWERABLE: Mapping[str, Refusal] = {
    intent: Refusal(Text(*entry["heading"]), Gap(Text(*entry["reason"]), Text(*entry["ask"])))
    for intent, entry in read_table("questions/unanswerable.toml").items()
}
