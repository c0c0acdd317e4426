"""`land demo`: a fictional commune."""

import sys
import tempfile
from pathlib import Path
from typing import get_args

import click

import demoland
from land.cli.importing import import_one
from land.configured import sources_of
from land.settings import StoreSettings
from servicekit import logs


@click.command()
@click.option("--to", type=click.Path(path_type=Path), help="Keep the files in this folder.")
@click.option("--load/--no-load", default=True, help="Load them into the store.")
@click.option("--communes", default=1, show_default=True, help="How many fictional communes.")
@click.option("--addresses", type=int, help="How many addresses over all of them.")
@click.option("--seed", default=1, show_default=True)
@click.option("--region", type=click.Choice(get_args(demoland.Region)), default="mainland", show_default=True)
@click.option(
    "--addresses-only", is_flag=True, help="Nothing but addresses, on streets named as frequently as real ones."
)
def demo(
    to: Path | None,
    load: bool,
    communes: int,
    addresses: int | None,
    seed: int,
    region: demoland.Region,
    addresses_only: bool,
) -> None:
    """Writes a fictional commune in the publishers' formats and loads it as any other. The same every time.

    More than 998 communes, and those named as in another region than the mainland, have addresses only.
    """
    settings = StoreSettings.load()
    logs.configure("land", settings)
    with tempfile.TemporaryDirectory(prefix="land-demo-") as scratch:
        try:
            files = demoland.write(
                to or Path(scratch), communes, addresses, seed, region, addresses_only=addresses_only
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if load:
            sources = sources_of(settings)
            done = [
                import_one(settings, sources[source], str(path), edition=demoland.EDITION) for source, path in files
            ]
            sys.exit(0 if all(done) else 1)
