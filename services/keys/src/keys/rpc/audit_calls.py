"""AdminService: the audit log."""

# ruff: noqa: N802 (gRPC's names)
from keys.audit.fields import details
from keys.audit.sentences import actor_name, sentence
from keys.rpc.calls import Calls, reading
from keys.rpc.convert import message
from keys.store import audit_log, audit_subjects, paging
from keys.store.audit_log import AuditEntry
from keys.store.change import Transaction
from keys.values.buckets import read_end, read_start
from keys.values.records import Json, Role
from landpartner.keys.v1 import admin_pb2
from servicekit.languages import Text, language


class AuditCalls(Calls):
    @reading(Role.OPERATOR)
    def ListAuditEntries(
        self, transaction: Transaction, request: admin_pb2.ListAuditEntriesRequest
    ) -> admin_pb2.ListAuditEntriesResponse:
        size = request.page_size or paging.DEFAULT_PAGE_SIZE
        before = paging.read_id_token(request.page_token) if request.page_token else None
        entries = audit_log.entries(transaction.connection, _filter(transaction, request), before, size + 1)
        token = paging.write_token(entries[size - 1].id) if len(entries) > size else ""
        subject_of = audit_subjects.subjects(transaction.connection, entries[:size])
        return admin_pb2.ListAuditEntriesResponse(
            entries=[_entry(entry, subject_of.get(entry.id)) for entry in entries[:size]],
            next_page_token=token,
        )


def _filter(transaction: Transaction, request: admin_pb2.ListAuditEntriesRequest) -> audit_log.Filter:
    start, end = getattr(request, "from"), request.to
    return audit_log.Filter(
        audit_subjects.ids_named(transaction.connection, request.subject) if request.subject else (),
        request.actor,
        request.action,
        read_start(start) if start else None,
        read_end(end) if end else None,
    )


def _entry(entry: AuditEntry, subject: Text | None) -> admin_pb2.AuditEntry:
    return message(
        admin_pb2.AuditEntry,
        entry,
        changes={name: _readable(value) for name, value in entry.changes.items()},
        summary=sentence(entry.actor, entry.action, subject, entry.changes),
        actor_name=actor_name(entry.actor),
        subject_name=subject,
        details=details(entry.changes),
    )


def _readable(value: Json) -> Json:
    """Reads a text of the audit log in the language of the call. All other values stay as they are."""
    return value[language.get()] if isinstance(value, dict) and value.keys() == {"fr", "en"} else value
