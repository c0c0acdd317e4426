"""Sends mails by SMTP: each at least once, with the same Message-ID, in French and then in English."""

import logging
import smtplib
import ssl
import time
import tomllib
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.utils import parseaddr
from functools import cache
from importlib.resources import files
from typing import Any

from keys.bills import sheets
from keys.settings import MailSettings
from keys.store import issued_bills, mails
from keys.store.database import Database
from keys.store.mails import Mail
from keys.store.tables import issued_bills as bill_table
from keys.values.clock import Clock
from keys.values.errors import Unavailable

log = logging.getLogger(__name__)

INTERVAL_S = 5.0
TIMEOUT_S = 20.0
"""Of each step of SMTP. The first wait before another try is longer than a usual delivery."""


@dataclass(frozen=True)
class Mailer:
    database: Database
    settings: MailSettings
    clock: Clock

    def run(self, is_ending: Callable[[], bool]) -> None:
        """Sends until the process ends."""
        while not is_ending():
            try:
                is_idle = not self.send_next()
            except Unavailable as error:
                log.warning("mails wait for the database", extra={"reason": str(error.detail)})
                is_idle = True
            if is_idle:
                time.sleep(INTERVAL_S)

    def send_next(self) -> bool:
        """Sends one mail. Returns whether one was due. If the process ends before the mail is removed, it is sent again
        later. Raises Unavailable.
        """
        with self.database.writing() as connection:
            mail = mails.take(connection, self.clock())
        if mail is None:
            return False
        try:
            if mail.recipient:
                self._deliver(self._with_bill(message(mail, self.settings.mail_from), mail))
        except OSError as error:  # smtplib's errors are OSErrors
            log.warning("a mail was not sent", extra={"mail": mail.id, "reason": type(error).__name__})
            return True
        except ValueError:
            log.exception("a mail has an address that cannot be written to", extra={"mail": mail.id})
        with self.database.writing() as connection:
            mails.remove(connection, mail.id)
        return True

    def _with_bill(self, letter: EmailMessage, mail: Mail) -> EmailMessage:
        """Attaches the bill that the mail is about. A link to it would need a sign-in that partners do not have."""
        if bill_id := mail.facts.get("bill_id"):
            with self.database.reading() as connection:
                (bill,) = issued_bills.find_all(connection, bill_table.c.id == bill_id)
            pdf = sheets.write_pdf(bill, self.settings.seller.logo if self.settings.seller else b"")
            letter.add_attachment(pdf, maintype="application", subtype="pdf", filename=f"{bill.number}.pdf")
        return letter

    def _deliver(self, letter: EmailMessage) -> None:
        settings, tls = self.settings, ssl.create_default_context()
        connection: smtplib.SMTP
        if settings.mail_tls == "tls":
            connection = smtplib.SMTP_SSL(settings.mail_host, settings.mail_port, timeout=TIMEOUT_S, context=tls)
        else:
            connection = smtplib.SMTP(settings.mail_host, settings.mail_port, timeout=TIMEOUT_S)
        with closing(connection) as smtp:
            if settings.mail_tls == "starttls":
                smtp.starttls(context=tls)
            if settings.mail_user:
                smtp.login(settings.mail_user, settings.mail_password.get_secret_value())
            smtp.send_message(letter)
            with suppress(OSError):  # the server has the mail
                smtp.quit()


def message(mail: Mail, sender: str) -> EmailMessage:
    """Raises ValueError if the address has a line break or is no address."""
    template = _templates()[mail.kind]
    letter = EmailMessage(policy.SMTP)
    letter["From"] = sender
    letter["To"] = mail.recipient
    if len(letter["To"].addresses) != 1 or letter["To"].defects:
        raise ValueError("one address is expected")
    letter["Message-ID"] = f"<{mail.id}@{parseaddr(sender)[1].rpartition('@')[2]}>"
    letter["Subject"] = " / ".join(template["subject"][language].format(**mail.facts) for language in ("fr", "en"))
    letter.set_content("\n\n".join(template[language].format(**mail.facts) for language in ("fr", "en")) + "\n")
    return letter


@cache
def _templates() -> dict[str, Any]:
    return tomllib.loads(files("keys.upkeep").joinpath("mails.toml").read_text(encoding="utf-8"))
