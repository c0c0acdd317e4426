"""The archives of the DGFiP, each with the files of many départements, and its catalogue, which lists them."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from land.errors import SourceUnavailable, UnreadableFile
from land.sources.base import PartitionRequest
from land.sources.files import zip_members
from servicekit.errors import expect


def archive_urls(url: str, request: PartitionRequest, newest: Callable[[Sequence[str], str], str | None]) -> list[str]:
    """The newest archive that holds the département, of those that the catalogue lists for a dataset. Raises
    SourceUnavailable if it lists none.
    """
    try:
        ids = [str(attachment["id"]) for attachment in json.loads(request.read_list(url))["attachments"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SourceUnavailable(f"{url}: not a list of attachments") from error
    archive = expect(
        newest(ids, request.partition_code),
        SourceUnavailable(f"{url}: lists no archive for département {request.partition_code}"),
    )
    return [f"{url}/attachments/{archive}"]


def department_order(department: str) -> str:
    """A département, or its code of three characters, for comparison: Corsica comes after 19, overseas comes last."""
    code = department.upper()
    return f"20{code[1]}" if code.startswith(("2A", "2B")) else code.ljust(3, "0")


def members_of(path: Path, file: str, pattern: re.Pattern[str], department: str | None) -> list[str]:
    """The files of an archive to read, or one empty name for a file that is no archive. The pattern has the group
    `department`. Raises UnreadableFile if the archive has no file of the département.
    """
    names = zip_members(path)
    departments = [(match["department"].upper(), name) for name in names if (match := pattern.match(name))]
    if not departments:
        return [""]  # a single file under another name
    chosen = [name for code, name in departments if department in (None, code if code.startswith("97") else code[:2])]
    return expect(chosen or None, UnreadableFile(f"{file}: has no file of département {department}"))
