"""The data folder of one embedded installation:

secrets/        peppers, the key of webhooks, and the tokens between services
land.sqlite, keys.sqlite, assistant.sqlite
land/           temporary files of land
spool/          outcomes of the edge that keys has not acknowledged
logs/           one file per service
run.json        the edge's URL, the demo key, process ids and ports
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from secrets import token_urlsafe

import service_tokens

from secret_files import peppers, replace, write_once

REPOSITORY = Path(__file__).resolve().parents[2]
LOOPBACK = "127.0.0.1"
BACKENDS = ("land", "keys", "assistant")


class AlreadyRunning(Exception):
    """Another process uses this data folder."""


@dataclass(frozen=True)
class RunRecord:
    """The content of run.json. `pids` and `ports` are empty if nothing runs."""

    edge_url: str
    api_key: str | None
    setup_token: str | None = None
    pids: dict[str, int] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    """Ports of the services behind the edge."""


@dataclass(frozen=True)
class Installation:
    """One data folder, and the environment variables of its services."""

    folder: Path

    @classmethod
    def from_environment(cls) -> "Installation":
        """The installation in DATA_DIR, or in `var` of the repository."""
        return cls(Path(os.environ.get("DATA_DIR") or REPOSITORY / "var").resolve())

    def make_folders(self) -> None:
        """Creates missing folders and secrets. Raises SecretMissing if a database exists without its peppers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("secrets", "logs", "land", "spool"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        for service in ("edge", *BACKENDS):
            (self._secrets / service).mkdir(mode=0o700, exist_ok=True)
        service_tokens.create(self._secrets)
        peppers(self._peppers_file, is_in_use=(self.folder / "keys.sqlite").exists())
        write_once(self._secrets / "webhook-key", lambda: token_urlsafe(32))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Locks this folder. Raises AlreadyRunning if another process has locked it."""
        with (self.folder / "run.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunning from None
            yield

    def log_file(self, service: str) -> Path:
        return self.folder / "logs" / f"{service}.log"

    def backend_environment(self, service: str, port: int = 0) -> dict[str, str]:
        """The variables of land, keys or assistant, for its server on a port or for its commands."""
        prefix = service.upper()
        only_of = {
            "land": {"LAND_DATA_DIR": str(self.folder / "land")},
            "keys": {"KEYS_PEPPERS_FILE": str(self._peppers_file)},
        }
        return {
            **os.environ,
            f"{prefix}_HOST": LOOPBACK,
            f"{prefix}_PORT": str(port),
            f"{prefix}_CALLERS_FILE": str(self._secrets / service / "callers"),
            f"{prefix}_DATABASE_URL": f"sqlite:///{self.folder / service}.sqlite",
            **only_of.get(service, {}),
        }

    @property
    def senders(self) -> Mapping[str, dict[str, str]]:
        """The variables of the services whose events are pushed, also to programs of this machine. A service with a key
        in the environment has a sender of its own.
        """
        return {
            name: {
                f"{name.upper()}_WEBHOOK_KEY_FILE": str(self._secrets / "webhook-key"),
                f"{name.upper()}_WEBHOOK_LOOPBACK": "on",
            }
            for name in ("land", "keys")
            if not os.environ.get(f"{name.upper()}_WEBHOOK_KEY")
        }

    def edge_environment(self, port: int, backend_ports: dict[str, int]) -> dict[str, str]:
        """The variables of the edge. Other settings come from the environment of this process."""
        targets = {f"EDGE_{name.upper()}_TARGET": f"{LOOPBACK}:{backend_ports[name]}" for name in BACKENDS}
        tokens = {f"EDGE_{name.upper()}_TOKEN_FILE": str(self._secrets / "edge" / f"{name}-token") for name in BACKENDS}
        pages = REPOSITORY / "services" / "edge" / "web" / "dist"
        public = {"EDGE_PUBLIC_URL": f"http://localhost:{port}", "EDGE_VISITOR_KEYS_PER_DAY": "100"}
        defaults = public | ({"EDGE_WEB_DIR": str(pages)} if pages.is_dir() else {})
        return {
            **defaults,
            **os.environ,
            **targets,
            "EDGE_HOST": LOOPBACK,
            "EDGE_PORT": str(port),
            **tokens,
            "EDGE_SPOOL_DIR": str(self.folder / "spool"),
        }

    def read_record(self) -> RunRecord | None:
        """The content of run.json; None if the file is missing or invalid."""
        try:
            content = json.loads(self._record_file.read_text(encoding="utf-8"))
            ports = {name: int(port) for name, port in content.get("ports", {}).items()}
            return RunRecord(edge_url=str(content["edge_url"]), api_key=content["api_key"], ports=ports)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def write_record(self, record: RunRecord) -> None:
        content = {name: value for name, value in asdict(record).items() if value is not None}
        replace(self._record_file, json.dumps(content, indent=2) + "\n")

    @property
    def _secrets(self) -> Path:
        return self.folder / "secrets"

    @property
    def _peppers_file(self) -> Path:
        return self._secrets / "peppers"

    @property
    def _record_file(self) -> Path:
        return self.folder / "run.json"
