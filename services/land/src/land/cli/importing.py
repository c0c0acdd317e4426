"""`land import` loads files of a dataset into the store; `land demo` writes the fictional commune and imports it."""

import gc
import re
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Never

import click
from sqlalchemy.exc import SQLAlchemyError
from tqdm import tqdm

import demoland
from land.cli.store import open_command_store
from land.datasets.dataset import Dataset
from land.errors import SourceError, SourceUnavailable
from land.loading.loader import LoadSummary, load_file
from land.registry import DATASETS
from land.settings import LoadingSettings
from land.sources.values import is_date
from land.store.loads import UNKNOWN_EDITION
from servicekit import logs

_EDITION = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")


def _edition(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Raises BadParameter for a text that cannot be compared with the publishers' editions."""
    if value is not None and not (_EDITION.fullmatch(value) and is_date((value + "-01-01")[:10])):
        raise click.BadParameter("a year, month or day is needed: 2026, 2026-01 or 2026-01-31")
    return value


@click.command("import")
@click.argument("source", type=click.Choice(list(DATASETS)))
@click.argument("locations", metavar="FILE|URL...", nargs=-1, required=True)
@click.option("--commune", help="Only this commune, by INSEE code.")
@click.option("--department", help="Only this département.")
@click.option(
    "--edition",
    callback=_edition,
    help="The publisher's edition: 2026, 2026-01 or 2026-01-31. Without it, the edition that the file states.",
)
def import_(
    source: str, locations: tuple[str, ...], commune: str | None, department: str | None, edition: str | None
) -> None:
    """Loads files of a dataset, plain or gzipped. They replace the previous editions.

    A file may state its edition in its name, its URL or its content; otherwise the edition is unknown unless --edition
    names it. A parcel that the plan no longer contains is retired only if the plan's edition is known to be newer than
    the previous one.

    Each file is read completely before the store changes; the rows of a commune then change in one transaction.
    Loading the same file again changes nothing. An unreadable file leaves the store unchanged; the command loads the
    other files and exits with status 1.
    """
    settings = LoadingSettings.load()
    logs.configure("land", settings)
    # Imported modules stay until the command ends, so the garbage collector may skip them. It must not run less often:
    # each batch of a GeoPackage leaves a few objects in a cycle that hold megabytes.
    gc.freeze()
    failed = False
    for location in locations:
        failed |= not import_one(settings, settings.datasets()[source], location, commune, department, edition)
    sys.exit(1 if failed else 0)


def import_one(
    settings: LoadingSettings,
    dataset: Dataset,
    location: str,
    commune: str | None = None,
    department: str | None = None,
    edition: str | None = None,
) -> bool:
    """Loads one file and prints the result. Returns False if the load failed."""
    started = time.perf_counter()
    try:
        with closing(_ProgressBars(Path(location).name)) as bars:
            summary = load_file(
                open_command_store(settings.database_url),
                dataset,
                location,
                settings.data_dir / "scratch",
                commune=commune,
                department=department,
                edition=edition,
                on_progress=bars.update,
            )
    except (SourceError, SourceUnavailable) as error:
        detail = error.detail if isinstance(error, SourceUnavailable) else str(error)
        click.echo(f"{dataset.id}: nothing changed: {detail}", err=True)
        return False
    except (OSError, SQLAlchemyError) as error:
        click.echo(f"{dataset.id}: {location}: {type(error).__name__}: {error}", err=True)
        return False
    _print_summary(summary, time.perf_counter() - started)
    return True


class _ProgressBars:
    """On a terminal: a bar of rows while the file is read, then one of partitions while they are loaded."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bars: dict[str, tqdm[Never]] = {}

    def update(self, phase: str, done: int, total: int) -> None:
        if phase not in self._bars:
            self.close()
            unit = " rows" if phase == "read" else " partitions"
            self._bars[phase] = tqdm(
                desc=f"{self._name} {phase}", unit=unit, total=total or None, disable=not sys.stderr.isatty()
            )
        self._bars[phase].update(done - self._bars[phase].n)

    def close(self) -> None:
        for bar in self._bars.values():
            bar.close()


def _print_summary(summary: LoadSummary, seconds: float) -> None:
    rate = f"{summary.row_count / seconds:,.0f}" if seconds > 0 else "-"
    edition = "without a stated edition" if summary.edition == UNKNOWN_EDITION else summary.edition
    click.echo(
        f"{summary.dataset} {edition}: {summary.row_count:,} rows in {seconds:.1f} s ({rate} rows/s), "
        f"{len(summary.changed)} partitions loaded, {len(summary.unchanged)} unchanged, "
        f"{summary.rejected_count:,} rows rejected, {summary.repaired_count:,} outlines repaired"
    )
    if summary.newer_count:
        click.echo(f"  {summary.newer_count} partitions had a newer edition, which this one has replaced", err=True)
    for rejection in summary.rejections:
        click.echo(f"  rejected {rejection}", err=True)
    if summary.rejected_count > len(summary.rejections):
        click.echo(f"  … and {summary.rejected_count - len(summary.rejections):,} more", err=True)
    for column, count in sorted(summary.unknown_values.items()):
        click.echo(f"  {count:,} values of {column} are not in the publisher's dictionary and were left out", err=True)
    if not summary.changed and not summary.unchanged:
        click.echo("  no row matches the selection", err=True)


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
