"""The process that reads the rules of zones in one file. `reader` starts it, with a job on standard input.

It writes what it read of each zone to standard output, a line of JSON each. Nothing else of land runs here, and the
process confines itself before it opens the file.
"""

import json
import os
import sys
from pathlib import Path

from land.regulation.documents import UnreadableDocument
from land.regulation.opening import open_content
from land.regulation.reading import read_zone
from land.sources import confinement


def main() -> None:
    job = json.load(sys.stdin.buffer)
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries may print
    path = Path(job["path"])
    confinement.confine([path], job["memory_bytes"], job["cpu_s"])
    try:
        document = open_content(path.read_bytes(), job["name"])
    except UnreadableDocument:
        return
    for label, place in job["zones"]:
        reading = read_zone(document, label, place, has_text=job["has_text"])
        output.write(json.dumps(reading, ensure_ascii=False) + "\n")
        output.flush()


if __name__ == "__main__":
    main()
