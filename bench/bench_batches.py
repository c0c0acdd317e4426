"""Compares files of lines with single requests: processor time of a line, memory of the edge, and waits of others.

The service is embedded, with one process of each, and answers about the demo commune. A file has 10,000
addresses, or 2,000 land units.
"""

import json
import sys
import threading
import time
from typing import Any

import httpx
from contestants import GEOJSON, RESOLVE, Ours, embedded, measured
from measuring import Figures, parser, quantile
from process_costs import Costs, resident_bytes

from contract.endpoints import MAX_LINES
from embedded.run import DEMO_REQUEST

NDJSON = "application/x-ndjson"
MEMORY, WAIT = "MiB more memory of the edge", "ms p95 of a single request"
UNIT = {"parcel_ids": ["00001000AA0001"]}
SINGLE_CLIENTS, SINGLE_SECONDS = 16, 3.0


def peak_while(pid: int, done: threading.Event) -> int:
    """The largest resident memory until the event."""
    peak = 0
    while not done.wait(0.02):
        peak = max(peak, resident_bytes(pid))
    return peak


def probed(service: Ours, done: threading.Event) -> list[float]:
    """Milliseconds of single requests, sent one after the other until the event."""
    waits_ms: list[float] = []
    with httpx.Client(base_url=service.url, headers={"x-api-key": service.secret}, timeout=60) as client:
        while not waits_ms or not done.is_set():
            began = time.perf_counter()
            client.post(RESOLVE, json=json.loads(DEMO_REQUEST)).raise_for_status()
            waits_ms.append((time.perf_counter() - began) * 1000)
            time.sleep(0.02)
    return waits_ms


def file_answered(service: Ours, path: str, line: Any, count: int) -> int:
    """The number of answers to a file of this line. Raises httpx.HTTPError."""
    body = (json.dumps(line).encode() + b"\n") * count
    headers = {"x-api-key": service.secret, "content-type": NDJSON}
    with (
        httpx.Client(base_url=service.url, timeout=600) as client,
        client.stream("POST", path, content=body, headers=headers) as response,
    ):
        response.raise_for_status()
        return sum(chunk.count(b"\n") for chunk in response.iter_bytes())


def measure(figures: Figures, service: Ours, name: str, single: str, line: Any, count: int) -> None:
    case, edge = f"{name}, {count} lines", service.pids["edge"]
    alone = measured(service, [service.ask(single, line)], SINGLE_CLIENTS, SINGLE_SECONDS)
    figures.add(case, "single requests", {unit: [value] for unit, value in alone.items()})
    quiet = threading.Event()
    threading.Timer(2.0, quiet.set).start()
    figures.add(case, "no file", {WAIT: [quantile(probed(service, quiet), 95)]})
    path = f"{single}/batch" if single == RESOLVE else single.replace("/geojson", "/batch")
    resting, costs, began = resident_bytes(edge), Costs(service.pids), time.perf_counter()
    done, peaks, waits = threading.Event(), list[int](), list[float]()
    watching = threading.Thread(target=lambda: peaks.append(peak_while(edge, done)))
    watching.start()
    answered = file_answered(service, path, line, count)
    took, costs_ms = time.perf_counter() - began, costs.each(count)
    done.set()
    watching.join()
    if answered != count:
        raise RuntimeError(f"{answered} answers to {count} lines")
    done.clear()
    probing = threading.Thread(target=lambda: waits.extend(probed(service, done)))
    probing.start()
    file_answered(service, path, line, count)
    done.set()
    probing.join()
    values = {
        "lines a second": count / took,
        **costs_ms,
        MEMORY: (peaks[0] - resting) / 2**20,
        WAIT: quantile(waits, 95),
    }
    figures.add(case, "file", {unit: [value] for unit, value in values.items()})


def main() -> int:
    options = parser(__doc__).parse_args()
    figures = Figures.of(options)
    with embedded() as service:
        count = 200 if options.quick else MAX_LINES
        measure(figures, service, "resolve", RESOLVE, json.loads(DEMO_REQUEST), count)
        measure(figures, service, "land units", GEOJSON, UNIT, count // 5)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
