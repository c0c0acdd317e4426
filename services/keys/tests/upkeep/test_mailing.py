"""Mails to a server of this test, by the program and in this process."""

import os
import signal
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from bills_world import close, issue_held
from keys_world import World
from sqlalchemy import func, insert, select, update

from keys.admins import changes as administrators
from keys.admins import inviting
from keys.settings import MailSettings
from keys.store.event_tables import mails
from keys.store.mails import BACK_OFF_S, Mail
from keys.upkeep.mailing import Mailer, message
from keys.values.pricing import Terms
from keys.values.records import Contact, Customer, PostalAddress, Role
from keys.values.secret import KeyMode

PRICED = Terms(monthly_fee=Decimal(10), included_units=0, tiers=(), vat_rate=Decimal("0.20"))
SAFETY_S = 60
SENDER = "Service <service@example.org>"


class SmtpServer(socketserver.ThreadingTCPServer):
    """Takes mails, or keeps the answer to the content of the first one back."""

    daemon_threads = True

    def __init__(self, is_silent: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.mails: list[EmailMessage] = []
        self.is_silent = is_silent
        self.arrived = threading.Semaphore(0)


class _Session(socketserver.StreamRequestHandler):
    server: SmtpServer

    def handle(self) -> None:
        self._say("220 test")
        while line := self.rfile.readline():
            match line[:4].upper():
                case b"DATA":
                    self._say("354 go on")
                    content = b"".join(iter(self.rfile.readline, b".\r\n"))
                    mail = message_from_bytes(content, policy=policy.default)
                    assert isinstance(mail, EmailMessage)
                    self.server.mails.append(mail)
                    self.server.arrived.release()
                    if self.server.is_silent:
                        self.rfile.read()  # until the client is gone
                    self._say("250 ok")
                case b"QUIT":
                    self._say("421 busy")  # the mail is taken all the same
                case _:
                    self._say("250 ok")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def smtp_server(is_silent: bool = False) -> Iterator[SmtpServer]:
    with SmtpServer(is_silent) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def mailer(world: World, port: int) -> Mailer:
    settings = MailSettings(
        database_url="sqlite://", mail_host="127.0.0.1", mail_port=port, mail_tls="none", mail_from=SENDER
    )
    return Mailer(world.database, settings, world.clock)


def waiting(world: World) -> int:
    with world.database.reading() as connection:
        return connection.scalar(select(func.count()).select_from(mails)) or 0


def quota_used(world: World, email: str = "compta@example.org") -> str:
    """Writes the mail of a used quota. Returns the secret of the key."""
    partner = world.partner("Mairie", customer=Customer(contact=Contact(email=email))).partner
    issued = world.key(partner=partner.id, label="SIG", quota={"monthly_units": 1})
    world.record([world.outcome(world.ask(issued.secret.text))])
    return issued.secret.text


def test_a_mail_is_in_both_languages_and_has_no_secret(world: World) -> None:
    secret = quota_used(world)
    with world.change() as change:
        _, token = inviting.invite(change, "new@example.org", Role.OPERATOR, timedelta(hours=72))
    with smtp_server() as server:
        sender = mailer(world, server.server_address[1])
        assert [sender.send_next() for _ in range(3)] == [True, True, False]
    bodies = {mail["To"]: mail.get_content() for mail in server.mails}
    assert bodies.keys() == {"compta@example.org", "new@example.org"}
    body = bodies["compta@example.org"]
    assert "a consommé 100\N{NO-BREAK SPACE}% de ses 1 unités de 2026-03" in body
    assert "has used 100 % of its 1 units of 2026-03" in body
    assert "with the role operator, until 2026-03-17" in bodies["new@example.org"]
    for text in (mail.as_string() + mail.get_content() for mail in server.mails):
        assert not [part for part in (secret, secret.split("_")[2][8:], token) if part in text]


def add_admins(world: World) -> None:
    with world.change() as change:
        for role in Role:
            administrators.create_admin(change, f"{role.name.lower()}@example.org", "", role)


def test_admins_learn_why_a_bill_is_held_from_the_first_live_key_on(world: World) -> None:
    add_admins(world)
    partner = world.partner("Mairie").partner
    for mode, pricing in ((KeyMode.TEST, PRICED), (KeyMode.LIVE, PRICED), (KeyMode.LIVE, PRICED)):
        world.key(partner=partner.id, mode=mode, pricing=pricing)
    assert waiting(world) == 2
    with smtp_server() as server:
        sender = mailer(world, server.server_address[1])
        while sender.send_next():
            pass
        world.clock.now = datetime(2026, 4, 4, tzinfo=UTC)
        close(world)
        while sender.send_next():
            pass
    assert sorted(mail["To"] for mail in server.mails) == sorted(["operator@example.org", "owner@example.org"] * 2)
    assert {mail["Subject"] for mail in server.mails} == {
        f"Facture de 2026-03 en attente : Mairie ({partner.id}) / Bill of 2026-03 on hold: Mairie ({partner.id})"
    }
    for mail in server.mails:
        for reason in ("Sans SIREN, l’acheteur", "Without a SIREN, the buyer", "The billing address is incomplete."):
            assert reason in mail.get_content()


def test_a_mail_about_a_bill_that_is_held_no_more_is_not_sent(world: World) -> None:
    add_admins(world)
    partner = world.partner("Mairie").partner
    world.key(partner=partner.id, pricing=PRICED)
    address = PostalAddress(lines=("2 quai",), postcode="69001", city="Lyon", country="FR")
    world.change_partner(partner.id, customer=Customer(billing_address=address, siren="552100554"))
    with smtp_server() as server:
        while mailer(world, server.server_address[1]).send_next():
            pass
    assert (server.mails, waiting(world)) == ([], 0)


def test_a_partner_gets_number_due_date_and_amount_of_its_bill_and_no_mail_about_nothing(world: World) -> None:
    contact = Contact(email="compta@example.org")
    address = PostalAddress(lines=("2 quai",), postcode="69001", city="Lyon", country="FR")
    faultless = Customer(legal_name="Mairie", contact=contact, billing_address=address, siren="552100554")
    paying = world.partner("Mairie", customer=replace(faultless, siren="")).partner.id
    free = world.partner("Lycée", customer=faultless).partner.id
    world.key(partner=paying, pricing=PRICED)
    world.key(partner=free, pricing=replace(PRICED, monthly_fee=Decimal(0)))
    world.clock.now = datetime(2026, 4, 4, tzinfo=UTC)
    close(world)
    with smtp_server() as server:
        sender = mailer(world, server.server_address[1])
        while sender.send_next():
            pass
        assert server.mails == []  # one bill is held, the other one is of nothing
        world.change_partner(paying, customer=faultless)
        issue_held(world)
        while sender.send_next():
            pass
    [mail] = server.mails
    assert (mail["To"], mail["Subject"]) == (
        "compta@example.org",
        "Facture 2026-000001 de Foncier & fils SAS / Bill 2026-000001 of Foncier & fils SAS",
    )
    [bill] = mail.iter_attachments()
    assert (bill.get_filename(), bill.get_content()[:5]) == ("2026-000001.pdf", b"%PDF-")
    body = mail.get_body()
    assert body is not None
    text = body.get_content()
    assert "s’élève à 12,00 EUR toutes taxes comprises" in text
    assert "amounts to 12.00 EUR with VAT. It is due on 2026-05-04" in text


def test_a_mail_that_fails_is_sent_again_with_the_same_id_and_at_most_so_often(world: World) -> None:
    quota_used(world)
    with smtp_server() as server:
        sender, refusing = mailer(world, server.server_address[1]), mailer(world, 1)
        assert refusing.send_next()
        assert not sender.send_next(), "it waits"
        world.clock.advance(seconds=BACK_OFF_S[0])
        assert (sender.send_next(), len(server.mails), waiting(world)) == (True, 1, 0)
    with world.change() as change:
        inviting.invite(change, "new@example.org", Role.VIEWER, timedelta(hours=72))
    for wait_s in BACK_OFF_S:
        assert refusing.send_next()
        world.clock.advance(seconds=wait_s)
    assert (refusing.send_next(), waiting(world)) == (False, 0)


def test_any_number_of_exhausted_mails_is_dropped_at_once(world: World) -> None:
    quota_used(world)
    with world.database.writing() as connection:
        [waits] = connection.execute(select(mails)).mappings()
        spent = [{**waits, "id": f"spent{number}", "tries": len(BACK_OFF_S)} for number in range(1_100)]
        connection.execute(insert(mails), spent)
    with smtp_server() as server:
        assert mailer(world, server.server_address[1]).send_next()
        assert mailer(world, server.server_address[1]).send_next() is False
    assert (len(server.mails), waiting(world)) == (1, 0)


def test_nobody_gets_a_mail_of_a_revoked_invitation_or_without_an_address(world: World) -> None:
    quota_used(world, "")
    with world.change() as change:
        invitation, _ = inviting.invite(change, "new@example.org", Role.VIEWER, timedelta(hours=72))
        inviting.revoke(change, invitation.id)
    with smtp_server() as server:
        sender = mailer(world, server.server_address[1])
        assert [sender.send_next() for _ in range(3)] == [True, True, False]
    assert (server.mails, waiting(world)) == ([], 0)


@pytest.mark.parametrize("address", ["a@example.org\r\nBcc: b@example.org", "a@example.org, b@example.org"])
def test_an_address_adds_no_header_and_no_recipient(address: str) -> None:
    with pytest.raises(ValueError, match=r"linefeed|one address"):
        message(
            Mail(id="id", kind="bill", recipient=address, facts={"month": "2026-03", "amount": "1", "amount_fr": "1"}),
            SENDER,
        )


def test_a_label_stays_in_the_body() -> None:
    facts = {"key": "x\r\nBcc: b@example.org {0}", "month": "2026-03", "threshold": "80", "amount": "5"}
    letter = message(Mail(id="id", kind="quota", recipient="a@example.org", facts=facts), SENDER)
    assert set(letter) == {
        *("From", "To", "Message-ID", "Subject"),
        *("MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
    }


def test_a_password_needs_an_encrypted_connection() -> None:
    with pytest.raises(ValueError, match="KEYS_MAIL_TLS"):
        MailSettings(database_url="sqlite://", mail_tls="none", mail_password="secret")


def test_no_mail_is_lost_if_the_program_is_killed(world: World, database_url: str) -> None:
    quota_used(world)
    with smtp_server(is_silent=True) as server:
        host, port = map(str, server.server_address)
        mail = {"KEYS_MAIL_HOST": host, "KEYS_MAIL_PORT": port, "KEYS_MAIL_TLS": "none", "KEYS_MAIL_FROM": SENDER}
        environment = {**os.environ, "KEYS_DATABASE_URL": database_url, **mail}
        command = [sys.executable, "-c", "from keys.cli import main; main(['mail'])"]
        for end in (signal.SIGKILL, signal.SIGTERM):
            with subprocess.Popen(command, env=environment) as program:
                assert server.arrived.acquire(timeout=SAFETY_S)
                program.send_signal(end)
                server.is_silent = False
            assert program.returncode == (-end if end is signal.SIGKILL else 0)
            with world.database.writing() as connection:
                connection.execute(update(mails).values(next_at=world.clock()))
    assert [letter["Message-ID"] for letter in server.mails] == [server.mails[0]["Message-ID"]] * 2
    assert waiting(world) == 0
