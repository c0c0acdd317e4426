"""What the settings name: the store, and the sources at their publishers' addresses."""

from sqlalchemy import Engine

from land.publishers import PublisherBases
from land.settings import StoreSettings
from land.sources import build
from land.sources.base import Source
from servicekit.database import LOADING, open_engine

MIGRATIONS = "land.store:migrations"
FEW_CONNECTIONS = 4
"""Of a command that does one thing at a time."""


def open_store(settings: StoreSettings, connections: int = FEW_CONNECTIONS) -> Engine:
    """With at most so many connections at a time. All that is written here is part of a load."""
    return open_engine(settings.database_url.get_secret_value(), pool_size=connections, writing_limits=LOADING)


def sources_of(settings: StoreSettings) -> dict[str, Source]:
    return build(
        PublisherBases(
            cog=settings.cog_base,
            postcodes=settings.postcodes_base,
            ban=settings.ban_base,
            cadastre=settings.cadastre_base,
            dvf=settings.dvf_base,
            gpu=settings.gpu_base,
            gpu_wfs=settings.gpu_wfs_base,
            sitadel=settings.sitadel_base,
        )
    )
