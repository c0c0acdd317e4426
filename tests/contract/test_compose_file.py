"""What docker-compose.yml promises, read from the file: networks, logs, health checks and drains."""

import re
import subprocess
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from generated_pages import CLASSES

SERVICES = {"edge", "land", "keys", "assistant"}
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def file() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
    return content


@pytest.fixture(scope="module")
def members(file: dict[str, Any]) -> dict[str, set[str]]:
    """The containers of each network."""
    members = defaultdict(set)
    for name, service in file["services"].items():
        for network in service.get("networks", ["default"]) if "network_mode" not in service else []:
            members[network].add(name)
    assert "default" not in members, "a container without networks joins one that reaches outside"
    return members


def test_no_deployment_lets_webhooks_reach_its_own_machine() -> None:
    files = [REPOSITORY / "docker-compose.yml", *REPOSITORY.glob("deploy/**/*.y*ml")]
    assert len(files) > 10
    assert not [file for file in files if "WEBHOOK_LOOPBACK" in file.read_text(encoding="utf-8")]


def test_the_edge_is_on_internal_networks_only(file: dict[str, Any], members: dict[str, set[str]]) -> None:
    edge_networks = [network for network, names in members.items() if "edge" in names]
    assert edge_networks
    assert all((file["networks"][network] or {}).get("internal") for network in edge_networks)


def test_only_the_front_is_on_the_published_network(members: dict[str, set[str]]) -> None:
    assert members["public"] == {"front"}
    assert members["entry"] == {"front", "edge"}


def test_services_share_networks_with_the_edge_only(members: dict[str, set[str]]) -> None:
    """Except land and assistant, which both reach outside."""
    shared = {frozenset(pair) for names in members.values() for pair in _pairs(names & SERVICES)}
    with_edge = {frozenset({"edge", other}) for other in SERVICES - {"edge"}}
    assert shared == with_edge | {frozenset({"land", "assistant"})}


def test_a_database_is_alone_with_its_service(members: dict[str, set[str]]) -> None:
    for service in SERVICES - {"edge"}:
        joined = [names for names in members.values() if f"{service}-db" in names]
        assert [{name.partition("-")[0] for name in names} for names in joined] == [{service}]


def test_every_up_keeps_the_number_of_replicas_that_is_stated(file: dict[str, Any]) -> None:
    for service in SERVICES:
        assert file["services"][service]["deploy"]["replicas"] == f"${{{service.upper()}_REPLICAS:-1}}"


def test_every_log_is_rotated(file: dict[str, Any]) -> None:
    for name, service in file["services"].items():
        options = service["logging"]["options"]
        assert options.keys() >= {"max-size", "max-file"}, name


def test_every_service_has_its_health_check(file: dict[str, Any]) -> None:
    for name in SERVICES | {"front"}:
        check = file["services"][name]["healthcheck"]["test"]
        if name in ("edge", "front"):
            assert check[:3] == ["CMD", "healthcheck", "8080"]
        else:
            port = file["services"][name]["environment"][f"{name.upper()}_PORT"]
            assert check == ["CMD", "python", "-m", "servicekit.healthcheck", f"127.0.0.1:{port}"]


@pytest.mark.parametrize(("status", "path", "result"), [(200, "/livez", 0), (503, "/livez", 1), (200, "/missing", 1)])
def test_the_check_over_http_needs_200(status: int, path: str, result: int) -> None:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response_only(status if self.path == "/livez" else 404)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        check = ["bash", str(REPOSITORY / "deploy/compose/healthcheck.sh"), str(server.server_port), path]
        assert subprocess.run(check, check=False, timeout=60).returncode == result
        thread.join()
    assert subprocess.run(check, check=False, stderr=subprocess.DEVNULL, timeout=60).returncode == 1


def test_a_container_is_killed_after_its_drain(file: dict[str, Any]) -> None:
    margin_s = 7  # in which the last outcomes are sent and databases closed
    for name in SERVICES:
        service = file["services"][name]
        drain_s = int(service["environment"][f"{name.upper()}_DRAIN_S"])
        assert int(service["stop_grace_period"].removesuffix("s")) > drain_s + margin_s, name


def test_settings_that_pages_name_reach_the_services(file: dict[str, Any]) -> None:
    """Except the generated list of all settings, paths, which need a volume too, and what only `make run` may set."""
    pages = [page.read_text() for page in (REPOSITORY / "docs").glob("*.md") if page.name != "settings.md"]
    named = set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", "".join(pages)))
    for service, settings in CLASSES:
        variables = {
            settings.variable(field)
            for field in settings.model_fields
            if not field.endswith(("_dir", "_file", "_loopback"))
        }
        given = {name.removesuffix("_FILE") for name in file["services"][service]["environment"]}
        assert not (variables & named) - given, service


def _pairs(names: set[str]) -> list[tuple[str, str]]:
    return [(one, other) for one in names for other in names if one < other]


def test_mutual_tls_is_for_all_services(file: dict[str, Any]) -> None:
    override = yaml.safe_load((REPOSITORY / "deploy/compose/mutual-tls.yml").read_text())["services"]
    assert override.keys() == SERVICES
    for name, service in override.items():
        settings = f"{'EDGE_UPSTREAM' if name == 'edge' else name.upper()}_TLS_DIR"
        assert service["environment"] == {settings: "/tls"}
        assert service["volumes"] == [f"${{MTLS_DIR:?}}/{name}:/tls:ro"]
        assert settings not in file["services"][name]["environment"]
        if name != "edge":
            check = file["services"][name]["healthcheck"]["test"]
            assert service["healthcheck"]["test"] == [*check[:-1], "--tls=/tls", check[-1]]
