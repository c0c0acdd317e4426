"""Puts the server together: store, service, gRPC."""

from sqlalchemy import Engine

from land.rpc.errors import STATUSES
from land.rpc.servicer import LandServicer
from land.service import LandService
from land.settings import LandSettings, StoreSettings
from land.sources import PublisherBases, build
from land.sources.base import Source
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from servicekit.database import is_current, open_engine
from servicekit.rpc_server import Registration, RpcServer, Workers

MIGRATIONS = "land.store:migrations"
_SERVICE = land_pb2.DESCRIPTOR.services_by_name["LandService"].full_name


class SchemaOutdated(Exception):
    pass


def open_store(settings: StoreSettings) -> Engine:
    return open_engine(settings.database_url.get_secret_value(), pool_size=16)


def sources_of(settings: StoreSettings) -> dict[str, Source]:
    return build(
        PublisherBases(
            ban=settings.ban_base,
            cadastre=settings.cadastre_base,
            dvf=settings.dvf_base,
            sitadel=settings.sitadel_base,
        )
    )


def create_server(settings: LandSettings) -> RpcServer:
    """A server that is ready to start. Raises SchemaOutdated where the store's schema is not current."""
    engine = open_store(settings)
    if not is_current(engine, MIGRATIONS):
        raise SchemaOutdated("The store's schema is not current: run `land migrate` first.")
    licences = {source.id: source.licence for source in sources_of(settings).values()}
    service = LandService(engine, licences)
    workers = Workers(settings.workers)
    servicer = LandServicer(service, workers)
    registration = Registration(
        _SERVICE, lambda server: land_pb2_grpc.add_LandServiceServicer_to_server(servicer, server)
    )
    return RpcServer(settings, [registration], STATUSES)
