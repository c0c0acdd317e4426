"""`land demo`: write fictional communes and import them."""

import sys
import tempfile
from pathlib import Path
from typing import get_args

import click

import demoland
from land.cli.importing import import_one
from land.settings import LoadingSettings
from servicekit import logs


@click.command()
@click.option("--to", type=click.Path(path_type=Path), help="Write the files to this folder and keep them.")
@click.option("--load/--no-load", default=True, help="Import the files into the store.")
@click.option("--communes", default=1, show_default=True, help="Number of communes.")
@click.option("--addresses", type=int, help="Number of addresses in all communes. Default: 600 each.")
@click.option("--seed", default=1, show_default=True)
@click.option("--region", type=click.Choice(get_args(demoland.Region)), default="mainland", show_default=True)
def demo(
    to: Path | None,
    load: bool,
    communes: int,
    addresses: int | None,
    seed: int,
    region: demoland.Region,
) -> None:
    """Write fictional communes in the publishers' formats and import them. The same options give the same data.

    More than 998 communes have addresses only, and so have communes of a region other than the mainland.
    """
    settings = LoadingSettings.load()
    logs.configure("land", settings)
    with tempfile.TemporaryDirectory(prefix="land-demo-") as scratch:
        try:
            demo_files = demoland.write(to or Path(scratch), communes, addresses, seed, region)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if load:
            datasets = settings.datasets()
            done = [
                import_one(settings, datasets[dataset], str(path), edition=demoland.EDITION)
                for dataset, path in demo_files.files
            ]
            sys.exit(0 if all(done) else 1)
