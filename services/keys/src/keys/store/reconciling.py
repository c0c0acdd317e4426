"""Corrects usage by day from usage by hour, which every version writes.

During and after the migration to `usage_days`, replicas of an older version may serve. They count by hour only. So the
days are compared with the hours repeatedly, not only in the migration.
"""

from sqlalchemy import Connection, Select, and_, func, literal, or_, select, text

from keys.clock import Clock, day_of, hour_of, start_of_day, start_of_hour
from keys.store.database import Database, upsert
from keys.store.tables import usage_days, usage_hours
from servicekit.database import is_sqlite

RECENT_DAYS = 2
"""Days that each pass compares, including today."""
OLDER_DAYS = 7
"""Further days of each pass. Passes continue back to the first day with usage, then start again."""
_LOCK = 0x64617973
_PLACE = ("key_id", "endpoint")
_COUNTS = [column.name for column in usage_days.c if not column.primary_key]


class Reconciler:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._next: int | None = None
        """The next older day to compare. None starts again after the recent days."""

    def reconcile(self) -> int:
        """Compares some days and returns the number of corrected rows. Each day is a separate transaction."""
        today = day_of(self._clock())
        recent = range(today, today - RECENT_DAYS, -1)
        first = self._first_day()
        if first is None:
            return 0
        start = recent.stop if self._next is None else self._next
        older = range(start, max(first - 1, start - OLDER_DAYS), -1)
        self._next = older.stop if older.stop >= first else None
        return sum(self._reconcile(day) for day in (*recent, *older))

    def _first_day(self) -> int | None:
        with self._database.reading() as connection:
            first = connection.execute(select(func.min(usage_hours.c.hour))).scalar()
        return None if first is None else day_of(start_of_hour(first))

    def _reconcile(self, day: int) -> int:
        with self._database.writing() as connection:
            if not is_sqlite(connection):  # two replicas would both add the difference
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            return _add_missing(connection, day)


def _add_missing(connection: Connection, day: int) -> int:
    """Adds the counts that the hours have and the day's rows do not. One statement reads hours and days as of one
    instant. It only adds, so that concurrent counts are kept.
    """
    statement = upsert(connection, usage_days).from_select(["day", *_PLACE, *_COUNTS], _missing(day))
    sums = {name: usage_days.c[name] + statement.excluded[name] for name in _COUNTS}
    adding = statement.on_conflict_do_update(index_elements=list(usage_days.primary_key.columns), set_=sums)
    return len(connection.execute(adding.returning(usage_days.c.day)).all())


def _missing(day: int) -> Select[tuple[object, ...]]:
    """Selects the differences between hours and day."""
    h, d = usage_hours.c, usage_days.c
    hours = (
        select(h.key_id, h.endpoint, *(func.sum(h[name]).label(name) for name in _COUNTS))
        .where(h.hour >= hour_of(start_of_day(day)), h.hour < hour_of(start_of_day(day + 1)))
        .group_by(h.key_id, h.endpoint)
        .subquery("hours")
    )
    differences = {name: (hours.c[name] - func.coalesce(d[name], 0)).label(name) for name in _COUNTS}
    return (
        select(literal(day).label("day"), hours.c.key_id, hours.c.endpoint, *differences.values())
        .select_from(hours)
        .outerjoin(usage_days, and_(d.day == day, d.key_id == hours.c.key_id, d.endpoint == hours.c.endpoint))
        .where(or_(*(difference.element != 0 for difference in differences.values())))
        .order_by(hours.c.key_id, hours.c.endpoint)
    )
