"""Finds the commune of a street that is named without a place, if the whole country has one street of that name."""

from collections.abc import Iterator
from dataclasses import replace

from land.addresses.gazetteer import Gazetteer
from land.addresses.model import AddressQuery, Scope
from land.addresses.normalise import STREET_TYPE_WORDS
from land.addresses.parsing import street_names
from land.addresses.resolver import AddressIndex, AddressMatch, resolve
from land.addresses.street_starts import MAX_LENGTH, TIERS, content_of
from land.addresses.words import STOP_WORDS
from land.datasets.addresses.street_queries import communes_with_start
from land.datasets.partitions import is_demo
from land.store.snapshot import Snapshot

MAX_NAMES = 8
"""Readings of a query whose street is looked up."""
MAX_ROWS = 64
"""Streets that start with the same words. A name with more of them is taken as frequent."""
_NO_NAME = STREET_TYPE_WORDS | STOP_WORDS


def resolve_unique(query: AddressQuery, scope: Scope, index: AddressIndex, snapshot: Snapshot) -> AddressMatch | None:
    """The address of a query that names no place, if one commune of the country has a street with exactly its name.

    The caller checks that the whole country is loaded. Reads at most MAX_ROWS rows of a database index for each name.
    """
    code = _commune_of(query, scope, index, snapshot)
    match = resolve(replace(query, city_code=code), index) if code else None
    if match is None:
        return None
    return replace(match, address=replace(match.address, matched=replace(match.address.matched, city_code=None)))


def _commune_of(query: AddressQuery, scope: Scope, index: AddressIndex, snapshot: Snapshot) -> str | None:
    for name in _names(query, index.gazetteer):
        start = " ".join(content_of(name.split()))[:MAX_LENGTH]
        codes = communes_with_start(snapshot, start, range(len(TIERS) + 1), MAX_ROWS + 1)
        if len(codes) > MAX_ROWS:
            return None
        communes = sorted({code for code in codes if is_demo(code) == (scope == "demo")})
        having = [
            code
            for code, street_index in zip(communes, index.streets(communes), strict=True)
            if street_index.find_exact(name)
        ]
        if having:
            return having[0] if len(having) == 1 else None
    return None


def _names(query: AddressQuery, gazetteer: Gazetteer) -> Iterator[str]:
    """Canonical names that have more than a street type, each once, the most literal first."""
    names = list(street_names(query, gazetteer))
    names += [name.rpartition(" ")[0] for name in names]  # before the name of a quarter
    named = (name for name in names if not _NO_NAME.issuperset(name.split()))
    return iter(list(dict.fromkeys(named))[:MAX_NAMES])
