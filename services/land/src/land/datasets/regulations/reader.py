"""The written regulations of planning documents: where their files are, and what the reader of rules finds in them.

A zone names the file of its rules and often the place in it (`30014_reglement_20171013.pdf#page=24`). The Géoportail
has the file beside the others of the document. A file with the same name in JSON or XML is the structured regulation
of the national standard, which says itself which zone a text is for, so it comes first. The rules are read in a
process of its own, which confines itself as that of GDAL does.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urldefrag

from land.datasets.partitions import Partition
from land.datasets.planning.attributes import FILES, deposit_of
from land.datasets.regulations.records import RegulationRecord
from land.errors import UnreadableFile
from land.sources.base import ALL, CommuneFilter, FileReader, ReadReport, Records

MISSING, PROTECTED, TOO_LARGE, UNREADABLE, TOO_SLOW = "missing", "protected", "too_large", "unreadable", "too_slow"
"""Why a file was not read, in this order: the publisher has no such file; it does not give the file out; the file is
larger than MAX_BYTES; it is no regulation, such as a web page or a damaged file; reading took longer than READ_S.
"""
FILE_STATES = (MISSING, PROTECTED, TOO_LARGE, UNREADABLE, TOO_SLOW)
MAX_BYTES = 100 * 1024**2
READ_S = 120.0
"""For all zones of a file. Twenty pages take less than a second."""
COMMAND = (sys.executable, "-I", "-m", "land.datasets.regulations.process")
MEMORY_BYTES = 1536 * 1024**2
STRUCTURED = (".json", ".xml")
_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1"}
"""The whole environment of the process: it inherits no secret."""


class Regulations(FileReader):
    def __init__(self, base: str = "", api: str = "") -> None:
        super().__init__(base)
        self._api = api.rstrip("/")

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[RegulationRecord]:
        """Reads the rules of a text in a JSON object: `partition`, `document_id`, `url`, `text`, and `zones`, from each
        label to its place in the text. The demo has this form; published files are read by `read_rules`.
        """
        from land.regulation.opening import open_content  # noqa: PLC0415 (imports the library of PDFs)
        from land.regulation.reading import read_zone  # noqa: PLC0415

        try:
            item = json.loads(path.read_text("utf-8"))
            name, content = PurePosixPath(item["url"]).name, item["text"].encode()
            document, size = open_content(content, name), len(content)
            partition = Partition(item["partition"], name)
            for label, anchor in item["zones"].items():
                report.row_count += 1
                reading = json.dumps(read_zone(document, label, anchor), ensure_ascii=False)
                url = f"{item['url']}#{anchor}" if anchor else item["url"]
                yield partition, record(reading, label, url, item["document_id"], document.sha256, size)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableFile(f"{report.file}: {type(error).__name__}: {error}") from error

    def details_url(self, deposit: str) -> str:
        """The address of what the Géoportail says of the files of a deposit."""
        return f"{self._api}/document/{deposit}/details"

    def file_urls(self, url: str, details: Mapping[str, object]) -> list[str]:
        """The addresses of a file without its place, in the order in which they are tried: structured files that the
        publisher lists beside it, then the file itself in the two places that the Géoportail has for it.
        """
        folder, _, quoted = url.removeprefix(FILES).rpartition("/")
        stem = PurePosixPath(unquote(quoted)).stem
        listed = json.dumps(details, ensure_ascii=False)
        names = [f"{stem}{suffix}" for suffix in STRUCTURED]
        structured = [name for name in names if re.search(rf'["/]{re.escape(name)}"', listed)]
        return [
            *(f"{self._base}{folder}/{quote(name, safe='')}" for name in structured),
            f"{self._base}{folder}/{quoted}",
            f"{self._api}/document/{deposit_of(url)}/files/{quoted}",
        ]


def record(
    reading: str | None, label: str, url: str, document_id: str, sha256: str | None, size: int | None, state: str = ""
) -> RegulationRecord:
    """The record of a zone, with the state of the reading unless there is none."""
    state = str(json.loads(reading)["state"]) if reading else state
    return RegulationRecord(label, url, document_id, state, sha256, size, reading)


def read_rules(
    path: Path, name: str, zones: Sequence[tuple[str, str]], *, has_text: bool
) -> tuple[list[str | None], str]:
    """The readings of zones as JSON, in order, from their labels and places in a file; None for those not read, with
    the state that says why: UNREADABLE or TOO_SLOW. With `has_text`, they have the text for a second reader.
    """
    limits = {"memory_bytes": MEMORY_BYTES, "cpu_s": int(READ_S)}
    job = {"path": str(path), "name": name, "zones": zones, "has_text": has_text, **limits}
    try:
        ended = subprocess.run(  # noqa: S603 (this Python)
            COMMAND, input=json.dumps(job).encode(), env=_ENVIRONMENT, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=READ_S, check=False,
        )  # fmt: skip
        output, why = ended.stdout, UNREADABLE if ended.returncode >= 0 else TOO_SLOW
    except subprocess.TimeoutExpired as error:
        output, why = error.stdout or b"", TOO_SLOW
    readings = output.decode().split("\n")[:-1]  # a cut last line is left out
    return [*readings, *[None] * (len(zones) - len(readings))], why


def place_of(url: str) -> tuple[str, str]:
    """The address of a file, and the place in it: a page, or a name."""
    address, place = urldefrag(url)
    return address, unquote(place).removeprefix("page=")
