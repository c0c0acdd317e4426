"""AdminService: what is set in this installation, and what waits to be sent."""

# ruff: noqa: N802 (gRPC's names)
from importlib.metadata import version

from keys.rpc.calls import Calls, changing, reading
from keys.rpc.convert import message
from keys.rpc.rules import MAIL
from keys.store import admins, audit_log, mails
from keys.store.audit_log import BACKUP
from keys.store.change import Change, Transaction
from keys.store.event_tables import webhooks
from keys.values.errors import NotFound
from keys.values.records import Role
from landpartner.keys.v1 import admin_pb2
from servicekit.errors import expect
from servicekit.languages import Text


class InstallationCalls(Calls):
    @reading(Role.OPERATOR)
    def GetInstallation(
        self, transaction: Transaction, request: admin_pb2.GetInstallationRequest
    ) -> admin_pb2.GetInstallationResponse:
        connection = transaction.connection
        waiting, since = mails.waiting(connection)
        backups = audit_log.entries(connection, audit_log.Filter(action=BACKUP), None, 1)
        return message(
            admin_pb2.GetInstallationResponse,
            None,
            version=version("keys"),
            seller=self.seller.legal_name if self.seller else "",
            single_sign_on=self.provider.issuer if self.provider else "",
            has_webhook_key=self.has_webhook_key,
            failing_webhooks=webhooks.count_failing(connection),
            waiting_mails=waiting,
            mails_wait_since=since,
            last_backup_at=backups[0].occurred_at if backups else None,
        )

    @changing(Role.OPERATOR)
    def TrySending(self, change: Change, request: admin_pb2.TrySendingRequest) -> admin_pb2.TrySendingResponse:
        if request.channel == MAIL:
            missing = NotFound(Text("Un jeton n’a pas d’adresse : connectez-vous.", "A token has no address: sign in."))
            login = expect(admins.find_by_email(change.connection, change.actor.name.removeprefix("admin ")), missing)
            mails.add(change.connection, [{"admin_id": login.admin.id}], change.now)
        else:
            webhooks.retry(change.connection)
        change.audit("setup.try_sending", "setup")
        return admin_pb2.TrySendingResponse()
