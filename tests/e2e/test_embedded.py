"""The embedded service, as a user runs it in a terminal."""

import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from standardwebhooks import Webhook
from webhook_receiver import local_receiver

from programs import required
from stacks import PATIENCE_S, PATIENT, REPOSITORY, WEBHOOK_KEYS, Embedded, Program, free_port

SERVICES = {"edge", "land", "keys", "assistant", "land-webhooks", "keys-webhooks"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """An installation that runs until the first test that needs it `stopped`."""
    without_keys = dict.fromkeys(WEBHOOK_KEYS, "")
    stack = Program(tmp_path_factory.mktemp("lifecycle"), {**PATIENT, **without_keys})
    stack.start()
    stack.first_record = stack.record()
    yield stack
    if stack.process is not None and stack.process.poll() is None:
        stack.stop()


@pytest.fixture(scope="module")
def stopped(running: Program) -> Program:
    """An installation that was started once and is stopped."""
    status, running.printed = running.stop()
    assert status == 0, running.printed
    return running


def alive(pid: int) -> bool:
    """Whether the process is running. A zombie is not."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(shown.strip()) and not shown.startswith("Z")


def assert_all_end(pids: list[int]) -> None:
    """Waits for the processes. Those whose parent was killed end shortly after it."""
    ends = time.monotonic() + PATIENCE_S
    while any(alive(pid) for pid in pids) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not [pid for pid in pids if alive(pid)]


def refused(**environment: str) -> str:
    """The output of a run that must fail to start, with status 1."""
    done = subprocess.run(
        [sys.executable, "-m", "embedded.run"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr


def test_run_json_is_private_and_names_the_running_processes(running: Program) -> None:
    record = running.record()
    assert stat.S_IMODE((running.folder / "run.json").stat().st_mode) == 0o600
    assert record["edge_url"] == running.url
    assert set(record["pids"]) == SERVICES
    assert all(alive(pid) for pid in record["pids"].values())


def test_the_commands_of_the_readme_lead_from_an_address_to_a_division(running: Program, tmp_path: Path) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    [commands] = re.findall(r"^```sh\n(value\(\).*?)^make keys", readme, re.M | re.S)
    commands = commands.replace("var/run.json", f"{running.folder}/run.json")
    done = subprocess.run(
        ["sh", "-euc", commands], cwd=tmp_path, check=True, timeout=PATIENCE_S, capture_output=True, text=True
    )
    answers = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()}
    assert answers["address"]["parcel_ids"] == ["00001000AA0001"]
    assert answers["land"]["features"][0]["properties"]["parcel_ids"] == ["00001000AA0001"]
    assert done.stdout.strip() == answers["division"]["answer"]["text"].strip()


def test_a_webhook_reaches_a_program_of_this_machine(running: Program) -> None:
    headers = {"x-api-key": running.record()["api_key"]}
    with local_receiver() as receiver:
        body = {"url": receiver.url}
        created = httpx.post(f"{running.url}/api/v1/webhooks", json=body, headers=headers, timeout=PATIENCE_S).json()
        ends = time.monotonic() + PATIENCE_S
        while not receiver.messages and time.monotonic() < ends:
            time.sleep(0.1)
    [message] = receiver.messages
    assert Webhook(created["secret"]).verify(message.body, message.headers)["type"] == "webhook.verification"


def test_secrets_are_private_and_in_no_log(running: Program) -> None:
    key = {"x-api-key": running.record()["api_key"]}
    httpx.get(f"{running.url}/api/v1/usage", headers=key, timeout=PATIENCE_S).raise_for_status()
    secrets = {running.record()["api_key"]}
    for file in (running.folder / "secrets").rglob("*"):
        assert stat.S_IMODE(file.stat().st_mode) == (0o700 if file.is_dir() else 0o600)
        if file.is_dir():
            continue
        secrets.add(file.read_text(encoding="ascii").strip().removeprefix("1:"))
    logs = "".join(file.read_text(encoding="utf-8") for file in (running.folder / "logs").iterdir())
    assert logs
    assert not [secret for secret in secrets if secret in logs]


def test_a_second_run_on_the_same_folder_is_refused_and_the_first_continues(running: Program) -> None:
    output = refused(PYTHONPATH=str(REPOSITORY / "deploy"), DATA_DIR=str(running.folder), EDGE_PORT=str(free_port()))
    assert f"another run uses {running.folder}" in output
    assert httpx.get(f"{running.url}/api/v1/health").status_code == 200


def test_imports_run_on_the_data_of_the_running_service(running: Program, tmp_path: Path) -> None:
    broken = tmp_path / "cut.csv.gz"
    broken.write_bytes(b"\x1f\x8b\x08\x00cut")
    before = running.tool("land", "status")
    with pytest.raises(subprocess.CalledProcessError) as failure:
        running.tool("land", "import", "ban", str(broken))
    assert failure.value.returncode == 1
    assert running.tool("land", "status") == before


@pytest.mark.parametrize(
    "question",
    [
        "Vendre la moitié de mon jardin à mon voisin : faut-il un géomètre ?",
        "Je vends une bande de terrain à mon voisin",
        "On garde la maison, le reste en terrains à bâtir",
        "my brother would build at the bottom of the garden, which papers do we need",
    ],
)
def test_no_part_of_an_answer_about_the_demo_fails(embedded: Embedded, question: str) -> None:
    """Its old quarter has odd parcels: a flag, a landlocked one, an invalid ring, no outline, several parts."""
    headers = {"x-api-key": embedded.record()["api_key"]}
    with httpx.Client(base_url=embedded.url, headers=headers, timeout=PATIENCE_S) as partner:
        for selected in ([1], [5], [7], [9], [11], [12], [14], [1, 14]):
            ids = [f"00001000AA{number:04}" for number in selected]
            response = partner.post("/api/v1/assistant/divide-land", json={"parcel_ids": ids, "question": question})
            assert response.status_code == 200, (ids, response.text)
            answer = response.json()
            assert len(answer["answer"]["text"]) > len(answer["quick_assessment"]["disclaimer"])
            assert "part_failed" not in response.text


@pytest.mark.programs
def test_the_printed_command_answers_with_a_parcel_when_pasted(embedded: Embedded, stopped: Program) -> None:
    required("curl", "curl")
    line = next(line.strip() for line in stopped.printed.splitlines() if line.strip().startswith("curl "))
    pasted = line.replace(stopped.url, embedded.url).replace(
        stopped.first_record["api_key"], embedded.record()["api_key"]
    )
    answer = subprocess.run(["bash", "-c", pasted], capture_output=True, text=True, check=True).stdout
    assert re.search(r'"parcel_ids": ?\["00001', answer), answer
    assert shlex.split(line)[0] == "curl"


def test_what_is_printed_names_the_pages_the_key_and_the_setup_token(stopped: Program) -> None:
    assert stopped.printed.index("starting") < stopped.printed.index("ready")
    for expected in (f"{stopped.url}/api/docs/public", f"{stopped.url}/playground", f"{stopped.url}/admin"):
        assert expected in stopped.printed
    for name in ("api_key", "setup_token"):
        assert stopped.first_record[name] in stopped.printed


def test_an_occupied_port_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        output = refused(PYTHONPATH=str(REPOSITORY / "deploy"), DATA_DIR=str(tmp_path), EDGE_PORT=str(port))
    assert f"port {port} is taken" in output


@pytest.mark.parametrize("port", ["http", "70000", "-1"])
def test_an_invalid_port_is_reported(tmp_path: Path, port: str) -> None:
    output = refused(PYTHONPATH=str(REPOSITORY / "deploy"), DATA_DIR=str(tmp_path), EDGE_PORT=port)
    assert f"EDGE_PORT: {port} is no port" in output


def test_a_stop_leaves_no_process(stopped: Program) -> None:
    assert stopped.record()["pids"] == {}
    assert not [pid for pid in stopped.first_record["pids"].values() if alive(pid)]


@pytest.mark.thorough
def test_a_second_start_keeps_the_key_and_if_one_service_dies_the_others_stop(stopped: Program) -> None:
    stopped.start()
    assert stopped.process is not None
    record = stopped.record()
    assert record["api_key"] == stopped.first_record["api_key"]
    answer = httpx.get(f"{stopped.url}/api/v1/coverage", headers={"x-api-key": record["api_key"]}, timeout=PATIENCE_S)
    assert answer.status_code == 200
    pids = list(stopped.record()["pids"].values())
    os.kill(record["pids"]["land"], signal.SIGKILL)
    output, _ = stopped.process.communicate(timeout=PATIENCE_S)
    assert stopped.process.returncode == 1
    assert "land ended with status -9" in output
    assert_all_end(pids)


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the system cannot end children with their parent")
def test_a_lost_run_json_leads_to_a_new_key_and_a_killed_supervisor_leaves_no_process(stopped: Program) -> None:
    (stopped.folder / "run.json").unlink()
    stopped.start()
    assert stopped.process is not None
    assert stopped.record()["api_key"] != stopped.first_record["api_key"]
    pids = list(stopped.record()["pids"].values())
    stopped.process.kill()
    stopped.process.communicate()
    assert_all_end(pids)
