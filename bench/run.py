"""Runs benchmarks one after the other, keeps their figures under var/bench, and writes docs/benchmarks.md from them.

Without names it runs all but the long ones. Other options, such as --rounds 5, go to the scripts; their --help explains
them. A benchmark that fails or takes too long is reported as failed, and the others run. The page has the last run of
each benchmark. With --only, nothing is written; with --quick, the page is under var/bench-quick.
"""

import argparse
import contextlib
import itertools
import json
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import report
from report import Bench

HERE = Path(__file__).parent
REPOSITORY = HERE.parent
ENDS_WITHIN_S = 180.0
LIBRARIES = (
    "fastapi", "uvicorn", "uvloop", "httptools", "pydantic", "grpcio", "protobuf", "sqlalchemy", "psycopg", "shapely",
    "pyproj", "numpy",
)  # fmt: skip
BENCHES = {
    name: Bench(**facts) for name, facts in tomllib.loads((HERE / "benches.toml").read_text(encoding="utf-8")).items()
}


def run(name: str, bench: Bench, options: list[str], folder: Path) -> dict[str, Any]:
    """Runs one benchmark and prints what it prints. Returns its record."""
    load_before, started = os.getloadavg()[0], time.monotonic()
    record = {"started": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "commit": commit(), "load_before": load_before}
    reason = ""
    with tempfile.NamedTemporaryFile(suffix=".json", dir=folder) as figures:
        command = [sys.executable, str(HERE / f"bench_{name}.py"), "--json", figures.name, *options]
        with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) as process:
            last_lines = deque[str](maxlen=10)
            try:
                last_lines.extend(process.communicate(timeout=bench.within_s)[1].splitlines())
            except (subprocess.TimeoutExpired, KeyboardInterrupt) as error:
                reason = f"It was stopped after {time.monotonic() - started:.0f} s."
                end(process)
                if isinstance(error, KeyboardInterrupt):
                    raise
        content = Path(figures.name).read_text(encoding="utf-8")
    entries = json.loads(content) if content else []
    if process.returncode and not reason and not any("failed" in entry for entry in entries):
        reason = f"Status {process.returncode}: {' '.join(last_lines)[-500:]}"
    print("\n".join(last_lines), file=sys.stderr, flush=True)
    seconds = time.monotonic() - started
    return record | {"seconds": seconds, "load_after": os.getloadavg()[0], "reason": reason, "entries": entries}


def interrupt(_: int, __: object) -> None:
    raise KeyboardInterrupt


def end(process: subprocess.Popen[str]) -> None:
    """Interrupts it, so that it stops its services and containers."""
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=ENDS_WITHIN_S)
    process.kill()


def commit() -> str:
    """The commit, with a plus if the working tree differs from it, the page apart."""
    git = ["git", "-C", str(REPOSITORY)]
    commit = subprocess.run([*git, "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout
    differs = subprocess.run(
        [*git, "diff", "--quiet", "HEAD", "--", ".", ":!docs/benchmarks.md"], check=False
    ).returncode
    return commit.strip() + ("+" if differs else "")


def machine() -> Mapping[str, str]:
    info = Path("/proc/cpuinfo").read_text()
    models = {line.partition(":")[2].strip() for line in info.splitlines() if line.startswith("model name")}
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    docker = subprocess.run(
        ["docker", "version", "--format", "{{.Server.Version}}"], check=False, capture_output=True, text=True
    )
    return {
        "processor": ", ".join(sorted(models)),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "Docker engine": docker.stdout.strip() or "none",
        "libraries": ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    }


def main() -> int:
    for signum in (signal.SIGINT, signal.SIGTERM):  # a handler also ends that children in the background ignore SIGINT
        signal.signal(signum, interrupt)
    names = list(itertools.takewhile(lambda argument: not argument.startswith("-"), sys.argv[1:]))
    usage = f"run.py [NAME…] [option…]\n\nNames: {', '.join(BENCHES)}"
    parser = argparse.ArgumentParser(
        usage=usage, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one short round: shows that it works, measures nothing")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the cases whose name contains this text")
    parser.add_argument("--page", action="store_true", help="write the page from the last figures, and run nothing")
    options, bench_options = parser.parse_known_args(sys.argv[1 + len(names) :])
    if unknown := set(names) - set(BENCHES):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")
    names = names or [name for name, bench in BENCHES.items() if not bench.is_long]
    folder = REPOSITORY / "var" / ("bench-quick" if options.quick else "bench")
    folder.mkdir(parents=True, exist_ok=True)
    passed = [
        *bench_options,
        *(["--quick"] if options.quick else []),
        *(["--only", options.only] if options.only else []),
    ]
    is_failed = False
    for name in [] if options.page else names:
        print(f"== {name}", flush=True)
        record = run(name, BENCHES[name], passed, folder)
        is_failed |= bool(record["reason"]) or any("failed" in entry for entry in record["entries"])
        if not options.only:
            (folder / f"{name}.json").write_text(json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8")
    if not options.only:
        records = {
            name: json.loads(file.read_text(encoding="utf-8"))
            for name in BENCHES
            if (file := folder / f"{name}.json").exists()
        }
        page = report.write(BENCHES, records, machine())
        documents = folder if options.quick else REPOSITORY / "docs"
        documents.joinpath("benchmarks.md").write_text(page, encoding="utf-8")
        documents.joinpath("benchmarks.csv").write_text(report.all_figures(records), encoding="utf-8")
        print(page)
    return int(is_failed)


if __name__ == "__main__":
    sys.exit(main())
