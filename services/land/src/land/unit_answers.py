"""Answers about selected land: from stored parts, else computed and stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from land.answers.provenance import loads_of
from land.datasets.parcels.queries import parcels_by_id
from land.datasets.relief.client import AltimetryService
from land.datasets.relief.queries import dates_of
from land.datasets.relief.records import Altitudes
from land.datasets.risks import queries as risks
from land.datasets.risks.lookups import RiskLookups
from land.datasets.risks.queries import AnswerAge
from land.datasets.risks.questions import places_of
from land.loading.store_reader import StoreReader
from land.selection import Selection
from land.store.snapshot import Snapshot
from land.units import stamps
from land.units.assembly import Selected, assemble, failed_recipes, part_names, statement
from land.units.model import Block, LandUnit
from land.units.site import Site, site_of
from land.units.stamps import Place, place_of
from land.units.stored import StoredUnits, stored_place
from land.units.succession import AbsentParcel, find_absent, none_exists

_FINISHED = "finished"
"""The name under which a finished answer is stored."""

Write = Callable[[LandUnit], bytes]
"""Writes a part of a land unit. Bytes of parts that follow each other make one land unit."""


class PublisherAnswers(NamedTuple):
    """What publishers answered about the parcels, and what of it was stored before."""

    altitudes: Altitudes
    altitude_dates: Mapping[str, str]
    """When the stored altitudes were given, by parcel. Not read if none are asked for."""
    lookups: Mapping[tuple[str, str], str]
    """Why answers about risks are missing or old."""
    risk_ages: Sequence[AnswerAge]


@dataclass(frozen=True)
class WrittenLandUnit:
    """A land unit without what its selection adds, in pieces whose bytes follow each other."""

    selected: Selected
    blocks: Sequence[Block]
    pieces: Sequence[bytes]
    place: Place | None
    """The place of its stored parts; None if not all parts are stored."""


class UnitAnswers:
    """Safe for threads."""

    def __init__(
        self, stored: StoredUnits | None, altimetry: AltimetryService | None, risks: RiskLookups | None
    ) -> None:
        """If `stored` is None, every land unit is computed; if `altimetry` is None, only stored altitudes answer; if
        `risks` is None, only stored answers about risks.
        """
        self._stored = stored
        self._altimetry = altimetry
        self._risks = risks

    def written(
        self, selected: Selected, blocks: Sequence[Block], reader: StoreReader, write: Write
    ) -> WrittenLandUnit:
        """The land unit, from stored parts. Computes those that are missing, and stores them unless they failed. Raises
        ParcelNotFound, ParcelRetired and SourceUnavailable.
        """
        names = part_names(blocks)
        return self._written(selected, names, self._ask(selected.ids, names, reader), reader, write)

    def finished(
        self,
        selection: Selection,
        selected: Selected,
        blocks: Sequence[Block],
        reader: StoreReader,
        write: Write,
        finish: Callable[[WrittenLandUnit], bytes],
    ) -> bytes:
        """What `finish` makes of `written`. It is stored as well, with all that it depends on apart from loads: the
        request, what the request led to, and what publishers answered. Raises the same errors.
        """
        names = part_names(blocks)
        answers = self._ask(selected.ids, names, reader)
        facts = repr((selection, blocks, replace(selected, unavailable=None), _details(selected, answers)))
        stored = self._stored.find(reader.reads, selected.ids, (_FINISHED,), facts=facts) if self._stored else {}
        if stored:
            return stored[_FINISHED].body
        written = self._written(selected, names, answers, reader, write)
        body = finish(written)
        if self._stored and written.place is not None:
            self._stored.put(reader.reads, selected.ids, written.place, {_FINISHED: body}, facts=facts)
        return body

    def _written(
        self, selected: Selected, names: tuple[str, ...], answers: PublisherAnswers, reader: StoreReader, write: Write
    ) -> WrittenLandUnit:
        details = _details(selected, answers)
        stored = self._stored.find(reader.reads, selected.ids, names, details) if self._stored else {}
        parts = {name: part.body for name, part in stored.items()}
        place = next((stored_place(part.place) for part in stored.values()), None)
        communes, failed = {parcel_id[:5] for parcel_id in selected.ids}, failed_recipes({})
        if missing := [name for name in names if name not in parts]:
            site, absent = _ground_of(selected, answers, reader)
            computed = assemble(reader.reads, site, missing, absent)
            new_parts = {name: write(part) for name, part in computed.items()}
            parts |= new_parts
            communes, failed = set(site.communes), failed_recipes(computed)
            is_whole = len(site.parcels) == len(site.selected)
            place = place_of(site.communes, site.boxes(stamps.REACH_M)) if is_whole else None
            if self._stored and place is not None:
                whole = {name: body for name, body in new_parts.items() if not computed[name].failed}
                self._stored.put(reader.reads, selected.ids, place, whole, details)
        key = tuple(sorted(communes)), names, selected.address is not None, failed, write
        statement_bytes = reader.reads.cached(_written_statement, key)
        pieces = [statement_bytes, *(parts[name] for name in names)]
        return WrittenLandUnit(selected, names, pieces, None if failed else place)

    def _ask(self, ids: Sequence[str], names: Sequence[str], reader: StoreReader) -> PublisherAnswers:
        """Asks publishers for what the parts need about these parcels and the store does not have. Releases the reader
        before it waits.
        """
        with_risks, altimetry = "risks" in names, self._altimetry if "land" in names else None

        def read() -> tuple[dict[str, str], list[AnswerAge]]:
            dates = dates_of(reader.snapshot, ids) if altimetry is not None else {}
            return dates, risks.ages(reader.snapshot, places_of(ids)) if with_risks else []

        dates, ages = read()
        snapshot = reader.snapshot
        questions = self._risks.ask(ids, ages, reader) if with_risks and self._risks is not None else None
        altitudes = altimetry.ask(ids, dates, reader) if altimetry is not None else None
        lookups = questions.finish(reader) if questions is not None else {}
        if reader.snapshot is not snapshot:
            dates, ages = read()
        return PublisherAnswers(altitudes or Altitudes(), dates, lookups, ages)


def _ground_of(
    selected: Selected, answers: PublisherAnswers, reader: StoreReader
) -> tuple[Site, dict[str, AbsentParcel]]:
    """The selected parcels that exist, and former and newer ones among the others. Raises ParcelNotFound, ParcelRetired
    or SourceUnavailable if none of the parcels exists.
    """
    records = parcels_by_id(reader.snapshot, selected.ids)
    unknown = [parcel_id for parcel_id in selected.ids if parcel_id not in records]
    absent = find_absent(reader.snapshot, unknown)
    if not records:
        raise selected.unavailable or none_exists(unknown, absent)
    communes = tuple(sorted({record.commune_code for record in records.values()}))
    site = site_of(selected.ids, records, reader.reads.cached(loads_of, communes))
    site = replace(
        site,
        altitudes=answers.altitudes,
        lookups=answers.lookups,
        is_territory_missing=selected.is_territory_missing,
    )
    return site, absent


def _details(selected: Selected, answers: PublisherAnswers) -> dict[str, str]:
    """What parts depend on apart from loads, by their names. Parts that depend on nothing else have none."""
    altitudes = answers.altitudes
    dates = {**answers.altitude_dates, **{name: row.retrieved_at for name, row in altitudes.rows.items()}}
    of_land = selected.is_territory_missing, altitudes.has_failed, sorted(dates.items())
    of_risks = sorted(answers.lookups.items()), sorted(answers.risk_ages)
    return {name: repr(facts) for name, facts in (("land", of_land), ("risks", of_risks)) if any(facts)}


def _written_statement(
    snapshot: Snapshot, key: tuple[tuple[str, ...], tuple[str, ...], bool, tuple[str, ...], Write]
) -> bytes:
    communes, names, has_address, failed, write = key
    return write(statement(loads_of(snapshot, communes), names, has_address, failed))
