"""Column types with the same values on SQLite and PostgreSQL."""

from decimal import Decimal

from sqlalchemy import JSON, Dialect, Enum, String
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

from keys.values.records import Role

Json = JSON().with_variant(JSONB(), "postgresql")


class Money(TypeDecorator[Decimal]):
    """An exact decimal, stored as text: SQLite would convert it to a float."""

    impl = String(40)
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> str | None:
        return None if value is None else format(value, "f")

    def process_result_value(self, value: str | None, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(value)


RoleName = Enum(Role, values_callable=lambda roles: [role.name.lower() for role in roles], native_enum=False, length=16)
"""A role, stored as its name in lower case."""
