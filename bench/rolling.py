"""Sends mixed requests to a stack of Compose while `deploy/rolling.sh` replaces its replicas. Run it by hand.

    KEY=… PYTHONPATH=bench python bench/rolling.py http://127.0.0.1:8080 [--clients 6] [SERVICE…]

The key needs a high rate and no quota, and the demo commune must be loaded (`docker compose exec land land demo`). It
prints the requests by endpoint and status, and compares the units that keys counted with those of the answers. Its
status is 1 if a request failed, a connection was cut, or a unit was lost or counted twice.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from load_generator import Call, Clients

ROLLING = Path(__file__).resolve().parents[1] / "deploy" / "rolling.sh"
ADDRESS = {"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"}
ENDPOINTS = {"addresses/resolve": 1, "land-units/geojson": 2, "assistant/divide-land": 10}
"""Billing units of one request."""
ANY_STATUS = range(100, 600)
COUNTED_WITHIN_S = 60.0
MOST_SHOWN = 10
"""Failures whose answers are printed."""


def message(url: str, key: str, endpoint: str, body: bytes) -> bytes:
    head = f"POST /api/v1/{endpoint} HTTP/1.1\r\nhost: {urlsplit(url).netloc}\r\nx-api-key: {key}\r\n"
    return f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def post(url: str, key: str, endpoint: str, body: bytes) -> bytes:
    headers = {"x-api-key": key, "content-type": "application/json"}
    with urlopen(Request(f"{url}/api/v1/{endpoint}", body, headers), timeout=60) as answer:  # noqa: S310
        return bytes(answer.read())


def counted_units(url: str, key: str) -> int:
    with urlopen(Request(f"{url}/api/v1/usage", headers={"x-api-key": key}), timeout=60) as answer:  # noqa: S310
        return int(json.load(answer)["units"])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("services", nargs="*")
    options = parser.parse_args()
    url, key = options.url.rstrip("/"), os.environ["KEY"]
    resolved = post(url, key, "addresses/resolve", json.dumps(ADDRESS).encode())
    bodies = dict.fromkeys(ENDPOINTS, resolved) | {"addresses/resolve": json.dumps(ADDRESS).encode()}
    calls = [Call(message(url, key, name, bodies[name]), statuses=ANY_STATUS) for name in ENDPOINTS]
    time.sleep(1)  # the outcome of the first request is counted by then
    before = counted_units(url, key)
    with subprocess.Popen([ROLLING, *options.services]) as rolling, Clients(url, options.clients) as clients:

        def until_done() -> Iterator[Call]:
            yield from itertools.takewhile(lambda _: rolling.poll() is None, itertools.cycle(calls))

        load = clients.send(until_done(), keep=True)
    names = list(ENDPOINTS)
    statuses = Counter((names[number % len(names)], status) for number, (status, _) in enumerate(load.answers))
    units = sum(ENDPOINTS[name] * count for (name, status), count in statuses.items() if status == 200)
    ends = time.monotonic() + COUNTED_WITHIN_S
    while (counted := counted_units(url, key) - before) != units and time.monotonic() < ends:
        time.sleep(0.5)
    latencies = sorted(load.latencies_ms)
    for (name, status), count in sorted(statuses.items()):
        print(f"{name:24} {status} {count:8}")
    print(f"{len(latencies)} requests in {load.wall_s:.0f} s: {load.per_s:.0f}/s, ", end="")
    print(f"median {latencies[len(latencies) // 2]:.0f} ms, longest {latencies[-1]:.0f} ms")
    print(f"units: {units} answered, {counted} counted")
    for status, body in [answer for answer in load.answers if answer[0] != 200][:MOST_SHOWN]:
        print(f"{status}: {body[:400].decode(errors='replace')}")
    failed = sum(count for (_, status), count in statuses.items() if status != 200)
    print(f"failed requests: {failed}")
    return 0 if not failed and counted == units and rolling.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
