"""Downloads: they resume, they have limits, and they refuse unsafe redirects."""

import fcntl
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from publishers import Publishers, local_publishers

from land.errors import FileMissing, SourceUnavailable, UnreadableFile
from land.loading.download import delete_stale_parts, download
from land.loading.files import DownloadLimits
from land.sources import files
from land.sources.files import open_bytes

CONTENT = bytes(range(256)) * 2_000
LIMITS = DownloadLimits(max_bytes=len(CONTENT), connect_s=1.0, read_s=0.5, total_s=3.0)


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    with local_publishers() as served:
        served.files["/a.csv"] = CONTENT
        yield served


def content_of(publishers: Publishers, folder: Path, path: str = "/a.csv", limits: DownloadLimits = LIMITS) -> bytes:
    with download(publishers.url + path, folder, limits) as file:
        return file.path.read_bytes()


def test_a_download_is_complete_and_leaves_no_file(publishers: Publishers, tmp_path: Path) -> None:
    assert content_of(publishers, tmp_path) == CONTENT
    assert list(tmp_path.iterdir()) == []


def test_a_download_is_named_by_its_final_url(publishers: Publishers, tmp_path: Path) -> None:
    publishers.redirects["/latest/a.csv"] = "/2026-06-01/a.csv?page=1"
    publishers.files["/2026-06-01/a.csv"] = CONTENT
    with download(f"{publishers.url}/latest/a.csv", tmp_path, LIMITS) as file:
        assert file.name == "a.csv"
        assert file.edition_hint == "/2026-06-01/a.csv?page=1"


def test_an_interrupted_download_resumes_in_the_next_call(publishers: Publishers, tmp_path: Path) -> None:
    publishers.set_mode("/a.csv", "truncated")
    with pytest.raises(SourceUnavailable, match="cut short"):
        content_of(publishers, tmp_path)
    got = len(CONTENT) - len(CONTENT) // 2**3  # three attempts, each of which received half of the rest
    publishers.set_mode("/a.csv", "ok")
    assert content_of(publishers, tmp_path) == CONTENT
    assert publishers.ranges[-1] == f"bytes={got}-"


def test_a_changed_file_is_downloaded_from_its_start(publishers: Publishers, tmp_path: Path) -> None:
    publishers.set_mode("/a.csv", "truncated")
    with pytest.raises(SourceUnavailable):
        content_of(publishers, tmp_path)
    publishers.set_mode("/a.csv", "ok")
    publishers.files["/a.csv"] = CONTENT[::-1]
    assert content_of(publishers, tmp_path) == CONTENT[::-1]


def test_a_complete_part_of_a_killed_process_is_not_downloaded_again(publishers: Publishers, tmp_path: Path) -> None:
    with download(f"{publishers.url}/a.csv", tmp_path, LIMITS) as file:
        files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        name = file.path.name
    for name, content in files.items():  # as a killed process leaves it
        (tmp_path / name).write_bytes(content)
    assert name in files
    assert content_of(publishers, tmp_path) == CONTENT
    assert publishers.ranges == [f"bytes={len(CONTENT)}-"]


def test_a_part_that_another_process_has_locked_is_not_touched(publishers: Publishers, tmp_path: Path) -> None:
    publishers.set_mode("/a.csv", "truncated")
    with pytest.raises(SourceUnavailable):
        content_of(publishers, tmp_path)
    publishers.set_mode("/a.csv", "ok")
    [part] = tmp_path.glob("*.part")
    with part.open("ab") as part_file:
        fcntl.flock(part_file, fcntl.LOCK_EX)
        before = part.read_bytes()
        assert content_of(publishers, tmp_path) == CONTENT
        assert part.read_bytes() == before
    assert content_of(publishers, tmp_path) == CONTENT
    assert list(tmp_path.iterdir()) == []


def test_parts_that_were_not_resumed_are_deleted(publishers: Publishers, tmp_path: Path) -> None:
    publishers.set_mode("/a.csv", "truncated")
    with pytest.raises(SourceUnavailable):
        content_of(publishers, tmp_path)
    delete_stale_parts(tmp_path, max_age_s=3600)
    assert list(tmp_path.iterdir()) != []
    delete_stale_parts(tmp_path, max_age_s=-1)
    assert list(tmp_path.iterdir()) == []


def test_a_file_above_the_limit_is_refused_before_it_is_read(publishers: Publishers, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="more than 1000"):
        content_of(publishers, tmp_path, limits=DownloadLimits(max_bytes=1_000))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("mode", "error"), [("failing", SourceUnavailable), ("missing", FileMissing)])
def test_the_error_tells_a_missing_file_from_a_failing_publisher(
    publishers: Publishers, tmp_path: Path, mode: str, error: type[Exception]
) -> None:
    publishers.set_mode("/a.csv", mode)  # type: ignore[arg-type]
    with pytest.raises(SourceUnavailable) as caught:
        content_of(publishers, tmp_path)
    assert type(caught.value) is error


def test_a_publisher_that_does_not_answer_times_out(publishers: Publishers, tmp_path: Path) -> None:
    publishers.set_mode("/a.csv", "hanging")
    with pytest.raises(SourceUnavailable, match="did not answer in time"):
        content_of(publishers, tmp_path)


def test_a_download_that_exceeds_its_total_time_is_cancelled(publishers: Publishers, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="not whole"):
        content_of(publishers, tmp_path, limits=DownloadLimits(total_s=0.0))


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/a.csv", "gopher://127.0.0.1/"])
def test_a_redirect_may_only_lead_to_http(publishers: Publishers, tmp_path: Path, target: str) -> None:
    publishers.redirects["/moved"] = target
    with pytest.raises(SourceUnavailable, match="refused"):
        content_of(publishers, tmp_path, "/moved")


def test_a_redirect_loop_ends(publishers: Publishers, tmp_path: Path) -> None:
    publishers.redirects["/moved"] = "/moved"
    with pytest.raises(SourceUnavailable, match="more than"):
        content_of(publishers, tmp_path, "/moved")


def test_a_decompression_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "UNPACKED_ALWAYS_BYTES", 1_000_000)
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"0" * 5_000_000))
    with pytest.raises(UnreadableFile, match="unpacks to more"), open_bytes(bomb, "bomb") as content:
        while content.read(1 << 16):
            pass
