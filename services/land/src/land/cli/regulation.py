"""`land read-regulation`: reads the rules of a zone from the file of a plan's written regulation."""

import sys
from pathlib import Path
from typing import cast

import click
import orjson

from land.regulation.documents import UnreadableDocument
from land.regulation.opening import open_document
from land.regulation.reading import read_zone


@click.command("read-regulation")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--zone", required=True, metavar="LABEL", help="The zone or sector to read: UB, UBa, 1AU.")
@click.option(
    "--anchor",
    default="",
    metavar="PAGE_OR_NAME",
    help="Where the chapter begins: a page of the file or a named place.",
)
@click.option(
    "--general",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of common rules that the zone sends to.",
)
def read_regulation(file: Path, zone: str, anchor: str, general: Path | None) -> None:
    """Reads the rules of a zone from a PDF, a structured regulation (XML or JSON), or a text, and prints them as JSON.

    The pages of a text are parted by form feeds. Needs neither a store nor the network.
    """
    try:
        answer = read_zone(open_document(file), zone, anchor, open_document(general) if general else None)
    except UnreadableDocument as error:
        raise click.ClickException(str(error)) from error
    for rule in cast("list[dict[str, object]]", answer["rules"]):
        if "value_max" in rule:
            rule["value"] = [rule["value"], rule.pop("value_max")]
    sys.stdout.buffer.write(orjson.dumps(answer, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
