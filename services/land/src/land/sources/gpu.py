"""Planning documents of the Géoportail de l'urbanisme: zones, prescriptions, and which communes have no plan.

Format: CNIG standard PLU/CC, the tables DOC_URBA, ZONE_URBA, SECTEUR_CC and PRESCRIPTION_SURF, _LIN and _PCT in their
attribute generations of 2013/2014 and since 2017, and the lower-case attributes of the live service. Files are those of
a document's deposit, of WFS, or answers of API Carto (https://apicarto.ign.fr/api/doc/gpu), which is asked for a
document by its partition, and by a place for the documents in force there. It gives at most 1,000 or 5,000 features, as
it is set up at the time, and has no pages: what is longer is read from the WFS behind it (https://data.geopf.fr/wfs/ows).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from land.errors import UnreadableFile, WrongHeader
from land.partitions import Partition, code_of, filing_commune
from land.records.planning import DocumentRecord, InForceRecord, PlanningCommuneRecord, PrescriptionRecord, ZoneRecord
from land.sources.base import Account
from land.sources.features import Feature, read_features
from land.sources.geometry import Drawing, drawn
from land.sources.gpu_codes import DOCUMENT_TYPES, SECTOR_TYPES, ZONE_TYPES
from land.sources.gpu_documents import (
    Document,
    code,
    date_in,
    day,
    document_of,
    document_url,
    is_partition,
    regulation_url,
    text,
)
from land.sources.selection import Selection, is_commune_code

PAGE_FEATURES = 5_000
"""The most that the WFS gives at a time."""
_DATED_BY = ("GPU_TIMESTAMP", "DATAPPRO", "DATVALID")
_ZONE_TYPES = {name.casefold(): name for name in ZONE_TYPES}
_YES, _NO = ("true", "t", "1", "oui"), ("false", "f", "0", "non")


class _Planning:
    """What the readers of planning documents have in common."""

    ROUTES: ClassVar[Mapping[str, str]] = {}
    """Of the service, with the part of a document that each gives."""
    LAYERS: ClassVar[Sequence[str]]
    """Parts of the names of the layers, in files that have several."""
    COLUMNS: ClassVar[Sequence[tuple[str, ...]]]
    """Attributes that a file must have; of each tuple, one."""

    def __init__(self, base: str, wfs_base: str) -> None:
        self._base = base.rstrip("/")
        self._wfs_base = wfs_base

    def unit_asked(self, url: str, commune: str | None) -> Partition | None:
        """As `ServiceSource.unit_asked`."""
        asked = self._asked(url)
        return Partition(asked[1], self.ROUTES[asked[0]]) if asked else None

    def page_url(self, url: str, start: int) -> str | None:
        """As `ServiceSource.page_url`: in the order of `gid`, which every layer has."""
        asked = self._asked(url)
        if asked is None:
            return None
        route, partition = asked
        query = {
            "service": "WFS",
            "version": "2.0.0",
            "request": "GetFeature",
            "typeNames": f"wfs_du:{route.replace('-', '_')}",
            "outputFormat": "application/json",
            "srsName": "EPSG:4326",
            "sortBy": "gid",
            "count": PAGE_FEATURES,
            "startIndex": start,
            "cql_filter": f"partition='{partition}'",
        }
        return f"{self._wfs_base}?{urlencode(query)}"

    def _asked(self, url: str) -> tuple[str, str] | None:
        """The route and the partition that an address of the service asks for."""
        parts = urlsplit(url)
        route = parts.path.rpartition("/")[2]
        partitions = parse_qs(parts.query).get("partition", [])
        if not url.startswith(f"{self._base}/") or route not in self.ROUTES or len(partitions) != 1:
            return None
        return (route, partitions[0]) if is_partition(partitions[0]) else None

    def edition(self, path: Path, name: str) -> str | None:
        """The date in the name, else that of the deposit or of the document's approval in the first feature."""
        found = date_in(name)
        if found is None:
            first = next(iter(read_features(path, Account(name), self.LAYERS)), None)
            properties = first.properties if first else {}
            dates = (day(properties.get(column)) for column in _DATED_BY)
            found = next((date for date in dates if date), None)
        return found

    def _features(self, path: Path, account: Account) -> Iterator[Feature]:
        """The features that have the attributes and can be read; the others are rejected."""
        for feature in read_features(path, account, self.LAYERS):
            account.row_count += 1
            missing = [" or ".join(names) for names in self.COLUMNS if not set(names) & set(feature.properties)]
            if missing and feature.properties and account.row_count == 1:
                raise WrongHeader(account.file, missing)
            if feature.error or missing:
                account.reject(feature.place, feature.error or f"missing: {', '.join(missing)}")
                continue
            yield feature

    def _documents(self, path: Path, account: Account, selection: Selection) -> Iterator[tuple[Feature, Document]]:
        """Features of chosen documents, with their document."""
        for feature in self._features(path, account):
            try:
                document = document_of(feature.properties, account.file)
            except ValueError as error:
                account.reject(feature.place, str(error))
                continue
            if document is None:
                account.reject(feature.place, "neither PARTITION, IDURBA nor INSEE tells the document")
            elif _is_chosen(document.partition, selection):
                yield feature, document


def _is_chosen(partition: str, selection: Selection) -> bool:
    """A document of an intercommunality is chosen only where everything is: its attributes do not say its communes."""
    if selection == Selection():
        return True
    owner = partition.split("_")[1]
    if not is_commune_code(owner):
        return False
    if selection.commune is not None:
        return owner == filing_commune(selection.commune)
    return selection.includes(owner)


class _OfDocuments(_Planning):
    """Readers whose unit is a document."""

    def urls(self, commune_code: str) -> list[str]:
        """Those of the commune's own document."""
        return self.document_urls(code_of("document", commune_code))

    def document_urls(self, partition: str) -> list[str]:
        """As `DocumentSource.document_urls`."""
        return [f"{self._base}/{route}?partition={partition}" for route in self.ROUTES]


class Zones(_OfDocuments):
    ROUTES: ClassVar[Mapping[str, str]] = {"zone-urba": "", "secteur-cc": "cc"}
    LAYERS = ("ZONE_URBA", "SECTEUR_CC")
    COLUMNS = (("LIBELLE",), ("TYPEZONE", "TYPESECT"))

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, ZoneRecord]]:
        """As `Source.read`, a unit being a document's partition, with the part `cc` for a carte communale."""
        for feature, document in self._documents(path, account, Selection(commune, department)):
            try:
                record = _zone(feature, document, account)
            except ValueError as error:
                account.reject(feature.place, str(error))
                continue
            account.repaired_count += record.is_repaired
            yield Partition(record.partition, "cc" if "TYPESECT" in feature.properties else ""), record


def _zone(feature: Feature, document: Document, account: Account) -> ZoneRecord:
    drawing = _drawn(feature)
    if drawing.kind != "surface":
        raise ValueError(f"geometry: a {drawing.kind} is no zone")
    properties = feature.properties
    long_label = text(properties, "LIBELONG") or None
    zone_type = sector_type = None
    if "TYPESECT" in properties:
        sector_type = code(properties["TYPESECT"], 2)
        if sector_type not in SECTOR_TYPES:
            account.unknown_values["TYPESECT"] += 1
            sector_type = None
        long_label = long_label or SECTOR_TYPES.get(sector_type or "")
    else:
        zone_type = _ZONE_TYPES.get(text(properties, "TYPEZONE").casefold())
        if zone_type is None:
            account.unknown_values["TYPEZONE"] += 1
    return ZoneRecord(
        partition=document.partition,
        document_id=document.document_id,
        document_type=document.document_type or ("CC" if "TYPESECT" in properties else None),
        approved_on=document.approved_on,
        label=text(properties, "LIBELLE"),
        long_label=long_label,
        zone_type=zone_type,
        sector_type=sector_type,
        regulation_url=regulation_url(properties),
        is_repaired=drawing.is_repaired,
        geometry=drawing.wkb,
    )


class Prescriptions(_OfDocuments):
    ROUTES: ClassVar[Mapping[str, str]] = {
        "prescription-surf": "surface",
        "prescription-lin": "line",
        "prescription-pct": "point",
    }
    LAYERS = ("PRESCRIPTION_SURF", "PRESCRIPTION_LIN", "PRESCRIPTION_PCT")
    COLUMNS = (("LIBELLE",), ("TYPEPSC",))

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, PrescriptionRecord]]:
        """As `Source.read`, a unit being a document's partition, with a part for surfaces, lines and points."""
        for feature, document in self._documents(path, account, Selection(commune, department)):
            try:
                record = _prescription(feature, document, account)
            except ValueError as error:
                account.reject(feature.place, str(error))
                continue
            account.repaired_count += record.is_repaired
            yield Partition(record.partition, record.geometry_kind), record


def _prescription(feature: Feature, document: Document, account: Account) -> PrescriptionRecord:
    drawing = _drawn(feature)
    properties = feature.properties
    type_code = code(properties["TYPEPSC"], 2)
    subtype_code = code(properties.get("STYPEPSC"), 2)
    if not _is_type(type_code):
        account.unknown_values["TYPEPSC"] += 1
        type_code = subtype_code = ""
    return PrescriptionRecord(
        partition=document.partition,
        document_id=document.document_id,
        document_type=document.document_type,
        approved_on=document.approved_on,
        label=text(properties, "LIBELLE"),
        type_code=type_code or None,
        subtype_code=subtype_code if _is_type(subtype_code) else None,
        geometry_kind=drawing.kind,
        regulation_url=regulation_url(properties),
        is_repaired=drawing.is_repaired,
        geometry=drawing.wkb,
    )


def _is_type(code: str) -> bool:
    return len(code) == 2 and code.isascii() and code.isdigit()  # noqa: PLR2004 (of the standard)


class Documents(_OfDocuments):
    """DOC_URBA of a deposit, or the service's `document`, which names it otherwise."""

    ROUTES: ClassVar[Mapping[str, str]] = {"document": ""}
    LAYERS = ("DOC_URBA", "DOCUMENT")
    COLUMNS = (("IDURBA", "NAME"), ("TYPEDOC", "DU_TYPE"))

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, DocumentRecord]]:
        """As `Source.read`, a unit being a document's partition."""
        for feature in self._features(path, account):
            published = feature.properties
            named = {**published, "IDURBA": published.get("IDURBA") or published.get("NAME")}
            try:
                document = document_of(named, account.file)
                url = document_url(published)
                kind = DOCUMENT_TYPES.get((text(published, "TYPEDOC") or text(published, "DU_TYPE")).upper())
            except ValueError as error:
                account.reject(feature.place, str(error))
                continue
            if document is None:
                account.reject(feature.place, "neither PARTITION nor IDURBA tells the document")
            elif _is_chosen(document.partition, Selection(commune, department)):
                if kind is None:
                    account.unknown_values["TYPEDOC"] += 1
                partition, document_id, told, approved_on = document
                yield Partition(partition), DocumentRecord(partition, document_id, kind or told, approved_on, url)


class Communes(_Planning):
    """The communes as the Géoportail knows them: whether the national rules (RNU) apply for want of a plan."""

    LAYERS = ("MUNICIPALITY",)
    COLUMNS = (("INSEE",), ("IS_RNU",))

    def urls(self, commune_code: str) -> list[str]:
        return [f"{self._base}/municipality?insee={commune_code}"]

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, PlanningCommuneRecord]]:
        """As `Source.read`. Communes that are no more (is_deleted) are left out."""
        selection = Selection(commune, department)
        for feature in self._features(path, account):
            insee = code(feature.properties["INSEE"], 5)
            if not is_commune_code(insee):
                account.reject(feature.place, f"INSEE: {insee[:20]!r} is no commune")
            elif selection.includes(insee) and not _flag(feature.properties.get("IS_DELETED")):
                yield Partition(insee), PlanningCommuneRecord(insee, _flag(feature.properties["IS_RNU"]))


class InForce(_Planning):
    """The documents in force in the middle of a commune: its own, that of its intercommunality, or one of several that
    this has, and a plan of a protected quarter (PSMV) where the middle lies in one.
    """

    LAYERS = ("DOCUMENT",)
    COLUMNS = (("PARTITION",), ("DU_TYPE", "TYPEDOC"))

    def urls(self, commune_code: str) -> list[str]:
        """None: the service is asked by a place, since it does not tell the communes of a document."""
        return []

    def place_urls(self, lon: float, lat: float) -> list[str]:
        """As `PlaceSource.place_urls`."""
        point = json.dumps({"type": "Point", "coordinates": [round(lon, 6), round(lat, 6)]}, separators=(",", ":"))
        return [f"{self._base}/document?geom={quote(point)}"]

    def unit_asked(self, url: str, commune: str | None) -> Partition | None:
        """As `ServiceSource.unit_asked`."""
        return Partition(commune) if commune is not None and url.startswith(f"{self._base}/document?geom=") else None

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, InForceRecord]]:
        """As `Source.read`, of plans and cartes communales; others, such as a SCOT, do not say what may be built.
        Raises UnreadableFile without the commune that was asked for, which an answer does not tell.
        """
        if commune is None:
            raise UnreadableFile(f"{account.file}: does not tell its commune: name it with --commune")
        for feature in self._features(path, account):
            partition = text(feature.properties, "PARTITION").upper()
            kind = text(feature.properties, "DU_TYPE") or text(feature.properties, "TYPEDOC")
            if not is_partition(partition):
                account.reject(feature.place, f"PARTITION: {partition[:20]!r} is none")
            elif kind.upper() in DOCUMENT_TYPES:
                yield Partition(commune), InForceRecord(commune, partition)


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = code(value, 1).casefold()
    return True if word in _YES else False if word in _NO else None


def _drawn(feature: Feature) -> Drawing:
    """The feature's geometry as the store takes it. Raises ValueError where it has none."""
    if feature.geometry is None:
        raise ValueError("no geometry")
    return drawn(feature.geometry)
