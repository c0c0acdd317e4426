"""What a crowd at the door costs the real process."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from keys.store.database import Database
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import decode

CROWD = 100
HASHES_AT_ONCE = 2
HASH_KIB = 64 * 1024
ELSE_KIB = 48 * 1024
"""For the crowd's calls, connections and threads."""


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, str]]:
    """A keys process on SQLite: its process id and its address."""
    url = f"sqlite:///{folder}/keys.sqlite"
    database = Database(url)
    database.migrate()
    database.close()
    environment = {
        **os.environ,
        "KEYS_DATABASE_URL": url,
        "KEYS_PEPPERS": f"1:{bytes(range(32)).hex()}",
        "KEYS_SERVICE_TOKEN": "token",
    }
    command = [sys.executable, "-c", "from keys.cli import main; main()", "serve"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            said = next(line for line in map(json.loads, process.stderr) if line["message"] == "listening")
            yield process.pid, f"127.0.0.1:{said['port']}"
        finally:
            process.send_signal(signal.SIGTERM)


def peak_kib(pid: int) -> int:
    """The most memory that the process ever held."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read as Linux tells it")
async def test_a_hundred_sign_ins_at_once_take_the_memory_of_two(tmp_path: Path) -> None:
    """As many are looked at as may wait, for each comes from an address and for an account of its own."""
    with serving(tmp_path) as (pid, address):
        async with open_channel(address) as channel:
            admin = admin_pb2_grpc.AdminServiceStub(channel)

            async def refused(number: int) -> str:
                request = admin_pb2.SignInRequest(
                    email=f"nobody-{number}@example.org", password="wrong", client_address=f"198.51.100.{number}"
                )
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await admin.SignIn(request, **Outgoing("token")(120.0))
                error = decode(caught.value)
                return error.code if error else "none"

            assert await refused(0) == "invalid_credentials"
            idle = peak_kib(pid) - HASH_KIB
            codes = await asyncio.gather(*(refused(number) for number in range(1, CROWD + 1)))
        assert set(codes) == {"invalid_credentials"}
        assert peak_kib(pid) - idle <= HASHES_AT_ONCE * HASH_KIB + ELSE_KIB
