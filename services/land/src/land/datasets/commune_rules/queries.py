"""What lists say of communes."""

from sqlalchemy import Index

from land.datasets.commune_rules.records import CommuneRule
from land.store.prepared import of_communes
from land.store.repository import Repository
from land.store.tables import table_of

commune_rule = table_of(
    CommuneRule,
    "commune_rule",
    ["commune_code", "dataset", "department"],
    Index("commune_rule_department", "dataset", "department"),
)
COMMUNE_RULES = Repository(commune_rule, CommuneRule, ["dataset", "department"])
rules_of = COMMUNE_RULES.reading(COMMUNE_RULES.of_communes(), of_communes)
