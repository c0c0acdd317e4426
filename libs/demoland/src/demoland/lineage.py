"""Documents of lineage: which parcels became which."""

from collections.abc import Iterator, Sequence

from demoland import quarter
from demoland.model import DEPARTMENT


def _lines(number: int, mothers: Sequence[str], daughters: Sequence[str], day: str) -> Iterator[str]:
    """The two lines of a document with one lot."""
    commune, prefix = quarter.COMMUNE.code[2:], quarter.BACKLAND[5:8]
    for kind, ids in enumerate((mothers, daughters), 1):
        cells = "".join(f"{parcel_id[8:]};" for parcel_id in ids)
        yield f"{DEPARTMENT:0<3};{commune};{prefix};{number:07};5;{day};{'X' * 30};XNUMX;00001;{kind};{cells}\n"


QUARTER_LINES = (
    *_lines(1, (quarter.RETIRED,), (quarter.DECLARED_LEFT, quarter.DECLARED_RIGHT), "20211014"),
    *_lines(2, (), (quarter.BACKLAND,), "19980302"),
)
