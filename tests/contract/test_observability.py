"""Rules and dashboards: Prometheus accepts them, they name existing metrics, and each alert has its section."""

import importlib
import json
import pkgutil
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from programs import required

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "deploy" / "observability"
RULES = sorted((FOLDER / "rules").glob("*.yml"))
DASHBOARDS = sorted((FOLDER / "grafana" / "dashboards").glob("*.json"))
PACKAGES = ("servicekit", "edge", "land", "keys", "assistant")
OF_PROMETHEUS = {"up", "ALERTS"}
OF_EVERY_PROCESS = {
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_virtual_memory_bytes",
    "process_open_fds",
}
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_NOT_A_METRIC = re.compile(r'"[^"]*"|\{|\}|\b(?:by|without|on|ignoring)\s*\([^)]*\)|\[[^\]]*\]')
_WORDS = {"and", "or", "unless", "bool", "offset"}


@pytest.fixture(scope="module")
def promtool() -> str:
    return required("promtool", "Debian's package prometheus")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "config", "prometheus.yml"),
        ("check", "rules", *(f"rules/{path.name}" for path in RULES)),
        ("test", "rules", "rules_test.yml"),
    ],
    ids=" ".join,
)
def test_promtool_accepts(promtool: str, arguments: tuple[str, ...]) -> None:
    done = subprocess.run([promtool, *arguments], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def rules() -> Iterator[dict[str, Any]]:
    for path in RULES:
        for group in yaml.safe_load(path.read_text())["groups"]:
            yield from group["rules"]


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    for path in DASHBOARDS:
        for panel in json.loads(path.read_text())["panels"]:
            yield from (target["expr"] for target in panel.get("targets", ()))


def metrics_in(expression: str) -> set[str]:
    """The names of metrics in an expression: words that are neither labels, functions nor operators."""
    text = re.sub(r"\{[^}]*\}", "", expression)
    text = _NOT_A_METRIC.sub(" ", text)
    return {
        name[0]
        for name in _NAME.finditer(text)
        if not text[name.end() :].lstrip().startswith("(") and name[0] not in _WORDS
    }


@pytest.fixture(scope="module")
def exposed() -> set[str]:
    """The names of all samples that the services may expose."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if ".migrations" not in module.name and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    suffixes = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
    return {
        f"{metric.name}{suffix}"
        for metric in REGISTRY.collect()
        for suffix in suffixes.get(metric.type, ())
        if not metric.name.startswith(("process_", "python_"))
    }


def test_every_metric_in_use_exists(exposed: set[str]) -> None:
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    used = set().union(*map(metrics_in, expressions()))
    assert not used - exposed - recorded - OF_PROMETHEUS - OF_EVERY_PROCESS
    assert "edge_requests_total" in used


def test_every_metric_is_in_use(exposed: set[str]) -> None:
    used = set().union(*map(metrics_in, expressions()))
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in used} | used
    assert not {re.sub(r"_(bucket|count|sum)$", "", name) for name in exposed} - families


def test_every_alert_has_its_section() -> None:
    sections = re.findall(r"^### (\w+)$", (REPOSITORY / "docs" / "watching.md").read_text(), re.MULTILINE)
    alerts = [rule for rule in rules() if "alert" in rule]
    assert [rule["alert"] for rule in alerts] == sections
    for rule in alerts:
        assert rule["annotations"]["runbook"] == f"docs/watching.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("warning", "critical")
