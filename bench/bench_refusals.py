"""Measures refused requests: keys that are malformed, unknown, revoked or over their quota, and one that is good.

They are compared with the bare frame, a FastAPI application with two empty gRPC calls, which refuses nothing. Each path
runs on one core in turn, the clients on another. The limits by client address are off, since above them the edge
refuses more cheaply, without asking keys.
"""

import sys
import tempfile
from pathlib import Path

from bare_services import ask_frame, bare_frame
from contestants import RESOLVE, UNLIMITED, Ours, compare, embedded
from load_generator import Call
from measuring import Figures, counted, on_core, parser, two_cores

import stacks
from attacks import well_formed_key

CLIENTS = (1, 16, 64)
BODY = {"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"}
NO_LIMITS = dict.fromkeys(
    ("EDGE_OPEN_ATTEMPTS_PER_MINUTE", "EDGE_UNKNOWN_CREDENTIALS_PER_MINUTE", "EDGE_FREE_ANSWERS_PER_SECOND"),
    "1000000000",
)
WRONG_KEYS = 2_000


def refused(service: Ours, secret: str, code: str, status: int) -> Call:
    call = service.ask(RESOLVE, BODY, code, secret)
    return Call(call.message, call.contains, (status,))


def kinds(service: Ours) -> dict[str, list[Call]]:
    """The requests of each kind. The key over its rate is good for one request a minute."""
    revoked = stacks.create_key(service, "revoked", *UNLIMITED)
    service.command("keys", "revoke-key", revoked["key_id"])
    over_month = stacks.create_key(service, "over its month", *UNLIMITED, "--monthly-units", "0")["secret"]
    over_rate = stacks.create_key(service, "over its rate", "--per-minute", "1", "--burst", "1")["secret"]
    unknown = [well_formed_key() for _ in range(WRONG_KEYS)]
    return {
        "good key": [service.ask(RESOLVE, BODY, "Exempleville")],
        "malformed key": [refused(service, f"{key}x", "invalid_key", 401) for key in unknown],
        "unknown key": [refused(service, key, "invalid_key", 401) for key in unknown],
        "revoked key": [refused(service, revoked["secret"], "revoked_key", 401)],
        "key over its month": [refused(service, over_month, "quota_exhausted", 429)],
        "key over its rate": [Call(service.ask(RESOLVE, BODY, secret=over_rate).message, statuses=(429, 200))],
    }


def main() -> int:
    figures, (serving, asking) = Figures.of(parser(__doc__).parse_args()), two_cores()
    with (
        tempfile.TemporaryDirectory() as folder,
        on_core(serving),
        embedded(NO_LIMITS) as ours,
        bare_frame(Path(folder)) as frame,
        on_core(asking),
    ):
        for kind, calls in kinds(ours).items():
            for clients in CLIENTS:
                bare = [ask_frame(BODY["label"])]
                compare(figures, f"{kind}, {counted(clients, 'client')}", {ours: calls, frame: bare}, clients)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
