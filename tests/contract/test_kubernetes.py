"""The manifests of Kubernetes against the schemas of its API, and against what the services need."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from assistant.settings import AssistantSettings
from edge.settings import EdgeSettings
from keys.settings import KeysSettings, MailSettings
from land.settings import LandSettings
from programs import required
from servicekit.health import LIVENESS
from servicekit.settings import ServingSettings, Settings
from servicekit.tls import NAMES as CERTIFICATE_FILES

REPOSITORY = Path(__file__).resolve().parents[2]
OVERLAYS = REPOSITORY / "deploy" / "kubernetes" / "overlays"
COMPONENTS = OVERLAYS.parent / "components"
PAGE = REPOSITORY / "docs" / "clusters.md"
VERSIONS = ("1.30", "1.37")
"""The oldest version that is supported (it pauses before it stops a container), and the newest one with a schema."""
SETTINGS: dict[str, type[ServingSettings]] = {
    "edge": EdgeSettings,
    "land": LandSettings,
    "keys": KeysSettings,
    "assistant": AssistantSettings,
}
OTHERS = {"TMPDIR", "PGSSLMODE", "PGSSLROOTCERT", "ALIVE_FILE"}
WORKLOADS = ("Deployment", "StatefulSet")
REGISTRY = "registry.example.fr/land-partner"
"""The registry of the manifests, which an overlay of one's own replaces."""
IMAGES = {"postgres:17", "postgis/postgis:17-3.5", *(f"{REGISTRY}/{service}" for service in SETTINGS)}
UNEQUAL = {"EDGE_TRUSTED_PROXIES", "EDGE_LEAVE_S"}
"""Settings of Compose's front. An Ingress has other addresses, and learns from endpoints which pods end."""
DRAIN_S = 40
CONNECTIONS = {"land": 21, "keys": 11, "assistant": 9}
"""The most that one replica opens: docs/clusters.md."""
RESERVED_CONNECTIONS = 13
"""The connections of the superuser and of the operator."""
OWN_SECRETS = {
    "edge": {"assistant-token", "keys-token", "land-token"},
    "land": {"callers", "georisques-token", "openai-api-key"},
    "keys": {"callers", "peppers", "oidc-client-secret"},
    "assistant": {"callers", "openai-api-key"},
    "keys-mail": {"mail-password"},
    "webhooks": {"land-key", "keys-key"},
    **{f"{service}-mtls": set(CERTIFICATE_FILES) for service in SETTINGS},
    **{f"{service}-db-app": {"uri", "password"} for service in SETTINGS},
    **{f"{service}-db-ca": {"ca.crt"} for service in SETTINGS},
    **{f"{service}-db-tls": {"tls.crt", "tls.key"} for service in SETTINGS},
}
"""The secrets that docs/clusters.md, cert-manager and CloudNativePG make."""


def closed(required: tuple[str, ...] = (), /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


TEXT, COUNT = {"type": "string"}, {"type": "integer", "minimum": 1}
NAMED = closed(("name",), name=TEXT)
QUANTITIES = {"type": "object", "additionalProperties": {"type": "string", "pattern": r"^\d+(m|Mi|Gi)?$"}}
OPERATOR = {
    "Cluster": closed(
        ("instances", "storage"),
        instances=COUNT,
        smartShutdownTimeout=COUNT,
        enablePDB={"type": "boolean"},
        imageName={"type": "string", "pattern": ":"},
        bootstrap=closed(
            ("initdb",),
            initdb=closed(database=TEXT, owner=TEXT, postInitApplicationSQL={"type": "array", "items": TEXT}),
        ),
        postgresql=closed(
            parameters={"type": "object", "additionalProperties": TEXT},
            synchronous=closed(
                ("method", "number"),
                method={"enum": ["any", "first"]},
                number=COUNT,
                dataDurability={"enum": ["required", "preferred"]},
                failoverQuorum={"type": "boolean"},
            ),
        ),
        storage=closed(size={"type": "string", "pattern": "^[0-9]+Gi$"}),
        resources=closed(requests=QUANTITIES, limits=QUANTITIES),
        affinity=closed(podAntiAffinityType={"enum": ["required", "preferred"]}, topologyKey=TEXT),
        backup=closed(volumeSnapshot=closed(className=TEXT, online={"type": "boolean"})),
    ),
    "ScheduledBackup": closed(
        ("schedule", "cluster"),
        schedule={"type": "string", "pattern": r"^(\S+ ){5}\S+$"},  # with seconds
        method={"enum": ["barmanObjectStore", "volumeSnapshot", "plugin"]},
        backupOwnerReference={"enum": ["none", "self", "cluster"]},
        cluster=NAMED,
    ),
    "Certificate": closed(
        ("secretName", "issuerRef"),
        secretName=TEXT,
        dnsNames={"type": "array", "items": TEXT},
        usages={"type": "array", "items": {"enum": ["digital signature", "server auth", "client auth"]}},
        privateKey=closed(
            algorithm={"enum": ["RSA", "ECDSA", "Ed25519"]},
            size={"enum": [256, 384, 521]},
            rotationPolicy={"enum": ["Never", "Always"]},
        ),
        duration={"type": "string", "pattern": "^[0-9]+h$"},
        issuerRef=closed(("name",), kind={"enum": ["Issuer", "ClusterIssuer"]}, name=TEXT),
    ),
}
"""The fields of CloudNativePG 1.27 and cert-manager 1.18 that the manifests use, as their references have them."""

Manifest = dict[str, Any]


@pytest.fixture(scope="module", params=[*sorted(folder.name for folder in OVERLAYS.iterdir()), "documented"])
def manifests(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """What an overlay applies. `documented` is the example of docs/clusters.md, which has all components."""
    folder = OVERLAYS / request.param
    if request.param == "documented":
        folder = tmp_path_factory.mktemp("overlay")
        example = PAGE.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
        assert all(f"../../components/{component.name}" in example.split() for component in COMPONENTS.iterdir())
        for path, target in (("../ha", OVERLAYS / "ha"), ("../../components", COMPONENTS)):
            assert path in example
            example = example.replace(path, os.path.relpath(target, folder.resolve()))
        (folder / "kustomization.yaml").write_text(example, encoding="utf-8")
    return rendered(folder)


def rendered(folder: Path) -> list[Manifest]:
    required("kubectl", "the client of Kubernetes")
    command = ["kubectl", "kustomize", str(folder)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(yaml.load_all(printed, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def of_kind(manifests: list[Manifest], *kinds: str) -> list[Manifest]:
    matching = [manifest for manifest in manifests if manifest["kind"] in kinds]
    assert matching, kinds
    return matching


def pods(manifests: list[Manifest]) -> Iterator[tuple[str, str, Mapping[str, str], Any]]:
    """The service, the component, the labels and the specification of each kind of pod."""
    for workload in of_kind(manifests, *WORKLOADS):
        template = workload["spec"]["template"]
        labels = template["metadata"]["labels"]
        yield labels["app.kubernetes.io/name"], labels["app.kubernetes.io/component"], labels, template["spec"]


def own_pods(manifests: list[Manifest]) -> Iterator[tuple[str, str, Any]]:
    """The pods of our services: all but databases."""
    for service, component, _, pod in pods(manifests):
        if component != "database":
            yield service, component, pod


def environment_of(container: Mapping[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in container["env"]}


def matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    for expression in selector.get("matchExpressions", ()):
        assert expression["operator"] in ("In", "Exists")
        if expression["key"] not in labels or (
            expression["operator"] == "In" and labels[expression["key"]] not in expression["values"]
        ):
            return False
    return all(labels.get(name) == value for name, value in selector.get("matchLabels", {}).items())


@pytest.mark.parametrize("version", VERSIONS)
def test_the_api_knows_every_field(manifests: list[Manifest], version: str) -> None:
    for manifest in manifests:
        if manifest["kind"] in OPERATOR:
            jsonschema.validate(manifest["spec"], OPERATOR[manifest["kind"]])
        else:
            kubernetes_validate.validate(manifest, version, strict=True)


def test_all_is_in_one_namespace_and_nothing_secret_is_in_it(manifests: list[Manifest]) -> None:
    assert not [manifest for manifest in manifests if manifest["kind"] == "Secret"]
    assert {manifest["metadata"].get("namespace", "land-partner") for manifest in manifests} == {"land-partner"}


def test_every_container_is_confined_and_probed(manifests: list[Manifest]) -> None:
    for service, component, _, pod in pods(manifests):
        assert pod["automountServiceAccountToken"] is pod["enableServiceLinks"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            confined = {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert container["securityContext"] == confined
            assert {"cpu", "memory"} == set(container["resources"]["requests"]) == set(container["resources"]["limits"])
        [container] = pod["containers"]
        required_probes = {
            "server": {"startupProbe", "readinessProbe", "livenessProbe"},
            "database": {"startupProbe", "readinessProbe"},
        }.get(component, {"livenessProbe"})
        assert required_probes <= set(container), (service, component)


def test_every_image_is_one_of_the_registry(manifests: list[Manifest], request: pytest.FixtureRequest) -> None:
    """Or that of a plain database. The documented overlay takes the edge's from a registry of its own."""
    images = {
        container["image"].removesuffix(":latest")
        for _, _, _, pod in pods(manifests)
        for container in (*pod.get("initContainers", ()), *pod["containers"])
    }
    if request.node.callspec.params["manifests"] == "documented":
        images ^= {f"{REGISTRY}/edge", "registry.your.fr/land-partner/edge:1.0.0"}
    assert images <= IMAGES


def test_every_variable_is_a_setting_and_every_file_is_mounted(manifests: list[Manifest]) -> None:
    for service, _, pod in own_pods(manifests):
        variables = variables_of(service) | OTHERS
        files = {path for volume in pod["volumes"] for path in secret_files(volume)}
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            for name, value in environment_of(container).items():
                assert name in variables or name.removesuffix("_FILE") in variables, name
                assert not value.startswith("/secrets/") or value.removeprefix("/secrets/") in files, value
            mounts = {volume["name"] for volume in container["volumeMounts"]}
            assert mounts <= {volume["name"] for volume in pod["volumes"]} | {"state"}


def test_settings_and_limits_are_those_of_compose(manifests: list[Manifest]) -> None:
    compose = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    for service, component, pod in own_pods(manifests):
        same = compose[service if component == "server" else f"{service}-{component}"]
        variables = environment_of(pod["containers"][0])
        values = {
            name: value
            for name, value in same["environment"].items()
            if value is not None and "$" not in value and name not in UNEQUAL
        }
        missing = values.keys() - variables.keys()
        assert not missing or component != "server", missing
        assert {name: variables[name] for name in values.keys() - missing} == {
            name: values[name] for name in values.keys() - missing
        }
        limits = pod["containers"][0]["resources"]["limits"]
        assert cores(limits["cpu"]) == float(same["deploy"]["resources"]["limits"]["cpus"]), (service, component)
        assert limits["memory"].removesuffix("i").lower() == same["deploy"]["resources"]["limits"]["memory"]


def cores(quantity: str) -> float:
    return int(quantity.removesuffix("m")) / (1000 if quantity.endswith("m") else 1)


def test_a_pod_that_ends_has_time_for_its_requests(manifests: list[Manifest]) -> None:
    for service, component, pod in own_pods(manifests):
        if component == "server":
            [container] = pod["containers"]
            assert environment_of(container)[f"{service.upper()}_DRAIN_S"] == str(DRAIN_S)
            sleep_s = container["lifecycle"]["preStop"]["sleep"]["seconds"]
            assert sleep_s == (10 if service == "edge" else 20)  # measured: 0 failed requests
            assert pod["terminationGracePeriodSeconds"] >= sleep_s + DRAIN_S + 10


def test_every_pod_of_a_database_waits_for_it_with_a_limit(manifests: list[Manifest]) -> None:
    for service, _, pod in own_pods(manifests):
        commands = [container["command"][-1] for container in pod.get("initContainers", ())]
        assert [f"until {service} migrate; do ((SECONDS < 300)) || exit 1;" in command for command in commands] == (
            [] if service == "edge" else [True]
        )


@pytest.mark.programs
def test_one_node_takes_small_and_lets_its_pods_go() -> None:
    manifests = rendered(OVERLAYS / "small")
    clusters = [cluster["spec"] for cluster in of_kind(manifests, "Cluster")]
    assert all(cluster["enablePDB"] is False for cluster in clusters)
    [edge] = of_kind(manifests, "StatefulSet")
    assert edge["spec"]["replicas"] == 2
    containers = [pod["containers"][0] for _, _, pod in own_pods(manifests)]
    containers += [container for container in containers if container["name"] == "edge"]
    requests = [part["resources"]["requests"] for part in (*clusters, *containers)]
    cpu = sum(cores(request["cpu"]) for request in requests)
    memory = sum(gibibytes(request["memory"]) for request in requests)
    assert f"`small` requests {cpu:g} cores and {memory:g} GiB" in PAGE.read_text(encoding="utf-8")


def gibibytes(quantity: str) -> float:
    return int(quantity[:-2]) / {"Gi": 1, "Mi": 1024}[quantity[-2:]]


@pytest.mark.programs
def test_more_replicas_come_before_one_is_at_its_limit() -> None:
    """A process of Python keeps one core busy, whatever it may use."""
    for autoscaler in of_kind(rendered(OVERLAYS / "ha"), "HorizontalPodAutoscaler"):
        [metric] = autoscaler["spec"]["metrics"]
        assert cores(metric["resource"]["target"]["averageValue"]) < 1


def variables_of(service: str) -> set[str]:
    """The variables of the programs of a service."""
    classes: list[type[Settings]] = [SETTINGS[service], *([MailSettings] if service == "keys" else [])]
    return {settings.variable(name) for settings in classes for name in settings.model_fields}


def secret_files(volume: Mapping[str, Any]) -> Iterator[str]:
    """The files of a volume of secrets."""
    if "secret" in volume:
        yield from OWN_SECRETS[volume["secret"]["secretName"]]
    for source in volume.get("projected", {}).get("sources", ()):
        items = source["secret"]["items"]
        assert {item["key"] for item in items} <= OWN_SECRETS[source["secret"]["name"]]
        yield from (item["path"] for item in items)


def test_every_selector_selects_the_servers_of_one_service(manifests: list[Manifest]) -> None:
    servers = [labels for _, _, labels, _ in pods(manifests)]
    selectors = [{"matchLabels": service["spec"]["selector"]} for service in of_kind(manifests, "Service")]
    selectors += [budget["spec"]["selector"] for budget in of_kind(manifests, "PodDisruptionBudget")]
    for selector in selectors:
        assert len([labels for labels in servers if matches(selector, labels)]) == 1
    headless = {
        service["metadata"]["name"]
        for service in of_kind(manifests, "Service")
        if service["spec"].get("clusterIP") == "None"
    }
    assert {"land", "keys", "assistant"} <= headless  # a virtual address would bind a channel to one replica


def test_the_autoscaled_workloads_exist_and_do_not_state_replicas(manifests: list[Manifest]) -> None:
    workloads = {
        (workload["kind"], workload["metadata"]["name"]): workload["spec"]
        for workload in of_kind(manifests, *WORKLOADS)
    }
    for autoscaler in (autoscaler for autoscaler in manifests if autoscaler["kind"] == "HorizontalPodAutoscaler"):
        target = autoscaler["spec"]["scaleTargetRef"]
        assert "replicas" not in workloads[target["kind"], target["name"]]  # each `apply` would reset it


def environment(manifests: list[Manifest], service: str) -> dict[str, str]:
    [pod] = (pod for name, component, pod in own_pods(manifests) if (name, component) == (service, "server"))
    return environment_of(pod["containers"][0])


def test_services_know_how_many_replicas_share_the_connections_of_a_database(manifests: list[Manifest]) -> None:
    most = {
        autoscaler["spec"]["scaleTargetRef"]["name"]: autoscaler["spec"]["maxReplicas"]
        for autoscaler in manifests
        if autoscaler["kind"] == "HorizontalPodAutoscaler"
    }
    for service, connections in CONNECTIONS.items():
        variables, prefix = environment(manifests, service), service.upper()
        replicas = int(variables.get(f"{prefix}_REPLICAS", "1"))
        if service in most:
            assert replicas == most[service] + 1  # maxSurge
        [max_connections] = (
            manifest["spec"]["postgresql"]["parameters"]["max_connections"]
            if manifest["kind"] == "Cluster"
            else manifest["spec"]["template"]["spec"]["containers"][0]["args"][1].removeprefix("max_connections=")
            for manifest in of_kind(manifests, "Cluster", "StatefulSet")
            if manifest["metadata"]["name"] == f"{service}-db"
        )
        assert replicas * connections <= int(max_connections) - RESERVED_CONNECTIONS


def test_land_reads_from_standbys_where_there_are_some_and_they_lose_no_load(manifests: list[Manifest]) -> None:
    clusters = {
        cluster["metadata"]["name"]: cluster["spec"] for cluster in of_kind(manifests, "Cluster", "StatefulSet")
    }
    standby_url = environment(manifests, "land").get("LAND_STANDBY_URL")
    if clusters["land-db"].get("instances", 1) == 1:
        assert standby_url is None
    else:
        assert standby_url == "postgresql:///land?host=land-db-ro"  # the operator's service of all standbys
        assert {clusters[name]["postgresql"]["synchronous"]["number"] for name in ("land-db", "keys-db")} == {1}
        assert environment(manifests, "keys")["KEYS_DATABASE_COPIES"] == "2"


def test_mutual_tls_is_on_in_all_services_or_in_none(manifests: list[Manifest]) -> None:
    folders, mounted = set(), set()
    for service, _, pod in own_pods(manifests):
        [container] = pod["containers"]
        variable = "EDGE_UPSTREAM_TLS_DIR" if service == "edge" else f"{service.upper()}_TLS_DIR"
        folders |= {
            (service, variable_entry["value"])
            for variable_entry in container["env"]
            if variable_entry["name"] == variable
        }
        secrets = {volume["name"]: volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
        mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        if "/tls" in mounts:
            mounted.add((service, secrets[mounts["/tls"]]))
    used = {service for service, _ in folders}
    assert used in (set(), set(SETTINGS))
    assert folders == {(service, "/tls") for service in used}
    assert mounted == {(service, f"{service}-mtls") for service in used}
    certificates = [manifest["spec"] for manifest in manifests if manifest["kind"] == "Certificate"]
    assert mounted == {(name, spec["secretName"]) for spec in certificates for name in spec["dnsNames"]}


def test_the_probes_are_grpc_or_the_own_check_with_mutual_tls(manifests: list[Manifest]) -> None:
    for service, component, pod in own_pods(manifests):
        [container] = pod["containers"]
        if service == "edge" or component != "server":
            continue
        [port] = [port["containerPort"] for port in container["ports"] if port["name"] == "grpc"]
        has_tls = any(mount["mountPath"] == "/tls" for mount in container["volumeMounts"])
        check = ["python", "-m", "servicekit.healthcheck", "--tls=/tls", f"127.0.0.1:{port}"]
        for probe, name in (("startupProbe", LIVENESS), ("livenessProbe", LIVENESS), ("readinessProbe", "")):
            names = [name] if name else []
            if has_tls:
                assert container[probe]["exec"]["command"] == [*check, *names], (service, probe)
            else:
                assert container[probe]["grpc"] == {"port": port} | ({"service": name} if name else {}), (
                    service,
                    probe,
                )


def test_only_the_intended_connections_are_allowed(manifests: list[Manifest]) -> None:
    peers = {f"{service} {component}": labels for service, component, labels, _ in pods(manifests)}
    clusters = {cluster["metadata"]["name"] for cluster in manifests if cluster["kind"] == "Cluster"}
    peers |= {f"{name} database": {"cnpg.io/cluster": name} for name in clusters}
    policies = [policy["spec"] for policy in of_kind(manifests, "NetworkPolicy")]
    assert {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]} in policies

    def rules(name: str, direction: str) -> list[Manifest]:
        chosen = [policy for policy in policies if matches(policy["podSelector"], peers[name])]
        return [rule for policy in chosen for rule in policy.get(direction, ())]

    def allows(name: str, other: str, direction: str, side: str) -> bool:
        return any(
            matches(peer["podSelector"], peers[other])
            for rule in rules(name, direction)
            for peer in rule.get(side, ())
            if "podSelector" in peer and "namespaceSelector" not in peer
        )

    allowed = {
        (source, target)
        for source in peers
        for target in peers
        if allows(source, target, "egress", "to") and allows(target, source, "ingress", "from")
    }
    services = ("land", "keys", "assistant")
    senders = peers.keys() & {"land webhooks", "keys webhooks", "keys mail"}
    assert allowed == {
        *(("edge server", f"{service} server") for service in services),
        *((f"{service} server", f"{service}-db database") for service in services),
        *((f"{service}-db database", f"{service}-db database") for service in services),
        *((sender, f"{sender.partition(' ')[0]}-db database") for sender in senders),
    }
    outside = {
        name
        for name in peers
        for rule in rules(name, "egress")
        if "to" not in rule or any("ipBlock" in peer for peer in rule["to"])
    }
    assert outside == {"land server", "assistant server", *senders, *(f"{name} database" for name in clusters)}


def test_settings_of_an_overlay_reach_every_container(manifests: list[Manifest]) -> None:
    maps = {config_map["metadata"]["name"]: config_map["data"] for config_map in of_kind(manifests, "ConfigMap")}
    for service, component, pod in own_pods(manifests):
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            sources = [source["configMapRef"] for source in container["envFrom"]]
            names = [source["name"].partition("-")[0] for source in sources]
            assert names[:1] == [service], (service, component)
            for source in sources:
                assert source["name"] in maps or source["optional"], source["name"]
                assert set(maps.get(source["name"], ())) <= variables_of(service)
