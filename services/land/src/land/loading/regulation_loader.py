"""Downloads the written regulations of a planning document, and stores the rules of each zone that names them.

A file that cannot be read is a state of its zones. A publisher that fails leaves the document incomplete, so that it
is asked for again.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from land.datasets.dataset import Dataset
from land.datasets.partitions import Partition
from land.datasets.planning.attributes import compact_date_in, deposit_of
from land.datasets.planning.registration import GPU_ZONES
from land.datasets.regulations import queries as regulations
from land.datasets.regulations import reader
from land.datasets.regulations.queries import NamedZone
from land.datasets.regulations.reader import Regulations, place_of, record
from land.datasets.regulations.records import RegulationRecord
from land.errors import FileMissing, FileTooLarge, SourceUnavailable
from land.loading.download import download
from land.loading.files import LocalFile
from land.loading.load_queue import LoadKey
from land.loading.loader import replace_partition
from land.loading.partition_loader import PartitionLoader
from land.loading.row_version import row_version
from land.loading.second_reader import SecondReader
from land.store import fetches, loads
from servicekit.clock import utc_now
from servicekit.database import for_writing

log = logging.getLogger(__name__)

MAX_FILES = 50
"""Files of one document that are read, the first in the order of their addresses."""
_Readings = Mapping[tuple[str | None, str, str], str | None]
"""What was read before, by the digest of the file, and the label and the address of the zone."""


class _File(NamedTuple):
    """What became of a file: its name, its address, and the records of its zones."""

    name: str
    url: str
    retrieved_at: str
    records: Sequence[RegulationRecord]

    @property
    def state(self) -> str:
        """The state of all zones if the file was not read; else that of the first one."""
        return self.records[0].state

    def read_count(self) -> int:
        """The number of zones that were read."""
        return sum(record.state == "read" for record in self.records)


@dataclass(frozen=True)
class RegulationLoader(PartitionLoader):
    """Loads regulations in its own way, and all other datasets as any."""

    second_reader: SecondReader | None = None

    def _load_files(self, dataset: Dataset, key: LoadKey) -> int:
        if not isinstance(dataset.reader, Regulations):
            return super()._load_files(dataset, key)
        with self.engine.connect() as connection:
            zones = regulations.zones_of(connection, key.partition)
            if not zones and (GPU_ZONES.id, key.partition) not in fetches.present(connection, [key.partition]):
                raise SourceUnavailable(f"{key.partition}: its zones, which name the files, are not loaded")
        by_file: dict[str, list[NamedZone]] = {}
        for zone in zones:
            if deposit_of(zone.url):
                by_file.setdefault(place_of(zone.url)[0], []).append(zone)
        files, errors = list[_File](), list[SourceUnavailable]()
        for url, of_file in sorted(by_file.items())[:MAX_FILES]:
            try:
                files.append(self._load_regulation(dataset, dataset.reader, key, url, of_file))
            except SourceUnavailable as error:
                errors.append(error)
        missing = [file.url for file in files if file.state == reader.MISSING]
        errors += [FileMissing(f"{url}: the publisher has no such file") for url in missing]
        if errors:
            raise next((error for error in errors if not isinstance(error, FileMissing)), errors[0])
        with for_writing(self.engine).begin() as connection:
            outdated = {*loads.parts_of(connection, dataset.id, key.partition)} - {file.name for file in files}
            regulations.drop_parts(connection, key.partition, sorted(outdated))
        return sum(len(record.reading or "") for file in files for record in file.records)

    def _load_regulation(
        self, dataset: Dataset, at: Regulations, key: LoadKey, url: str, zones: Sequence[NamedZone]
    ) -> _File:
        """Reads one file and stores what it says. Raises SourceUnavailable if its publisher fails."""
        self.disk.require()
        version = row_version(dataset)
        with self.engine.connect() as connection:
            stored = loads.of_partitions(connection, [key.partition])
            known = {load.partition.part: load for load in stored if load.dataset == dataset.id}
            rows = regulations.read_zones(connection, [key.partition], [zone.url for zone in zones])
        read = {
            (row.sha256, row.label, row.url): row.reading
            for part, row in rows
            if part in known and known[part].digest.endswith(version)
        }
        file = self._fetch(at, url, zones, read)
        if file.state in (reader.MISSING, reader.UNREADABLE) and file.name in known:
            return file  # what was read of it stays
        digest = hashlib.blake2b(repr(file.records).encode(), digest_size=16).hexdigest()
        load = loads.Load(
            dataset.id, Partition(key.partition, file.name), compact_date_in(file.name) or loads.UNKNOWN_EDITION,
            file.url, file.retrieved_at, utc_now(), len(zones), 0, f"{digest}-{version}",
        )  # fmt: skip
        is_changed = replace_partition(self.engine, load, file.records, is_import=False)
        log.info("regulation read", extra={"url": file.url, "state": file.state, "is_changed": is_changed})
        return file

    def _fetch(self, at: Regulations, url: str, zones: Sequence[NamedZone], read: _Readings) -> _File:
        """What the file's address gives by which most zones can be read."""
        details = self._details(at, deposit_of(url) or "")
        name = unquote(PurePosixPath(url).name)
        if details.get("protected") is True:
            return _unread(name, url, zones, reader.PROTECTED)
        limits = replace(self.limits, max_bytes=min(self.limits.max_bytes, reader.MAX_BYTES))
        found = _unread(name, url, zones, reader.MISSING)
        for address in at.file_urls(url, details):
            try:
                with self._requested(address), download(address, self.scratch, limits, self._check) as file:
                    latest = self._read_file(file, unquote(PurePosixPath(address).name), address, zones, read)
            except FileTooLarge:
                return _unread(name, address, zones, reader.TOO_LARGE)
            except FileMissing:
                continue
            found = max(latest, found, key=_File.read_count)
            is_structured = latest.name.endswith(reader.STRUCTURED)
            if found.read_count() == len(zones) or (latest.read_count() and not is_structured):
                break
        return found

    def _read_file(self, file: LocalFile, name: str, url: str, zones: Sequence[NamedZone], read: _Readings) -> _File:
        """Reads the zones of a file, but for those that were read of the same content before."""
        with file.path.open("rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
        size_bytes = file.path.stat().st_size
        readings = {zone: read.get((sha256, zone.label, zone.url)) for zone in zones}
        pending, why = [zone for zone in zones if not readings[zone]], ""
        if pending:
            places = [(zone.label, place_of(zone.url)[1]) for zone in pending]
            found, why = reader.read_rules(file.path, name, places, has_text=self.second_reader is not None)
            readings |= zip(pending, self._read_twice(found), strict=True)
        records = [
            record(reading, zone.label, zone.url, zone.document_id, sha256, size_bytes, why)
            for zone, reading in readings.items()
        ]
        return _File(name, url, file.retrieved_at, records)

    def _read_twice(self, readings: Sequence[str | None]) -> Iterator[str | None]:
        """Yields the readings, each compared with the second reader's if there is one. One failure is its last."""
        second = self.second_reader
        for reading in readings:
            fields = json.loads(reading) if self.second_reader and reading else {}
            text, sentences = fields.pop("text", ""), fields.pop("sentences", ())
            if second and text:
                self._check(0, None)
                answer = second.read(fields["zone"], text)
                fields = second.compared(fields, sentences, answer) if answer is not None else fields
                second = None if answer is None else second
            yield json.dumps(fields, ensure_ascii=False) if fields else reading

    def _details(self, at: Regulations, deposit: str) -> Mapping[str, object]:
        """What the Géoportail says of a deposit; empty if it does not answer: then the file itself is asked for."""
        with suppress(SourceUnavailable, ValueError):
            details = json.loads(self._read_list(at.details_url(deposit)))
            if isinstance(details, dict):
                return details
        return {}


def _unread(name: str, url: str, zones: Sequence[NamedZone], state: str) -> _File:
    records = [record(None, zone.label, zone.url, zone.document_id, None, None, state) for zone in zones]
    return _File(name, url, utc_now(), records)
