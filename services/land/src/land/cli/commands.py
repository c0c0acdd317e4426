"""The commands. Results go to standard output, progress and problems to standard error; a failure gives status 1."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Never, get_args

import click
from sqlalchemy.exc import SQLAlchemyError
from tqdm import tqdm

from land import demo as generator
from land.cli.refreshing import refresh
from land.errors import SourceError, SourceUnavailable
from land.loading.loader import Summary, load_file
from land.server import MIGRATIONS, SchemaOutdated, create_server, open_store, sources_of
from land.settings import LandSettings, StoreSettings
from land.sources import SOURCES
from land.sources.base import Source
from land.store import fetches, loads, reading
from servicekit import logs
from servicekit.database import upgrade


@click.group()
def main() -> None:
    """Facts about French land: addresses, parcels, history. Settings come from LAND_* variables."""


@main.command()
def serve() -> None:
    """Serves gRPC until it is told to stop."""
    settings = LandSettings.load()
    logs.configure("land", settings)
    asyncio.run(_serve(settings))


async def _serve(settings: LandSettings) -> None:
    try:
        server = create_server(settings)
    except SchemaOutdated as error:
        raise click.ClickException(str(error)) from None
    await server.serve_until_signalled()


@main.command()
def migrate() -> None:
    """Brings the store's schema to the newest revision."""
    settings = StoreSettings.load()
    logs.configure("land", settings)
    upgrade(open_store(settings), MIGRATIONS)


@main.command("import")
@click.argument("source", type=click.Choice(list(SOURCES)))
@click.argument("locations", metavar="FILE|URL...", nargs=-1, required=True)
@click.option("--commune", help="Only this commune, by INSEE code.")
@click.option("--department", help="Only this département.")
def import_(source: str, locations: tuple[str, ...], commune: str | None, department: str | None) -> None:
    """Loads files of a source, plain or gzipped, in place of the editions before.

    A file is read whole before anything changes; a commune's rows then change in one step. Loading the same file again
    changes nothing. A file that cannot be read leaves the store as it was, and the command ends with status 1 after
    the other files.
    """
    settings = StoreSettings.load()
    logs.configure("land", settings)
    failed = False
    for location in locations:
        failed |= not _import_one(settings, sources_of(settings)[source], location, commune, department)
    sys.exit(1 if failed else 0)


def _import_one(
    settings: StoreSettings, source: Source, location: str, commune: str | None, department: str | None
) -> bool:
    started = time.perf_counter()
    try:
        with _progress(location) as told:
            summary = load_file(
                open_store(settings),
                source,
                location,
                settings.data_dir / "scratch",
                commune=commune,
                department=department,
                told=told,
            )
    except (SourceError, SourceUnavailable) as error:
        detail = error.detail if isinstance(error, SourceUnavailable) else str(error)
        click.echo(f"{source.id}: nothing changed: {detail}", err=True)
        return False
    except (OSError, SQLAlchemyError) as error:
        click.echo(f"{source.id}: {location}: {type(error).__name__}: {error}", err=True)
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
    for rejection in summary.rejections:
        click.echo(f"  rejected {rejection}", err=True)
    if summary.rejected_count > len(summary.rejections):
        click.echo(f"  … and {summary.rejected_count - len(summary.rejections):,} more", err=True)
    for column, count in sorted(summary.unknown_values.items()):
        click.echo(f"  {count:,} values of {column} are not in the publisher's dictionary and were left out", err=True)
    if not summary.units and not summary.unchanged:
        click.echo("  no row was for what was asked", err=True)


@main.command()
@click.option("--unit", default="", help="Only this commune or filing commune.")
def status(unit: str) -> None:
    """Lists what is loaded: dataset, unit, edition, rows; what came on demand; how permits found their parcels."""
    settings = StoreSettings.load()
    engine = open_store(settings)
    after = ("", "", "")
    with reading.snapshot(engine) as connection:
        click.echo(f"{'dataset':20} {'unit':12} {'part':7} {'edition':12} {'rows':>9} {'rejected':>9} loaded at")
        while found := loads.page(connection, [unit] if unit else [], "", after, 1000):
            for load in found:
                click.echo(
                    f"{load.dataset:20} {load.unit.code:12} {load.unit.part:7} {load.edition:12} {load.row_count:>9,} "
                    f"{load.rejected_count:>9,} {load.loaded_at}"
                )
            after = (found[-1].dataset, found[-1].unit.code, found[-1].unit.part)
        fetched = fetches.of_unit(connection, unit)
        if fetched:
            held = sum(each.size_bytes for each in fetched) / 1024**2
            click.echo(f"\n{'on demand':20} {'unit':8} {'complete':8} {'fetched at':20} {'used at':20} {held:.1f} MiB")
        for each in fetched:
            click.echo(
                f"{each.dataset:20} {each.unit:8} {'yes' if each.is_complete else 'no':8} {each.fetched_at:20} "
                f"{each.used_at:20}"
            )
        counts = reading.placements(connection, unit)
        if counts:
            click.echo(f"\n{'permits of':10} {'placed':>9} {'ambiguous':>9} {'retired':>9} {'unchecked':>9}")
        for row in counts:
            click.echo(
                f"{row.commune_code:10} {row.placed:>9,} {row.ambiguous:>9,} {row.retired:>9,} {row.unchecked:>9,}"
            )


main.add_command(refresh)


@main.command()
@click.option("--to", type=click.Path(path_type=Path), help="Keep the files in this folder.")
@click.option("--load/--no-load", default=True, help="Load them into the store.")
@click.option("--communes", default=1, show_default=True, help="How many fictional communes.")
@click.option("--addresses", type=int, help="How many addresses over all of them.")
@click.option("--seed", default=1, show_default=True)
@click.option("--region", type=click.Choice(get_args(generator.Region)), default="mainland", show_default=True)
@click.option(
    "--addresses-only", is_flag=True, help="Nothing but addresses, on streets named as frequently as real ones."
)
def demo(
    to: Path | None,
    load: bool,
    communes: int,
    addresses: int | None,
    seed: int,
    region: generator.Region,
    addresses_only: bool,
) -> None:
    """Writes a fictional commune in the publishers' formats and loads it as any other. The same every time.

    More than 998 communes, and those named as in another region than the mainland, have addresses only.
    """
    settings = StoreSettings.load()
    logs.configure("land", settings)
    with tempfile.TemporaryDirectory(prefix="land-demo-") as scratch:
        try:
            files = generator.write(
                to or Path(scratch), communes, addresses, seed, region, addresses_only=addresses_only
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if load:
            done = [
                _import_one(settings, sources_of(settings)[source], str(path), None, None) for source, path in files
            ]
            sys.exit(0 if all(done) else 1)
