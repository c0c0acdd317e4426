"""Which fictional communes a demo has: their codes, names, postcodes, sizes, and where they lie."""

import string
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, islice, product

from demoland import quarter
from demoland.model import DEPARTMENT, Commune
from demoland.names import commune_name
from demoland.town import MARGIN_M, size_m
from demoland.vocabularies import COUNTRY, VOCABULARIES, Region, Vocabulary

MAX_COMPLETE_COMMUNES = 998
"""Codes 00001 to 00999 without that of the absorbed commune."""
_MAX_COMMUNES = 36_000
"""France has fewer. There are names for few more."""
_MIN_ADDRESSES = 20
_COMMUNES_PER_STEP = 1_600
"""Sizes are in proportion to 1/n, 1/(n+1) … where n grows by one for each 1,600 communes. Of 26 million addresses in
35,000 communes, the largest then has as many as Paris. With n = 1 it would have a tenth of them."""
_OTHER_REGIONS: tuple[Region, ...] = ("brittany", "alsace", "corsica", "overseas")
_COMMUNES_PER_TURN = 25
"""Each region other than the mainland has one commune in 25, after the complete communes."""
_POSTCODES = [f"{start}{number:03}" for start in (DEPARTMENT, "96") for number in range(1000)]
"""No French postcode begins with these two digits."""
_BASE_36 = string.digits + string.ascii_uppercase


@dataclass(frozen=True)
class SizedCommune:
    commune: Commune
    address_count: int
    vocabulary: Vocabulary


def sized_communes(
    count: int, address_count: int, region: Region, mainland: Vocabulary = COUNTRY
) -> list[SizedCommune]:
    """`count` communes in rows from south to north, the first at (0, 0), with `address_count` addresses in all.

    `mainland` is the vocabulary of communes on the mainland.

    Raises ValueError if the region has fewer codes.
    """
    available = _mainland(mainland) if region == "mainland" else _regional(region)
    named = list(islice(available, max(0, count)))
    if not named or len(named) < count:
        raise ValueError(f"communes: {count} is not between 1 and the {len(named):,} that {region} has codes for")
    counts = _address_counts(count, address_count)
    total_width = sum(east * north for east, north in map(size_m, counts)) ** 0.5
    x = y = row_height = 0.0
    sized: list[SizedCommune] = []
    for (commune, vocabulary), addresses in zip(named, counts, strict=True):
        width, height = size_m(addresses)
        if sized and x > total_width:
            x, y, row_height = 0.0, y + row_height, 0.0
        sized.append(SizedCommune(replace(commune, origin=(x, y)), addresses, vocabulary))
        x += width
        row_height = max(row_height, height + MARGIN_M)
    return sized


def _address_counts(communes: int, addresses: int) -> list[int]:
    """Addresses of each commune, in proportion to 1, 1/2, 1/3 …"""
    first = 1 + communes // _COMMUNES_PER_STEP
    orders = range(first, first + communes)
    total = sum(1 / order for order in orders)
    other_sizes = [max(_MIN_ADDRESSES, int(addresses / total / order)) for order in orders[1:]]
    return [max(_MIN_ADDRESSES, addresses - sum(other_sizes)), *other_sizes]


def _mainland(mainland: Vocabulary) -> Iterator[tuple[Commune, Vocabulary]]:
    """The demo, then 997 communes of the mainland, then communes of all regions with a letter in their codes."""
    yield quarter.COMMUNE, mainland
    numbers = (number for number in range(2, 1000) if f"{DEPARTMENT}{number:03}" != quarter.ABSORBED[0])
    for order, number in enumerate(numbers, 1):
        yield Commune(f"{DEPARTMENT}{number:03}", commune_name(order, mainland), _postcode(number)), mainland
    orders = dict.fromkeys(VOCABULARIES, 0) | {"mainland": MAX_COMPLETE_COMMUNES - 1}
    codes = ("".join(signs) for signs in product(_BASE_36, repeat=3))
    lettered = islice((code for code in codes if not code.isdigit()), _MAX_COMMUNES - MAX_COMPLETE_COMMUNES)
    for number, (code, postcode) in enumerate(zip(lettered, cycle(_POSTCODES), strict=False)):
        turn = number % _COMMUNES_PER_TURN
        region: Region = _OTHER_REGIONS[turn] if turn < len(_OTHER_REGIONS) else "mainland"
        orders[region] += 1
        vocabulary = mainland if region == "mainland" else VOCABULARIES[region]
        yield Commune(f"{DEPARTMENT}{code}", commune_name(orders[region], vocabulary), postcode), vocabulary


def _regional(region: Region) -> Iterator[tuple[Commune, Vocabulary]]:
    """Up to 1,296 communes of one region. The last digit of their postcodes is the region's."""
    vocabulary = VOCABULARIES[region]
    last_digit = list(VOCABULARIES).index(region)
    for order, signs in enumerate(product(_BASE_36, repeat=2), 1):
        code = f"{DEPARTMENT}{vocabulary.letter}{''.join(signs)}"
        yield Commune(code, commune_name(order, vocabulary), _postcode(order, last_digit)), vocabulary


def _postcode(order: int, last_digit: int = 0) -> str:
    """Each postcode has three communes or more."""
    return f"{DEPARTMENT}{(100 + order // 3 * 10) % 1000 + last_digit:03}"
