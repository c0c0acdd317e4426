"""Downloads files over HTTP.

An interrupted download, by an error or by the end of the process, resumes at its last byte in the next attempt. If the
publisher's file has changed, the download starts over.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit

import httpx

from land.errors import FileMissing, FileTooLarge, SourceUnavailable
from land.loading.files import IMPORT_LIMITS, DownloadLimits, LocalFile, OnDownload
from land.loading.publisher_calls import tls
from servicekit import tracing
from servicekit.clock import utc_now

MAX_REDIRECTS = 5
MAX_ATTEMPTS = 3
"""The most for one download. Another attempt is made only if the previous one received data that it can resume."""
_OK, _PARTIAL, _RANGE_REFUSED = 200, 206, 416
_GONE = (404, 410)


@contextlib.contextmanager
def download(
    url: str,
    folder: Path,
    limits: DownloadLimits = IMPORT_LIMITS,
    on_download: OnDownload = lambda done, total: None,
) -> Iterator[LocalFile]:
    """Downloads a URL into `folder`, and deletes the download at the end. Raises FileMissing or SourceUnavailable."""
    folder.mkdir(parents=True, exist_ok=True)
    with _locked_part(url, folder) as part:
        final = _Download(url, part, limits, on_download).run()
        retrieved_at = utc_now()
        try:
            parts = urlsplit(final)
            name = unquote(parts.path.rsplit("/", 1)[-1])
            yield LocalFile(part.path, name, f"{parts.path}?{parts.query}", final, retrieved_at)
        finally:
            part.delete()


def delete_stale_parts(folder: Path, max_age_s: float) -> None:
    """Deletes the files of interrupted downloads that were not resumed for so long."""
    for path in folder.glob("download-*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > max_age_s:
                path.unlink()


class _Part:
    """The received bytes of a download on disk, with the validator of the publisher's file."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.file = file
        self._notes = path.with_suffix(".json")

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    def validator(self) -> str:
        """The ETag or date by which the download may resume; empty if it starts from the first byte."""
        try:
            return str(json.loads(self._notes.read_text("utf-8"))["validator"]) if self.size else ""
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def start_over(self, validator: str) -> None:
        self.file.truncate(0)
        if validator:
            self._notes.write_text(json.dumps({"validator": validator}), "utf-8")
        else:
            self._notes.unlink(missing_ok=True)

    def delete(self) -> None:
        self._notes.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked_part(url: str, folder: Path) -> Iterator[_Part]:
    """The part of this URL, locked until the end. While another process holds the lock: a private part."""
    name = f"download-{hashlib.blake2b(url.encode(), digest_size=12).hexdigest()}"
    path = folder / f"{name}.part"
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(path.open("ab"))
        is_private = not _lock(file, path)
        if is_private:
            path = folder / f"{name}-{secrets.token_hex(6)}.part"
            file = stack.enter_context(path.open("xb"))
        part = _Part(path, file)
        try:
            yield part
        finally:
            if is_private or not part.validator():  # no later download could resume it
                part.delete()


def _lock(file: IO[bytes], path: Path) -> bool:
    """Locks the file. Returns False if another process holds the lock, or has deleted or replaced the file."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except (BlockingIOError, FileNotFoundError):
        return False


class _Download:
    def __init__(self, url: str, part: _Part, limits: DownloadLimits, on_download: OnDownload) -> None:
        self._url = url
        self._part = part
        self._limits = limits
        self._on_download = on_download
        self._deadline = None if limits.total_s is None else time.monotonic() + limits.total_s

    def run(self) -> str:
        """Downloads the file into the part. Returns the final URL, after redirects."""
        timeout = httpx.Timeout(self._limits.read_s, connect=self._limits.connect_s)
        # The readers decompress gzip only, so no other encoding is accepted.
        headers = {"accept-encoding": "gzip", "user-agent": "landpartner"}
        attempts_left = MAX_ATTEMPTS
        with httpx.Client(timeout=timeout, headers=headers, verify=tls()) as client:
            while True:
                attempts_left -= 1
                before = self._part.size
                try:
                    return self._request(client)
                except httpx.TransportError as error:  # also if the response is shorter than its Content-Length
                    self._part.file.flush()
                    has_grown = self._part.size > before
                    if not attempts_left or not has_grown or not self._part.validator():
                        reason = f"cut short after {self._part.size} bytes" if has_grown else _in_words(error)
                        raise SourceUnavailable(f"{self._url}: {reason}") from error
                except httpx.HTTPError as error:
                    raise SourceUnavailable(f"{self._url}: {_in_words(error)}") from error

    def _request(self, client: httpx.Client) -> str:
        with self._response(client) as response:
            size, status = self._part.size, response.status_code
            content_range = response.headers.get("content-range", "")
            if status == _RANGE_REFUSED and content_range == f"bytes */{size}":  # the part is the whole file
                return str(response.url)
            if status == _OK:
                self._part.start_over(_validator(response))
            if status == _OK or (status == _PARTIAL and content_range.startswith(f"bytes {size}-")):
                self._save(response)
                return str(response.url)
        if size and status in (_PARTIAL, _RANGE_REFUSED):  # the publisher's file has changed
            self._part.start_over("")
            return self._request(client)
        error = FileMissing if status in _GONE else SourceUnavailable
        raise error(f"{self._url}: {'no such file, ' if status in _GONE else ''}answered {status}")

    @contextlib.contextmanager
    def _response(self, client: httpx.Client) -> Iterator[httpx.Response]:
        """The response after redirects. Other hosts are followed; a redirect from https to http is refused."""
        url = httpx.URL(self._url)
        validator = self._part.validator()
        resume = {"range": f"bytes={self._part.size}-", "if-range": validator} if validator else {}
        for _ in range(MAX_REDIRECTS + 1):
            with tracing.requested(str(url)), client.stream("GET", url, headers=resume) as response:
                if not response.has_redirect_location:
                    yield response
                    return
                target = url.join(response.headers["location"])
            if target.scheme not in ("http", "https") or (url.scheme == "https" and target.scheme != "https"):
                raise SourceUnavailable(f"{self._url}: redirected to {target.scheme}, which is refused")
            url = target
        raise SourceUnavailable(f"{self._url}: redirected more than {MAX_REDIRECTS} times")

    def _save(self, response: httpx.Response) -> None:
        done = self._part.size
        length = response.headers.get("content-length", "")
        total = done + int(length) if length.isdigit() else None
        if total is not None and total > self._limits.max_bytes:
            raise FileTooLarge(f"{self._url}: {total} bytes, more than {self._limits.max_bytes}")
        for chunk in response.iter_raw():
            done += len(chunk)
            if done > self._limits.max_bytes:
                self._part.start_over("")
                raise FileTooLarge(f"{self._url}: larger than {self._limits.max_bytes} bytes")
            self._part.file.write(chunk)
            self._on_download(done, total)
            if self._deadline is not None and time.monotonic() > self._deadline:
                self._part.file.flush()
                raise SourceUnavailable(f"{self._url}: not whole after {self._limits.total_s:.0f} s")
        self._part.file.flush()


def _in_words(error: httpx.HTTPError) -> str:
    match error:
        case httpx.ConnectTimeout() | httpx.ConnectError():
            return "the publisher cannot be reached"
        case httpx.TimeoutException():
            return "the publisher did not answer in time"
        case httpx.TransportError():
            return f"the connection ended without a whole answer ({error})"
    return f"the answer cannot be read ({error})"


def _validator(response: httpx.Response) -> str:
    """The strong ETag, else Last-Modified; empty without both. It changes with the publisher's file."""
    etag = str(response.headers.get("etag", ""))
    return etag if etag.startswith('"') else str(response.headers.get("last-modified", ""))
