"""Draws the pictures of docs/gis.md: its project in QGIS, with the demo commune of a new service."""

import tempfile
from pathlib import Path

import stacks
from documents import DOCS
from programs import run_qgis


def main() -> None:
    with tempfile.TemporaryDirectory() as name, stacks.embedded(Path(name) / "data") as service:
        key = stacks.create_key(service, "gis", "--mode", "test")["secret"]
        project = Path(name) / "landpartner.qgs"
        text = (DOCS / project.name).read_text(encoding="utf-8")
        project.write_text(text.replace("https://HOST", service.url), encoding="utf-8")
        run_qgis(Path(name), "qgis_project.py", str(project), key, str(DOCS))


if __name__ == "__main__":
    main()
