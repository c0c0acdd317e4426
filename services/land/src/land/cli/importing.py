"""`land import`: files of a source into the store."""

import gc
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Never

import click
from sqlalchemy.exc import SQLAlchemyError
from tqdm import tqdm

from land.configured import datasets_of, open_store
from land.errors import SourceError, SourceUnavailable
from land.loading.loader import Summary, load_file
from land.registry import DATASETS, Dataset
from land.settings import StoreSettings
from land.sources.values import is_date
from servicekit import logs

_EDITION = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")


def _edition(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Raises BadParameter for what cannot be compared with the publishers' editions."""
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
    help="The publisher's edition: 2026, 2026-01 or 2026-01-31. Else what a file states.",
)
def import_(
    source: str, locations: tuple[str, ...], commune: str | None, department: str | None, edition: str | None
) -> None:
    """Loads files of a source, plain or gzipped, in place of the editions before.

    The edition of a file that states none, by its name, address or content, is unknown without --edition. A parcel
    that a plan no longer has is retired only where the plan's edition is known to be newer than the one before.

    A file is read whole before anything changes; a commune's rows then change in one step. Loading the same file again
    changes nothing. A file that cannot be read leaves the store as it was, and the command ends with status 1 after
    the other files.
    """
    settings = StoreSettings.load()
    logs.configure("land", settings)
    # Modules live as long as the command: the garbage collector need not look through them again and again. Nor may it
    # look less often: each batch of a GeoPackage leaves a few objects in a cycle that hold megabytes.
    gc.freeze()
    failed = False
    for location in locations:
        failed |= not import_one(settings, datasets_of(settings)[source], location, commune, department, edition)
    sys.exit(1 if failed else 0)


def import_one(
    settings: StoreSettings,
    dataset: Dataset,
    location: str,
    commune: str | None = None,
    department: str | None = None,
    edition: str | None = None,
) -> bool:
    """Loads one file and says how that went. Whether it could be read."""
    started = time.perf_counter()
    try:
        with _progress(location) as told:
            summary = load_file(
                open_store(settings),
                dataset,
                location,
                settings.data_dir / "scratch",
                commune=commune,
                department=department,
                edition=edition,
                told=told,
            )
    except (SourceError, SourceUnavailable) as error:
        detail = error.detail if isinstance(error, SourceUnavailable) else str(error)
        click.echo(f"{dataset.id}: nothing changed: {detail}", err=True)
        return False
    except (OSError, SQLAlchemyError) as error:
        click.echo(f"{dataset.id}: {location}: {type(error).__name__}: {error}", err=True)
        return False
    _report(summary, time.perf_counter() - started)
    return True


class _Bars:
    """Progress on a terminal: rows while the file is read, units while they are loaded."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: tqdm[Never] | None = None
        self._phase = ""

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self._phase:
            self.close()
            self._phase = phase
            unit = "rows" if phase == "read" else "units"
            self._bar = tqdm(
                desc=f"{self._name} {phase}", unit=f" {unit}", total=total or None, disable=not sys.stderr.isatty()
            )
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def _progress(location: str) -> Iterator[_Bars]:
    bars = _Bars(Path(location).name)
    try:
        yield bars
    finally:
        bars.close()


def _report(summary: Summary, seconds: float) -> None:
    rate = f"{summary.row_count / seconds:,.0f}" if seconds > 0 else "-"
    click.echo(
        f"{summary.dataset} {summary.edition}: {summary.row_count:,} rows in {seconds:.1f} s ({rate} rows/s), "
        f"{len(summary.units)} units loaded, {len(summary.unchanged)} unchanged, "
        f"{summary.rejected_count:,} rows rejected, {summary.repaired_count:,} outlines repaired"
    )
    if summary.newer_count:
        click.echo(f"  {summary.newer_count} units had a newer edition, which this one has replaced", err=True)
    for rejection in summary.rejections:
        click.echo(f"  rejected {rejection}", err=True)
    if summary.rejected_count > len(summary.rejections):
        click.echo(f"  … and {summary.rejected_count - len(summary.rejections):,} more", err=True)
    for column, count in sorted(summary.unknown_values.items()):
        click.echo(f"  {count:,} values of {column} are not in the publisher's dictionary and were left out", err=True)
    if not summary.units and not summary.unchanged:
        click.echo("  no row was for what was asked", err=True)
