"""What lists say of communes."""

from collections.abc import Sequence

from sqlalchemy import Connection, Index

from land.datasets.commune_rules.records import CommuneRule
from land.store.repository import Repository
from land.store.tables import table_of

commune_rule = table_of(
    CommuneRule,
    "commune_rule",
    ["commune_code", "dataset", "department"],
    Index("commune_rule_department", "dataset", "department"),
)
COMMUNE_RULES = Repository(commune_rule, CommuneRule, ["dataset", "department"])
_OF_COMMUNES = COMMUNE_RULES.of_communes()


def rules_of(connection: Connection, communes: Sequence[str]) -> list[CommuneRule]:
    return COMMUNE_RULES.read(connection, _OF_COMMUNES, {"communes": list(communes)})
