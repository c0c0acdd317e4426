"""The gRPC status of each of land's errors."""

import grpc

from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable, StoreUnavailable
from servicekit.rpc_errors import StatusTable

STATUSES: StatusTable = {
    AddressNotFound: grpc.StatusCode.NOT_FOUND,
    ParcelNotFound: grpc.StatusCode.NOT_FOUND,
    CommuneLoading: grpc.StatusCode.UNAVAILABLE,
    SourceUnavailable: grpc.StatusCode.UNAVAILABLE,
    StoreUnavailable: grpc.StatusCode.UNAVAILABLE,
}
