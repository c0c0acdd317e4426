"""Mutual TLS over loopback, with right, missing, foreign, expired and other services' certificates, and a rotation."""

import asyncio
import contextlib
import shutil
import sys
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from prometheus_client import REGISTRY

import certificate_files
from servicekit.callers import entry
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings
from servicekit.tls import Certificates, UnusableCertificate, sample_certificate

NAME, METHOD = "test.Echo", "/test.Echo/Echo"
OUTGOING = Outgoing("token")
UNAVAILABLE, UNAUTHENTICATED, OK = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.OK,
)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def root(authority: trustme.CA, tmp_path: Path) -> Path:
    """The certificates of an installation, in a folder for each service."""
    certificate_files.issue_all(tmp_path / "root", authority)
    return tmp_path / "root"


def expire(root: Path, service: str, authority: trustme.CA) -> None:
    """Replaces the certificate by one that expired yesterday."""
    certificate_files.issue(root / service, service, authority, expires=datetime.now(UTC) - timedelta(days=1))


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[RpcServer, str]]:
    async def answer(_: bytes, call: Any) -> bytes:
        return b"".join(call.auth_context()["x509_subject_alternative_name"])

    generic = grpc.method_handlers_generic_handler(NAME, {"Echo": grpc.unary_unary_rpc_method_handler(answer)})
    registration = Registration(NAME, lambda server: server.add_generic_rpc_handlers([generic]), {"edge": ("Echo",)})
    settings = RpcSettings(callers=entry("edge", "token"), tls_dir=folder, drain_s=0)
    server = RpcServer(settings, [registration], {})
    port = await server.start()
    try:
        yield server, f"127.0.0.1:{port}"
    finally:
        await server.stop()


async def status(channel: grpc.aio.Channel) -> tuple[grpc.StatusCode, str]:
    echo: Any = channel.unary_unary(METHOD)
    call = echo(b"", **OUTGOING(60.0))
    return await call.code(), str(await call.details())


def raw_channel(target: str, *content: bytes | None) -> grpc.aio.Channel:
    options = [("grpc.ssl_target_name_override", "keys")]
    return grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(*content), options)


def content(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("ca.crt", "tls.key", "tls.crt")]


async def test_the_certificate_of_the_caller_is_accepted_and_health_needs_one(root: Path) -> None:
    async with serving(root / "keys") as (_, target):
        async with open_channel(target, service="keys", certificates=Certificates(root / "edge")) as channel:
            echo: Any = channel.unary_unary(METHOD)
            assert await echo(b"", **OUTGOING(60.0)) == b"edge"
        for options, status_code in ([f"--tls={root / 'keys'}"], 0), ([], 1), ([f"--tls={root}"], 1):
            command = [sys.executable, "-m", "servicekit.healthcheck", *options, target]
            process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
            assert await process.wait() == status_code


async def test_callers_without_a_trusted_and_valid_certificate_are_refused(
    root: Path, authority: trustme.CA, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    certificate_files.issue(tmp_path / "foreign", "edge", trustme.CA())
    trusted = authority.cert_pem.bytes()
    expire(root, "edge", authority)
    async with serving(root / "keys") as (_, target):
        for channel, logged in (
            (open_channel(target), ""),
            (raw_channel(target, trusted), "PEER_DID_NOT_RETURN_A_CERTIFICATE"),
            (raw_channel(target, trusted, *content(tmp_path / "foreign")[1:]), "CERTIFICATE_VERIFY_FAILED"),
            (
                raw_channel(target, *content(root / "edge")),
                "CERTIFICATE_VERIFY_FAILED: certificate has expired",
            ),
        ):
            async with channel:
                assert (await status(channel))[0] is UNAVAILABLE
            assert logged in capfd.readouterr().err


async def test_a_certificate_of_another_service_is_refused(root: Path) -> None:
    async with serving(root / "keys") as (_, target):
        async with open_channel(target, service="keys", certificates=Certificates(root / "land")) as channel:
            assert (await status(channel))[0] is UNAUTHENTICATED
        async with open_channel(target, service="land", certificates=Certificates(root / "edge")) as channel:
            code, details = await status(channel)
            assert code is UNAVAILABLE
            assert "Hostname Verification Check failed" in details or "not valid for" in details


def test_unusable_certificates_are_refused_with_the_reason(root: Path, authority: trustme.CA, tmp_path: Path) -> None:
    folder = root / "keys"
    certificates = Certificates(folder)
    assert certificates.name == "keys"
    sample_certificate(folder / "tls.crt")
    for use in ("services", "partners"):
        expires = REGISTRY.get_sample_value("tls_certificate_expires_timestamp_seconds", {"use": use}) or 0
        assert abs(expires - time.time() - certificate_files.LIFETIME.total_seconds()) < 3_600
    with pytest.raises(FileNotFoundError):
        Certificates(tmp_path)
    certificate = authority.issue_cert("keys", "land")
    certificate.cert_chain_pems[0].write_to_path(folder / "tls.crt")
    certificate.private_key_pem.write_to_path(folder / "tls.key")
    with pytest.raises(UnusableCertificate, match="must have one DNS name"):
        Certificates(folder)
    expire(root, "keys", authority)
    with pytest.raises(UnusableCertificate, match="certificate has expired"):
        Certificates(folder)
    shutil.copy(root / "land" / "tls.key", folder / "tls.key")
    with pytest.raises(UnusableCertificate, match="KEY_VALUES_MISMATCH"):
        certificates.read()
    certificate_files.issue(folder, "keys", trustme.CA())
    certificate_files.trust(folder, authority)
    with pytest.raises(UnusableCertificate, match=r"unable to get local issuer|certificate signature failure"):
        certificates.read()
    assert certificates.name == "keys"


async def test_a_rotation_of_authority_and_certificates_fails_no_call(root: Path, authority: trustme.CA) -> None:
    """The first steps change everything while calls run. At the end, the first certificates are refused."""
    first = content(root / "edge")
    edge_certificates = Certificates(root / "edge")
    following = trustme.CA()

    def trust(*authorities: trustme.CA) -> None:
        for service in certificate_files.SERVICES:
            certificate_files.trust(root / service, *authorities)

    async with (
        serving(root / "keys") as (server, target),
        open_channel(target, service="keys", certificates=edge_certificates) as channel,
    ):
        codes: list[grpc.StatusCode] = []
        is_over = asyncio.Event()

        async def load() -> None:
            while not is_over.is_set():
                codes.append((await status(channel))[0])

        async def some_calls() -> None:
            enough = len(codes) + 20
            async with asyncio.timeout(60):
                while len(codes) < enough:  # noqa: ASYNC110
                    await asyncio.sleep(0.005)

        calling = [asyncio.create_task(load()) for _ in range(4)]
        for step in (
            partial(trust, authority, following),
            partial(certificate_files.issue_all, root, following, authority),
            partial(trust, following),
        ):
            await some_calls()
            await asyncio.to_thread(step)
            for reader in (server.certificates, edge_certificates):
                assert reader is not None
                reader.read()
                await some_calls()
        is_over.set()
        await asyncio.gather(*calling)
        assert set(codes) == {OK}
        async with raw_channel(target, content(root / "edge")[0], *first[1:]) as old:
            assert (await status(old))[0] is UNAVAILABLE
