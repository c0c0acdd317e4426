"""Plans: named terms for keys."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, or_, select

from keys.store.database import insert_new, put_named
from keys.store.price_terms import terms_of_plans
from keys.store.tables import plans
from keys.values.checks import folded
from keys.values.records import Plan, new_record_id
from servicekit.database import is_sqlite


def find(connection: Connection, id_or_name: str, month: str) -> Plan | None:
    """Returns the plan with its terms of the month."""
    condition = or_(plans.c.id == id_or_name, plans.c.folded_name == folded(id_or_name))
    plans_ = sorted(_read(connection, condition, month), key=lambda plan: plan.id != id_or_name)
    return plans_[0] if plans_ else None


def all_plans(connection: Connection, month: str) -> list[Plan]:
    return _read(connection, plans.c.id.is_not(None), month)


def add(connection: Connection, name: str, now: datetime) -> str | None:
    """Returns the id of the new plan, or None if the name is taken."""
    plan_id = new_record_id()
    values = {"id": plan_id, "name": name, "folded_name": folded(name), "is_archived": False, "created_at": now}
    return plan_id if insert_new(connection, plans, values) else None


def put(connection: Connection, plan_id: str, name: str, is_archived: bool) -> bool:
    """False if another plan has the name."""
    values = {"name": name, "folded_name": folded(name), "is_archived": is_archived}
    return put_named(connection, plans, plan_id, values)


def lock(connection: Connection, plan_id: str) -> None:
    """Locks the plan until the transaction ends. A SQLite transaction already locks the whole database."""
    if not is_sqlite(connection):
        connection.execute(select(plans.c.id).where(plans.c.id == plan_id).with_for_update()).close()


def _read(connection: Connection, condition: ColumnElement[bool], month: str) -> list[Plan]:
    rows = connection.execute(select(plans).where(condition).order_by(plans.c.name)).mappings().all()
    dated = terms_of_plans(connection, [row["id"] for row in rows], month) if rows else {}
    result = []
    for row in rows:
        dated_terms = dated.get(row["id"])
        terms, start = (dated_terms.terms, dated_terms.from_month) if dated_terms else (None, None)
        result.append(
            Plan(
                id=row["id"],
                name=row["name"],
                is_archived=row["is_archived"],
                created_at=row["created_at"],
                terms=terms,
                terms_from=start,
            )
        )
    return result
