"""Compares services of one process with services of several, embedded on all cores of this machine.

All installations answer in turn, about the demo commune. Clients use the same cores, so compare only the ratios.
"""

import itertools
import json
import sqlite3
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from contestants import GEOJSON, RESOLVE, Ours, embedded, measured_in_round
from measuring import Figures, alternate, counted, parser
from process_costs import resident_bytes

from embedded.preparing import DEMO_REQUEST

SERVICES = ("EDGE", "LAND", "KEYS", "ASSISTANT")
INSTALLATIONS = ("1,1,1,1", "2,2,2,2", "4,4,4,4")
CLIENTS = (1, 16, 64)
SECONDS = 1.0
BLOCKS = ("land", "urbanism", "buildings", "real_estate")


def memory_mib(service: Ours) -> float:
    """Of all processes. Shared pages count in each."""

    def processes(pid: int) -> list[int]:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *itertools.chain.from_iterable(processes(int(child)) for child in children)]

    return sum(resident_bytes(each) for pid in service.pids.values() for each in processes(pid)) / 2**20


def parcel_ids(service: Ours) -> list[str]:
    with sqlite3.connect(service.store_url.removeprefix("sqlite:///")) as store:
        return [parcel_id for (parcel_id,) in store.execute("SELECT parcel_id FROM parcel ORDER BY parcel_id")]


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--processes", nargs="+", default=INSTALLATIONS, help="of edge, land, keys and assistant")
    command.add_argument("--clients", nargs="+", type=int, default=CLIENTS)
    options = command.parse_args()
    seconds, rounds = (0.3, 1) if options.quick else (SECONDS, options.rounds)
    figures, installations = Figures(options.json), dict[str, Ours]()
    figures.note("A contestant is named by its processes of edge, land, keys and assistant.")
    with ExitStack() as stack:
        for name in options.processes:
            counts = zip(SERVICES, name.split(","), strict=True)
            settings = {f"{service}_PROCESSES": count for service, count in counts}
            installations[name] = stack.enter_context(embedded(settings))
        parcels = parcel_ids(installations[options.processes[0]])
        for clients, path in itertools.product(options.clients, (RESOLVE, GEOJSON)):
            case = f"{path.rpartition('/')[2]}, {counted(clients, 'client')}"
            if options.only not in case:
                continue
            measures = {}
            for name, service in installations.items():
                calls = (
                    [service.ask(RESOLVE, json.loads(DEMO_REQUEST), "city_code")]
                    if path == RESOLVE
                    else [service.ask(GEOJSON, {"parcel_ids": [each], "include": BLOCKS}, each) for each in parcels]
                )
                measures[name] = partial(measured_in_round, service, calls, clients, seconds, rounds)
            figures.add_all(case, alternate(figures, case, measures, rounds))
        for name, service in installations.items():
            figures.add("memory, shared pages counted in each process", name, "MiB", [memory_mib(service)])
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
