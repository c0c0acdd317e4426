"""Prints what each page loads before it is complete, compressed by gzip and by Brotli.

A page loads the files that its HTML names and those that these import. The map is loaded on demand,
with its style sheet and its worker.
"""

import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DIST = Path(__file__).resolve().parents[1] / "services" / "edge" / "web" / "dist"
MAP = "LandMap"
_IN_HTML = re.compile(r'(?:src|href)="/assets/([^"]+)"')
_IMPORTED = re.compile(r'\b(?:from|import)\s*"\./([^"]+)"')
"""Static imports. A dynamic one has a bracket."""
_WORKER = re.compile(r"\bmaplibre-gl-worker-[\w-]+\.js")


@dataclass(frozen=True)
class Weight:
    """Bytes of a page, its HTML included."""

    files: int
    gzip: int
    brotli: int
    """The edge sends files without a Brotli form with gzip."""


def files_of(page: str, dist: Path = DIST) -> set[Path]:
    """The files that a page loads at once, such as that of `playground/index.html`."""
    html = dist / page
    return {html, *_with_imports(dist, _IN_HTML.findall(html.read_text(encoding="utf-8")))}


def files_of_map(dist: Path = DIST) -> set[Path]:
    """The files of the map. Raises ValueError if the build has no map."""
    [script] = (dist / "assets").glob(f"{MAP}-*.js")
    styles = [path.name for path in (dist / "assets").glob(f"{MAP}-*.css")]
    workers = _WORKER.findall(script.read_text(encoding="utf-8"))
    if not styles or not workers:
        raise ValueError("the map has no style sheet or no worker")
    return _with_imports(dist, [script.name, *styles, *workers])


def weight_of(files: Iterable[Path]) -> Weight:
    sizes = [(_packed(path), _brotli(path)) for path in files]
    return Weight(len(sizes), sum(packed for packed, _ in sizes), sum(brotli or packed for packed, brotli in sizes))


def _with_imports(dist: Path, names: Iterable[str]) -> set[Path]:
    files: set[Path] = set()
    waiting = [dist / "assets" / name for name in names]
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        files.add(path)
        if path.suffix == ".js":
            waiting += [path.parent / name for name in _IMPORTED.findall(path.read_text(encoding="utf-8"))]
    return files


@cache
def _packed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), mtime=0))


def _brotli(path: Path) -> int:
    beside = path.with_name(path.name + ".br")
    return beside.stat().st_size if beside.is_file() else 0


def main() -> None:
    weights = {}
    for html in sorted(DIST.rglob("index.html")):
        page = str(html.relative_to(DIST))
        weights[page] = weight_of(files_of(page))
    for page in ("playground/index.html", "terrain/index.html"):
        weights[f"{page} with the map"] = weight_of(files_of(page) | files_of_map())
    for page, weight in weights.items():
        print(f"{page}: {weight.files} files, {weight.gzip / 1000:.1f} kB gzip, {weight.brotli / 1000:.1f} kB Brotli")


if __name__ == "__main__":
    main()
