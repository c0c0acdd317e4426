"""Reading GeoJSON as publishers write it: one FeatureCollection, often one huge line, a feature at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ijson  # type: ignore[import-untyped]

from land.errors import UnreadableFile
from land.sources.files import BUFFER_SIZE, json_reason, open_bytes


def features(path: Path, file: str) -> Iterator[Any]:
    """The features of a file, plain or gzipped, in bounded memory. `file` is what messages call it.

    Raises UnreadableFile, at the latest at the end: truncated, damaged, or no FeatureCollection. An empty
    FeatureCollection is one of a commune that has none.
    """
    count = 0
    with open_bytes(path, file) as content:
        try:
            for feature in ijson.items(content, "features.item", use_float=True, buf_size=BUFFER_SIZE):
                count += 1
                yield feature
        except ijson.JSONError as error:
            raise UnreadableFile(f"{file}: truncated or damaged JSON: {json_reason(error)}") from error
    if not count:
        _refuse_other_documents(path, file)


def _refuse_other_documents(path: Path, file: str) -> None:
    with open_bytes(path, file) as content:
        kinds = list(ijson.items(content, "type", use_float=True, buf_size=BUFFER_SIZE))
    if kinds != ["FeatureCollection"]:
        raise UnreadableFile(f"{file}: not a GeoJSON FeatureCollection")


def geometry_of(feature: Any) -> Any:
    """The feature's geometry as it stands; None where it has none."""
    return feature.get("geometry") if isinstance(feature, dict) else None
