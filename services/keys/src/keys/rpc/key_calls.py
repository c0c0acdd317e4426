"""AdminService: keys."""

# ruff: noqa: N802 (gRPC's names)
from datetime import timedelta

from keys.api_keys import changes as key_changes
from keys.rpc import key_messages
from keys.rpc.calls import Calls, changing, reading
from keys.rpc.convert import read_enum
from keys.store import key_pages, paging, partner_records
from keys.store.change import Change, Transaction
from keys.store.key_pages import KeyFilter, KeySort
from keys.values.records import KeyStatus, Role
from landpartner.keys.v1 import admin_pb2


class KeyCalls(Calls):
    @reading()
    def ListKeys(self, transaction: Transaction, request: admin_pb2.ListKeysRequest) -> admin_pb2.ListKeysResponse:
        partner_id = partner_records.id_of(transaction.connection, request.partner_id)
        status = read_enum(KeyStatus, admin_pb2.KeyStatus.DESCRIPTOR, request.status)
        key_filter = KeyFilter(partner_id, status, request.search)
        requested = paging.read_page(request.order_by, request.page_token, request.page_size, KeySort)
        page = key_pages.page(transaction.connection, key_filter, requested, transaction.now)
        return admin_pb2.ListKeysResponse(
            keys=[key_messages.key(record, transaction.now) for record in page.records],
            next_page_token=requested.token_of_next(page.end),
            total_count=page.total_count,
        )

    @changing(Role.OPERATOR)
    def CreateKey(self, change: Change, request: admin_pb2.CreateKeyRequest) -> admin_pb2.CreateKeyResponse:
        draft = key_messages.read_key_draft(request, self.default_quota, self.default_mode)
        issued = key_changes.create(change, self.access_control.peppers, draft, request.idempotency_key)
        return admin_pb2.CreateKeyResponse(key=key_messages.key(issued.record, change.now), secret=issued.secret.text)

    @reading()
    def GetKey(self, transaction: Transaction, request: admin_pb2.GetKeyRequest) -> admin_pb2.GetKeyResponse:
        record = key_changes.get(transaction, request.key_id)
        return admin_pb2.GetKeyResponse(key=key_messages.key(record, transaction.now))

    @changing(Role.OPERATOR)
    def UpdateKey(self, change: Change, request: admin_pb2.UpdateKeyRequest) -> admin_pb2.UpdateKeyResponse:
        paths = list(request.update_mask.paths)
        record = key_changes.update(
            change, request.key.id, lambda record: key_messages.edited_draft(record, request.key, paths, change.now)
        )
        return admin_pb2.UpdateKeyResponse(key=key_messages.key(record, change.now))

    @changing(Role.OPERATOR)
    def RevokeKey(self, change: Change, request: admin_pb2.RevokeKeyRequest) -> admin_pb2.RevokeKeyResponse:
        record = key_changes.revoke(change, request.key_id)
        return admin_pb2.RevokeKeyResponse(key=key_messages.key(record, change.now))

    @changing(Role.OPERATOR)
    def SuspendKey(self, change: Change, request: admin_pb2.SuspendKeyRequest) -> admin_pb2.SuspendKeyResponse:
        return admin_pb2.SuspendKeyResponse(
            key=key_messages.key(key_changes.suspend(change, request.key_id), change.now)
        )

    @changing(Role.OPERATOR)
    def ResumeKey(self, change: Change, request: admin_pb2.ResumeKeyRequest) -> admin_pb2.ResumeKeyResponse:
        return admin_pb2.ResumeKeyResponse(key=key_messages.key(key_changes.resume(change, request.key_id), change.now))

    @changing(Role.OPERATOR)
    def RotateKey(self, change: Change, request: admin_pb2.RotateKeyRequest) -> admin_pb2.RotateKeyResponse:
        grace = timedelta(days=request.grace_days)
        issued = key_changes.rotate(change, self.access_control.peppers, request.key_id, grace)
        return admin_pb2.RotateKeyResponse(key=key_messages.key(issued.record, change.now), secret=issued.secret.text)
