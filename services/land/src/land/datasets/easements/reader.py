"""Public easements (servitudes d'utilité publique, SUP) of the Géoportail de l'urbanisme.

Format: CNIG standard SUP, tables ASSIETTE_SUP and GENERATEUR_SUP with _S, _L and _P, SERVITUDE, SERVITUDE_ACTE_SUP and
ACTE_SUP. An assiette is the land that bears the easement, a générateur its cause. Names of columns vary in case. Files
come from a document's delivery, from WFS, or from API Carto. The live service adds the attributes `suptype`,
`partition`, `nomsuplitt` and `fichier`; a file of a delivery states its category and territory in its name.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs, quote, urlsplit

from land.datasets.easements.codes import Document, category_code, document_named, is_for_department, region_of
from land.datasets.easements.records import (
    ACTS,
    LINKS,
    SERVITUDES,
    EasementDetailRecord,
    EasementDocumentRecord,
    EasementRecord,
)
from land.datasets.partitions import Partition, department_of
from land.datasets.planning.attributes import FILES, compact_date_in, day, text
from land.datasets.planning.layer import GpuLayer
from land.errors import UnreadableFile
from land.sources.base import ALL, CommuneFilter, PartitionRequest, ReadReport, Records
from land.sources.features import Feature, valid_geometry
from land.sources.files import open_csv
from land.sources.values import check, given
from servicekit.errors import expect

GENERATOR_REACH_M = 2_000.0
"""Beyond the commune: the monument of an area around it may lie in the next commune."""
_EASEMENTS: Final = {"assiette-sup-s": "surface", "assiette-sup-l": "line", "assiette-sup-p": "point"}
_GENERATORS: Final = {"generateur-sup-s": "gen-s", "generateur-sup-l": "gen-l", "generateur-sup-p": "gen-p"}
_ACT_ROUTE = "acte-sup"
_GENERATOR_PARTS = {"Polygon": "gen-s", "MultiPolygon": "gen-s", "LineString": "gen-l", "MultiLineString": "gen-l"}
_FICTIVE = "fictive"
"""The word in MODEGEOASS if the geometry is a placeholder."""
_DEPOSIT = re.compile(r"[0-9a-f]{8,64}")
_BOX = re.compile(
    r'\{"type":"Polygon","coordinates":\[\[\[([-0-9.]+),([-0-9.]+)\],\[[-0-9.,]+\],\[([-0-9.]+),([-0-9.]+)\]'
)
"""The south-western and the north-eastern corner in what `_quoted` writes."""
_SIREN = re.compile(r"[0-9]{9}")
_DEPARTMENT = re.compile(r"[0-9]{2}|97[0-9]|2[AB]")
_TERRITORY = re.compile(r"R?(?:[0-9]{2,3}|[0-9]{5}|2[AB]|2[AB][0-9]{3})", re.IGNORECASE)


_Record = EasementRecord | EasementDetailRecord


class Easements(GpuLayer):
    """Reads any of the tables. The partition is a commune if the file has all easements of its land, as answers to
    requests by place do, else the document. Tables without geometry always belong to a document.
    """

    LAYERS = ("ASSIETTE_SUP", "GENERATEUR_SUP", "SERVITUDE", "ACTE_SUP")
    COLUMNS: ClassVar = (("IDASS", "IDGEN", "IDSUP", "IDACTE", "IDGEST"),)

    def urls(self, request: PartitionRequest) -> list[str]:
        near, around = request.box_commune(0.0), request.box_commune(GENERATOR_REACH_M)
        return [
            *(f"{self._base}/{route}?geom={_quoted(near)}" for route in _EASEMENTS),
            *(f"{self._base}/{route}?geom={_quoted(around)}" for route in _GENERATORS),
        ]

    def linked_urls(self, names: Sequence[str]) -> list[str]:
        """The acts of these documents. The service does not find acts by place, since they have none."""
        return [f"{self._base}/{_ACT_ROUTE}?partition={quote(name)}" for name in names]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        route, place = self._parse(url)
        if route == _ACT_ROUTE:
            return Partition(place, ACTS)
        part = {**_EASEMENTS, **_GENERATORS}.get(route)
        return Partition(commune, part) if part and commune is not None else None

    def page_url(self, url: str, report: ReadReport) -> str | None:
        """The page of the WFS, in the order of `gid`. Its bounding box is in the order west, south, east, north."""
        route, place = self._parse(url)
        if not route:
            return None
        layer, start = f"wfs_sup:{route.replace('-', '_')}", report.row_count
        return (
            self._wfs_url(layer, start, cql_filter=f"partition='{place}'")
            if route == _ACT_ROUTE
            else self._wfs_url(layer, start, bbox=f"{place},EPSG:4326")
        )

    def edition(self, path: Path, name: str) -> str | None:
        """That of the document; a table without geometry states none except in its name."""
        return compact_date_in(name) if _is_csv(name) else super().edition(path, name)

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[_Record]:
        document_of_file = _document_of_file(report.file)

        def parse(row: Feature) -> list[tuple[Partition, _Record]]:
            document = expect(
                _document_of(row.properties) or document_of_file,
                UnreadableFile(
                    f"{report.file}: its name states no category and territory, as AC1_2A_assiette_sup_s does"
                ),
            )
            if selection.department is not None and not is_for_department(document.territory, selection.department):
                return []
            report.known("SUPTYPE", category_code(document.category))
            records = []
            for part, record in _records(row, document):
                is_drawn = part not in (SERVITUDES, LINKS, ACTS)
                if is_drawn and selection.commune is not None and not _has_partition(row.properties):
                    selection.refuse_commune(report.file)
                code = selection.commune if is_drawn and selection.commune is not None else document.code
                report.repaired_count += isinstance(record, EasementRecord) and record.is_repaired
                records.append((Partition(code, part), record))
            return records

        rows = _csv_rows(path, report) if _is_csv(report.file) else self._features(path, report)
        return chain.from_iterable(report.parse(rows, parse))

    def _parse(self, url: str) -> tuple[str, str]:
        """The route in an address of the service with what it asks for: a document or a box; empty for others."""
        parts = urlsplit(url)
        route, query = parts.path.rpartition("/")[2], parse_qs(parts.query)
        if url.startswith(f"{self._base}/"):
            if route == _ACT_ROUTE and document_named(name := "".join(query.get("partition", []))):
                return route, name
            box = _BOX.match("".join(query.get("geom", [])))
            if route in {**_EASEMENTS, **_GENERATORS} and box:
                return route, ",".join(box.groups())
        return "", ""


class EasementDocuments(GpuLayer):
    """The documents that are published for land of a département: every one has rows of its manager in the WFS. A
    category without a document is not published, which does not mean that no land bears such an easement.
    """

    LAYERS = ("GESTIONNAIRE_SUP",)
    COLUMNS: ClassVar = (("PARTITION",),)

    def urls(self, request: PartitionRequest) -> list[str]:
        department = department_of(request.commune_code)
        territories = (department, region_of(department))
        where = " OR ".join(f"partition LIKE '%SUP_{territory}%'" for territory in territories if territory)
        return [self._wfs_url("wfs_sup:gestionnaire_sup", 0, cql_filter=where)]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        is_asked = url.startswith(f"{self._wfs_base}?") and "gestionnaire_sup" in url
        return Partition(department_of(commune)) if commune is not None and is_asked else None

    def page_url(self, url: str, report: ReadReport) -> str | None:
        is_asked = url.startswith(f"{self._wfs_base}?")
        return url.replace("startIndex=0", f"startIndex={report.row_count}") if is_asked else None

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[EasementDocumentRecord]:
        """Raises UnreadableFile if neither `selection` nor the file's name states the département."""
        department = selection.department or (department_of(selection.commune) if selection.commune else None)
        department = expect(
            department or next(filter(_DEPARTMENT.fullmatch, _words(report.file)), None),
            UnreadableFile(f"{report.file}: does not tell its département: name it with --department"),
        )

        def parse(feature: Feature) -> EasementDocumentRecord | None:
            document = given(_document_of(feature.properties), "PARTITION: empty")
            if not is_for_department(document.territory, department):
                return None
            code, territory, category = document
            return EasementDocumentRecord(department, code, category, territory)

        for record in report.parse(self._features(path, report), parse):
            yield Partition(department), record


def _records(row: Feature, document: Document) -> Iterator[tuple[str, EasementRecord | EasementDetailRecord]]:
    """The records of one row with their parts. Raises ValueError if it cannot be read."""
    check(not row.error, row.error or "")
    properties = row.properties
    if "IDASS" in properties:
        if _FICTIVE not in text(properties, "MODEGEOASS").casefold():
            record = _easement(row, document)
            yield record.geometry_kind, record
        return
    detail = EasementDetailRecord(document.code, "", "", None, None, None, None)
    if "IDGEN" in properties:
        yield (
            _GENERATOR_PARTS.get(row.geometry.geom_type, "gen-p") if row.geometry is not None else "gen-p",
            detail._replace(
                kind="generator",
                key=identifier(properties, "IDGEN"),
                refers_to=text(properties, "IDSUP") or None,
                name=text(properties, "NOMSUPLITT") or text(properties, "NOMGEN") or None,
                type=text(properties, "TYPEGEN") or None,
            ),
        )
    elif "IDACTE" in properties and "IDSUP" in properties:
        key, refers_to = identifier(properties, "IDSUP"), identifier(properties, "IDACTE")
        yield LINKS, detail._replace(kind="link", key=key, refers_to=refers_to)
    elif "IDACTE" in properties:
        act = detail._replace(
            name=text(properties, "NOMACTE") or None,
            type=text(properties, "TYPEACTE") or None,
            decided_on=day(properties.get("DATEDECIS")),
        )
        yield ACTS, act._replace(kind="act", key=identifier(properties, "IDACTE"))
        if file := text(properties, "FICHIER"):
            yield ACTS, act._replace(kind="file", key=file)
    elif "IDSUP" in properties:
        key, name = identifier(properties, "IDSUP"), text(properties, "NOMSUPLITT") or None
        yield SERVITUDES, detail._replace(kind="servitude", key=key, name=name)


def _easement(row: Feature, document: Document) -> EasementRecord:
    geometry, properties = valid_geometry(row), row.properties
    file = text(properties, "FICHIER")
    return EasementRecord(
        document=document.code,
        category=document.category,
        easement_id=identifier(properties, "IDASS"),
        generator_id=text(properties, "IDGEN") or None,
        name=text(properties, "NOMSUPLITT") or None,
        technical_name=text(properties, "NOMASS"),
        type=text(properties, "TYPEASS") or None,
        act_file=file or None,
        act_url=_act_url(properties, file),
        geometry_kind=geometry.kind,
        is_repaired=geometry.is_repaired,
        geometry=geometry.wkb,
    )


def _act_url(properties: Mapping[str, Any], file: str) -> str | None:
    deposit = text(properties, "GPU_DOC_ID")
    if not file or not _DEPOSIT.fullmatch(deposit) or not _has_partition(properties):
        return None
    return f"{FILES}/{text(properties, 'PARTITION')}/{deposit}/{quote(file, safe='')}"


def identifier(properties: Mapping[str, Any], name: str) -> str:
    """Raises ValueError if the attribute is empty."""
    return given(text(properties, name), f"{name}: empty")


def _has_partition(properties: Mapping[str, Any]) -> bool:
    return document_named(text(properties, "PARTITION")) is not None


def _document_of(properties: Mapping[str, Any]) -> Document | None:
    """The document in the attribute PARTITION of the live service; None without it. Raises ValueError for another."""
    published = text(properties, "PARTITION")
    document = document_named(published)
    check(document or not published, f"PARTITION: {published[:40]!r} is none")
    return document


def _document_of_file(file: str) -> Document | None:
    """The document in a file's name: 172014607_AC1_2A_20180130_assiette_sup_s, AC1_2A_acte_sup, AC1_ACTE_SUP_2A."""
    words = _words(file)
    category = next((word for word in words if category_code(word)), None)
    territory = next((word for word in words if _TERRITORY.fullmatch(word) and word != category), None)
    siren = next((word for word in words if _SIREN.fullmatch(word)), None)
    if not category or not territory:
        return None
    name = f"SUP_{territory}_{category}".upper()
    return document_named(f"{siren}_{name}" if siren else name)


def _words(file: str) -> list[str]:
    return re.split(r"[^0-9A-Za-z]+", file)


def _is_csv(name: str) -> bool:
    return ".csv" in name.casefold()


def _csv_rows(path: Path, report: ReadReport) -> Iterator[tuple[int, Feature]]:
    """The rows of a delivery's table with their lines, as features without geometry."""
    with open_csv(path, report.file, ";") as table:
        for row in table.rows(report):
            yield table.line, Feature(table.line, dict(zip(table.header, row, strict=True)), None)


def _quoted(box: Sequence[float]) -> str:
    west, south, east, north = (round(value, 6) for value in box)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return quote(json.dumps({"type": "Polygon", "coordinates": [ring]}, separators=(",", ":")))
