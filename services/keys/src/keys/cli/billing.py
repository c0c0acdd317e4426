"""The command that corrects a bill."""

import json
from decimal import Decimal, InvalidOperation

import click

from keys.admin import bill_corrections
from keys.cli.errors import report_errors
from keys.clock import system_clock
from keys.settings import StoreSettings
from keys.store.audit import COMMAND_LINE
from keys.store.change import changing
from keys.store.database import Database
from servicekit.languages import Text


def _decimal(_: click.Context, __: click.Parameter, value: str | None) -> Decimal | None:
    if value is None:
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise click.BadParameter("must be a decimal such as -12.50")
    return number


@click.command("correct-bill")
@click.argument("key_id")
@click.option("--month", required=True, help="The month whose bill was wrong: YYYY-MM.")
@click.option("--amount", required=True, callback=_decimal, help="EUR without VAT; negative for a credit.")
@click.option("--reason-fr", required=True, help="Printed on the bill, in French.")
@click.option("--reason-en", required=True, help="The same in English.")
@click.option("--vat-rate", callback=_decimal, help="Such as 0.20; that of the key's terms if not given.")
def correct_bill(
    key_id: str, *, month: str, amount: Decimal, reason_fr: str, reason_en: str, vat_rate: Decimal | None
) -> None:
    """Add an amount to the key's next bill. This cannot be undone, only corrected again."""
    database = Database(StoreSettings.load().database_url.get_secret_value())
    with report_errors(), changing(database, system_clock, COMMAND_LINE) as change:
        found = bill_corrections.correct(change, key_id, month, amount, Text(reason_fr, reason_en), vat_rate)
    click.echo(json.dumps({"key_id": key_id, "partner": found.partner.name, "month": month, "net": str(amount)}))
