"""The words with which people ask for an intent, from its phrasings: an ask with others asks for something else."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain

from assistant.law.finder import meanings
from assistant.text import read_table

_MANY_INTENTS = 12
"""A word of so many intents, such as "terrain", may stand in an ask for any."""


def foreign_count(text: str, intents: Iterable[str]) -> int:
    """How many words with a meaning the text has that nobody uses to ask for these intents."""
    known = frozenset().union(*(_vocabularies().get(intent, frozenset()) for intent in ("", *intents)))
    return sum(known.isdisjoint(terms) for terms in dict.fromkeys(meanings(text)))


@cache
def _vocabularies() -> Mapping[str, frozenset[str]]:
    """The terms of each intent, and under the empty name those of many intents."""
    vocabularies = {
        intent: frozenset(chain.from_iterable(chain.from_iterable(map(meanings, chain(*texts.values())))))
        for intent, texts in read_table("questions/phrasings.toml").items()
    }
    counts = Counter(chain.from_iterable(vocabularies.values()))
    return {**vocabularies, "": frozenset(term for term, count in counts.items() if count >= _MANY_INTENTS)}
