"""Writes the messages with which the assistant asks a language model to read texts, to record answers to them.

    python services/assistant/tests/reading/write_messages.py FOLDER FILE…

A file is a JSON list of objects with `id` and `text`. Each text becomes FOLDER/<name of the file>-<id>.json.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from assistant.models.reader_messages import messages_for, response_format


def main() -> None:
    folder, *files = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        for entry in json.loads(file.read_text(encoding="utf-8")):
            request = {"messages": [*map(asdict, messages_for(entry["text"]))], "response_format": response_format()}
            path = folder / f"{file.stem}-{entry['id']}.json"
            path.write_text(json.dumps(request, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
