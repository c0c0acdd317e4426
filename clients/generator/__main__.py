"""`make clients`: writes the generated files. With --check, writes nothing and reports outdated files."""

import json
import sys
from pathlib import Path
from typing import Any

from api_description import routes
from edge.descriptions.document import describe
from generator import postman, python_types

CLIENTS = Path(__file__).resolve().parents[1]


def main() -> int:
    description = public_description()
    files = {
        CLIENTS / "python/src/landpartner_client/schemas.py": python_types.written(description),
        CLIENTS / "postman/landpartner.postman_collection.json": f"{postman.written(description)}\n",
    }
    outdated = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if sys.argv[1:] == ["--check"]:
        for path in outdated:
            sys.stderr.write(f"{path.relative_to(CLIENTS.parent)} is not current, run `make clients`\n")
        return 1 if outdated else 0
    for path in outdated:
        path.write_text(files[path], encoding="utf-8")
    return 0


def public_description() -> dict[str, Any]:
    """The API description of the consumer endpoints in English, as JSON has it."""
    described: dict[str, Any] = json.loads(json.dumps(describe(routes(), "en", consumer_only=True)))
    return described


if __name__ == "__main__":
    sys.exit(main())
