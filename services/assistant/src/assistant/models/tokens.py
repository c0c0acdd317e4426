"""Estimates tokens for servers that do not report them."""

import re

_LONG = 6
"""Letters of a word that common tokenizers have as one token."""
_WEIGHTS = (
    (re.compile(r"[^\W\d_]+"), 1.0),
    (re.compile(rf"(?<=[^\W\d_]{{{_LONG}}})[^\W\d_]"), 0.1),
    (re.compile(r"(?![a-zA-Z])[^\W\d_]"), 1.1),
    (re.compile(r"\d{1,3}"), 1.8),
    (re.compile(r"[^\w\s]+|_"), 1.1),
    (re.compile(r"\n+"), -0.5),
)
"""What each match adds to the number of tokens: a word, a letter after the sixth of a word, a letter that is not ASCII,
up to three digits, a run of punctuation, and a run of line ends. Fitted to French and English prompts, texts and JSON
with cl100k and Tekken, whose counts differ by up to 7 %.
"""


def estimate_tokens(text: str) -> int:
    """Returns about as many tokens as common tokenizers make of a text: within 5 % over several calls."""
    return max(0, round(sum(weight * sum(1 for _ in pattern.finditer(text)) for pattern, weight in _WEIGHTS)))
