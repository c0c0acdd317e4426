"""Commands that migrate, and manage keys, bills and admins on the server itself."""

import json
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

import click

from contract.endpoints import SCOPES
from keys.admins import changes as administrators
from keys.admins.passwords import Passwords
from keys.api_keys import changes as key_changes
from keys.cli.errors import fail, report_errors
from keys.rpc import rules
from keys.rpc.convert import enum_number, instant
from keys.rpc.key_messages import read_key_draft
from keys.settings import IssuingSettings, StoreSettings
from keys.store import access_state as access_states
from keys.store import issued_bills, key_records, pepper_checks
from keys.store.audit_log import BACKUP, COMMAND_LINE
from keys.store.change import Change, changing
from keys.store.database import Database
from keys.upkeep import erasure, restoring
from keys.values.checks import MAX_RATE, MAX_UNITS, new_password, require
from keys.values.clock import system_clock
from keys.values.hashing import Peppers
from keys.values.policy import AssistantMode
from keys.values.secret import KeyMode
from landpartner.keys.v1 import admin_pb2, keys_pb2
from servicekit.languages import Text


@click.command()
def migrate() -> None:
    """Upgrade the database's schema to this version."""
    with report_errors():
        _open(StoreSettings.load()).migrate()
    click.echo("The schema is current.", err=True)


@click.command("create-key")
@click.option("--partner", required=True, help="A partner's id, or the name of one, made where there is none.")
@click.option("--label", required=True, help="What the key is for.")
@click.option("--mode", type=click.Choice([mode.value for mode in KeyMode]), default=KeyMode.LIVE.value)
@click.option("--monthly-units", type=click.IntRange(0, MAX_UNITS), help="Units a month; no limit if not given.")
@click.option("--soft", is_flag=True, help="Count past the monthly units and let through.")
@click.option("--spend-cap", help="EUR a month.")
@click.option("--per-minute", type=click.IntRange(1, MAX_RATE))
@click.option("--burst", type=click.IntRange(1, MAX_RATE))
@click.option("--assistant", type=click.Choice([mode.value for mode in AssistantMode]))
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="An endpoint; all without any.")
@click.option("--cidr", "cidrs", multiple=True, help="A network that the key may be used from; any without one.")
@click.option("--expires-at", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"]), help="In UTC.")
def create_key(
    *,
    partner: str,
    label: str,
    mode: str,
    monthly_units: int | None,
    soft: bool,
    spend_cap: str | None,
    per_minute: int | None,
    burst: int | None,
    assistant: str | None,
    scopes: tuple[str, ...],
    cidrs: tuple[str, ...],
    expires_at: datetime | None,
) -> None:
    """Create a key and print it once, as JSON."""
    settings = IssuingSettings.load()
    request = admin_pb2.CreateKeyRequest(
        partner=partner,
        label=label,
        mode=enum_number(keys_pb2.KeyMode.DESCRIPTOR, KeyMode(mode)),
        quota=keys_pb2.Quota(
            monthly_units=monthly_units,
            per_minute=per_minute or 0,
            burst=burst or 0,
            hard=not soft,
            spend_cap=spend_cap,
        ),
        scopes=scopes,
        allowed_cidrs=cidrs,
        expires_at=None if expires_at is None else instant(expires_at.replace(tzinfo=UTC)),
    )
    if assistant:
        number = enum_number(keys_pb2.AssistantMode.DESCRIPTOR, AssistantMode(assistant))
        request.assistant_policy.mode = number
    peppers = Peppers.parse(settings.peppers.get_secret_value())
    with report_errors(), _changing(settings) as change:
        pepper_checks.check(change.connection, peppers)
        rules.check(request)
        draft = read_key_draft(request, settings.default_quota, settings.default_assistant_mode)
        issued = key_changes.create(change, peppers, draft)
    _print({"key_id": issued.record.id, "secret": issued.secret.text, "masked": issued.record.masked})


@click.command("revoke-key")
@click.argument("key_id")
def revoke_key(key_id: str) -> None:
    """Revoke a key. This cannot be undone."""
    with report_errors(), _changing(StoreSettings.load()) as change:
        record = key_changes.revoke(change, key_id)
    _print({"key_id": record.id, "masked": record.masked, "status": record.status(system_clock()).value})


@click.command("list-keys")
def list_keys() -> None:
    """Print every key, masked, as one JSON object per line."""
    now = system_clock()
    with report_errors(), _open(StoreSettings.load()).reading() as connection:
        records = key_records.read_all(connection, key_records.select_keys(now), now)
    for record in records:
        _print(
            {
                "key_id": record.id,
                "partner": record.partner.name,
                "partner_id": record.partner.id,
                "label": record.label,
                "status": record.status(now).value,
                "masked": record.masked,
                "month_units": record.counts.units,
            }
        )


@click.command("setup-token")
def setup_token() -> None:
    """Print a new token to create the first owner. Fails if an owner ever existed."""
    with report_errors(), _changing(StoreSettings.load()) as change:
        setup = administrators.setup_token(change)
    if setup is None:
        fail("an owner was made before: setup is closed for good")
    token, lifetime = setup
    _print({"setup_token": token, "expires_in_s": int(lifetime.total_seconds())})


@click.command("reset-password")
@click.argument("email")
@click.option("--password-stdin", is_flag=True, help="Read the new password from standard input, without asking.")
@click.option("--remove-totp", is_flag=True, help="Also remove the second factor, for who lost it.")
def reset_password(email: str, password_stdin: bool, remove_totp: bool) -> None:
    """Set an admin's password and end all of the admin's sessions."""
    settings = StoreSettings.load()
    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = click.prompt("New password", hide_input=True, confirmation_prompt=True)
    with report_errors():
        require(new_password, password, "/password")
        password_hash = Passwords().hash(password)
        with _changing(settings) as change:
            admin = administrators.reset_password(change, email, password_hash, remove_totp=remove_totp)
    click.echo(f"The password of {admin.email} is changed.", err=True)


@click.command("erase-partner")
@click.argument("partner_id")
@click.confirmation_option(prompt="This revokes the partner's keys and cannot be undone. Erase?")
def erase_partner(partner_id: str) -> None:
    """Remove a partner's name, data as a customer, labels, metadata and networks. Bills and counts stay, without names.
    Prints the ids of its keys, for `assistant erase-keys`.
    """
    with report_errors(), _changing(StoreSettings.load()) as change:
        key_ids = erasure.erase_partner(change, partner_id)
    _print({"partner_id": partner_id, "key_ids": key_ids})


@click.command("erase-admin")
@click.argument("email")
@click.confirmation_option(prompt="The admin can never sign in again. Erase?")
def erase_admin(email: str) -> None:
    """Remove the email address of an admin, or of somebody invited, everywhere. The admin's changes stay in the audit
    log, without the address.
    """
    with report_errors(), _changing(StoreSettings.load()) as change:
        admin_id = erasure.erase_admin(change, email)
    _print({"admin_id": admin_id})


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
@click.argument("bill")
@click.option("--amount", required=True, callback=_decimal, help="EUR without VAT; negative for a credit.")
@click.option("--reason-fr", required=True, help="Printed on the document, in French.")
@click.option("--reason-en", required=True, help="The same in English.")
@click.option("--vat-rate", callback=_decimal, help="Such as 0.20, if the bill has several rates.")
def correct_bill(bill: str, *, amount: Decimal, reason_fr: str, reason_en: str, vat_rate: Decimal | None) -> None:
    """Correct the issued BILL, given by its number or id, by a credit note or a further bill. This cannot be undone,
    only corrected again.
    """
    with report_errors(), _changing(StoreSettings.load()) as change:
        document = issued_bills.correct(change, bill, amount, Text(reason_fr, reason_en), vat_rate)
    _print({"number": document.number, "partner": document.partner.name, "net": str(document.net)})


@click.command("record-backup")
def record_backup() -> None:
    """Note in the audit log that a backup was made. The settings page of admins shows the last one."""
    with report_errors(), _changing(StoreSettings.load()) as change:
        change.audit(BACKUP, "setup")


@click.command("access-state")
def access_state() -> None:
    """Print who has access and what was counted, as JSON without secrets."""
    with report_errors(), _open(StoreSettings.load()).reading() as connection:
        _print(access_states.access_state(connection, system_clock()))


@click.command("check-restored")
@click.option("--withdraw", is_flag=True, help="Withdraw again what was withdrawn since the backup.")
def check_restored(withdraw: bool) -> None:
    """Check a restored database and its peppers. Standard input is the `access-state` of the database that it replaces,
    or empty. Prints the differences as JSON.
    """
    settings = IssuingSettings.load()
    peppers = Peppers.parse(settings.peppers.get_secret_value())
    replaced = json.loads(sys.stdin.read() or "null")
    with report_errors(), _changing(settings) as change:
        pepper_checks.check(change.connection, peppers)
        differences = {}
        if replaced is not None:
            restored = access_states.access_state(change.connection, change.now)
            differences = restoring.differences(restored, replaced)
            if withdraw:
                restoring.withdraw(change, differences, replaced)
    _print(differences)


def _open(settings: StoreSettings) -> Database:
    return Database(settings.database_url.get_secret_value())


def _changing(settings: StoreSettings) -> AbstractContextManager[Change]:
    return changing(_open(settings), system_clock, COMMAND_LINE)


def _print(record: Mapping[str, object]) -> None:
    click.echo(json.dumps(record, ensure_ascii=False))
