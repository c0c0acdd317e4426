"""The command line, in separate processes. Those of commands that succeed are forks, which need no imports."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.store.runs import RunStore
from command_lines import Reply, reply_of
from servicekit.callers import entry
from servicekit.healthcheck import is_serving

RUN: dict[str, Any] = {
    "created_at": datetime.now(UTC),
    "request_id": "trace",
    "key_id": "key-1",
    "prompt_id": "divide-land",
    "prompt_version": "1.0.0",
    "rules_version": "1.0.0",
    "language": "fr",
    "question": "Diviser « façade »",
    "provider": "rules",
    "model": "rules-1.0.0",
    "input_tokens": 0,
    "output_tokens": 0,
    "tokens_estimated": False,
    "latency_ms": 12,
    "outcome": "answered",
}


def environment(url: str, **more: str) -> dict[str, str]:
    return {**os.environ, "ASSISTANT_DATABASE_URL": url, "ASSISTANT_CALLERS": entry("edge", "t0ken"), **more}


def run(*arguments: str, env: dict[str, str]) -> Reply:
    return reply_of("assistant", arguments, env)


def started(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from assistant.cli import main; main()", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_serve_refuses_a_database_without_migration(sqlite_url: str) -> None:
    refused = started("serve", env=environment(sqlite_url))
    assert refused.returncode == 1
    assert "assistant migrate" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_missing_setting_is_named_in_the_error(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")}
    refused = started("migrate", env=env)
    assert refused.returncode == 2
    assert refused.stderr.startswith("ASSISTANT_DATABASE_URL: ")


def test_migrate_purge_and_serve(sqlite_url: str, unused_tcp_port: int) -> None:
    env = environment(sqlite_url, ASSISTANT_PORT=str(unused_tcp_port))
    assert run("migrate", env=env).ended.status == 0
    assert "0 runs deleted" in run("purge", env=env).errors
    store = RunStore(sqlite_url)
    store.record(RUN)
    store.close()
    listed = run("runs", "--limit", "5", env=env)
    assert [json.loads(line)["question"] for line in listed.ended.output.splitlines()] == ["Diviser « façade »"]
    command = [sys.executable, "-c", "from assistant.cli import main; main()", "serve"]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as server:
        try:
            target = f"127.0.0.1:{unused_tcp_port}"
            while not is_serving(target, "landpartner.assistant.v1.AssistantService", timeout_s=0.5):
                assert server.poll() is None
                time.sleep(0.05)
            server.send_signal(signal.SIGTERM)
            _, log = server.communicate(timeout=60)
        finally:
            server.kill()
    assert server.returncode == 0
    assert "draining" in log
    assert "t0ken" not in log


def test_the_runs_of_a_key_are_erased_after_a_confirmation(sqlite_url: str) -> None:
    env = environment(sqlite_url)
    assert run("migrate", env=env).ended.status == 0
    store = RunStore(sqlite_url)
    store.record(RUN)
    store.close()
    assert run("erase-keys", "key-1", env=env).ended.status == 1, "nobody confirmed"
    assert "façade" in run("runs", env=env).ended.output
    assert "1 runs deleted" in run("erase-keys", "key-1", "--yes", env=env).errors
    assert run("runs", env=env).ended.output == ""
