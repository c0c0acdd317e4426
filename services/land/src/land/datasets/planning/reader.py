"""Planning documents of the Géoportail de l'urbanisme: zones, prescriptions, informations, documents, and which
communes have a plan.

Format: `land.datasets.planning.layer`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from land.datasets.partitions import Partition
from land.datasets.planning.attributes import (
    Document,
    code,
    document_of,
    document_url,
    is_partition,
    regulation_url,
    text,
)
from land.datasets.planning.codes import DOCUMENT_TYPES, SECTOR_TYPES, ZONE_TYPES
from land.datasets.planning.layer import DocumentLayer, GpuLayer, is_selected
from land.datasets.planning.records import (
    DocumentRecord,
    InForceRecord,
    PlanFeatureRecord,
    PlanningCommuneRecord,
    ZoneRecord,
)
from land.errors import UnreadableFile
from land.sources.base import ALL, CommuneFilter, PartitionRequest, ReadReport, Records
from land.sources.features import Feature, valid_geometry
from land.sources.values import check, commune_code
from servicekit.errors import expect

_ZONE_TYPES = {name.casefold(): name for name in ZONE_TYPES}
_YES, _NO = ("true", "t", "1", "oui"), ("false", "f", "0", "non")


class Zones(DocumentLayer):
    ROUTES: ClassVar[Mapping[str, str]] = {"zone-urba": "", "secteur-cc": "cc"}
    LAYERS = ("ZONE_URBA", "SECTEUR_CC")
    COLUMNS = (("LIBELLE",), ("TYPEZONE", "TYPESECT"))

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[ZoneRecord]:
        """The partition is the document, with the part `cc` for a carte communale."""
        return report.parse(self._documents(path, report, selection), lambda row: _zone(*row, report))


class _PlanFeatures(DocumentLayer):
    TYPE: ClassVar[str]
    """The attribute of the type. With an S before it, that of the subtype."""

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[PlanFeatureRecord]:
        """The partition is the document, with a part each for surfaces, lines and points."""
        for record in report.parse(self._documents(path, report, selection), lambda row: self._record(*row, report)):
            yield Partition(record.partition, record.geometry_kind), record

    def _record(self, feature: Feature, document: Document, report: ReadReport) -> PlanFeatureRecord:
        geometry = valid_geometry(feature)
        properties = feature.properties
        type_code = report.known(self.TYPE, _type(properties[self.TYPE]))
        return PlanFeatureRecord(
            partition=document.partition,
            document_id=document.document_id,
            document_type=document.document_type,
            approved_on=document.approved_on,
            label=text(properties, "LIBELLE"),
            type_code=type_code,
            subtype_code=_type(properties.get(f"S{self.TYPE}")) if type_code else None,
            geometry_kind=geometry.kind,
            regulation_url=regulation_url(properties),
            is_repaired=geometry.is_repaired,
            geometry=geometry.wkb,
        )


class Prescriptions(_PlanFeatures):
    ROUTES: ClassVar[Mapping[str, str]] = {
        "prescription-surf": "surface",
        "prescription-lin": "line",
        "prescription-pct": "point",
    }
    LAYERS = ("PRESCRIPTION_SURF", "PRESCRIPTION_LIN", "PRESCRIPTION_PCT")
    COLUMNS = (("LIBELLE",), ("TYPEPSC",))
    TYPE = "TYPEPSC"


class Informations(_PlanFeatures):
    """What a plan's annexes draw, such as a pre-emption area: it informs, and other laws give it its effect."""

    ROUTES: ClassVar[Mapping[str, str]] = {"info-surf": "surface", "info-lin": "line", "info-pct": "point"}
    LAYERS = ("INFO_SURF", "INFO_LIN", "INFO_PCT")
    COLUMNS = (("LIBELLE",), ("TYPEINF",))
    TYPE = "TYPEINF"


class Documents(DocumentLayer):
    """DOC_URBA of a deposit, or `document` of the live service, which has other attribute names."""

    ROUTES: ClassVar[Mapping[str, str]] = {"document": ""}
    LAYERS = ("DOC_URBA", "DOCUMENT")
    COLUMNS = (("IDURBA", "NAME"), ("TYPEDOC", "DU_TYPE"))

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[DocumentRecord]:
        def parse(feature: Feature) -> DocumentRecord | None:
            properties = feature.properties
            named = {**properties, "IDURBA": properties.get("IDURBA") or properties.get("NAME")}
            document = document_of(named, report.file)
            url = document_url(properties)
            kind = DOCUMENT_TYPES.get((text(properties, "TYPEDOC") or text(properties, "DU_TYPE")).upper())
            if not is_selected(document.partition, selection):
                return None
            partition, document_id, kind_in_id, approved_on = document
            return DocumentRecord(partition, document_id, report.known("TYPEDOC", kind) or kind_in_id, approved_on, url)

        for record in report.parse(self._features(path, report), parse):
            yield Partition(record.partition), record


class Communes(GpuLayer):
    """Whether the national rules (RNU) apply in a commune because it has no plan."""

    LAYERS = ("MUNICIPALITY",)
    COLUMNS = (("INSEE",), ("IS_RNU",))

    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/municipality?insee={request.commune_code}"]

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[PlanningCommuneRecord]:
        """Former communes (is_deleted) are left out."""

        def parse(feature: Feature) -> PlanningCommuneRecord | None:
            properties = feature.properties
            insee = commune_code("INSEE", code(properties["INSEE"], 5))
            is_former = _flag(properties.get("IS_DELETED"))
            return None if is_former else PlanningCommuneRecord(insee, _flag(properties["IS_RNU"]))

        return selection.select(report.parse(self._features(path, report), parse))


class InForce(GpuLayer):
    """The documents in force at a commune's centre.

    They are the plan of the commune or of its intercommunality, which may have several, and a PSMV if the centre lies
    in its protected quarter. The service is asked by place because it does not publish the communes of a document.
    """

    LAYERS = ("DOCUMENT",)
    COLUMNS = (("PARTITION",), ("DU_TYPE", "TYPEDOC"))

    def urls(self, request: PartitionRequest) -> list[str]:
        lon, lat = request.locate_commune()
        point = json.dumps({"type": "Point", "coordinates": [round(lon, 6), round(lat, 6)]}, separators=(",", ":"))
        return [f"{self._base}/document?geom={quote(point)}"]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        return Partition(commune) if commune is not None and url.startswith(f"{self._base}/document?geom=") else None

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[InForceRecord]:
        """Yields plans and cartes communales; other documents, such as a SCOT, do not regulate construction.

        Raises UnreadableFile without a commune in `selection`, which an answer does not state.
        """
        commune = expect(
            selection.commune, UnreadableFile(f"{report.file}: does not tell its commune: name it with --commune")
        )

        def parse(feature: Feature) -> InForceRecord | None:
            partition = text(feature.properties, "PARTITION").upper()
            kind = text(feature.properties, "DU_TYPE") or text(feature.properties, "TYPEDOC")
            check(is_partition(partition), f"PARTITION: {partition[:20]!r} is none")
            return InForceRecord(commune, partition) if kind.upper() in DOCUMENT_TYPES else None

        for record in report.parse(self._features(path, report), parse):
            yield Partition(commune), record


def _zone(feature: Feature, document: Document, report: ReadReport) -> tuple[Partition, ZoneRecord]:
    geometry = valid_geometry(feature)
    check(geometry.kind == "surface", f"geometry: a {geometry.kind} is no zone")
    properties = feature.properties
    long_label = text(properties, "LIBELONG") or None
    zone_type = sector_type = None
    if "TYPESECT" in properties:
        published = code(properties["TYPESECT"], 2)
        sector_type = report.known("TYPESECT", published if published in SECTOR_TYPES else None)
        long_label = long_label or SECTOR_TYPES.get(published)
    else:
        zone_type = report.known("TYPEZONE", _ZONE_TYPES.get(text(properties, "TYPEZONE").casefold()))
    report.repaired_count += geometry.is_repaired
    return Partition(document.partition, "cc" if "TYPESECT" in properties else ""), ZoneRecord(
        partition=document.partition,
        document_id=document.document_id,
        document_type=document.document_type or ("CC" if "TYPESECT" in properties else None),
        approved_on=document.approved_on,
        label=text(properties, "LIBELLE"),
        long_label=long_label,
        zone_type=zone_type,
        sector_type=sector_type,
        regulation_url=regulation_url(properties),
        is_repaired=geometry.is_repaired,
        geometry=geometry.wkb,
    )


def _type(value: Any) -> str | None:
    """The two digits of a type; None for another value."""
    digits = code(value, 2)
    return digits if len(digits) == 2 and digits.isascii() and digits.isdigit() else None  # noqa: PLR2004


def _flag(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = code(value, 1).casefold()
    return True if word in _YES else False if word in _NO else None
