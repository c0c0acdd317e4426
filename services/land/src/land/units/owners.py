"""Legal persons with rights on a land unit, by the yearly file of the land register."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from land.answers.provenance import Coverage
from land.answers.warnings import AnswerWarning, warning
from land.datasets.owners.queries import has_owners, owners_on
from land.datasets.owners.records import GROUPS, PUBLIC_GROUPS, REPRESENTATIVES, RIGHTS, OwnerRecord
from land.datasets.owners.registration import OWNERS
from land.store.cached_reads import Reads
from land.units.site import Site

MAX_OWNERS = 200
_DATASET = OWNERS.id
_RIGHT_ORDER = {code: (code in REPRESENTATIVES, place) for place, code in enumerate(RIGHTS)}


@dataclass(frozen=True)
class Owner:
    """One right of one legal person."""

    name: str | None
    siren: str | None
    legal_form_code: str | None
    legal_form: str | None
    group_code: str | None
    group_label: str | None
    right_code: str
    right_label: str
    is_public: bool
    parcel_ids: tuple[str, ...]


@dataclass(frozen=True)
class OwnerFacts:
    rights: Sequence[OwnerRecord]
    silent_communes: Collection[str]
    """Communes in which the loaded file names no legal person: it does not cover them."""


def read(reads: Reads, site: Site) -> OwnerFacts:
    if not site.has(_DATASET):
        return OwnerFacts((), ())
    silent = [commune for commune in site.communes if not reads.cached(has_owners, commune)]
    return OwnerFacts(owners_on(reads.snapshot, [parcel.parcel_id for parcel in site.parcels]), silent)


def owners_of(rights: Sequence[OwnerRecord]) -> list[Owner]:
    """One item per holder and right with its parcels: owners first, representatives last, then by name."""
    parcels: dict[tuple[str, str], list[OwnerRecord]] = {}
    for right in rights:
        parcels.setdefault((right.right_code, right.holder), []).append(right)
    groups = sorted(
        parcels.items(), key=lambda item: (_RIGHT_ORDER[item[0][0]], item[1][0].name or "", item[1][0].holder)
    )
    return [_owner(records) for _, records in groups]


def _owner(records: Sequence[OwnerRecord]) -> Owner:
    first = records[0]
    return Owner(
        name=first.name,
        siren=first.siren,
        legal_form_code=first.legal_form_code,
        legal_form=first.legal_form,
        group_code=first.group_code,
        group_label=GROUPS.get(first.group_code or ""),
        right_code=first.right_code,
        right_label=RIGHTS[first.right_code],
        is_public=first.group_code in PUBLIC_GROUPS,
        parcel_ids=tuple(record.parcel_id for record in records),
    )


def coverage_of(site: Site, silent: Collection[str]) -> Coverage:
    """As of the département's load, except that a commune without any row is not covered."""
    loaded = site.loads.coverage(_DATASET)
    if not silent or loaded.status not in ("covered", "partial"):
        return loaded
    return Coverage(_DATASET, "not_covered" if len(silent) == len(site.communes) else "partial", "not_covered")


def warnings(site: Site, owner_count: int, silent: Collection[str]) -> list[AnswerWarning]:
    owner_warnings = [
        warning("owners_not_covered", "land", commune=commune)
        for commune in site.communes
        if commune in silent and site.loads.coverage(_DATASET, commune).status == "covered"
    ]
    if owner_count > MAX_OWNERS:
        owner_warnings.append(warning("owners_truncated", "land", limit=MAX_OWNERS))
    return owner_warnings
