"""Every link of a page leads to a file of the repository, and to a heading of it if it names one."""

import re
import subprocess
from pathlib import Path

import pytest

import api_description
from edge.routing import RouteTable

REPOSITORY = Path(__file__).resolve().parents[2]
CODE = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SERVED = RouteTable(api_description.routes())
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    listed = subprocess.run(
        ["git", "-C", str(REPOSITORY), "ls-files", "-z", "*.md"], check=True, capture_output=True, text=True
    ).stdout
    pages = {
        path: path.read_text(encoding="utf-8") for name in listed.split("\0") if (path := REPOSITORY / name).is_file()
    }
    broken = [
        f"{page.relative_to(REPOSITORY)}: {link}"
        for page, text in pages.items()
        for link in LINK.findall(CODE.sub("", text))
        if not link.startswith(("https://", "http://")) and not leads_somewhere(page, link)
    ]
    assert len(pages) > 20
    assert not broken


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, fragment = link.partition("#")
    if name.startswith("/"):  # in a document that the edge serves
        return bool(SERVED.lookup(name).by_method)
    target = (page.parent / name) if name else page
    if not fragment:
        return target.exists()
    headings = HEADING.findall(CODE.sub("", target.read_text(encoding="utf-8")))
    return fragment in map(fragment_of, headings)


def fragment_of(heading: str) -> str:
    """The fragment that GitHub gives a heading."""
    return re.sub(r"[^\w _-]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("french", sorted((REPOSITORY / "docs/fr").glob("*.md")), ids=lambda path: path.stem)
def test_a_french_document_says_what_the_english_one_says(french: Path) -> None:
    """The same headings, tables and names of the API in the same order."""
    english = french.parents[1] / french.name
    assert outline(french) == outline(english)


def outline(page: Path) -> list[str]:
    lines = page.read_text(encoding="utf-8").splitlines()
    marks = (re.match(r"#+ |\||- |\d\. |```", line) for line in lines)
    return [mark[0] for mark in marks if mark]
