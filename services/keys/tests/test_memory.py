"""The memory of the real process under many parallel sign-ins."""

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
from servicekit.callers import entry
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import decode

pytestmark = pytest.mark.thorough

PARALLEL_CALLS = 12
HASHES_AT_ONCE = 2
HASH_KIB = 64 * 1024
OVERHEAD_KIB = 48 * 1024
"""The memory that calls, connections and threads may take."""


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, str]]:
    """Starts keys on SQLite. Gives its process id and its address."""
    url = f"sqlite:///{folder}/keys.sqlite"
    database = Database(url)
    database.migrate()
    database.close()
    environment = {
        **os.environ,
        "KEYS_DATABASE_URL": url,
        "KEYS_PEPPERS": f"1:{bytes(range(32)).hex()}",
        "KEYS_CALLERS": entry("edge", "token"),
    }
    command = [sys.executable, "-c", "from keys.cli import main; main()", "serve"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            listening = next(line for line in map(json.loads, process.stderr) if line["message"] == "listening")
            yield process.pid, f"127.0.0.1:{listening['port']}"
        finally:
            process.send_signal(signal.SIGTERM)


def resident_kib(pid: int) -> int:
    """The memory of the process. The pages of files are not counted."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read as Linux tells it")
async def test_many_parallel_sign_ins_use_the_memory_of_two(tmp_path: Path) -> None:
    """Each call has its own address and account, so that none is throttled."""
    with serving(tmp_path) as (pid, address):
        async with open_channel(address) as channel:
            admin = admin_pb2_grpc.AdminServiceStub(channel)
            peak = 0

            async def refused(number: int) -> str:
                request = admin_pb2.SignInRequest(
                    email=f"nobody-{number}@example.org", password="wrong", client_address=f"198.51.100.{number}"
                )
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await admin.SignIn(request, **Outgoing("token")(120.0))
                error = decode(caught.value)
                return error.code if error else "none"

            async def watch() -> None:
                nonlocal peak
                while True:
                    peak = max(peak, resident_kib(pid))
                    await asyncio.sleep(0.005)

            assert await refused(0) == "invalid_credentials"
            idle = resident_kib(pid)
            watching = asyncio.create_task(watch())
            codes = await asyncio.gather(*(refused(number) for number in range(1, PARALLEL_CALLS + 1)))
            watching.cancel()
        assert set(codes) == {"invalid_credentials"}
        assert HASH_KIB < peak - idle <= HASHES_AT_ONCE * HASH_KIB + OVERHEAD_KIB
