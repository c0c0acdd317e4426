"""What docker-compose.yml promises, read from the file: networks, logs, health checks and drains."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

SERVICES = {"edge", "land", "keys", "assistant"}


@pytest.fixture(scope="module")
def file() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "docker-compose.yml").read_text())
    return content


@pytest.fixture(scope="module")
def members(file: dict[str, Any]) -> dict[str, set[str]]:
    """The containers of each network."""
    found = defaultdict(set)
    for name, service in file["services"].items():
        for network in service.get("networks", ["default"]) if "network_mode" not in service else []:
            found[network].add(name)
    assert "default" not in found, "a container without networks joins one that reaches outside"
    return found


def test_the_edge_is_on_internal_networks_only(file: dict[str, Any], members: dict[str, set[str]]) -> None:
    own = [network for network, names in members.items() if "edge" in names]
    assert own
    assert all((file["networks"][network] or {}).get("internal") for network in own)


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
        assert joined == [{service, f"{service}-db", f"{service}-migrate"}]


def test_every_log_is_rotated(file: dict[str, Any]) -> None:
    for name, service in file["services"].items():
        options = service["logging"]["options"]
        assert options.keys() >= {"max-size", "max-file"}, name


def test_no_health_check_starts_a_python(file: dict[str, Any]) -> None:
    for name in SERVICES | {"front"}:
        assert file["services"][name]["healthcheck"]["test"][:2] == ["CMD", "healthcheck"], name


def test_a_container_is_killed_after_its_drain(file: dict[str, Any]) -> None:
    margin_s = 7  # in which the last outcomes are sent and databases closed
    for name in SERVICES:
        service = file["services"][name]
        drain_s = int(service["environment"][f"{name.upper()}_DRAIN_S"])
        assert int(service["stop_grace_period"].removesuffix("s")) > drain_s + margin_s, name


def _pairs(names: set[str]) -> list[tuple[str, str]]:
    return [(one, other) for one in names for other in names if one < other]


def test_mutual_tls_is_for_all_services(file: dict[str, Any]) -> None:
    override = yaml.safe_load((Path(__file__).parents[2] / "deploy/compose/mutual-tls.yml").read_text())["services"]
    assert override.keys() == SERVICES
    for name, service in override.items():
        settings = f"{'EDGE_UPSTREAM' if name == 'edge' else name.upper()}_TLS_DIR"
        assert service["environment"] == {settings: "/tls"}
        assert service["volumes"] == [f"${{MTLS_DIR:?}}/{name}:/tls:ro"]
        assert settings not in file["services"][name]["environment"]
