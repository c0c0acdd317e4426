"""`edge serve` as a process: start, answers, shutdown."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from embedded.processes import free_ports
from replicas import spooled

pytestmark = pytest.mark.thorough


def environment(tmp_path: Path, port: int, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "EDGE_PORT": str(port),
        "EDGE_LAND_TARGET": "127.0.0.1:1",
        "EDGE_KEYS_TARGET": "127.0.0.1:1",
        "EDGE_ASSISTANT_TARGET": "127.0.0.1:1",
        **dict.fromkeys(("EDGE_KEYS_TOKEN", "EDGE_LAND_TOKEN", "EDGE_ASSISTANT_TOKEN"), "hunter2-token"),
        "EDGE_SPOOL_DIR": str(tmp_path / "spool"),
        **more,
    }


def start(env: dict[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from edge.cli import main; main()", "serve"]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture
def port() -> int:
    return free_ports("127.0.0.1", 1)[0]


def wait_for(url: str) -> httpx.Response:
    ends = time.monotonic() + 60
    while True:
        try:
            return httpx.get(url)
        except httpx.TransportError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)


def test_it_serves_and_ends_cleanly_on_sigterm(tmp_path: Path, port: int) -> None:
    process = start(environment(tmp_path, port))
    try:
        response = wait_for(f"http://127.0.0.1:{port}/api/v1/health")
        assert response.json()["status"] == "degraded"
        assert httpx.get(f"http://127.0.0.1:{port}/livez").status_code == 200
        assert httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 503
        assert "server" not in response.headers
    finally:
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    assert spooled(tmp_path / "spool") == []
    assert "hunter2" not in output
    lines = [json.loads(line) for line in output.splitlines() if '"message": "request"' in line]
    seen = [(line["route"], line["status"], line["method"]) for line in lines]
    assert seen == [("/readyz", 503, "GET")]
    assert all(line["request_id"] for line in lines)


def test_an_occupied_port_is_reported(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = start(environment(tmp_path, taken.getsockname()[1]))
        output, _ = process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    assert "address already in use" in output.lower()


@pytest.mark.parametrize(
    ("name", "value"),
    [("EDGE_LAND_TARGET", "nowhere"), ("EDGE_TRUSTED_PROXIES", "10.0.0.0/99"), ("EDGE_PORT", "70000")],
)
def test_a_wrong_setting_stops_the_process_with_its_name(tmp_path: Path, name: str, value: str) -> None:
    process = start({**environment(tmp_path, 0), name: value})
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    assert name in output


def test_after_sigterm_it_serves_on_and_says_that_it_leaves(tmp_path: Path, port: int) -> None:
    process = start(environment(tmp_path, port, EDGE_DRAIN_S="20", EDGE_LEAVE_S="15"))
    url = f"http://127.0.0.1:{port}"
    try:
        assert wait_for(f"{url}/readyz").json()["status"] == "unavailable"  # its services are missing
        process.send_signal(signal.SIGTERM)
        while (answer := httpx.get(f"{url}/readyz", timeout=60)).json()["status"] != "leaving":
            assert process.poll() is None
        assert answer.status_code == 503
        assert httpx.get(f"{url}/livez", timeout=60).status_code == 200
    finally:
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
