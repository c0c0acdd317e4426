"""Writes docs/settings.md from the settings classes themselves; with --check, says whether it is current."""

import sys
from pathlib import Path

from pydantic.fields import FieldInfo

from assistant.settings import AssistantSettings
from edge.settings import EdgeSettings
from keys.settings import KeysSettings
from land.settings import LandSettings
from servicekit.settings import RpcSettings, Settings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
CLASSES: tuple[tuple[str, type[Settings]], ...] = (
    ("edge", EdgeSettings),
    ("land", LandSettings),
    ("keys", KeysSettings),
    ("assistant", AssistantSettings),
)
_HEAD = """\
# Settings

Made by `make settings` from the settings classes; do not edit. Every setting is an environment variable, read and
checked once, at start: a wrong one ends the process with its name. `NAME_FILE` may stand for `NAME`: the path
of a file that holds the value, which is the way for secrets. "required" has no default.
"""


def main() -> int:
    text = "\n".join(
        [_HEAD, _section("Every gRPC service (`LAND_`, `KEYS_`, `ASSISTANT_`)", RpcSettings, "…_"), *_own()]
    )
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write("docs/settings.md is not current, run `make settings`\n")
    return 1


def _own() -> list[str]:
    return [_section(f"{name} (`{name.upper()}_`)", settings) for name, settings in CLASSES]


def _section(title: str, settings: type[Settings], prefix: str | None = None) -> str:
    shared = RpcSettings.model_fields if prefix is None and issubclass(settings, RpcSettings) else {}
    rows = [
        f"| `{f'{prefix}{field.upper()}' if prefix else settings.variable(field)}` | {_default(info)} | {_says(info)} |"
        for field, info in settings.model_fields.items()
        if field not in shared
    ]
    return "\n".join([f"## {title}\n", "| variable | default | |", "|---|---|---|", *rows, ""])


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    return f"`{info.default}`" if info.default is not None and str(info.default) not in ("", "()") else "none"


def _says(info: FieldInfo) -> str:
    return " ".join((info.description or "").split())


if __name__ == "__main__":
    sys.exit(main())
