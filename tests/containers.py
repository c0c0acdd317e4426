"""Commands of the Docker engine."""

import time

from programs import run

_FREEZES_WITHIN_S = 60.0


def docker(*arguments: str) -> str:
    """Returns what the command prints. Raises RuntimeError with the engine's message."""
    return run("docker", *arguments)


def freeze(*containers: str) -> None:
    """Stops all processes of the containers, until `thaw`. Raises RuntimeError.

    An engine with control groups of version 1 sometimes gives up freezing and lets a container run on ("unable to
    freeze"), so this asks repeatedly.
    """
    ends = time.monotonic() + _FREEZES_WITHIN_S
    for container in containers:
        while True:
            try:
                docker("pause", container)
                break
            except RuntimeError as error:
                if "unable to freeze" not in str(error) or time.monotonic() > ends:
                    raise
            time.sleep(0.2)


def thaw(*containers: str) -> None:
    """Lets frozen containers run on. Raises RuntimeError."""
    docker("unpause", *containers)
