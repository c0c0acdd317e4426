"""The commands of the documentation, as tests run them."""

import re
from pathlib import Path

from programs import run

DOCS = Path(__file__).resolve().parents[1] / "docs"


def blocks_of(page: str, language: str) -> list[str]:
    """The blocks of code in a page that have this language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def commands_of(page: str) -> list[str]:
    return blocks_of(page, "sh")


def run_shell(commands: str, folder: Path, key: str) -> str:
    """What the commands print that are run in the folder. Raises RuntimeError if one of them fails."""
    return run("bash", "-ec", commands, folder=folder, variables={"LANDPARTNER_KEY": key})
