"""The gRPC status of each of land's errors."""

import grpc

from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable, StoreUnavailable
from servicekit.rpc_errors import StatusTable

STATUSES: StatusTable = {
    AddressNotFound: grpc.StatusCode.NOT_FOUND,
    ParcelNotFound: grpc.StatusCode.NOT_FOUND,
    # Not UNAVAILABLE, which channels try again at once: what loads takes seconds, and the caller is told how many.
    CommuneLoading: grpc.StatusCode.ABORTED,
    SourceUnavailable: grpc.StatusCode.ABORTED,
    StoreUnavailable: grpc.StatusCode.UNAVAILABLE,
}
