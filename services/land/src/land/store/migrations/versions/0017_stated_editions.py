"""Editions and retrievals that were the modification time of a file become unknown, and the time of the load.

Revision ID: 0017
Revises: 0015
"""

from alembic import op

revision = "0017"
down_revision = "0015"
changes_data = (
    "An old replica that loads a file during the upgrade still names its time as the edition. That is no worse than "
    "before, and ends with the next load of the unit."
)

# The file stated its edition where its name or address has it; sales and planning documents also state it within. The
# time of a file that was downloaded without a date is the day of its retrieval. The demo is loaded anew with its own.
_STATED_IN_NAME = "url LIKE '%' || edition || '%'"
_STATED_WITHIN = (
    "(dataset = 'dvf' AND length(edition) = 4) OR (dataset LIKE 'gpu-%' AND edition <> substr(retrieved_at, 1, 10))"
)
_OF_DEMO = "unit LIKE '00%' OR unit LIKE 'DU!_00%' ESCAPE '!'"


def upgrade() -> None:
    op.execute(
        f"UPDATE dataset_load SET edition = 'unknown' WHERE NOT ({_STATED_IN_NAME} OR {_STATED_WITHIN} OR {_OF_DEMO})"  # noqa: S608
    )
    op.execute("UPDATE dataset_load SET retrieved_at = loaded_at WHERE url NOT LIKE 'http%'")


def downgrade() -> None:
    """Nothing: the times of the files are not known any more."""
