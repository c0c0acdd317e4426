"""Rows of any table as features: in order of their key, after a key, in a box, with given values."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, literal, text, tuple_

from land.store.boxes import Box, ids_in_tree, is_in_boxes
from land.store.repository import Repository

Key = tuple[Any, ...]
Where = ColumnElement[bool]
InBox = Callable[[Connection, Box], Where]
"""The condition for the rows in a box, and perhaps some others."""
_SEPARATOR = "."
_MAX_INTEGER = 2**63


@dataclass(frozen=True)
class FeatureRows:
    """The rows of a collection. They have the columns that are read, and then the key."""

    rows: Select[Any]
    key: Sequence[ColumnElement[Any]]
    """The columns of an index that give the order."""
    partition: str
    """The column with the commune, or with the publisher's partition."""
    in_box: InBox
    of_values: Mapping[str, Callable[[Sequence[str]], Where]]
    """The condition that a column has one of these values, for each column that an index answers."""
    id_start: int = 0
    """If it is set, the first column of the key has so many characters of the second one, and ids leave it out."""

    def parse_key(self, feature_id: str) -> Key | None:
        """The key of a feature. None if it is no id of this collection."""
        start = [feature_id[: self.id_start]] if self.id_start else []
        parts = [*start, *feature_id.split(_SEPARATOR, len(self.key) - len(start) - 1)]
        if len(parts) < len(self.key) or "\0" in feature_id:
            return None
        values: list[Any] = []
        for column, part in zip(self.key, parts, strict=True):
            if column.type.python_type is str:
                values.append(part)
            elif part.isascii() and part.isdigit() and int(part) < _MAX_INTEGER:
                values.append(int(part))
            else:
                return None
        return tuple(values)

    def id_of(self, row: Any) -> str:
        return _SEPARATOR.join(map(str, row[-len(self.key) + bool(self.id_start) :]))

    def after(
        self, connection: Connection, conditions: Sequence[Where], box: Box | None, key: Key | None, count: int
    ) -> list[Any]:
        """The first rows that meet the conditions, in a box, after a key, in order."""
        statement = self._statement.where(*conditions).limit(count)
        order: Sequence[ColumnElement[Any]] = self.key
        if box is not None:
            statement = statement.where(self.in_box(connection, box))
            # Not the bare columns: PostgreSQL would read the whole table in their order and compare the boxes.
            order = [column + ("" if column.type.python_type is str else 0) for column in self.key]
        if key is not None:
            literals = (literal(value, column.type) for value, column in zip(key, self.key, strict=True))
            statement = statement.where(tuple_(*self.key) > tuple_(*literals))
        return list(connection.execute(statement.order_by(*order)))

    def at(self, connection: Connection, conditions: Sequence[Where], key: Key) -> list[Any]:
        """The row with this key, if it meets the conditions."""
        is_row = (column == value for column, value in zip(self.key, key, strict=True))
        return list(connection.execute(self._statement.where(*conditions, *is_row).limit(1)))

    @property
    def _statement(self) -> Select[Any]:
        return self.rows.add_columns(*(column.label(f"key_{at}") for at, column in enumerate(self.key)))


def in_tree(repository: Repository[Any]) -> InBox:
    """The condition that the bounding box of a row of this table, with a number as its key, meets a box."""

    def condition(connection: Connection, box: Box) -> Where:
        boxes = json.dumps([box])
        if connection.dialect.name != "sqlite":
            return text(is_in_boxes(repository.table.name)).bindparams(boxes=boxes)  # type: ignore[return-value]
        assert repository.tree is not None  # noqa: S101 (for mypy)
        ids = text(ids_in_tree(repository.tree.name)).bindparams(boxes=boxes)
        return repository.table.c[repository.tree.column].in_(ids)

    return condition


def at_points(
    communes_in: Callable[[Connection, Box], Sequence[str]],
    commune: ColumnElement[str],
    lon: ColumnElement[Any],
    lat: ColumnElement[Any],
) -> InBox:
    """The condition that the point of a row is in a box, by the communes there."""

    def condition(connection: Connection, box: Box) -> Where:
        in_box = lat.between(box.south, box.north) & lon.between(box.west, box.east)
        return commune.in_(communes_in(connection, box)) & in_box

    return condition
