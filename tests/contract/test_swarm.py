"""What deploy/swarm.sh deploys: docker-compose.yml and deploy/swarm.yml together."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
SERVICES = {"land", "keys", "assistant"}
ON_EACH_NODE = {"front", "edge"}
DATABASES = {f"{service}-db" for service in SERVICES}
JOBS = {f"{service}-migrate" for service in SERVICES}
SENDERS = {"land-webhooks", "keys-webhooks", "keys-mail"}
"""The programs that push events and send mails, which are off by default."""

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def stack(docker_engine: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `docker stack` understands. It refuses what it does not know."""
    folder = str(tmp_path_factory.mktemp("secrets"))
    environment = {**os.environ, "SECRETS_DIR": folder, "COMPOSE_PROFILES": "webhooks,mail"}
    script = REPOSITORY / "deploy" / "swarm.sh"
    done = subprocess.run([script, "config"], env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    read: dict[str, Any] = yaml.safe_load(done.stdout)
    return read


def test_each_service_has_its_place(stack: dict[str, Any]) -> None:
    services = stack["services"]
    assert set(services) == SERVICES | ON_EACH_NODE | DATABASES | JOBS | SENDERS
    modes = {name: service["deploy"].get("mode", "replicated") for name, service in services.items()}
    assert {name for name, mode in modes.items() if mode == "global"} == ON_EACH_NODE
    assert {name for name, mode in modes.items() if mode == "replicated-job"} == JOBS
    assert all(services[name]["deploy"]["replicas"] > 1 for name in SERVICES)
    for name in DATABASES:
        assert services[name]["deploy"]["placement"]["constraints"] == ["node.labels.land-partner.databases == yes"]
        assert f"{name}:/var/lib/postgresql/data" in mounted(services[name])
    assert "edge-state:/state" in mounted(services["edge"])


def test_names_resolve_to_all_replicas(stack: dict[str, Any]) -> None:
    assert {service["deploy"]["endpoint_mode"] for service in stack["services"].values()} == {"dnsrr"}


def test_only_the_front_is_published_and_sees_the_address_of_the_client(stack: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in stack["services"].items() if service.get("ports")}
    assert set(published) == {"front"}
    assert {port["mode"] for port in published["front"]} == {"host"}


def test_every_secret_is_a_file_of_its_own_service(stack: dict[str, Any]) -> None:
    for name, service in stack["services"].items():
        read = {value for value in service["environment"].values() if str(value).startswith("/secrets/")}
        secrets = {secret["target"]: secret for secret in service.get("secrets", ())}
        assert read == set(secrets), name
        for target, secret in secrets.items():
            owner = name if name in DATABASES else name.partition("-")[0]
            assert secret["source"] == f"{owner}-{target.removeprefix('/secrets/')}"
            assert secret["mode"] == (0o444 if name in DATABASES else 0o400)
            content = stack["secrets"][secret["source"]]
            assert Path(content["file"]).read_text(encoding="ascii")
            assert content["name"].startswith(f"land-partner-{secret['source']}-")
            assert len(content["name"].rpartition("-")[2]) == 12, "the name has no hash of the content"


def test_every_container_is_confined(stack: dict[str, Any]) -> None:
    for name, service in stack["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        if name not in JOBS:
            assert {"memory", "cpus", "pids"} <= set(service["deploy"]["resources"]["limits"]), name


def mounted(service: dict[str, Any]) -> list[str]:
    return [f"{volume.get('source', '')}:{volume['target']}" for volume in service["volumes"]]
