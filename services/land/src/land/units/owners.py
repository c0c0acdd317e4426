"""Legal persons with rights on a land unit, by the yearly file of the land register."""

from collections.abc import Collection, Sequence

from land.answers.provenance import Coverage
from land.answers.texts import AnswerWarning, truncated, warning
from land.datasets.grouping import grouped
from land.datasets.owners.queries import has_owners, owners_on
from land.datasets.owners.records import REPRESENTATIVES, RIGHTS, OwnerRecord
from land.datasets.owners.registration import OWNERS
from land.store.cached_reads import Reads
from land.units.site import Site

MAX_OWNERS = 200
_DATASET = OWNERS.id
_RIGHT_ORDER = {code: (code in REPRESENTATIVES, place) for place, code in enumerate(RIGHTS)}


Owner = Sequence[OwnerRecord]
"""One right of one legal person, on each of its parcels."""


def read(reads: Reads, site: Site) -> tuple[Sequence[OwnerRecord], Collection[str]]:
    """The rights on the land unit, and the communes in which the loaded file names no legal person: it does not cover
    them.
    """
    if not site.has(_DATASET):
        return (), ()
    silent = [commune for commune in site.communes if not reads.cached(has_owners, commune)]
    return owners_on(reads.snapshot, [parcel.parcel_id for parcel in site.parcels]), silent


def owners_of(rights: Sequence[OwnerRecord]) -> Sequence[Owner]:
    """One item per holder and right with its parcels: owners first, representatives last, then by name."""
    groups = grouped(((right.right_code, right.holder), right) for right in rights).values()
    return sorted(
        groups, key=lambda of_one: (_RIGHT_ORDER[of_one[0].right_code], of_one[0].name or "", of_one[0].holder)
    )


def coverage_of(site: Site, silent: Collection[str]) -> Coverage:
    """As of the département's load, except that a commune without any row is not covered."""
    loaded = site.loads.coverage(_DATASET)
    if not silent or loaded.status not in ("covered", "partial"):
        return loaded
    return Coverage(_DATASET, "not_covered" if len(silent) == len(site.communes) else "partial", "not_covered")


def warnings(site: Site, owner_count: int, silent: Collection[str]) -> list[AnswerWarning]:
    silent_communes = [
        commune
        for commune in site.communes
        if commune in silent and site.loads.coverage(_DATASET, commune).status == "covered"
    ]
    return [
        *(warning("owners_not_covered", "land", commune=commune) for commune in silent_communes),
        *truncated("owners_truncated", "land", owner_count, MAX_OWNERS),
    ]
