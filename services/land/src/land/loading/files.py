"""A file that is loaded, and the limits of its download."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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


def is_url(location: str) -> bool:
    return location.startswith(("http://", "https://"))
