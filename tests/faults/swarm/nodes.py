"""A Docker Swarm of three managers: engines in containers of the engine of this machine."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from containers import docker
from programs import run

FOLDER = Path(__file__).parent
IMAGE = "land-partner-swarm-node"
CAPABILITIES = ("SYS_ADMIN", "NET_ADMIN", "SYS_PTRACE")
"""`--privileged` would do, too, but not every machine has all capabilities to give."""
READY_WITHIN_S = 300.0
LABEL = "land-partner.databases=yes"


def wait_for(condition: Callable[[], bool], what: str, within_s: float = READY_WITHIN_S) -> None:
    """Raises TimeoutError. A condition that raises RuntimeError is not true yet."""
    ends = time.monotonic() + within_s
    while True:
        try:
            if condition():
                return
            reason = ""
        except RuntimeError as error:
            reason = str(error)
        if time.monotonic() > ends:
            raise TimeoutError(f"{what}: not within {within_s:.0f} s. {reason}")
        time.sleep(0.5)


@dataclass
class Node:
    """An engine in a container."""

    container: str
    folder: Path

    @property
    def engine(self) -> str:
        return f"unix://{self.folder}/docker.sock"

    @property
    def address(self) -> str:
        format_ = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
        return docker("inspect", "--format", format_, self.container)

    def docker(self, *arguments: str) -> str:
        return run("docker", *arguments, variables={"DOCKER_HOST": self.engine})

    def is_up(self) -> bool:
        return bool(self.docker("info", "--format", "{{.ServerVersion}}"))

    def kill(self) -> None:
        """Stops the machine at once: all its processes, and its network."""
        docker("kill", self.container)

    def boot(self) -> None:
        docker("start", self.container)
        wait_for(self.is_up, f"the engine of {self.container}")

    def inside(self, service: str, *command: str) -> str:
        """Runs a command in a running container of a service on this node."""
        found = self.docker("ps", "--quiet", "--filter", f"name={service}.").split()
        if not found:
            raise RuntimeError(f"no container of {service} runs on {self.container}")
        return self.docker("exec", found[0], *command)


def _start(name: str, network: str, folder: Path) -> Node:
    folder.mkdir()
    confinement = [f"--security-opt={each}=unconfined" for each in ("seccomp", "apparmor", "systempaths")]
    docker(
        *("run", "--detach", "--name", name, "--hostname", name, "--network", network),
        *(f"--cap-add={each}" for each in CAPABILITIES),
        *confinement,
        "--device-cgroup-rule=a *:* rwm",
        f"--volume={folder}:/engine",
        IMAGE,
    )
    return Node(name, folder)


@contextmanager
def swarm(name: str, count: int, folder: Path) -> Iterator[list[Node]]:
    """`count` managers. The first one is labelled for the databases. Removes all of it afterwards."""
    nodes: list[Node] = []
    docker("build", "--quiet", "--tag", IMAGE, str(FOLDER))
    docker("network", "create", name)
    try:
        for number in range(1, count + 1):
            nodes.append(_start(f"{name}-{number}", name, folder / f"node{number}"))
        for node in nodes:
            wait_for(node.is_up, f"the engine of {node.container}")
        first = nodes[0]
        first.docker("swarm", "init", "--advertise-addr", first.address)
        token = first.docker("swarm", "join-token", "--quiet", "manager")
        for node in nodes[1:]:
            node.docker("swarm", "join", "--token", token, f"{first.address}:2377")
        first.docker("node", "update", "--label-add", LABEL, first.container)
        yield nodes
    finally:
        for node in nodes:
            docker("rm", "--force", "--volumes", node.container)
        docker("network", "rm", name)


def copy_images(images: Sequence[str], nodes: Sequence[Node], archive: Path) -> None:
    """Copies images of this machine's engine to the nodes. A registry would do this for real nodes."""
    docker("save", "--output", str(archive), *images)
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda node: node.docker("load", "--quiet", "--input", str(archive)), nodes))
    archive.unlink()


def placement(manager: Node, stack: str) -> dict[str, list[str]]:
    """The nodes of the running tasks of each service."""
    tasks: dict[str, list[str]] = {}
    names = manager.docker("stack", "services", stack, "--format", "{{.Name}}").split()
    listed = manager.docker(
        "service", "ps", *names, "--filter", "desired-state=running", "--no-trunc", "--format", "{{json .}}"
    )
    for line in listed.splitlines():
        task = json.loads(line)
        if task["CurrentState"].startswith("Running"):
            service = task["Name"].removeprefix(f"{stack}_").partition(".")[0]
            tasks.setdefault(service, []).append(task["Node"])
    return {service: sorted(found) for service, found in sorted(tasks.items())}
