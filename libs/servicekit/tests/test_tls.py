"""Mutual TLS over loopback, with right, missing, foreign, expired and other services' certificates, and a rotation."""

import asyncio
import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import certificates
import grpc
import pytest
from prometheus_client import REGISTRY

from servicekit.callers import entry
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings
from servicekit.tls import Certificates, UnusableCertificate

NAME, METHOD = "test.Echo", "/test.Echo/Echo"
OUTGOING = Outgoing("token")
UNAVAILABLE, UNAUTHENTICATED, OK = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.OK,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificates of an installation."""
    root = tmp_path_factory.mktemp("made")
    certificates.create(root)
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, which a test may change."""
    monkeypatch.setattr(certificates, "SEEN_WITHIN_S", 0)
    return Path(shutil.copytree(made, tmp_path / "root"))


def expire(root: Path, service: str) -> None:
    """Replaces the certificate by one that expired yesterday."""
    certificate, key, request = (root / service / "tls" / name for name in ("tls.crt", "tls.key", "request"))
    authority = root / "authority" / "1.crt"
    for arguments in (
        f"-in {certificate} -x509toreq -signkey {key} -copy_extensions copyall -out {request}",
        f"-req -in {request} -CA {authority} -CAkey {authority.with_suffix('.key')} -days -1 -copy_extensions copyall "
        f"-out {certificate}",
    ):
        subprocess.run(["openssl", "x509", *arguments.split()], check=True, capture_output=True)


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


async def test_the_certificate_of_the_caller_is_accepted_and_health_needs_one(made: Path) -> None:
    async with serving(made / "keys" / "tls") as (_, target):
        async with open_channel(target, service="keys", certificates=Certificates(made / "edge" / "tls")) as channel:
            echo: Any = channel.unary_unary(METHOD)
            assert await echo(b"", **OUTGOING(60.0)) == b"edge"
        for tls, healthy in ((made / "keys" / "tls", 0), ("", 1)):
            command = [sys.executable, "-m", "servicekit.healthcheck", f"--tls={tls}", target]
            process = await asyncio.create_subprocess_exec(*command)
            assert await process.wait() == healthy


async def test_callers_without_a_trusted_and_valid_certificate_are_refused(
    root: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    foreign = tmp_path / "foreign"
    certificates.create(foreign)
    authority = (root / "edge" / "tls" / "ca.crt").read_bytes()
    expire(root, "edge")
    async with serving(root / "keys" / "tls") as (_, target):
        for channel, logged in (
            (open_channel(target), ""),
            (raw_channel(target, authority), "PEER_DID_NOT_RETURN_A_CERTIFICATE"),
            (raw_channel(target, authority, *content(foreign / "edge" / "tls")[1:]), "CERTIFICATE_VERIFY_FAILED"),
            (
                raw_channel(target, *content(root / "edge" / "tls")),
                "CERTIFICATE_VERIFY_FAILED: certificate has expired",
            ),
        ):
            async with channel:
                assert (await status(channel))[0] is UNAVAILABLE
            assert logged in capfd.readouterr().err


async def test_a_certificate_of_another_service_is_refused(made: Path) -> None:
    async with serving(made / "keys" / "tls") as (_, target):
        async with open_channel(target, service="keys", certificates=Certificates(made / "land" / "tls")) as channel:
            assert (await status(channel))[0] is UNAUTHENTICATED
        async with open_channel(target, service="land", certificates=Certificates(made / "edge" / "tls")) as channel:
            code, details = await status(channel)
            assert code is UNAVAILABLE
            assert "Hostname Verification Check failed" in details or "not valid for" in details


def test_unusable_certificates_are_refused_with_the_reason(root: Path, tmp_path: Path) -> None:
    folder = root / "keys" / "tls"
    read = Certificates(folder)
    assert read.name == "keys"
    expires = REGISTRY.get_sample_value("rpc_certificate_expiry_timestamp_seconds") or 0
    assert abs(expires - time.time() - certificates.DAYS * 86_400) < 3_600
    with pytest.raises(FileNotFoundError):
        Certificates(tmp_path)
    expire(root, "keys")
    with pytest.raises(UnusableCertificate, match="certificate has expired"):
        Certificates(folder)
    shutil.copy(root / "land" / "tls" / "tls.key", folder / "tls.key")
    with pytest.raises(UnusableCertificate, match="KEY_VALUES_MISMATCH"):
        read.read()
    certificates.create(tmp_path / "foreign")
    shutil.copytree(tmp_path / "foreign" / "keys" / "tls", folder, dirs_exist_ok=True)
    (folder / "ca.crt").write_bytes((root / "land" / "tls" / "ca.crt").read_bytes())
    with pytest.raises(UnusableCertificate, match=r"unable to get local issuer|certificate signature failure"):
        read.read()
    assert read.name == "keys"


async def test_a_rotation_of_authority_and_certificates_fails_no_call(root: Path) -> None:
    """The first steps change everything while calls run. At the end, the first certificates are refused."""
    first = content(root / "edge" / "tls")
    own = Certificates(root / "edge" / "tls")
    async with (
        serving(root / "keys" / "tls") as (server, target),
        open_channel(target, service="keys", certificates=own) as channel,
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
        for step in (certificates.next_authority, certificates.renew, certificates.retire_authority):
            await some_calls()
            await asyncio.to_thread(step, root)
            for reader in (server.certificates, own):
                assert reader is not None
                reader.read()
                await some_calls()
        is_over.set()
        await asyncio.gather(*calling)
        assert set(codes) == {OK}
        async with raw_channel(target, content(root / "edge" / "tls")[0], *first[1:]) as old:
            assert (await status(old))[0] is UNAVAILABLE


def test_an_authority_that_is_still_used_is_not_retired_and_certificates_are_renewed_in_time(root: Path) -> None:
    certificates.next_authority(root)
    with pytest.raises(certificates.NotReady, match="edge is not signed by the newest authority"):
        certificates.retire_authority(root)
    before = content(root / "keys" / "tls")
    certificates.create(root)
    assert content(root / "keys" / "tls") == before
    certificates.renew(root, days=certificates.DAYS // 3 - 1)
    short = content(root / "keys" / "tls")
    certificates.create(root)
    assert content(root / "keys" / "tls")[1:] != short[1:]
    assert {file.stat().st_mode & 0o077 for file in root.rglob("*.key")} == {0}
