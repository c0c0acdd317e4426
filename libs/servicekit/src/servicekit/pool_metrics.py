"""Metrics of the database connections of a service."""

from prometheus_client import Gauge
from sqlalchemy import Engine
from sqlalchemy.pool import QueuePool

_in_use = Gauge("database_connections_in_use", "Connections that transactions use.")
_allowed = Gauge("database_connections_max", "Connections that the pool may open.")


def sample_pool(engine: Engine) -> None:
    """Sets the metrics of the engine's connections."""
    if isinstance(engine.pool, QueuePool):
        _in_use.set(engine.pool.checkedout())
        _allowed.set(engine.pool.size())
