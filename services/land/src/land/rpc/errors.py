"""The gRPC status of each of land's errors."""

import grpc

from land.errors import (
    AddressNotFound,
    CommuneLoading,
    ParcelNotFound,
    SourceUnavailable,
    StoreUnavailable,
    WatchNotFound,
)
from servicekit.rpc_errors import StatusTable

STATUSES: StatusTable = {
    AddressNotFound: grpc.StatusCode.NOT_FOUND,
    ParcelNotFound: grpc.StatusCode.NOT_FOUND,
    WatchNotFound: grpc.StatusCode.NOT_FOUND,
    # Not UNAVAILABLE: channels retry that at once. A load takes seconds, and the error says how many.
    CommuneLoading: grpc.StatusCode.ABORTED,
    SourceUnavailable: grpc.StatusCode.ABORTED,
    StoreUnavailable: grpc.StatusCode.UNAVAILABLE,
}
