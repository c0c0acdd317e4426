"""Where an answer's facts come from: the sources that fed it, and what each dataset covers of its ground."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from land.partitions import is_demo
from land.registry import DATASETS, Dataset, Licence

CoverageStatus = Literal["covered", "partial", "loading", "not_published", "not_loaded", "not_covered"]
"""`not_published`: the publisher has none of it. `not_covered`: it is loaded, and cannot be read for this land."""


@dataclass(frozen=True)
class Edition:
    """One edition of a dataset over one unit, as it is loaded. `retrieved_at` is RFC 3339 UTC."""

    dataset: str
    unit: str
    edition: str
    retrieved_at: str
    url: str
    part: str = ""
    """Of the unit, where parts of it are published apart: the year of sales."""


@dataclass(frozen=True)
class Source:
    """What the licences ask to be said of a dataset in each answer that it feeds."""

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
    """Why it is not covered: the status itself; source_unavailable where the publisher failed; not_drawn where the land
    has no outline to look under; too_many where there is more than an answer holds.
    """


def sources_of(editions: Sequence[Edition]) -> list[Source]:
    """One source per dataset, in their given order, and another for the demo's; several editions of one are joined, the
    latest retrieval stands.
    """
    grouped: dict[tuple[str, bool], list[Edition]] = {}
    for edition in editions:
        grouped.setdefault((edition.dataset, is_demo(edition.unit)), []).append(edition)
    return [
        Source(
            id=dataset,
            edition=", ".join(dict.fromkeys(edition.edition for edition in group)),
            retrieved_at=max(edition.retrieved_at for edition in group),
            **(_of_demo(DATASETS[dataset].licence) if of_demo else DATASETS[dataset].licence)._asdict(),
        )
        for (dataset, of_demo), group in grouped.items()
    ]


def _of_demo(licence: Licence) -> Licence:
    """What is said of the demo's data, which is in the form of this dataset and from none of its publishers."""
    return Licence(
        publisher="Démonstration / Demo",
        dataset=f"{licence.dataset} (fictif / fictional)",
        licence="Données fictives, sans licence / Fictional data, no licence",
        attribution="Données fictives de démonstration / Fictional demo data",
        url="urn:landpartner:demo",
    )


def coverage_of(dataset: Dataset, communes: Sequence[str], editions: Sequence[Edition]) -> Coverage:
    """How much of these communes the loaded editions cover."""
    loaded = {edition.unit for edition in editions if edition.dataset == dataset.id}
    published = [code for code in communes if dataset.is_published(code)]
    if not published:
        return Coverage(dataset.id, "not_published", "not_published")
    covered = [code for code in published if dataset.code_of(code) in loaded]
    if not covered:
        return Coverage(dataset.id, "not_loaded", "not_loaded")
    if len(covered) < len(communes):
        return Coverage(dataset.id, "partial", "not_loaded" if len(covered) < len(published) else "not_published")
    return Coverage(dataset.id, "covered", None)
