"""Regulated zones (zonage réglementaire) of risk prevention plans, one archive of Géorisques for each département.

Written from public code that reads these archives, and never tried against the service. Format: COVADIS standard of
prevention plans, table ZONE_PPRN or ZONE_PPRT (N_ZONE_REG_PPRN in older deliveries), as shapefile. The archive does not
say which plans are in force: a plan that was revised may still be in it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from land.datasets.partitions import Partition, department_of
from land.datasets.planning.attributes import code, regulation_url, text
from land.datasets.risk_zones.records import PlanSubject, Regulation, RiskZoneRecord
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.features import Feature, read_complete_features
from land.sources.geometry import make_valid
from land.sources.values import given

PlanKind = Literal["pprn", "pprt"]
"""Plans for natural and for technological risks, in files and tables of their own."""
_SUBJECTS: Final[Mapping[PlanKind, PlanSubject]] = {"pprn": "natural_risk_plan", "pprt": "technological_risk_plan"}
REGULATIONS: Final[Mapping[str, Regulation]] = {
    "01": "conditions", "02": "conditions", "03": "forbidden", "04": "forbidden", "05": "acquisition",
    "06": "acquisition",
}  # fmt: skip
"""TYPEREG: prescriptions outside the hazard, prescriptions, prohibition, strict prohibition, délaissement,
expropriation.
"""
_COLUMNS = (("ID_GASPAR",), ("CODEZONE",), ("TYPEREG",))


class RiskZones(FileReader):
    def __init__(self, kind: PlanKind, base: str = "") -> None:
        super().__init__(base)
        self._kind = kind

    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/{self._kind}_{request.partition_code.lower()}.zip"]

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[RiskZoneRecord]:
        """The partition is the selected département, else that of the plan's number: a plan may reach into others."""
        selection.refuse_commune(report.file)
        layers = [f"ZONE_{self._kind.upper()}", f"ZONE_REG_{self._kind.upper()}"]

        def parse(feature: Feature) -> tuple[Partition, RiskZoneRecord] | None:
            zone = _zone(feature, _SUBJECTS[self._kind], report)
            department = selection.department or department_of(feature.properties["ID_GASPAR"])
            return None if zone is None else (Partition(department, self._kind), zone)

        return report.parse(read_complete_features(path, report, layers, _COLUMNS), parse)

    def part_with_gaps(self, url: str) -> str | None:
        return self._kind

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        name = url.removeprefix(f"{self._base}/{self._kind}_")
        return None if name == url else Partition(name.removesuffix(".zip").upper(), self._kind)


def _zone(feature: Feature, subject: PlanSubject, report: ReadReport) -> RiskZoneRecord | None:
    """None for the lines and points of a plan, which have no area."""
    properties = feature.properties
    plan_id = text(properties, "ID_GASPAR").upper()
    geometry = make_valid(given(feature.geometry if plan_id else None, "neither geometry nor ID_GASPAR may be absent"))
    regulation: Regulation | None = report.known("TYPEREG", REGULATIONS.get(code(properties["TYPEREG"], 2)))
    if geometry.kind != "surface":
        return None
    return RiskZoneRecord(
        plan_id,
        subject,
        text(properties, "CODEZONE"),
        text(properties, "NOM") or None,
        regulation,
        regulation_url(properties),
        geometry.is_repaired,
        geometry.wkb,
    )
