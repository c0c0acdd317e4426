"""Answers of Géorisques.

Revision ID: 0028
Revises: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.create_table(
        "risk_answer",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("place", sa.String(14), primary_key=True, comment="a parcel id or a commune code"),
        sa.Column("question", sa.String(40), primary_key=True),
        sa.Column("retrieved_at", sa.String(20), nullable=False),
        sa.Column("status", sa.String(11), nullable=False, comment="present, none or not_covered"),
        sa.Column("level", sa.Text),
        sa.Column("label", sa.Text),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("findings", sa.Text, nullable=False, comment="JSON"),
        comment="Answers of Géorisques, imported or kept from requests.",
    )
    op.create_index("risk_answer_retrieved", "risk_answer", ["retrieved_at"])


def downgrade() -> None:
    op.execute("DELETE FROM dataset_load WHERE dataset = 'georisques'")
    op.drop_table("risk_answer")
