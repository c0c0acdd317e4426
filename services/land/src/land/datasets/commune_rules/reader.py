"""Lists of communes with what applies in each. No sample is held: the readers follow the publishers' documentation.

- DGFiP, "Taxe d'aménagement : éléments de taxation votés par les collectivités". Sectors have rows of their own.
- Cerema, communes under the law on mountains (2019); the ministry, communes under the law on coasts.
- Docurba, the plans of the communes of a département: `plan_etat_code1` is the state of the one in force,
  `plan_etat_code2` of the one under way; 9 is none.
Columns are known by any of the names below. A file that misses a required one is refused by its name.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from land.datasets.columns import positions
from land.datasets.commune_rules.records import CommuneRule
from land.datasets.partitions import DEMO_DEPARTMENT, DEPARTMENTS, Partition, department_of
from land.errors import UnreadableFile
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.files import open_csv
from land.sources.values import commune_code, decimal, given, year_in

Columns = Sequence[Sequence[str]]
_COMMUNE = ("code_insee", "insee_com", "insee", "code_commune", "code_insee_commune", "codgeo", "depcom")
_NONE = frozenset({"", "9", "99"})
_PART = re.compile(r"p(art.*)?", re.IGNORECASE)


class CommuneFile(FileReader):
    """A row for each commune, or for each of its sectors."""

    dataset: str
    delimiter = ";"
    required: Columns = ()
    optional: Columns = ()

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[CommuneRule]:
        selection.refuse_commune(report.file)
        with open_csv(path, report.file, self.delimiter) as table:
            places = positions(table, (_COMMUNE, *self.required), self.optional)
            rows = ((table.line, ["", *map(str.strip, row)]) for row in table.rows(report))
            cells = ((line, [row[place + 1] for place in places]) for line, row in rows)
            for record in report.parse(cells, self._record):
                if selection.includes(record.commune_code):
                    yield Partition(record.department), record

    def _record(self, cells: Sequence[str]) -> CommuneRule:
        """Raises ValueError naming the column that cannot be read."""
        code = commune_code("code_insee", cells[0].zfill(5))
        return self.rule(CommuneRule(self.dataset, department_of(code), code), *cells[1:])

    @abstractmethod
    def rule(self, record: CommuneRule, *cells: str) -> CommuneRule:
        """The record with what the cells of `required` and `optional` say. Raises ValueError."""


class TaxRates(CommuneFile):
    dataset = "taxe-amenagement"
    required = (
        ("annee", "exercice", "annee_d_application"),
        ("taux_communal", "taux_commune", "taux_part_communale", "taux"),
    )
    optional = (
        ("taux_departemental", "taux_departement", "taux_part_departementale"),
        ("taux_regional", "taux_region", "taux_part_regionale"),
    )

    def rule(self, record: CommuneRule, *cells: str) -> CommuneRule:
        year, *rates = cells
        first_year = given(year_in(year), f"annee: {year[:20]!r} is no year")
        own, department, region = (
            decimal("taux", rate.strip(" %").replace(",", "."), 0, 100, "rate") for rate in rates
        )
        return record._replace(
            year=int(first_year),
            commune_percent=own,
            highest_percent=own,
            department_percent=department,
            region_percent=region,
        )


class ListedCommunes(CommuneFile):
    """Communes that are not on the list are outside, in every département: so a list that was cut is refused."""

    least_count: int
    """About half of the communes that are on the list."""
    optional = (("classement", "zonage", "part", "total_partiel"),)

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[CommuneRule]:
        is_demo = True
        for partition, record in super().read(path, report):
            is_demo &= partition.code == DEMO_DEPARTMENT
            if selection.includes(record.commune_code):
                yield partition, record
        if not is_demo and report.row_count - report.rejected_count < self.least_count:
            raise UnreadableFile(f"{report.file}: {report.row_count} rows of at least {self.least_count}")
        for department in () if is_demo else sorted(DEPARTMENTS):
            if selection.department in (None, department):
                yield Partition(department), CommuneRule(self.dataset, department, "")

    def rule(self, record: CommuneRule, *cells: str) -> CommuneRule:
        return record._replace(extent="part" if _PART.fullmatch(cells[0]) else "whole")


class Mountain(ListedCommunes):
    dataset = "loi-montagne"
    least_count = 3_000


class Coast(ListedCommunes):
    dataset = "loi-littoral"
    least_count = 600


class PlanStates(CommuneFile):
    dataset = "docurba"
    delimiter = ","
    required = (("plan_etat_code2",), ("plan_libelle_etat_code1",), ("plan_libelle_etat_code2",))

    def urls(self, request: PartitionRequest) -> list[str]:
        return [f"{self._base}/exports/communes?departementCode={request.partition_code}&csv=true"]

    def rule(self, record: CommuneRule, *cells: str) -> CommuneRule:
        state, plan, under_way = cells
        return record._replace(plan=plan or None, plan_under_way=None if state in _NONE else under_way or state)
