"""Writes ten answers about real samples to build/answers.md: `make answers`. See services/assistant/README.md.

Starts the embedded service on a temporary folder, imports the real samples and sends the questions to the edge. Three
outlines are invented, in land whose plan or easements are real: no sample has the cadastre there.
"""

import gzip
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from stacks import REPOSITORY, Embedded, create_key, embedded

OUTPUT = REPOSITORY / "build" / "answers.md"
DATA = Path(os.environ.get("LAND_TEST_DATA", "LAND_TEST_DATA"))
LINEAGE = "cadastre/cadastre-64547-an221-lineage.json"
PARCELS_FILE = "2021-02-01-cadastre-64547-parcelles.json"
BUILDINGS_FILE = "2021-02-01-cadastre-64547-batiments.json"
INVENTED = {
    "30014000ZZ0001": (4.37281, 43.99897, 60.0),
    "30014000ZZ0002": (4.37734, 43.99959, 60.0),
    "2A041000ZZ0001": (9.15570, 41.38702, 40.0),
}
"""Longitude, latitude and side in metres of squares without frontage, by parcel."""
METRES_PER_DEGREE = 111_320.0
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Question:
    body: dict[str, Any]
    language: str = "fr"


def _parcels(*parcel_ids: str, question: str = "Diviser un terrain", language: str = "fr") -> Question:
    return Question({"parcel_ids": list(parcel_ids), "question": question}, language)


QUESTIONS: Sequence[Question] = (
    _parcels("64547000AN0221"),
    Question({"address": {"label": "12 rue Cortot 75018 Paris"}, "question": "Diviser un terrain"}),
    _parcels("75118000BD0045", question="Split it in two", language="en"),
    _parcels("75118000DF0055"),
    _parcels("75118000BS0020"),
    _parcels("75118000CV0037", "75118000CV0038", question="Diviser en 3 lots"),
    _parcels("91216000AM0241", question="Diviser en 6 lots"),
    _parcels("30014000ZZ0001"),
    _parcels("30014000ZZ0002", question="Diviser en 4 lots"),
    _parcels("2A041000ZZ0001"),
)


def square(parcel_id: str) -> dict[str, Any]:
    """A parcel in the format of the cadastre. Its degrees of longitude are those of the latitude of Nîmes."""
    longitude, latitude, side_m = INVENTED[parcel_id]
    high = side_m / METRES_PER_DEGREE / 2
    wide = high / 0.72
    ring = [(longitude + x * wide, latitude + y * high) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
    return {
        "type": "Feature",
        "id": parcel_id,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": {
            "id": parcel_id,
            "commune": parcel_id[:5],
            "prefixe": parcel_id[5:8],
            "section": parcel_id[8:10],
            "numero": str(int(parcel_id[10:])),
            "contenance": round(side_m**2),
            "arpente": False,
            "created": "2020-01-01",
            "updated": "2020-01-01",
        },
    }


def unpacked(path: Path, scratch: Path) -> Path:
    """The file without its commune's code, which the reader of the publisher's own names does not know."""
    target = scratch / f"{path.name.split('.')[0]}.csv"
    target.write_bytes(gzip.decompress(path.read_bytes()))
    return target


def imports(scratch: Path) -> Iterator[tuple[object, ...]]:
    """The arguments of `land import`: what the samples have, and Ustaritz before AN 221 was divided."""
    lineage = json.loads((DATA / LINEAGE).read_text(encoding="utf-8"))
    parent = lineage["parent"]["feature"]
    later = ("0511", "0512", "0513")
    neighbours = [f for f in lineage["current"]["features"] if not f["properties"]["id"].endswith(later)]
    for name, features in (
        (PARCELS_FILE, [parent, *neighbours]),
        (BUILDINGS_FILE, lineage["batimentsBefore"]["features"]),
        ("invented-parcelles.json", [square(parcel_id) for parcel_id in INVENTED]),
    ):
        (scratch / name).write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    yield "ban", DATA / "ban" / "adresses-75.csv.gz", "--commune", "75118"
    for commune in ("75118", "91216"):
        yield "cadastre-parcels", DATA / "cadastre" / f"cadastre-{commune}-parcelles.json.gz"
    yield "cadastre-parcels", scratch / PARCELS_FILE
    yield "cadastre-parcels", scratch / "invented-parcelles.json"
    yield "cadastre-buildings", scratch / BUILDINGS_FILE
    yield "gpu-zones", DATA / "gpu" / "gpu-zone-urba-64547-UB.json"
    plan = DATA / "gpu" / "30014_PLU_20171013"
    yield "gpu-zones", f"{plan}_zone_urba.geojson"
    yield "gpu-prescriptions", *(f"{plan}_prescription_{kind}.geojson" for kind in ("surf", "lin", "pct"))
    yield "gpu-informations", f"{plan}_info_surf.geojson"
    for name in ("PM_25_NB_640.64547.csv.gz", "PM_25_NB_750.75118.csv.gz"):
        yield "personnes-morales", unpacked(DATA / "personnes-morales" / name, scratch)
    for table in ("assiette_sup_s.geojson", "generateur_sup_s.geojson"):
        yield "gpu-sup", DATA / "sup" / f"AC1_2A_{table}"


def to_markdown(answer: dict[str, Any]) -> str:
    """One answer under its parcels and its question."""
    assessment, prompt = answer["quick_assessment"], answer["prompt"]
    parcel_ids = ", ".join(answer["context"]["features"][0]["properties"]["parcel_ids"])
    summary = f"{parcel_ids}: “{prompt['question']}” ({assessment['verdict']}, confidence {assessment['confidence']})"
    return f"## {summary}\n\n{answer['answer']['text']}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, embedded(Path(folder) / "data") as stack:
        import_samples(stack, Path(folder))
        key = create_key(stack, "answers")["secret"]
        with httpx.Client(base_url=stack.url, timeout=TIMEOUT_S) as client:
            parts = []
            for question in QUESTIONS:
                headers = {"x-api-key": key, "accept-language": question.language}
                response = client.post("/api/v1/assistant/divide-land", json=question.body, headers=headers)
                response.raise_for_status()
                parts.append(to_markdown(response.json()))
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text("\n".join(parts), encoding="utf-8")


def import_samples(stack: Embedded, scratch: Path) -> None:
    for arguments in imports(scratch):
        stack.command("land", "import", *map(str, arguments))


if __name__ == "__main__":
    main()
