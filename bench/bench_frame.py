"""Compares the throughput of resolve through edge, keys and land with the throughput of the bare frameworks.

The bare path is a FastAPI application that makes two empty gRPC calls. Both paths run on one core and are measured in
turn, the clients run on another core. LAND_TEST_DATA contains the BAN file of Paris.
"""

import sys
import tempfile
from pathlib import Path

from bare_services import ask_frame, bare_frame
from contestants import RESOLVE, compare, embedded
from measuring import Figures, counted, on_core, parser, two_cores
from sample_data import BAN, labels

CLIENTS = (1, 8, 32)
SECONDS = 1.5


def main() -> int:
    figures = Figures.of(parser(__doc__).parse_args(), SECONDS)
    (serving, asking), address_labels = two_cores(), labels()
    with (
        tempfile.TemporaryDirectory() as folder,
        on_core(serving),
        embedded() as ours,
        bare_frame(Path(folder)) as frame,
    ):
        ours.command("land", "import", "ban", str(BAN))
        calls = {
            ours: [ours.ask(RESOLVE, {"label": label}, '"city_code":"75') for label in address_labels],
            frame: [ask_frame(label) for label in address_labels],
        }
        with on_core(asking):
            for clients in CLIENTS:
                compare(figures, f"resolve, {counted(clients, 'client')}", calls, clients)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
