"""Reading GeoJSON as publishers write it: one FeatureCollection, a feature at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from land.errors import UnreadableFile
from land.sources.json_text import open_json


def features(path: Path, file: str) -> Iterator[Any]:
    """The features of a file, plain or gzipped, in bounded memory. `file` is what messages call it.

    Raises UnreadableFile, at the latest at the end: truncated, damaged, or no FeatureCollection. An empty
    FeatureCollection is one of a commune that has none.
    """
    kind, has_features = None, False
    with open_json(path, file) as text:
        if text.next() != "{":
            raise UnreadableFile(f"{file}: not a GeoJSON FeatureCollection")
        for name in text.members():
            if name == "features" and text.next() == "[":
                for feature in text.items():
                    has_features = True
                    yield feature
            elif name == "type":
                kind = text.value()
            else:
                text.value()
        text.end()
    if not has_features and kind != "FeatureCollection":
        raise UnreadableFile(f"{file}: not a GeoJSON FeatureCollection")


def geometry_of(feature: Any) -> Any:
    """The feature's geometry as it stands; None where it has none."""
    return feature.get("geometry") if isinstance(feature, dict) else None
