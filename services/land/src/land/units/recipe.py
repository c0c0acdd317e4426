"""The recipe that every block of a land unit follows: the datasets, and what it computes of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from land.answers.provenance import Coverage
from land.answers.texts import AnswerWarning
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.units.site import Site

B = TypeVar("B")


@dataclass(frozen=True)
class Part(Generic[B]):
    """What one block adds to an answer."""

    block: B
    warnings: Sequence[AnswerWarning] = ()
    coverage: Sequence[Coverage] = ()
    """The coverage of datasets for which the block computes it."""
    loads: Sequence[Load] = ()
    """Loads that the block used in addition to those of the site."""
    has_failed: bool = False
    """The computation failed by a defect: the block is None, so unknown."""


Parts = Mapping[str, Part[Any]]
"""The parts of the recipes before, by name."""


@dataclass(frozen=True)
class Recipe:
    name: str
    datasets: Sequence[str]
    """Datasets whose coverage is stated, and which are cited as sources."""
    compute: Callable[[Reads, Site, Parts], Part[Any]]
    """Reads what the block needs, and makes the block of it."""
    unstated: Sequence[str] = ()
    """Datasets that are cited as sources, without their coverage."""
    needed_by: Collection[str] = ()
    """Blocks that need this one, also where it is not requested itself."""
    part_of: str = ""
    """The block that shows this one."""

    def is_needed(self, requested: Collection[str]) -> bool:
        return not {self.name, self.part_of, *self.needed_by}.isdisjoint(requested)
