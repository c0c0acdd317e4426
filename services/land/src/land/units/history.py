"""History of a land unit: permits and sales, what its parcels come from, and how their sections were divided."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

import shapely

from land.answers.texts import AnswerWarning, warning
from land.datasets.lineage.queries import has_lineage, lots_of, lots_of_section
from land.datasets.lineage.records import documented_changes
from land.datasets.lineage.registration import DFI
from land.datasets.parcels.queries import (
    areas_in_section,
    first_compared_edition,
    retired_in_section,
)
from land.datasets.parcels.records import ParcelRecord, RetiredParcelRecord
from land.datasets.parcels.registration import PARCELS
from land.datasets.parcels.succession import Lineage, shown_changes
from land.datasets.partitions import department_of
from land.datasets.permits.queries import ambiguous_permit_count, permits_on, permits_on_former, placements_in
from land.datasets.permits.records import PermitRecord
from land.datasets.permits.registration import PERMITS
from land.datasets.sales.queries import sales_on
from land.datasets.sales.records import Sale
from land.datasets.sales.registration import DVF, DVF_ARCHIVE, SALE_DATASETS
from land.sources.values import is_date
from land.store.cached_reads import Reads
from land.store.snapshot import Snapshot
from land.units.real_estate import Reading, units_ambiguous
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site
from land.units.succession import MAX_GENERATIONS

DATASETS = (DVF.id, *PERMITS)
MAX_FORMER = 200
"""Former parcels of one answer."""
SECTION = 10
"""The characters of a parcel's id that stand for its section."""
PlacedPermit = tuple[str, PermitRecord]
"""The id of the parcel that a permit is on, and the permit."""


@dataclass(frozen=True)
class SectionDivisions:
    """The divisions of a section in one year."""

    section: str
    """Commune, prefix and section, as in the ids of parcels."""
    year: str
    division_count: int
    parcel_count: int
    """The parcels that they made."""
    min_area_m2: float | None
    """Of the parcels that they made and that still exist."""
    median_area_m2: float | None
    max_area_m2: float | None


@dataclass(frozen=True)
class FormerParcel:
    """A parcel that selected ones come from, with what happened on it."""

    parcel_id: str
    sales: tuple[Sale, ...]
    authorizations: tuple[PlacedPermit, ...]


@dataclass(frozen=True)
class History:
    sales: tuple[Sale, ...]
    authorizations: tuple[PlacedPermit, ...]
    lineage: tuple[Lineage, ...] = ()
    former: tuple[FormerParcel, ...] = ()
    """Parcels that the land comes from, if something happened on them."""
    is_lineage_known: bool = False
    divisions: tuple[SectionDivisions, ...] = ()


def compute(reads: Reads, site: Site, _: Parts) -> Part[History]:
    """Reads no table that has no rows of these communes."""
    parcel_ids = [record.parcel_id for record in site.parcels]
    snapshot, placements = reads.snapshot, reads.cached(placements_in, site.communes)
    sales = sales_on(snapshot, parcel_ids) if site.has(*SALE_DATASETS) else ()
    permits = permits_on(snapshot, parcel_ids) if any(placement.placed for placement in placements) else ()
    past, warnings = _lineage(reads, site), sale_warnings(site, sales)
    if any(placement.ambiguous for placement in placements) and (count := ambiguous_permit_count(snapshot, parcel_ids)):
        warnings.append(warning("authorization_ambiguous", "history", count=count))
    retired = sorted((item.commune_code, item.retired) for item in placements if item.retired)
    warnings += [
        *(warning("authorization_retired", "history", commune=commune, count=count) for commune, count in retired),
        *(
            warning("dataset_not_covered", "history", dataset=dataset)
            for dataset in DATASETS
            if site.loads.coverage(dataset).status != "covered"
        ),
    ]
    if site.has(DVF.id) and not past.is_lineage_known:
        warnings.append(warning("lineage_unknown", "history"))
    return Part(replace(past, sales=tuple(sales), authorizations=tuple(authorizations(permits))), warnings)


RECIPE = Recipe("history", (*DATASETS, DFI.id), compute, (DVF_ARCHIVE.id,), ("real_estate",))


def authorizations(permits: Sequence[PlacedPermit]) -> list[PlacedPermit]:
    """One item per permit and parcel, newest first.

    A project with dwellings and other premises is in two files under one number, and is one permit. Each field is
    taken from the dwellings' file; if it has no value there, from the other one.
    """
    merged: dict[tuple[str, str, str], PermitRecord] = {}
    for parcel_id, permit in permits:
        key = (parcel_id, permit.series, permit.number)
        merged[key] = _filled(merged[key], permit) if key in merged else permit
    items = [(parcel_id, permit) for (parcel_id, *_), permit in merged.items()]
    items.sort(key=lambda item: (item[0], item[1].number))
    items.sort(key=lambda item: item[1].date_reelle_autorisation or "", reverse=True)
    return items


def _filled(permit: PermitRecord, other: PermitRecord) -> PermitRecord:
    """The permit, with the other one's values for facts that it does not have."""
    return PermitRecord._make(mine if mine is not None else its for mine, its in zip(permit, other, strict=True))


def sale_warnings(site: Site, sales: Sequence[Sale]) -> list[AnswerWarning]:
    """Warns of a price that covers several parcels, of a former parcel id, and of identical rows that may be several
    units.
    """
    warnings: dict[tuple[str, str], AnswerWarning] = {}
    selected = set(site.selected)
    for sale in sales:
        if sale.parcel_count > 1:
            multiple = warning(
                "sale_multiple_parcels", "history", id_mutation=sale.id_mutation, count=sale.parcel_count
            )
            warnings.setdefault((multiple.code, sale.id_mutation), multiple)
        if sale.id_parcelle not in selected:
            former = warning(
                "sale_former_parcel", "history", id_mutation=sale.id_mutation, parcel_id=sale.ancien_id_parcelle
            )
            warnings.setdefault((former.code, sale.id_mutation), former)
        ambiguous = units_ambiguous(sale.id_mutation, [sale.id_parcelle], _readings(sale), "history")
        if ambiguous:
            warnings[ambiguous.code, f"{sale.id_mutation} {sale.id_parcelle}"] = ambiguous
    return list(warnings.values())


def _readings(sale: Sale) -> list[Reading]:
    return [
        ("units", sale.unit_count, sale.unfolded_unit_count),
        ("built", sale.surface_reelle_bati, sale.unfolded_surface_reelle_bati),
        ("rooms", sale.nombre_pieces_principales, sale.unfolded_nombre_pieces_principales),
        ("land", sale.surface_terrain, sale.unfolded_surface_terrain),
    ]


def _lineage(reads: Reads, site: Site) -> History:
    """What the parcels come from, what happened there before, and how their sections were divided."""
    snapshot = reads.snapshot
    ids = [record.parcel_id for record in site.parcels]
    sections = sorted({parcel_id[:SECTION] for parcel_id in ids})
    near = _near(site, [record for section in sections for record in retired_in_section(snapshot, section)])
    of_documents = documented_changes(lots_of(snapshot, ids)).values()
    changes, former = _ancestry(snapshot, ids, of_documents, shown_changes(snapshot, near))
    sales = [sale for sale in sales_on(snapshot, former) if sale.id_parcelle not in ids] if former else ()
    permits = [*permits_on(snapshot, former), *permits_on_former(snapshot, former)] if former else ()
    of_former = authorizations(permits)
    parcels = [
        FormerParcel(
            parcel_id,
            tuple(sale for sale in sales if parcel_id in (sale.id_parcelle, sale.ancien_id_parcelle)),
            tuple(item for item in of_former if item[0] == parcel_id),
        )
        for parcel_id in former
    ]
    return History(
        sales=(),
        authorizations=(),
        lineage=tuple(changes),
        former=tuple(parcel for parcel in parcels if parcel.sales or parcel.authorizations),
        is_lineage_known=_is_known(reads, site, changes),
        divisions=tuple(year for section in sections for year in reads.cached(divisions_in, section)),
    )


def divisions_in(snapshot: Snapshot, section: str) -> list[SectionDivisions]:
    """The divisions of a section by year, the newest first. Of a change that only the plan shows, the year is that of
    the last edition before it.
    """
    shown = shown_changes(snapshot, retired_in_section(snapshot, section))
    divisions = [
        change
        for change in _merged(documented_changes(lots_of_section(snapshot, section)).values(), shown)
        if change.kind == "division" and change.mothers[0].startswith(section)
    ]
    areas = areas_in_section(snapshot, section) if divisions else {}
    divisions.sort(key=_day, reverse=True)
    return [
        _of_year(section, year, list(changes), areas) for year, changes in groupby(divisions, lambda c: _day(c)[:4])
    ]


def _of_year(
    section: str, year: str, changes: Sequence[Lineage], areas: Mapping[str, float | None]
) -> SectionDivisions:
    made = {parcel_id for change in changes for parcel_id in change.daughters}
    known = [area for parcel_id in made if (area := areas.get(parcel_id)) is not None]
    return SectionDivisions(
        section=section,
        year=year,
        division_count=len(changes),
        parcel_count=len(made),
        min_area_m2=min(known, default=None),
        median_area_m2=median(known) if known else None,
        max_area_m2=max(known, default=None),
    )


def _merged(of_documents: Collection[Lineage], shown: Sequence[Lineage]) -> list[Lineage]:
    """The changes of documents, and those that only the plan shows."""
    documented = {mother for change in of_documents for mother in change.mothers}
    return [*of_documents, *(change for change in shown if not documented.issuperset(change.mothers))]


def _day(change: Lineage) -> str:
    return change.date or change.last_edition or ""


def _near(site: Site, retired: Sequence[RetiredParcelRecord]) -> list[RetiredParcelRecord]:
    """The retired parcels whose outline intersects the land."""
    drawn = [record for record in retired if record.geometry]
    if site.shape is None or not drawn:
        return []
    tree = shapely.STRtree(shapely.from_wkb([record.geometry for record in drawn]))
    return [drawn[at] for at in sorted(tree.query(site.shape.degrees, "intersects").tolist())]


def _ancestry(
    snapshot: Snapshot, ids: Sequence[str], of_documents: Collection[Lineage], shown: Sequence[Lineage]
) -> tuple[list[Lineage], list[str]]:
    """The changes that made the parcels and those that they come from, and the ids of these."""
    changes = {change: None for change in of_documents if not set(ids).isdisjoint(change.mothers)}
    former: dict[str, None] = {}
    generation = set(ids)
    for _ in range(MAX_GENERATIONS):
        made = [change for change in _merged(of_documents, shown) if not generation.isdisjoint(change.daughters)]
        changes.update(dict.fromkeys(made))
        generation = {mother for change in made for mother in change.mothers} - former.keys() - set(ids)
        former.update(dict.fromkeys(sorted(generation)))
        if not generation or len(former) >= MAX_FORMER:
            break
        of_documents = documented_changes(lots_of(snapshot, sorted(generation))).values()
    return sorted(changes, key=_day, reverse=True), list(former)[:MAX_FORMER]


def _is_known(reads: Reads, site: Site, changes: Sequence[Lineage]) -> bool:
    """Whether each parcel existed before the first year of loaded sales, or has its lineage in the documents.

    `created_on` is the day on which the plan drew the parcel, perhaps again: the parcel may be older, and not younger.
    """
    start = (
        min((load.partition.part for load in site.loads.all if load.dataset in SALE_DATASETS), default="") + "-01-01"
    )
    editions = {load.partition.code: load.edition for load in site.loads.all if load.dataset in (PARCELS.id, DFI.id)}
    documented = {daughter for change in changes if change.source == DFI.id for daughter in change.daughters}

    def is_known(record: ParcelRecord) -> bool:
        commune, created_on = record.commune_code, record.created_on
        compared_since = reads.cached(first_compared_edition, commune)
        if any(_is_by(day, start) for day in (created_on, editions.get(commune), compared_since)):
            return True
        if not reads.cached(has_lineage, commune):
            return False
        return (
            record.parcel_id in documented or created_on is None or _is_by(created_on, editions[department_of(commune)])
        )

    return all(map(is_known, site.parcels))


def _is_by(day: str | None, limit: str) -> bool:
    return day is not None and is_date(day) and day <= limit
