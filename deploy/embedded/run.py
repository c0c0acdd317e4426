"""Runs all services on this machine, on loopback and with SQLite files: four servers and two senders of webhooks.

Ctrl-C or SIGTERM stops all processes. If one of them ends, this program stops the others and exits with 1.
"""

import json
import os
import shlex
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from embedded.commands import CommandFailed, run_commands
from embedded.installation import BACKENDS, LOOPBACK, AlreadyRunning, Installation, RunRecord
from embedded.processes import Died, Fleet, free_ports, is_free
from secret_files import SecretMissing
from servicekit.healthcheck import is_serving
from servicekit.tls import Certificates

DEFAULT_PORT = 8080
MAX_PORT = 65_535
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HEALTHY_WITHIN_S = 180.0
_WATCH_S = 0.2
_OK = 200
_NO_LONGER_GOOD = (401, 403)
DEMO_REQUEST = json.dumps({"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"})
"""A request body for resolve, with an address of the demo commune."""

PREPARATION = {"land": [["migrate"], ["demo"]], "assistant": [["migrate"]], "keys": [["migrate"]]}
"""The commands that prepare the data of each service. To run them twice changes nothing."""
CREATE_DEMO_KEY = [
    "create-key", "--partner", "Demo", "--label", "Key of this machine", "--per-minute", "60000", "--burst", "6000",
]  # fmt: skip
"""A live key without a monthly quota."""


class Stopped(Exception):
    """This process got a stop signal."""


def main() -> int:
    os.umask(0o077)
    installation = Installation.from_environment()
    for signum in STOPPING:
        signal.signal(signum, _stop)
    try:
        port = _edge_port()
        installation.make_folders()
        with installation.held():
            _print("starting; the first start loads the demo commune")
            return _run(installation, port)
    except SecretMissing as error:
        return _refuse(str(error))
    except AlreadyRunning:
        return _refuse(f"another run uses {installation.folder}: end it, or choose another folder with DATA_DIR=…")
    except Stopped:
        return 0


def _run(installation: Installation, port: int) -> int:
    fleet = Fleet()
    record = installation.read_record()
    try:
        record = _start(installation, fleet, port, record)
        _print_access(installation, record)
        while True:
            fleet.check()
            fleet.bound_logs()
            time.sleep(_WATCH_S)
    except Stopped:
        _print("ending")
        return 0
    except CommandFailed as error:
        return _refuse(str(error))
    except Died as error:
        return _refuse(f"{error}; the logs are in {installation.folder / 'logs'}")
    finally:
        _ignore_signals()
        fleet.end(first=["edge"])  # keys must still accept the outcomes of the edge's last requests
        if record is not None:
            installation.write_record(replace(record, setup_token=None, pids={}, ports={}))


def _start(installation: Installation, fleet: Fleet, port: int, last: RunRecord | None) -> RunRecord:
    """Prepares and starts all services, in parallel if possible. Returns when every service is healthy."""
    url = f"http://{LOOPBACK}:{port}"
    ports = dict(zip(BACKENDS, free_ports(LOOPBACK, len(BACKENDS)), strict=True))
    last_key = last.api_key if last else None
    fleet.start("edge", ["edge", "serve"], installation.edge_environment(port, ports), installation.log_file("edge"))
    with ThreadPoolExecutor(len(BACKENDS)) as pool:
        access = pool.submit(prepare_keys, installation, with_key=last_key is None)
        preparing: dict[Future[Any], str] = {
            access: "keys",
            pool.submit(prepare, installation, "land"): "land",
            pool.submit(prepare, installation, "assistant"): "assistant",
        }
        while preparing:
            done, _ = wait(preparing, timeout=_WATCH_S, return_when=FIRST_COMPLETED)
            fleet.check()
            for prepared in done:
                prepared.result()
                name = preparing.pop(prepared)
                environment = installation.backend_environment(name, ports[name]) | installation.senders.get(name, {})
                fleet.start(name, [name, "serve"], environment, installation.log_file(name))
    for name in BACKENDS:
        fleet.wait_until(_serving(name, ports[name]), name, HEALTHY_WITHIN_S)
    fleet.wait_until(lambda: _status(f"{url}/readyz") == _OK, "edge", HEALTHY_WITHIN_S)
    for name, variables in installation.senders.items():
        environment = installation.backend_environment(name) | variables
        fleet.start(f"{name}-webhooks", [name, "webhooks"], environment, installation.log_file(f"{name}-webhooks"))

    new_key, setup_token = access.result()
    api_key = new_key or last_key
    if api_key is None or (api_key == last_key and _status(f"{url}/api/v1/usage", api_key) in _NO_LONGER_GOOD):
        api_key = create_demo_key(installation)
    record = RunRecord(url, api_key, setup_token, fleet.pids, ports)
    installation.write_record(record)
    return record


def _serving(service: str, port: int) -> Callable[[], bool]:
    """Raises OSError if the service uses TLS with certificates that cannot be read."""
    tls_dir = os.environ.get(f"{service.upper()}_TLS_DIR")
    certificates = Certificates(Path(tls_dir)) if tls_dir else None
    return lambda: is_serving(f"{LOOPBACK}:{port}", timeout_s=1.0, certificates=certificates)


def _status(url: str, api_key: str | None = None) -> int:
    """The HTTP status of a GET request; 0 if nothing answers."""
    request = urllib.request.Request(url, headers={"x-api-key": api_key} if api_key else {})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310 (the edge of this run)
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


def _edge_port() -> int:
    """EDGE_PORT, or a free port if it is 0. Ends the process if the port is invalid or in use."""
    port = os.environ.get("EDGE_PORT") or str(DEFAULT_PORT)
    if not port.isdecimal() or int(port) > MAX_PORT:
        raise SystemExit(_refuse(f"EDGE_PORT: {port} is no port"))
    if not is_free(LOOPBACK, int(port)):
        raise SystemExit(_refuse(f"port {port} is taken: choose another, as in EDGE_PORT=8081 make run"))
    return int(port) or free_ports(LOOPBACK, 1)[0]


def _print_access(installation: Installation, record: RunRecord) -> None:
    command = [
        "curl", "-s", f"{record.edge_url}/api/v1/addresses/resolve",
        "-H", f"x-api-key: {record.api_key}",
        "-H", "content-type: application/json",
        "-d", DEMO_REQUEST,
    ]  # fmt: skip
    lines = {
        "For people": "/terrain",
        "API reference": "/api/docs/public",
        "Playground": "/playground",
        "Administration": "/admin",
    }
    _print("ready\n")
    for title, path in lines.items():
        sys.stdout.write(f"  {title:15} {record.edge_url}{path}\n")
    sys.stdout.write(f"  {'Demo key':15} {record.api_key}\n")
    if record.setup_token:
        sys.stdout.write(f"  {'Setup token':15} {record.setup_token} (for half an hour)\n")
    sys.stdout.write(f"  {'Data, logs':15} {installation.folder}\n\nTry:\n  {shlex.join(command)}\n\nCtrl-C ends it.\n")
    sys.stdout.flush()


def _stop(signum: int, _: FrameType | None) -> NoReturn:
    _ignore_signals()
    raise Stopped


def _ignore_signals() -> None:
    """Ignores further stop signals, so that they do not interrupt the shutdown."""
    for signum in STOPPING:
        signal.signal(signum, signal.SIG_IGN)


def _print(text: str) -> None:
    sys.stdout.write(f"land partner service: {text}\n")
    sys.stdout.flush()


def _refuse(text: str) -> int:
    sys.stderr.write(f"land partner service: {text}\n")
    return 1


def prepare(installation: Installation, service: str) -> None:
    """Prepares land or the assistant."""
    run_commands(service, PREPARATION[service], installation.backend_environment(service))


def prepare_keys(installation: Installation, *, with_key: bool) -> tuple[str | None, str | None]:
    """Returns the new demo key, if one was created, and the setup token, until the first admin exists."""
    commands = [*PREPARATION["keys"], *([CREATE_DEMO_KEY] if with_key else []), ["setup-token"]]
    ended = run_commands("keys", commands, installation.backend_environment("keys"), last_may_fail=True)
    token = str(json.loads(ended[-1].output)["setup_token"]) if ended[-1].status == 0 else None
    return _secret(ended[1].output) if with_key else None, token


def create_demo_key(installation: Installation) -> str:
    """Creates a key and returns its secret, which is shown only once."""
    [ended] = run_commands("keys", [CREATE_DEMO_KEY], installation.backend_environment("keys"))
    return _secret(ended.output)


def _secret(printed: str) -> str:
    return str(json.loads(printed)["secret"])


if __name__ == "__main__":
    sys.exit(main())
