"""The patterns of `patterns.toml`."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files

_TABLES: Mapping[str, Mapping[str, str]] = tomllib.loads(
    files("land.regulation").joinpath("patterns.toml").read_text(encoding="utf-8")
)


def patterns(module: str) -> dict[str, re.Pattern[str]]:
    """Returns the patterns of a module by name."""
    return {name: re.compile(_whole(text)) for name, text in _TABLES[module].items()}


def _whole(text: str) -> str:
    text = "".join(line.strip(" ") if "\n" in text else line for line in text.split("\n"))
    return re.sub("<<([a-z]+)>>", lambda name: _whole(_TABLES["shared"][name[1]]), text)
