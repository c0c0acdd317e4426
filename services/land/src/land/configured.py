"""Opens what the settings name: the store and the datasets at their publishers' addresses."""

from sqlalchemy import Engine

from land.registry import Dataset, at
from land.settings import StoreSettings
from servicekit.database import LOADING, open_engine

MIGRATIONS = "land.store:migrations"
FEW_CONNECTIONS = 4
"""Of a command that does one thing at a time."""


def open_store(settings: StoreSettings, connections: int = FEW_CONNECTIONS) -> Engine:
    """With at most so many connections at a time. All that is written here is part of a load."""
    return open_engine(settings.database_url.get_secret_value(), pool_size=connections, writing_limits=LOADING)


def datasets_of(settings: StoreSettings) -> dict[str, Dataset]:
    """The datasets at the publishers' addresses in the settings."""
    return at(settings.bases())
