"""Which fictional communes there are: their codes, names, postcodes and sizes, and where they lie on the board."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, islice, product

from demoland import quarter
from demoland.cases import COMMUNE
from demoland.names import commune_name
from demoland.plan import DEPARTMENT, Commune
from demoland.settlement import MARGIN_M, size_m
from demoland.vocabularies import COUNTRY, VOCABULARIES, Region, Vocabulary

MAX_WHOLE_COMMUNES = 998
"""Codes 00001 to 00999 without that of the commune that the first one absorbed."""
MAX_COMMUNES = 36_000
"""France has fewer, and soon after, names run out."""
_LEAST_ADDRESSES = 20
_COMMUNES_PER_STEP = 1_600
"""The sizes of so many communes more begin one step later in 1, 1/2, 1/3 …: else the largest of 35,000 would have a
tenth of all addresses. With 26 million over 35,000 it has as many as Paris."""
_OTHER_REGIONS: tuple[Region, ...] = ("brittany", "alsace", "corsica", "overseas")
_COMMUNES_PER_TURN = 25
"""Of so many communes with a letter in their codes, where no region is asked for, one lies in each other region."""
_POSTCODES = [f"{start}{number:03}" for start in (DEPARTMENT, "96") for number in range(1000)]
"""No French postcode begins with these two digits."""
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Place:
    commune: Commune
    addresses: int
    vocabulary: Vocabulary


def places(communes: int, addresses: int, region: Region, *, is_varied: bool = True) -> list[Place]:
    """So many communes side by side in rows on the board, the first at its origin, with so many addresses in all.
    The mainland's streets have the words of a country where `is_varied`, else those of the demo.

    Raises ValueError where there are not so many codes.
    """
    all_of_them = _mainland(is_varied=is_varied) if region == "mainland" else _regional(region)
    settled = list(islice(all_of_them, max(0, communes)))
    if not settled or len(settled) < communes:
        raise ValueError(f"communes: {communes} is not between 1 and the {len(settled):,} that {region} has codes for")
    sizes = _sizes(communes, addresses)
    board_width = sum(east * north for east, north in map(size_m, sizes)) ** 0.5
    x = y = row_height = 0.0
    found: list[Place] = []
    for (commune, vocabulary), size in zip(settled, sizes, strict=True):
        width, height = size_m(size)
        if found and x > board_width:
            x, y, row_height = 0.0, y + row_height, 0.0
        found.append(Place(replace(commune, origin=(x, y)), size, vocabulary))
        x += width
        row_height = max(row_height, height + MARGIN_M)
    return found


def _sizes(communes: int, addresses: int) -> list[int]:
    """Addresses of each commune, as 1, 1/2, 1/3 … of the largest."""
    first = 1 + communes // _COMMUNES_PER_STEP
    orders = range(first, first + communes)
    whole = sum(1 / order for order in orders)
    others = [max(_LEAST_ADDRESSES, int(addresses / whole / order)) for order in orders[1:]]
    return [max(_LEAST_ADDRESSES, addresses - sum(others)), *others]


def _mainland(*, is_varied: bool) -> Iterator[tuple[Commune, Vocabulary]]:
    """The demo, 997 more of the mainland, then some of everywhere."""
    mainland = COUNTRY if is_varied else VOCABULARIES["mainland"]
    yield COMMUNE, mainland
    numbers = (number for number in range(2, 1000) if f"{DEPARTMENT}{number:03}" != quarter.ABSORBED[0])
    for order, number in enumerate(numbers, 1):
        postcode = f"{DEPARTMENT}{(100 + number // 3 * 10) % 1000:03}"
        yield Commune(f"{DEPARTMENT}{number:03}", commune_name(order, mainland), postcode), mainland
    orders = dict.fromkeys(VOCABULARIES, 0) | {"mainland": MAX_WHOLE_COMMUNES - 1}
    codes = ("".join(signs) for signs in product(_DIGITS, repeat=3))
    lettered = islice((code for code in codes if not code.isdigit()), MAX_COMMUNES - MAX_WHOLE_COMMUNES)
    for number, (code, postcode) in enumerate(zip(lettered, cycle(_POSTCODES), strict=False)):
        turn = number % _COMMUNES_PER_TURN
        region: Region = _OTHER_REGIONS[turn] if turn < len(_OTHER_REGIONS) else "mainland"
        orders[region] += 1
        vocabulary = mainland if region == "mainland" else VOCABULARIES[region]
        yield Commune(f"{DEPARTMENT}{code}", commune_name(orders[region], vocabulary), postcode), vocabulary


def _regional(region: Region) -> Iterator[tuple[Commune, Vocabulary]]:
    """Up to 1,296 of one region, with postcodes that no other has, several communes to each."""
    vocabulary = VOCABULARIES[region]
    last_digit = list(VOCABULARIES).index(region)
    for order, signs in enumerate(product(_DIGITS, repeat=2), 1):
        postcode = f"{DEPARTMENT}{(100 + order // 3 * 10) % 1000 + last_digit:03}"
        code = f"{DEPARTMENT}{vocabulary.letter}{''.join(signs)}"
        yield Commune(code, commune_name(order, vocabulary), postcode), vocabulary
