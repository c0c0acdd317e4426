"""Checks the health of a gRPC server, for platforms that have no gRPC probe or use mutual TLS.

`python -m servicekit.healthcheck [--tls=FOLDER] HOST:PORT [SERVICE]` exits 0 if the server answers SERVING. FOLDER is
that of the server's own certificate. It imports little, since a platform starts it every few seconds.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from grpc_health.v1 import health_pb2

if TYPE_CHECKING:
    from servicekit.tls import Certificates

TIMEOUT_S = 3.0
_TLS = "--tls="
_CHECK = "/grpc.health.v1.Health/Check"
_NO_PROXY = ("grpc.enable_http_proxy", 0)


def is_serving(
    target: str, service: str = "", timeout_s: float = TIMEOUT_S, certificates: "Certificates | None" = None
) -> bool:
    """Whether the server at `host:port` answers SERVING in time. `service` is the full name of one of its services.
    With mutual TLS, `certificates` are those of the server itself.
    """
    with _connect(target, certificates) as channel:
        check = channel.unary_unary(
            _CHECK, health_pb2.HealthCheckRequest.SerializeToString, health_pb2.HealthCheckResponse.FromString
        )
        try:
            answer = check(health_pb2.HealthCheckRequest(service=service), timeout=timeout_s)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def _connect(target: str, certificates: "Certificates | None") -> grpc.Channel:
    if certificates is None:
        return grpc.insecure_channel(target, [_NO_PROXY])
    from servicekit.tls import channel_options  # noqa: PLC0415 (only with mutual TLS)

    options = [_NO_PROXY, *channel_options(certificates.name)]
    return grpc.secure_channel(target, certificates.channel_credentials(), options)


def main(arguments: list[str]) -> None:
    certificates = None
    if arguments and arguments[0].startswith(_TLS):
        from servicekit.tls import Certificates  # noqa: PLC0415 (only with mutual TLS)

        folder = arguments.pop(0).removeprefix(_TLS)
        try:
            certificates = Certificates(Path(folder))
        except (OSError, ValueError) as error:
            sys.exit(f"{folder}: {error}")
    if len(arguments) not in (1, 2):
        sys.exit("usage: python -m servicekit.healthcheck [--tls=FOLDER] HOST:PORT [SERVICE]")
    service = arguments[1] if arguments[1:] else ""
    sys.exit(0 if is_serving(arguments[0], service, certificates=certificates) else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
