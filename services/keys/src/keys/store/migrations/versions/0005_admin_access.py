"""Adds second factors, the access policy, and the digests that detect wrong peppers."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Instant

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("admins", sa.Column("totp_pepper_version", sa.Integer(), nullable=True))
    op.add_column("admins", sa.Column("totp_salt", sa.LargeBinary(), nullable=True))
    op.add_column("admins", sa.Column("totp_confirmed_at", Instant(), nullable=True))
    op.add_column("admins", sa.Column("totp_last_step", sa.BigInteger(), nullable=True))
    op.create_table(
        "access_policy",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("is_totp_required", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_access_policy"),
    )
    op.create_table(
        "pepper_checks",
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_pepper_checks"),
    )
