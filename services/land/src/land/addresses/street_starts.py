"""The places in a street's names where a search may start, for texts that are being typed.

"Avenue du Général Leclerc" starts at "general leclerc" and at "leclerc". Type and stop words are left out.
"""

from collections.abc import Iterable, Iterator, Sequence

from land.addresses.words import STOP_WORDS, type_of
from land.datasets.addresses.records import NamedStreet, StreetStart

MAX_STARTS = 3
"""The most starts of one name."""
MAX_LENGTH = 40
MIN_WORD = 3
"""Shorter words start only at the beginning of a name."""
TIERS = (3_000_000, 300_000, 30_000)
"""The least size of a street in each tier but the last. A size is the addresses of the street, times those of the
city. A tier has some ten times as many streets as the one before.
"""
_ARRONDISSEMENTS = {"751": 20, "693": 9, "132": 16}
"""The number of arrondissements of a city, by the start of their codes. The addresses of one arrondissement are about
this part of the city's.
"""


def street_starts(streets: Iterable[NamedStreet], commune_addresses: int) -> Iterator[StreetStart]:
    """Each start of each street once. `commune_addresses` is the number of addresses of the commune."""
    for named in streets:
        parts = _ARRONDISSEMENTS.get(named.street.commune_code[:3], 1)
        size = named.street.address_count * commune_addresses * parts
        tier = next((tier for tier, least in enumerate(TIERS) if size >= least), len(TIERS))
        starts: dict[str, str] = {}
        for name in named.search_names:
            words = name.split()
            for start in _starts(content_of(words)):
                starts.setdefault(start, type_of(words))
        for start, kind in starts.items():
            yield StreetStart(start, named.street.id, kind, tier)


def content_of(words: Sequence[str]) -> list[str]:
    """The words of a canonical name without its type and stop words, or all of them if nothing is left."""
    content = [word for word in (words[1:] if type_of(words) else words) if word not in STOP_WORDS]
    return content or list(words)


def _starts(content: Sequence[str]) -> Iterator[str]:
    later = [at for at in range(1, len(content)) if len(content[at]) >= MIN_WORD and not content[at].isdigit()]
    for at in (0, *later[: MAX_STARTS - 1]):
        yield " ".join(content[at:])[:MAX_LENGTH]
