"""The audit log, as JSON by pages, or the last entries as CSV."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from contract.messages.keys import PAGE_MEMBERS, SHAPES
from edge.access import API
from edge.admin.csv_tables import CSV, audit_table
from edge.admin.requests import MessageQuery
from edge.dependencies import Admin
from edge.descriptions.operations import route_options
from edge.negotiation import JSON, chosen_media_type
from edge.responses import answer, attachment
from edge.routing import new_router
from landpartner.keys.v1 import admin_pb2 as pb
from servicekit.languages import language

router = new_router()

_PAGE = SHAPES[pb.ListAuditEntriesResponse]
_QUERY = MessageQuery(pb.ListAuditEntriesRequest, names=PAGE_MEMBERS)
_PAGE_SIZE, _PAGES = 200, 5


@router.get(f"{API}/admin/audit", **route_options("admin", _PAGE, alternative_media_types=(CSV,)))
async def list_audit(
    request: Request, query: Annotated[pb.ListAuditEntriesRequest, Depends(_QUERY)], admin: Admin
) -> Response:
    """As CSV, the entries have no pages: the newest thousand."""
    if chosen_media_type(request, (JSON, CSV), JSON) == JSON:
        return answer(_PAGE, await admin(admin.stub.ListAuditEntries, query))
    entries: list[pb.AuditEntry] = []
    query.page_size = _PAGE_SIZE
    for _ in range(_PAGES):
        page = await admin(admin.stub.ListAuditEntries, query)
        entries += page.entries
        query.page_token = page.next_page_token
        if not page.next_page_token:
            break
    return attachment(audit_table(entries, language.get()), "audit.csv", CSV)
