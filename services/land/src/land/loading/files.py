"""Files that are loaded: local ones, and downloads."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from land.errors import UnreadableFile
from land.loading.clock import utc_now

OnDownload = Callable[[int, int | None], None]
"""Called with the bytes received and, if the publisher states it, the size of the file."""


@dataclass(frozen=True)
class DownloadLimits:
    """Limits of one download."""

    max_bytes: int = 8 * 1024**3
    """Twice the largest file: the national BAN file has 0.7 GiB gzipped and 4 GiB plain."""
    connect_s: float = 5.0
    read_s: float = 30.0
    """The longest time without a byte."""
    total_s: float | None = None


IMPORT_LIMITS = DownloadLimits()


@dataclass(frozen=True)
class LocalFile:
    path: Path
    name: str
    """The publisher's name of the file."""
    edition_hint: str
    """The text that may state the edition: the name of a local file, or the path and query of the final URL."""
    url: str
    """The final URL, after redirects; the name of a local file."""
    retrieved_at: str
    """When the download ended or the local file was opened. The date of a local file is not its retrieval."""


@contextlib.contextmanager
def open_file(
    location: str,
    folder: Path,
    limits: DownloadLimits = IMPORT_LIMITS,
    on_download: OnDownload = lambda done, total: None,
) -> Iterator[LocalFile]:
    """Opens a path, or downloads a URL into `folder` and deletes the download at the end.

    Raises UnreadableFile if the path does not exist, FileMissing if the publisher has no such file, and
    SourceUnavailable if the download fails.
    """
    if is_url(location):
        from land.loading.download import download  # noqa: PLC0415 (httpx is a sixth of all imports of a command)

        with download(location, folder, limits, on_download) as file:
            yield file
        return
    path = Path(location)
    if not path.is_file():
        raise UnreadableFile(f"{location}: no such file")
    yield LocalFile(path, path.name, path.name, path.name, utc_now())


def is_url(location: str) -> bool:
    return location.startswith(("http://", "https://"))
