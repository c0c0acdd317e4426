"""A file by path or by address, as a local file with what is known of where it came from."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx

from land.errors import SourceUnavailable, UnreadableFile

CONNECT_S = 5.0
READ_S = 30.0
MAX_BYTES = 8 * 1024**3
"""The national BAN file is 0.7 GiB gzipped and 4 GiB plain; more than twice that is a mistake."""


@dataclass(frozen=True)
class Fetched:
    path: Path
    name: str
    """The file's own name, from which its edition may be told; the last address where redirects led on."""
    url: str
    retrieved_at: str


Progress = Callable[[int, int | None], None]
"""Told of bytes done, and of all bytes where known."""


@contextlib.contextmanager
def fetched(location: str, folder: Path, progress: Progress = lambda done, total: None) -> Iterator[Fetched]:
    """Opens a path, or downloads an http(s) address into `folder`, where it is removed again.

    Raises SourceUnavailable where the publisher does not answer with the file, UnreadableFile where there is none.
    """
    if not location.startswith(("http://", "https://")):
        path = Path(location)
        if not path.is_file():
            raise UnreadableFile(f"{location}: no such file")
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        yield Fetched(path, path.name, path.name, f"{changed:%Y-%m-%dT%H:%M:%SZ}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix="download-") as file:
        final = _download(location, Path(file.name), progress)
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        yield Fetched(Path(file.name), unquote(urlsplit(final).path.rsplit("/", 1)[-1]), final, now)


def _download(url: str, target: Path, progress: Progress) -> str:
    timeout = httpx.Timeout(READ_S, connect=CONNECT_S)
    try:
        with httpx.stream("GET", url, timeout=timeout, follow_redirects=True) as response, target.open("wb") as file:
            response.raise_for_status()
            length = response.headers.get("content-length", "")
            total = int(length) if length.isdigit() else None
            done = 0
            for chunk in response.iter_raw(1 << 16):
                done += len(chunk)
                if done > MAX_BYTES:
                    raise SourceUnavailable(f"{url}: larger than {MAX_BYTES} bytes")
                file.write(chunk)
                progress(done, total)
            if total is not None and done != total:
                raise SourceUnavailable(f"{url}: cut short after {done} of {total} bytes")
            return str(response.url)
    except httpx.HTTPStatusError as error:
        raise SourceUnavailable(f"{url}: answered {error.response.status_code}") from error
    except httpx.HTTPError as error:
        raise SourceUnavailable(f"{url}: {type(error).__name__}") from error
