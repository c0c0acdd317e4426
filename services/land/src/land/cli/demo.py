"""`land demo`: write the fictional commune and import it."""

import sys
import tempfile
from pathlib import Path

import click

import demoland
from land.cli.importing import import_one
from land.settings import LoadingSettings
from servicekit import logs


@click.command()
@click.option("--to", type=click.Path(path_type=Path), help="Write the files to this folder and keep them.")
@click.option("--load/--no-load", default=True, help="Import the files into the store.")
@click.option("--addresses", default=600, show_default=True, help="Number of addresses.")
def demo(to: Path | None, load: bool, addresses: int) -> None:
    """Write the fictional commune in the publishers' formats and import it. The same options give the same data."""
    settings = LoadingSettings.load()
    logs.configure("land", settings)
    with tempfile.TemporaryDirectory(prefix="land-demo-") as scratch:
        demo_files = demoland.write(to or Path(scratch), addresses)
        if load:
            datasets = settings.datasets()
            done = [
                import_one(settings, datasets[dataset], str(path), edition=demoland.EDITION)
                for dataset, path in demo_files.files
            ]
            sys.exit(0 if all(done) else 1)
