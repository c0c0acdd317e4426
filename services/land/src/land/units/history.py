"""History of a land unit: permits and sales."""

from collections.abc import Sequence
from dataclasses import dataclass

from land.answers.warnings import AnswerWarning, warning
from land.datasets.lineage.registration import DFI
from land.datasets.permits.queries import ambiguous_permit_count, permits_on, placements_in
from land.datasets.permits.records import PermitRecord
from land.datasets.permits.registration import PERMITS
from land.datasets.sales.queries import sales_on
from land.datasets.sales.records import Sale
from land.datasets.sales.registration import DVF, DVF_ARCHIVE, SALE_DATASETS
from land.store.cached_reads import Reads
from land.units import lineage
from land.units.ambiguous import Reading, units_ambiguous
from land.units.lineage import Lineage, LineageFacts, SectionDivisions
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site

DATASETS = (DVF.id, *PERMITS)


PlacedPermit = tuple[str, PermitRecord]
"""The id of the parcel that a permit is on, and the permit."""


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
    facts, warnings = lineage.read(reads, site), sale_warnings(site, sales)
    if any(placement.ambiguous for placement in placements) and (count := ambiguous_permit_count(snapshot, parcel_ids)):
        warnings.append(warning("authorization_ambiguous", "history", count=count))
    for commune, count in sorted((item.commune_code, item.retired) for item in placements if item.retired):
        warnings.append(warning("authorization_retired", "history", commune=commune, count=count))
    for dataset in DATASETS:
        if site.loads.coverage(dataset).status != "covered":
            warnings.append(warning("dataset_not_covered", "history", dataset=dataset))
    if site.has(DVF.id) and not facts.is_known:
        warnings.append(warning("lineage_unknown", "history"))
    history = History(
        tuple(sales),
        tuple(authorizations(permits)),
        tuple(facts.changes),
        _former(facts),
        facts.is_known,
        tuple(facts.divisions),
    )
    return Part(history, warnings)


def _former(facts: LineageFacts) -> tuple[FormerParcel, ...]:
    permits, parcels = authorizations(facts.permits), []
    for parcel_id in facts.former_ids:
        sales = [sale for sale in facts.sales if parcel_id in (sale.id_parcelle, sale.ancien_id_parcelle)]
        former = FormerParcel(parcel_id, tuple(sales), tuple(item for item in permits if item[0] == parcel_id))
        if former.sales or former.authorizations:
            parcels.append(former)
    return tuple(parcels)


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
