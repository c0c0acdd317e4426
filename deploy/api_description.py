"""Writes the API descriptions to a folder, as full.en.json, public.fr.json and so on. Needs no running service.

schemas.json is the full description in English without its paths.
"""

import json
import sys
from pathlib import Path

from edge.app import create_app
from edge.descriptions.document import describe
from edge.routing import PlainRoute
from edge.settings import EdgeSettings
from servicekit.languages import Language

_NOT_CONNECTED = "localhost:1"
_UPSTREAMS = ("land", "keys", "assistant")
_SERVER = "https://api.example.fr"
_LANGUAGES: tuple[Language, ...] = ("en", "fr")


def routes() -> list[PlainRoute]:
    """The routes of an edge that is not started."""
    targets = {f"{service}_target": _NOT_CONNECTED for service in _UPSTREAMS}
    settings = EdgeSettings.model_validate({**targets, **{f"{service}_token": "-" * 32 for service in _UPSTREAMS}})
    return [route for route in create_app(settings).routes if isinstance(route, PlainRoute)]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    described = routes()
    for language in _LANGUAGES:
        for name, consumer_only in (("full", False), ("public", True)):
            document = describe(described, language, consumer_only=consumer_only, server=_SERVER)
            _write(folder / f"{name}.{language}.json", document)
    _write(folder / "schemas.json", {**describe(described, "en"), "paths": {}})


def _write(file: Path, document: object) -> None:
    file.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
