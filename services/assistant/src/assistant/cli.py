"""The command line: serve, migrate, list and delete runs."""

import asyncio
import json
import sys
from dataclasses import asdict
from datetime import timedelta
from typing import NoReturn

import click
from sqlalchemy.exc import SQLAlchemyError

from assistant.rpc.service import system_clock
from assistant.server import create_server
from assistant.settings import AssistantSettings, StoreSettings
from assistant.store.answers import AnswerStore
from assistant.store.runs import RunStore
from servicekit import logs
from servicekit.schema import SchemaMismatch


@click.group()
def main() -> None:
    """Assesses the division of land and answers in plain language. Settings come from ASSISTANT_* variables."""


@main.command()
def serve() -> None:
    """Serve until SIGTERM. The schema must be migrated first."""
    settings = AssistantSettings.load()
    logs.configure("assistant", settings)
    runs = RunStore(settings.database_url.get_secret_value(), pool_size=1)
    try:
        if not runs.is_accepted():
            _fail("this version does not work with the schema of the database: run `assistant migrate` first")
    except SQLAlchemyError as error:
        _fail(f"the database does not answer: {type(error).__name__}")
    finally:
        runs.close()
    try:
        asyncio.run(_serve(settings))
    except OSError as error:
        _fail(str(error))


async def _serve(settings: AssistantSettings) -> None:
    await create_server(settings).serve()


@main.command()
def migrate() -> None:
    """Migrate the database to the schema of this version."""
    runs = RunStore(StoreSettings.load().database_url.get_secret_value())
    try:
        runs.migrate()
    except SchemaMismatch as error:
        _fail(str(error))
    except SQLAlchemyError as error:
        _fail(f"the database does not answer: {type(error).__name__}")
    click.echo("The schema is current.", err=True)


@main.command()
def purge() -> None:
    """Delete runs past their retention and expired answers. `serve` also does this at regular intervals."""
    settings = StoreSettings.load()
    runs = RunStore(settings.database_url.get_secret_value())
    try:
        run_count = runs.purge(system_clock() - timedelta(days=settings.retention_days))
        answer_count = AnswerStore(runs.engine).purge(system_clock())
    except SQLAlchemyError as error:
        _fail(f"the database does not answer: {type(error).__name__}")
    click.echo(f"{run_count} runs and {answer_count} stored answers deleted.", err=True)


@main.command("erase-keys")
@click.argument("key_ids", nargs=-1, required=True)
@click.confirmation_option(prompt="This deletes the runs and stored answers of these keys, with questions. Erase?")
def erase_keys(key_ids: tuple[str, ...]) -> None:
    """Delete the runs and stored answers of these keys, with questions. `keys erase-partner` prints the ids."""
    runs = RunStore(StoreSettings.load().database_url.get_secret_value())
    try:
        run_count = runs.erase(key_ids)
        answer_count = AnswerStore(runs.engine).erase(key_ids)
    except SQLAlchemyError as error:
        _fail(f"the database does not answer: {type(error).__name__}")
    click.echo(f"{run_count} runs and {answer_count} stored answers deleted.", err=True)


@main.command("runs")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
def list_runs(limit: int) -> None:
    """Print the newest runs, newest first, one JSON object per line."""
    runs = RunStore(StoreSettings.load().database_url.get_secret_value())
    try:
        found = runs.latest(limit)
    except SQLAlchemyError as error:
        _fail(f"the database does not answer: {type(error).__name__}")
    for run in found:
        click.echo(json.dumps(asdict(run), ensure_ascii=False, default=lambda instant: instant.isoformat()))


def _fail(message: str) -> NoReturn:
    sys.exit(f"assistant: {message}")
