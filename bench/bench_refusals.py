"""Measures refused requests: keys that are malformed, unknown, revoked or over their quota, and one that is good.

They are compared with the bare frame of bench_frame.py, a FastAPI application with two empty gRPC calls. It refuses
nothing. Each path runs on one core in turn, the clients on another. The limits by client address are off, since above
them the edge refuses more cheaply, without asking keys.
"""

import sys
from functools import partial

from bench_frame import ask, bare
from contestants import RESOLVE, UNLIMITED, Ours, embedded, measured_in_round
from load_generator import Call
from measuring import Figures, alternate, counted, on_core, parser, two_cores

import stacks
from attacks import well_formed_key

CLIENTS = (1, 16, 64)
SECONDS = 1.0
BODY = {"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"}
NO_LIMITS = {"EDGE_OPEN_ATTEMPTS_PER_MINUTE": "1000000000", "EDGE_UNKNOWN_CREDENTIALS_PER_MINUTE": "1000000000"}
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
    options = parser(__doc__).parse_args()
    seconds, rounds = (0.3, 1) if options.quick else (SECONDS, options.rounds)
    figures, (serving, asking) = Figures(options.json), two_cores()
    with on_core(serving), embedded(NO_LIMITS) as ours, bare() as frame, on_core(asking):
        refusals = kinds(ours)
        for clients in CLIENTS:
            case = counted(clients, "client")
            if options.only not in case:
                continue
            measures = {
                kind: partial(measured_in_round, ours, calls, clients, seconds, rounds)
                for kind, calls in refusals.items()
            }
            measures[frame.name] = partial(measured_in_round, frame, [ask(BODY["label"])], clients, seconds, rounds)
            values = alternate(figures, case, measures, rounds)
            for kind in refusals:
                of_kind = {"embedded": values.get(kind, {}), frame.name: values.get(frame.name, {})}
                figures.add_all(f"{kind}, {case}", of_kind)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
