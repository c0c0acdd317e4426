"""Client of the parcel and land-data partner API."""

from landpartner_client.aio import AsyncClient
from landpartner_client.client import Client
from landpartner_client.errors import (
    ConnectionFailed,
    IncompleteStream,
    LandPartnerError,
    ServiceError,
    UnexpectedAnswer,
)
from landpartner_client.events import DivisionEvent

__all__ = [
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "DivisionEvent",
    "IncompleteStream",
    "LandPartnerError",
    "ServiceError",
    "UnexpectedAnswer",
]
