"""One page of a search for parcels: candidates in order of id, those in the area, those that pass the filters.

The work of a page is bounded: after MAX_EXAMINED candidates it ends, with however many parcels it has found.
"""

from collections.abc import Sequence

from land import registry
from land.addresses.model import Scope
from land.answers.provenance import CommuneLoads, Coverage, Source, loads_of, sources_of
from land.answers.texts import AnswerWarning, warning
from land.datasets.parcels.queries import ids_in_boxes, parcels_by_id
from land.datasets.parcels.records import ParcelRecord
from land.datasets.parcels.registration import PARCELS
from land.datasets.partitions import DEMO_DEPARTMENT
from land.datasets.planning.registration import GPU_ZONES
from land.parcel_search.area import Area
from land.parcel_search.filters import Candidates, Verdict, filters_of
from land.parcel_search.geojson import check_size
from land.parcel_search.model import FoundParcel, ParcelPage, ParcelSearch
from land.store.cached_reads import Reads
from land.store.loads import UNKNOWN_EDITION
from land.units.geometry import CONTIGUITY_TOLERANCE_M, from_wkb

MAX_EXAMINED = 1_000
"""Candidates of one page: parcels whose bounding box meets that of the area."""
BATCH = 250
"""Candidates that are read together."""
_FIRST, _LAST = "0" * 14, "ZZZZZ999ZZ9999"
_AFTER_DEMO = "01".ljust(14, "0")
_MAX_NAMED = 20


def search_page(reads: Reads, search: ParcelSearch, named_parcel: ParcelRecord | None, scope: Scope) -> ParcelPage:
    """`named_parcel` is the parcel that names the area, if one does. Raises InvalidPayload if the area is too large."""
    area = _area_of(search, named_parcel)
    if area is None:
        assert named_parcel is not None  # noqa: S101 (the only way to no area)
        return ParcelPage((), "", warnings=[warning("geometry_missing", parcel_id=named_parcel.parcel_id)])
    communes, are_here = area.communes(reads.snapshot)
    if scope == "demo":
        communes = tuple(commune for commune in communes if commune.startswith(DEMO_DEPARTMENT))
    loads = reads.cached(loads_of, communes)
    page = _Page(reads, area, loads, search)
    page.fill(_AFTER_DEMO if scope == "demo" else _LAST)
    is_covered = bool(communes) and (
        (area.is_point and bool(page.found)) or area.is_covered(reads, communes, are_here=are_here)
    )
    plans = Coverage(PARCELS.id, "covered", None)
    if not is_covered:
        plans = Coverage(PARCELS.id, "partial" if page.found else "not_loaded", "not_loaded")
    warnings = [] if is_covered else [warning("area_not_covered")]
    return ParcelPage(
        [FoundParcel(record, _edition(loads, record)) for record in page.found],
        page.last_id,
        coverage=[plans, *(page.coverage() if communes else ())],
        sources=page.sources(),
        warnings=warnings + page.warnings(),
    )


def _area_of(search: ParcelSearch, named_parcel: ParcelRecord | None) -> Area | None:
    """None if the parcel that names it has no outline."""
    if search.shape is not None:
        return Area(search.shape, search.reach_m)
    if named_parcel is None or named_parcel.geometry is None:
        return None
    area = Area(from_wkb(named_parcel.geometry), CONTIGUITY_TOLERANCE_M if search.is_neighbourhood else search.reach_m)
    if not search.is_neighbourhood:
        check_size(area.boxes, "/around/parcel_id")
    return area


def _edition(loads: CommuneLoads, record: ParcelRecord) -> str:
    plan = PARCELS.id, record.commune_code
    return next((load.edition for load in loads.all if (load.dataset, load.partition.code) == plan), UNKNOWN_EDITION)


class _Page:
    """Parcels found so far, and what the filters said of the examined ones."""

    def __init__(self, reads: Reads, area: Area, loads: CommuneLoads, search: ParcelSearch) -> None:
        self.found: list[ParcelRecord] = []
        self.last_id = ""
        """As in ParcelPage."""
        self._is_cut = False
        self._reads = reads
        self._area = area
        self._loads = loads
        self._filters = filters_of(search.filters)
        self._search = search
        self._verdicts: dict[str, list[Verdict]] = {parcel_filter.name: [] for parcel_filter in self._filters}

    def fill(self, before: str) -> None:
        search, after, examined = self._search, self._search.after or _FIRST, 0
        size = BATCH if self._filters else min(search.limit + 1, BATCH)
        while examined < MAX_EXAMINED:
            ids = ids_in_boxes(self._reads.snapshot, self._area.boxes, after, before, size)
            for record in self._passing(ids):
                if len(self.found) == search.limit:
                    self.last_id = self.found[-1].parcel_id
                    return
                self.found.append(record)
            if len(ids) < size:
                return
            examined += size
            after = ids[-1]
        self.last_id, self._is_cut = after, True

    def _passing(self, ids: Sequence[str]) -> list[ParcelRecord]:
        records_by_id = parcels_by_id(self._reads.snapshot, ids)
        excluded_id = self._search.parcel_id if self._search.is_neighbourhood else ""
        records = self._area.within(
            [records_by_id[parcel_id] for parcel_id in ids if parcel_id in records_by_id and parcel_id != excluded_id]
        )
        for parcel_filter in self._filters:
            if records:
                verdict = parcel_filter.keep(Candidates(self._reads, records, self._loads))
                self._verdicts[parcel_filter.name].append(verdict)
                records = [record for record in records if record.parcel_id in verdict.passing]
        return records

    def coverage(self) -> list[Coverage]:
        """The coverage of the datasets of the filters. That of zones is about the parcels examined so far."""
        coverage_list = []
        for parcel_filter in self._filters:
            verdicts = self._verdicts[parcel_filter.name]
            for dataset in parcel_filter.datasets:
                if dataset != GPU_ZONES.id:
                    coverage_list.append(self._loads.coverage(dataset))
                elif verdicts:
                    coverage_list.append(_zone_coverage(verdicts))
        return coverage_list

    def sources(self) -> list[Source]:
        used = {
            PARCELS.id,
            *(dataset for parcel_filter in self._filters for dataset in parcel_filter.datasets),
        }
        verdicts = [verdict for filter_verdicts in self._verdicts.values() for verdict in filter_verdicts]
        documents = dict.fromkeys(load for verdict in verdicts for load in verdict.loads)
        return [*self._loads.sources(frozenset(registry.DATASETS) - used), *sources_of(list(documents))]

    def warnings(self) -> list[AnswerWarning]:
        warnings = []
        for name, verdicts in self._verdicts.items():
            missing = [item for verdict in verdicts for item in verdict.missing.items()]
            if missing:
                communes = sorted({code for _, codes in missing for code in codes})
                listed = ", ".join(communes[:_MAX_NAMED]) + (", …" if len(communes) > _MAX_NAMED else "")
                datasets = ", ".join(dict.fromkeys(dataset for dataset, _ in missing))
                warnings.append(warning("filter_not_covered", filter=name, datasets=datasets, communes=listed))
        if self._is_cut:
            warnings.append(warning("search_continues", limit=MAX_EXAMINED))
        return warnings


def _zone_coverage(verdicts: Sequence[Verdict]) -> Coverage:
    dataset = GPU_ZONES.id
    if not any(verdict.missing for verdict in verdicts):
        return Coverage(dataset, "covered", None)
    has_zones = any(verdict.loads for verdict in verdicts)
    return Coverage(dataset, "partial" if has_zones else "not_loaded", "not_loaded")
