"""What applies in each commune of a land unit: a part of the block `land`."""

from dataclasses import dataclass

from land.datasets.commune_rules.queries import rules_of
from land.datasets.commune_rules.records import CommuneRule
from land.datasets.commune_rules.registration import COAST, DATASETS, MOUNTAIN, PLANS, TAX
from land.store.cached_reads import Reads
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site


@dataclass(frozen=True)
class CommuneRules:
    commune_code: str
    tax: CommuneRule | None
    mountain: str | None
    """`whole`, `part` or `none`; None if the list is not loaded."""
    coast: str | None
    plan: CommuneRule | None


def compute(reads: Reads, site: Site, _: Parts) -> Part[tuple[CommuneRules, ...]]:
    by_list = {(row.commune_code, row.dataset): row for row in rules_of(reads.snapshot, site.communes)}

    def extent(commune: str, dataset: str) -> str | None:
        row = by_list.get((commune, dataset))
        is_loaded = site.loads.coverage(dataset, commune).status == "covered"
        return row.extent if row else "none" if is_loaded else None

    rules = (
        CommuneRules(
            commune,
            by_list.get((commune, TAX.id)),
            extent(commune, MOUNTAIN.id),
            extent(commune, COAST.id),
            by_list.get((commune, PLANS.id)),
        )
        for commune in site.communes
    )
    return Part(tuple(rule for rule in rules if any((rule.tax, rule.mountain, rule.coast, rule.plan))))


RECIPE = Recipe("commune_rules", tuple(dataset.id for dataset in DATASETS), compute, part_of="land")
