"""What all tables share."""

from typing import Any

from sqlalchemy import Column, LargeBinary, MetaData

from land.store.geometry import Geometry

metadata = MetaData()
GEOMETRY = Geometry().with_variant(LargeBinary(), "sqlite")


def columns(kind: Any, *names: str, nullable: bool = True) -> list[Column[Any]]:
    """Several columns of one type."""
    return [Column(name, kind, nullable=nullable) for name in names]
