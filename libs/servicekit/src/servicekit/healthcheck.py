"""Checks the health of a gRPC server. `python -m servicekit.healthcheck HOST:PORT [SERVICE]` exits 0 if it serves."""

import sys

import grpc
from grpc_health.v1 import health_pb2

TIMEOUT_S = 3.0
_CHECK = "/grpc.health.v1.Health/Check"


def is_serving(target: str, service: str = "", timeout_s: float = TIMEOUT_S) -> bool:
    """Whether the server at `host:port` answers SERVING in time. `service` is the full name of one of its services."""
    with grpc.insecure_channel(target) as channel:
        check = channel.unary_unary(
            _CHECK, health_pb2.HealthCheckRequest.SerializeToString, health_pb2.HealthCheckResponse.FromString
        )
        try:
            answer = check(health_pb2.HealthCheckRequest(service=service), timeout=timeout_s)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


if __name__ == "__main__":
    match sys.argv[1:]:
        case [target]:
            serving = is_serving(target)
        case [target, service]:
            serving = is_serving(target, service)
        case _:
            sys.exit("usage: python -m servicekit.healthcheck HOST:PORT [SERVICE]")
    sys.exit(0 if serving else 1)
