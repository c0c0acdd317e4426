"""Writes the stored form of the streets of all communes whose form is outdated, for `migrate`."""

from sqlalchemy import Engine

from land.addresses.stored_streets import FORM_VERSION
from land.datasets.addresses import street_queries as streets
from land.datasets.addresses.street_forms import renew
from servicekit.database import for_writing

BATCH = 100
"""Communes in one transaction."""


def renew_outdated(engine: Engine) -> int:
    """Writes the forms that are missing or of an older version. Returns how many.

    Requests may run at the same time. If a form is missing, a request computes it for itself.
    """
    with engine.connect() as connection:
        outdated = streets.without_form(connection, FORM_VERSION)
    for start in range(0, len(outdated), BATCH):
        with for_writing(engine).begin() as connection:
            for code in outdated[start : start + BATCH]:
                renew(connection, code)
    return len(outdated)
