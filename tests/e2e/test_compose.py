"""The service in Docker: answers with a new key, isolation of containers, and outages of a service."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import corpus
from containers import docker
from embedded.run import DEMO_REQUEST
from programs import run
from stacks import PATIENCE_S, REPOSITORY, Compose, create_key

pytestmark = pytest.mark.docker

DATABASES = {"land-db", "keys-db", "assistant-db"}
SERVICES = {"front", "edge", "land", "keys", "assistant"}
SERVICE_USER = "10001"


@pytest.fixture(scope="module")
def partner(compose: Compose) -> Iterator[httpx.Client]:
    """An HTTP client with a new key."""
    key = create_key(compose, "end to end")["secret"]
    with httpx.Client(base_url=compose.url, headers={"x-api-key": key}, timeout=60) as client:
        yield client


def inspected(compose: Compose) -> dict[str, Any]:
    """The output of `docker inspect` for each running container, by the name of its service."""
    ids = compose.compose("ps", "--quiet").split()
    containers = json.loads(docker("inspect", *ids))
    return {container["Config"]["Labels"]["com.docker.compose.service"]: container for container in containers}


def resolve(partner: httpx.Client) -> httpx.Response:
    return partner.post("/api/v1/addresses/resolve", content=DEMO_REQUEST, headers={"content-type": "application/json"})


def wait_for(condition: Callable[[], bool]) -> bool:
    """Whether the condition becomes true while clients reconnect to a restarted service."""
    ends = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.2)
    return True


def test_an_address_leads_to_its_parcel_its_land_and_its_division(partner: httpx.Client) -> None:
    answer = resolve(partner)
    assert answer.status_code == 200, answer.text
    assert answer.json()["parcel_ids"]

    land = partner.post("/api/v1/land-units/geojson", json=answer.json())
    assert land.status_code == 200, land.text
    assert land.headers["content-type"].startswith("application/geo+json")
    [feature] = land.json()["features"]
    assert feature["geometry"]["type"] in ("Polygon", "MultiPolygon")
    assert set(feature["properties"]["history"]) >= {"urban_authorizations", "dvf_sales"}

    division = partner.post("/api/v1/assistant/divide-land", json=answer.json())
    assert division.status_code == 200, division.text
    assert set(division.json()) == {"prompt", "quick_assessment", "context", "answer"}
    assert division.json()["context"]["features"][0]["geometry"] == feature["geometry"]


def test_the_answers_equal_those_of_the_embedded_service(compose: Compose) -> None:
    corpus.assert_expected(corpus.ask_all(compose))


def test_only_the_front_is_reachable_and_there_are_no_public_metrics(compose: Compose) -> None:
    published = {
        service: ports
        for service, container in inspected(compose).items()
        if (ports := [port for port in (container["NetworkSettings"]["Ports"] or {}).values() if port])
    }
    assert set(published) == {"front"}
    [[binding]] = published["front"]
    assert binding == {"HostIp": "127.0.0.1", "HostPort": str(compose.port)}
    assert httpx.get(f"{compose.url}/metrics").status_code == 404


def test_each_service_has_metrics_inside(compose: Compose) -> None:
    read = "import sys; from urllib.request import urlopen; sys.stdout.write(urlopen(sys.argv[1]).read().decode())"
    metrics_of = dict.fromkeys(("land", "keys", "assistant"), "rpc_server_serving") | {
        "edge": "edge_outcomes_delay_seconds"
    }
    for service, metric in metrics_of.items():
        metrics = compose.compose("exec", "-T", "edge", "python", "-c", read, f"http://{service}:9100/metrics")
        assert f"\n{metric} " in metrics


def test_the_edge_reaches_nothing_outside_and_land_not_keys(compose: Compose) -> None:
    networks = {service: container["NetworkSettings"]["Networks"] for service, container in inspected(compose).items()}
    [published] = networks["front"].keys() - networks["edge"].keys()
    address = networks["front"][published]["IPAddress"]  # it listens there, and only the front has this network
    reach = f"timeout 5 bash -c 'exec 3<>/dev/tcp/{address}/8080'"
    find = "timeout 5 getent hosts"  # Docker answers for its own names at once
    compose.compose("exec", "-T", "front", "bash", "-c", reach)
    for service, target in (("edge", reach), ("land", f"{find} keys"), ("keys", f"{find} land")):
        with pytest.raises(RuntimeError):
            compose.compose("exec", "-T", service, "bash", "-c", target)
    compose.compose("exec", "-T", "edge", "getent", "hosts", "keys")


def test_a_client_cannot_forge_its_address(compose: Compose) -> None:
    key = create_key(compose, "one network", "--cidr", "203.0.113.0/24")["secret"]
    forged = {"x-api-key": key, "x-forwarded-for": "203.0.113.7"}
    refused = httpx.get(f"{compose.url}/api/v1/usage", headers=forged)
    assert (refused.status_code, refused.json()["code"]) == (403, "ip_denied")


def test_every_container_is_confined(compose: Compose) -> None:
    containers = inspected(compose)
    assert set(containers) == SERVICES | DATABASES
    for service, container in containers.items():
        host = container["HostConfig"]
        assert host["ReadonlyRootfs"], service
        assert host["CapDrop"] == ["ALL"], service
        assert "no-new-privileges:true" in host["SecurityOpt"], service
        assert host["Memory"] > 0, service
        assert host["PidsLimit"] > 0, service
        assert host["RestartPolicy"]["Name"] == "unless-stopped", service
        if service in SERVICES:
            assert not host["CapAdd"], service
            assert container["Config"]["User"].partition(":")[0] == SERVICE_USER, service


def test_containers_have_only_their_own_secrets_and_none_in_the_environment(compose: Compose) -> None:
    token = compose.compose("exec", "-T", "edge", "cat", "/secrets/keys-token").strip()
    peppers = compose.compose("exec", "-T", "keys", "cat", "/secrets/peppers").strip()
    assert token
    assert peppers
    for container in inspected(compose).values():
        assert not [variable for variable in container["Config"]["Env"] if token in variable or peppers in variable]
    addresses = {
        service: set(compose.compose("exec", "-T", service, "ls", "/secrets").split())
        for service in SERVICES - {"front"}
    }
    assert addresses == {
        "edge": {"land-token", "keys-token", "assistant-token"},
        "land": {"callers", "database-url", "georisques-token", "openai-api-key"},
        "assistant": {"callers", "database-url", "openai-api-key"},
        "keys": {"callers", "database-url", "oidc-client-secret", "peppers"},
    }
    logs = compose.logs()
    assert not [secret for secret in (token, peppers) if secret in logs]


def test_requests_fail_during_an_outage_of_keys_and_work_after_it(compose: Compose, partner: httpx.Client) -> None:
    compose.compose("stop", "--timeout", "5", "keys")
    try:
        refused = resolve(partner)
        assert refused.status_code == 503
        assert refused.json()["code"] == "unavailable"
        assert int(refused.headers["retry-after"]) > 0
        assert httpx.get(f"{compose.url}/api/v1/health").status_code == 200
        assert wait_for(lambda: httpx.get(f"{compose.url}/readyz").status_code == 503)
    finally:
        compose.compose("up", "--detach", "--wait", "keys")
    assert wait_for(lambda: resolve(partner).status_code == 200)


def test_land_scales_while_it_answers(compose: Compose, partner: httpx.Client) -> None:
    compose.compose("up", "--detach", "--wait", "--no-recreate", "--scale", "land=2", "land")
    try:
        assert len(compose.compose("ps", "--quiet", "land").split()) == 2
        assert {resolve(partner).status_code for _ in range(20)} == {200}
    finally:
        compose.compose("up", "--detach", "--wait", "--no-recreate", "--scale", "land=1", "land")
    assert wait_for(lambda: resolve(partner).status_code == 200)


def test_a_backup_is_restored_at_a_second_start_which_keeps_secrets_and_data(
    compose: Compose, partner: httpx.Client, tmp_path: Path
) -> None:
    """A restore starts what does not run, so one start shows both."""
    folder = tmp_path / "backup"
    revoked = create_key(compose, "revoked after the backup")
    backups(compose, "make", "--without-land", folder)
    compose.command("keys", "revoke-key", revoked["key_id"])
    unknown = create_key(compose, "created after the backup")
    compose.compose("down", "--timeout", "10")
    compose.compose("up", "--detach", "--wait", "keys-db", "assistant-db")
    printed = backups(compose, "restore", "--withdraw", "--yes", folder)
    assert "1 keys that were revoked since" in printed  # the databases of the first start are still there
    assert revoked["key_id"] in printed
    assert "1 keys that were created since" in printed
    assert resolve(partner).status_code == 200  # the peppers are the same, and land's data
    answers = {
        name: httpx.get(f"{compose.url}/api/v1/usage", headers={"x-api-key": key["secret"]})
        for name, key in (("revoked", revoked), ("unknown", unknown))
    }
    assert {name: (answer.status_code, answer.json()["code"]) for name, answer in answers.items()} == {
        "revoked": (401, "revoked_key"),
        "unknown": (401, "invalid_key"),
    }


def backups(compose: Compose, command: str, *arguments: str | Path) -> str:
    """Runs what `make backup` and `make restore` run. Returns its output."""
    settings = {
        "PYTHONPATH": str(REPOSITORY / "deploy"),
        "COMPOSE_PROJECT_NAME": compose.project,
        "EDGE_PORT": str(compose.port),
        "LAND_ON_DEMAND": "off",
    }
    program = (sys.executable, "-m", "backups", command, "--docker", *map(str, arguments))
    return run(*program, folder=REPOSITORY, timeout_s=600, variables=settings)
