"""AdminService: partners."""

# ruff: noqa: N802 (gRPC's names)
from keys.partners import changes, overviews
from keys.rpc import partner_messages
from keys.rpc.calls import Calls, changing, reading
from keys.rpc.rules import OVERVIEW
from keys.store import paging
from keys.store.change import Change, Transaction
from keys.store.partner_pages import PartnerSort
from keys.values.records import Role
from landpartner.keys.v1 import admin_pb2


class PartnerCalls(Calls):
    @property
    def _has_seller(self) -> bool:
        return self.seller is not None

    @reading()
    def ListPartners(
        self, transaction: Transaction, request: admin_pb2.ListPartnersRequest
    ) -> admin_pb2.ListPartnersResponse:
        requested = paging.read_page(request.order_by, request.page_token, request.page_size, PartnerSort)
        page = overviews.page(transaction, request.search, requested)
        ids = [record.partner.id for record in page.records] if request.include == OVERVIEW else []
        overview_of = overviews.overviews(transaction, ids, has_seller=self._has_seller)
        return admin_pb2.ListPartnersResponse(
            partners=[partner_messages.partner(record, overview_of.get(record.partner.id)) for record in page.records],
            next_page_token=requested.token_of_next(page.end),
            total_count=page.total_count,
        )

    @reading()
    def GetPartner(
        self, transaction: Transaction, request: admin_pb2.GetPartnerRequest
    ) -> admin_pb2.GetPartnerResponse:
        record = overviews.find(transaction, request.partner_id)
        of_ids = overviews.overviews(transaction, [request.partner_id], has_seller=self._has_seller)
        return admin_pb2.GetPartnerResponse(partner=partner_messages.partner(record, of_ids[request.partner_id]))

    @reading()
    def ListPartnerBills(
        self, transaction: Transaction, request: admin_pb2.ListPartnerBillsRequest
    ) -> admin_pb2.ListPartnerBillsResponse:
        bills = overviews.last_bills(transaction, request.partner_id, has_seller=self._has_seller)
        return admin_pb2.ListPartnerBillsResponse(bills=[partner_messages.bill(bill) for bill in bills])

    @changing(Role.OPERATOR)
    def CreatePartner(self, change: Change, request: admin_pb2.CreatePartnerRequest) -> admin_pb2.CreatePartnerResponse:
        record = changes.create(change, partner_messages.read_draft(request))
        return admin_pb2.CreatePartnerResponse(partner=partner_messages.partner(record))

    @changing(Role.OPERATOR)
    def UpdatePartner(self, change: Change, request: admin_pb2.UpdatePartnerRequest) -> admin_pb2.UpdatePartnerResponse:
        paths, members = list(request.update_mask.paths), request.partner
        record = changes.update(
            change,
            members.id,
            lambda record: partner_messages.edited_draft(record, members, paths),
            changes_status="status" in paths,
        )
        return admin_pb2.UpdatePartnerResponse(partner=partner_messages.partner(record))

    @changing(Role.OPERATOR)
    def EndPartnerEvents(
        self, change: Change, request: admin_pb2.EndPartnerEventsRequest
    ) -> admin_pb2.EndPartnerEventsResponse:
        changes.end_events(change, request.partner_id, request.webhook_id, request.watch_id)
        return admin_pb2.EndPartnerEventsResponse()
