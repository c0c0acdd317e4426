"""Addresses of fictional regions, and of a fictional country of any size. `fictional_regions.toml` has their words.

    python bench/fictional_regions.py REGION --communes 400 --to var/address-regions/REGION

The same arguments give the same bytes. The n-th commune has about 1/n of the addresses of the first, and at least 20.
A commune code has three digits after the department. Communes of regions other than the mainland, and those past the
998th, have a letter among the three.
"""

import argparse
import csv
import gzip
import io
import string
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import cycle, islice, product
from math import ceil
from pathlib import Path
from random import Random
from typing import Literal, get_args

from fictional_names import VOCABULARY, Vocabulary, street_names, words

from demoland import quarter, tables
from demoland.lots import BLOCK_HEIGHT_M, BLOCK_WIDTH_M
from demoland.model import DEPARTMENT, Address, Commune
from demoland.town import ADDRESSES_PER_BLOCK, Town, column_count

Region = Literal["mainland", "brittany", "alsace", "corsica", "overseas"]
ADDRESSES_PER_COMMUNE = 600
BLOCKS_PER_STREET = 3
BLOCKS_PER_SHORT_STREET = (1, 1, 2)
"""Blocks of a street in communes that have a letter in their code: their streets have 12 addresses on average."""
MARGIN_M = 800.0
"""Around a commune."""
NUMBERED_COMMUNES = 998
"""Codes 00001 to 00999 without that of the absorbed commune."""
_MAX_COMMUNES = 36_000
"""France has fewer. There are names for few more."""
_MIN_ADDRESSES = 20
_COMMUNES_PER_STEP = 1_600
"""Sizes are in proportion to 1/n, 1/(n+1) … where n grows by one for each 1,600 communes. Of 26 million addresses in
35,000 communes, the largest then has as many as Paris. With n = 1 it would have a tenth of them."""
_OTHER_REGIONS: tuple[Region, ...] = ("brittany", "alsace", "corsica", "overseas")
_COMMUNES_PER_TURN = 25
"""Each region other than the mainland has one commune in 25, after the numbered communes."""
_POSTCODES = [f"{start}{number:03}" for start in (DEPARTMENT, "96") for number in range(1000)]
"""No French postcode begins with these two digits."""
_FIRST_COMMON_SHARE, _LAST_COMMON_SHARE = 0.4, 0.1
"""Communes that have the first and the last of the common names."""
_OWN_NAMES = 6
_PEOPLE_SHARE = 0.5
"""Share of the other streets."""
_REGIONAL_SHARE = 0.6
"""Words drawn from the region's vocabulary. The others are the country's."""
_REPEATED_SHARE = 0.3
"""How often words that another street has are taken again. In Paris, 15 % of streets share their words with a street of
another kind."""
_MAX_DRAWS = 100_000
"""Several times the number of streets of the largest commune."""
_END_STEP = 5
"""Neighbouring communes have ends that lie this far apart in the list."""
_BASE_36 = string.digits + string.ascii_uppercase


@dataclass(frozen=True)
class Words:
    """The words of a region."""

    letter: str
    """The letter after the department in the region's commune codes. Empty for the mainland: its codes are digits."""
    commune_starts: tuple[str, ...]
    commune_ends: tuple[str, ...]
    common: tuple[str, ...]
    """Whole street names that many communes have, the most frequent first."""
    streets: Vocabulary
    commune_qualifiers: tuple[str, ...] = ("",)
    """Written before the start once every start has been combined with every end."""


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_OF_STREETS = ("kinds", "first_names", "family", "things", "regional")


def _words_of(region: Region) -> Words:
    """`mainland_common` of a table is the slice of the mainland's common names that follows the region's."""
    table = dict(_TABLES[region])
    letter, mainland_common = table.pop("letter"), slice(*table.pop("mainland_common", (0, 0)))
    lists = {name: words(value) for name, value in table.items()}
    lists["common"] += words(_TABLES["mainland"]["common"])[mainland_common]
    streets = VOCABULARY if region == "mainland" else Vocabulary(**{name: lists.pop(name) for name in _OF_STREETS})
    return Words(letter, streets=streets, **lists)


REGIONS: Mapping[Region, Words] = {region: _words_of(region) for region in get_args(Region)}
_ADDED = {name: words(value) for name, value in _TABLES["country"].items()}
COUNTRY = replace(
    REGIONS["mainland"],
    streets=replace(
        VOCABULARY,
        kinds=VOCABULARY.kinds + _ADDED["kinds"],
        first_names=VOCABULARY.first_names + _ADDED["first_names"],
        things=VOCABULARY.things + _ADDED["things"],
        family=_ADDED["family"],
    ),
)
"""The mainland with as many words as the names of a whole country have."""


@dataclass(frozen=True)
class SizedCommune:
    commune: Commune
    address_count: int
    words: Words


def write(folder: Path, communes: int, addresses: int, region: Region, seed: int = 1) -> Path:
    """Writes the addresses of the communes in the format of BAN. Raises ValueError for more communes than codes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"adresses-{DEPARTMENT}{REGIONS[region].letter}.csv.gz"
    with ExitStack() as stack:
        zipped = stack.enter_context(gzip.GzipFile("", "wb", 6, stack.enter_context(path.open("wb")), mtime=0))
        text = stack.enter_context(io.TextIOWrapper(zipped, encoding="utf-8", newline=""))
        out = csv.writer(text, delimiter=";", lineterminator="\n")
        out.writerow(tables.COLUMNS["ban"])
        for sized in sized_communes(communes, addresses, region):
            for group in _addresses(sized, seed):
                out.writerows(tables.ban_rows(sized.commune, group))
    return path


def _addresses(sized: SizedCommune, seed: int) -> Iterator[Sequence[Address]]:
    commune, random = sized.commune, Random(f"{seed} {sized.commune.code}")  # noqa: S311 (reproducible)
    names = realistic_street_names(sized.words, random)
    blocks_per_street = BLOCKS_PER_STREET if commune.code.isdigit() else random.choice(BLOCKS_PER_SHORT_STREET)
    address_count = sized.address_count
    if commune.code == quarter.COMMUNE.code:
        yield quarter.ADDRESSES
        address_count -= len(quarter.ADDRESSES)
    for row in Town(commune, address_count, names, blocks_per_street, random).rows():
        yield row.addresses


def sized_communes(count: int, address_count: int, region: Region) -> list[SizedCommune]:
    """`count` communes in rows from south to north, the first at (0, 0), with `address_count` addresses in all.

    Raises ValueError if the region has fewer codes.
    """
    available = _mainland() if region == "mainland" else _regional(region)
    named = list(islice(available, max(0, count)))
    if not named or len(named) < count:
        raise ValueError(f"communes: {count} is not between 1 and the {len(named):,} that {region} has codes for")
    counts = _address_counts(count, address_count)
    total_width = sum(east * north for east, north in map(_size_m, counts)) ** 0.5
    x = y = row_height = 0.0
    sized: list[SizedCommune] = []
    for (commune, words_), addresses in zip(named, counts, strict=True):
        width, height = _size_m(addresses)
        if sized and x > total_width:
            x, y, row_height = 0.0, y + row_height, 0.0
        sized.append(SizedCommune(replace(commune, origin=(x, y)), addresses, words_))
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


def _size_m(address_count: int) -> tuple[float, float]:
    """The size of a commune east and north, with its margin."""
    columns = column_count(address_count)
    rows = ceil(address_count / ADDRESSES_PER_BLOCK / columns * 1.3) + 2
    return columns * BLOCK_WIDTH_M + 2 * MARGIN_M, rows * BLOCK_HEIGHT_M + 2 * MARGIN_M


def _mainland() -> Iterator[tuple[Commune, Words]]:
    """The demo, then 997 communes of the mainland, then communes of all regions with a letter in their codes."""
    yield quarter.COMMUNE, COUNTRY
    numbers = (number for number in range(2, 1000) if f"{DEPARTMENT}{number:03}" != quarter.ABSORBED[0])
    for order, number in enumerate(numbers, 1):
        yield Commune(f"{DEPARTMENT}{number:03}", commune_name(order, COUNTRY), _postcode(number)), COUNTRY
    orders = dict.fromkeys(REGIONS, 0) | {"mainland": NUMBERED_COMMUNES - 1}
    codes = ("".join(signs) for signs in product(_BASE_36, repeat=3))
    lettered = islice((code for code in codes if not code.isdigit()), _MAX_COMMUNES - NUMBERED_COMMUNES)
    for number, (code, postcode) in enumerate(zip(lettered, cycle(_POSTCODES), strict=False)):
        turn = number % _COMMUNES_PER_TURN
        region: Region = _OTHER_REGIONS[turn] if turn < len(_OTHER_REGIONS) else "mainland"
        orders[region] += 1
        words_ = COUNTRY if region == "mainland" else REGIONS[region]
        yield Commune(f"{DEPARTMENT}{code}", commune_name(orders[region], words_), postcode), words_


def _regional(region: Region) -> Iterator[tuple[Commune, Words]]:
    """Up to 1,296 communes of one region. The last digit of their postcodes is the region's."""
    words_ = REGIONS[region]
    last_digit = list(REGIONS).index(region)
    for order, signs in enumerate(product(_BASE_36, repeat=2), 1):
        code = f"{DEPARTMENT}{words_.letter}{''.join(signs)}"
        yield Commune(code, commune_name(order, words_), _postcode(order, last_digit)), words_


def _postcode(order: int, last_digit: int = 0) -> str:
    """Each postcode has three communes or more."""
    return f"{DEPARTMENT}{(100 + order // 3 * 10) % 1000 + last_digit:03}"


def commune_name(order: int, words_: Words) -> str:
    """The name of a region's n-th commune, from 1. All names are different.

    Raises ValueError after the last combination.
    """
    starts, ends, qualifiers = words_.commune_starts, words_.commune_ends, words_.commune_qualifiers
    order_of_ends, start = divmod(order - 1, len(starts))
    qualifier, end = divmod(order_of_ends, len(ends))
    if qualifier >= len(qualifiers):
        raise ValueError(f"communes: no name is left for number {order:,}")
    return f"{qualifiers[qualifier]}{starts[start]}{ends[(end + start * _END_STEP) % len(ends)]}"


def realistic_street_names(words_: Words, random: Random) -> Iterator[str]:
    """Different street names without end, with words that are as frequent as in real ones.

    First come names that most communes share and a few of the region's own. Then come people and things, some of them
    often. Two streets of a commune rarely differ in their kind alone, as in Paris.
    """
    step = (_FIRST_COMMON_SHARE - _LAST_COMMON_SHARE) / (len(words_.common) - 1)
    familiar = [
        name for order, name in enumerate(words_.common) if random.random() < _FIRST_COMMON_SHARE - order * step
    ]
    familiar += random.sample(words_.streets.regional, _OWN_NAMES)
    random.shuffle(familiar)
    names = dict.fromkeys(familiar)
    yield from names
    taken: set[str] = set()
    for _ in range(_MAX_DRAWS):
        drawn = _drawn_words(words_.streets if random.random() < _REGIONAL_SHARE else COUNTRY.streets, random)
        name = f"{random.choice(words_.streets.kinds)} {drawn}"
        if name not in names and (drawn not in taken or random.random() < _REPEATED_SHARE):
            names[name] = None
            taken.add(drawn)
            yield name
    yield from (name for name in street_names(words_.streets, random, ()) if name not in names)


def _drawn_words(vocabulary: Vocabulary, random: Random) -> str:
    if random.random() < _PEOPLE_SHARE:
        return f"{_drawn(vocabulary.first_names, random)} {_drawn(vocabulary.family, random)}"
    return _drawn(vocabulary.things, random)


def _drawn(choice: Sequence[str], random: Random) -> str:
    """One of the words. The first ones are more frequent."""
    return choice[int(len(choice) * random.random() ** 2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("region", choices=get_args(Region))
    parser.add_argument("--to", type=Path, required=True, help="the folder of the file")
    parser.add_argument("--communes", type=int, default=1)
    parser.add_argument("--addresses", type=int, help="of all communes; 600 each by default")
    options = parser.parse_args()
    addresses = options.addresses or ADDRESSES_PER_COMMUNE * options.communes
    write(options.to, options.communes, addresses, options.region)


if __name__ == "__main__":
    main()
