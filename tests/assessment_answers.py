"""Writes the ten answers of docs/assessment.md again: `make answers`.

Starts the embedded service on a temporary folder with the demo commune, imports the real samples and sends the
questions to the edge. Then replaces the answers of the page. Review the diff as a surveyor would.
"""

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from stacks import REPOSITORY, Embedded, create_key, embedded

PAGE = REPOSITORY / "docs" / "assessment.md"
DATA = Path(os.environ.get("LAND_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
LINEAGE = "cadastre/cadastre-64547-an221-lineage.json"
PARCELS_FILE = "2021-02-01-cadastre-64547-parcelles.json"
BUILDINGS_FILE = "2021-02-01-cadastre-64547-batiments.json"
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Question:
    body: dict[str, Any]
    language: str = "fr"


def _parcels(*parcel_ids: str, question: str = "Diviser un terrain", language: str = "fr") -> Question:
    return Question({"parcel_ids": list(parcel_ids), "question": question}, language)


QUESTIONS: Sequence[Question] = (
    _parcels("00001000AA0001"),
    _parcels("00001000AA0003", "00001000AA0004", question="Diviser en 3 lots"),
    _parcels("00001000AA0020", question="Split it in two", language="en"),
    _parcels("00001000AA0025", question="Diviser en 4 lots"),
    _parcels("00001000ZA0001", question="Diviser en 9 lots"),
    _parcels("64547000AN0221"),
    Question({"address": {"label": "12 rue Cortot 75018 Paris"}, "question": "Diviser un terrain"}),
    _parcels("91216000AI0376", question="Diviser en 3 lots"),
    _parcels("91216000AM0241", question="Split it in two", language="en"),
    _parcels("91216000AC0268"),
)


def import_samples(stack: Embedded, scratch: Path) -> None:
    """Imports Paris 18e and Épinay-sur-Orge as published, and Ustaritz before AN 221 was divided."""
    lineage = json.loads((DATA / LINEAGE).read_text(encoding="utf-8"))
    parent = lineage["parent"]["feature"]
    later = ("0511", "0512", "0513")
    neighbours = [f for f in lineage["current"]["features"] if not f["properties"]["id"].endswith(later)]
    for name, features in (
        (PARCELS_FILE, [parent, *neighbours]),
        (BUILDINGS_FILE, lineage["batimentsBefore"]["features"]),
    ):
        document = {"type": "FeatureCollection", "features": features}
        (scratch / name).write_text(json.dumps(document), encoding="utf-8")
    for command in (
        ("ban", DATA / "ban" / "adresses-75.csv.gz", "--commune", "75118"),
        ("cadastre-parcels", DATA / "cadastre" / "cadastre-75118-parcelles.json.gz"),
        ("cadastre-parcels", DATA / "cadastre" / "cadastre-91216-parcelles.json.gz"),
        ("cadastre-parcels", scratch / PARCELS_FILE),
        ("cadastre-buildings", scratch / BUILDINGS_FILE),
        ("gpu-zones", DATA / "gpu" / "gpu-zone-urba-64547-UB.json"),
    ):
        stack.command("land", "import", *(str(part) for part in command))


def to_markdown(answer: dict[str, Any]) -> str:
    """One answer in a collapsed section, under its parcels and its question."""
    assessment, prompt = answer["quick_assessment"], answer["prompt"]
    parcel_ids = ", ".join(answer["context"]["features"][0]["properties"]["parcel_ids"])
    summary = f"{parcel_ids}: “{prompt['question']}” ({assessment['verdict']}, confidence {assessment['confidence']})"
    text = answer["answer"]["text"].replace("\n### ", "\n#### ")
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n</details>\n"


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
    page = PAGE.read_text(encoding="utf-8")
    start, end = page.index("<details>"), page.rindex("</details>\n") + len("</details>\n")
    PAGE.write_text(page[:start] + "\n".join(parts) + page[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
