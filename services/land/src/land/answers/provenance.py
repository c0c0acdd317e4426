"""The origin of an answer's facts: its sources, and how much of its land each dataset covers."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from land.answers.texts import AnswerWarning
from land.datasets.addresses.registration import BAN, LOCALITIES
from land.datasets.communes.registration import COMMUNE_LISTS
from land.datasets.dataset import Licence
from land.datasets.grouping import grouped
from land.datasets.parcels.registration import PARCELS
from land.datasets.partitions import COUNTRY, codes_of, is_demo
from land.datasets.permits.queries import FILING_COMMUNES
from land.datasets.permits.registration import PERMITS
from land.registry import DATASETS
from land.store import loads
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.store.snapshot import Snapshot

_LISTS_OF: Mapping[str, Sequence[str]] = {"locality": (LOCALITIES.id,), "municipality": COMMUNE_LISTS}
"""What addresses of a type are from, beside the numbered addresses."""
CoverageStatus = Literal["covered", "partial", "loading", "not_published", "not_loaded", "not_covered"]
"""`not_published`: the publisher has none of it. `not_covered`: it is loaded, and cannot be read for this land."""


@dataclass(frozen=True)
class Source:
    """What the licences require of each answer that uses a dataset."""

    id: str
    publisher: str
    dataset: str
    edition: str
    retrieved_at: str
    licence: str
    attribution: str
    url: str


@dataclass(frozen=True)
class Coverage:
    dataset: str
    status: CoverageStatus
    reason: str | None
    """Why it is not covered: the status itself, or one of these. source_unavailable: the publisher failed. not_drawn:
    the land has no outline. too_many: there is more than an answer holds. part_failed: a defect stopped its part.
    """


@dataclass(frozen=True, kw_only=True)
class Stated:
    """An answer with what it states of its facts."""

    coverage: Sequence[Coverage] = ()
    sources: Sequence[Source] = ()
    warnings: Sequence[AnswerWarning] = ()


def sources_of(loads: Sequence[Load]) -> list[Source]:
    """One source per dataset, in the order of the loads, and a separate one for the demo's data. It lists all editions
    and has the latest retrieval.
    """
    groups = grouped(((load.dataset, is_demo(load.partition.code)), load) for load in loads)
    return [
        Source(
            id=dataset,
            edition=", ".join(dict.fromkeys(load.edition for load in group)),
            retrieved_at=max(load.retrieved_at for load in group),
            **(_of_demo(DATASETS[dataset].licence) if of_demo else DATASETS[dataset].licence)._asdict(),
        )
        for (dataset, of_demo), group in groups.items()
    ]


def _of_demo(licence: Licence) -> Licence:
    """The demo's data has the form of this dataset and is from none of its publishers."""
    return Licence(
        publisher="Démonstration / Demo",
        dataset=f"{licence.dataset} (fictif / fictional)",
        licence="Données fictives, sans licence / Fictional data, no licence",
        attribution="Données fictives de démonstration / Fictional demo data",
        url="urn:landpartner:demo",
    )


@dataclass(frozen=True)
class CommuneLoads:
    """The loads with rows of some communes, and what answers state of them."""

    communes: Sequence[str]
    all: Sequence[Load]

    def coverage(self, name: str, commune: str = "") -> Coverage:
        """How much of these communes, or of one of them, the loads of a dataset cover."""
        dataset, communes = DATASETS[name], (commune,) if commune else self.communes
        loaded = {load.partition.code for load in self.all if load.dataset == name}
        published = [code for code in communes if dataset.is_published(code)]
        if not published:
            return Coverage(name, "not_published", "not_published")
        covered = [code for code in published if dataset.code_of(code) in loaded]
        if not covered:
            return Coverage(name, "not_loaded", "not_loaded")
        if len(covered) < len(communes):
            return Coverage(name, "partial", "not_loaded" if len(covered) < len(published) else "not_published")
        return Coverage(name, "covered", None)

    def sources(self, unused: Set[str]) -> Sequence[Source]:
        """The sources, except these datasets."""
        return sources_of([load for load in self.all if load.dataset not in unused])


def loads_of(snapshot: Snapshot, communes: Sequence[str]) -> CommuneLoads:
    """What is loaded with rows of these communes, except what blocks state themselves, such as planning documents."""
    own_partitions = {
        (dataset.id, dataset.code_of(commune))
        for dataset in DATASETS.values()
        if not dataset.is_stated_by_blocks
        for commune in communes
    }
    filed = FILING_COMMUNES.values(snapshot, {"communes": list(communes)})
    own_partitions |= {(dataset, commune) for dataset in PERMITS for commune in filed}
    commune_loads = loads.of_partitions(snapshot, sorted(set(filed).union(*map(codes_of, communes))))
    return CommuneLoads(
        communes, [load for load in commune_loads if (load.dataset, load.partition.code) in own_partitions]
    )


def address_loads(reads: Reads, commune: str, kind: str = "") -> list[Load]:
    """The loads that an address of the commune is from, and that of its plan."""
    lists = _LISTS_OF.get(kind, ())
    used = {BAN.id, PARCELS.id, *lists}
    national = reads.cached(loads.of_partitions, (COUNTRY,)) if lists and not is_demo(commune) else ()
    return [load for load in (*reads.cached(loads_of, (commune,)).all, *national) if load.dataset in used]


def has_plan(reads: Reads, commune: str) -> bool:
    """Whether the commune's plan is loaded."""
    return any(load.dataset == PARCELS.id for load in address_loads(reads, commune))
