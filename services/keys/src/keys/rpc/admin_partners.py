"""AdminService: partners."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

from typing import TYPE_CHECKING

from keys.admin import partner_changes, partner_overviews
from keys.records import Role
from keys.rpc import admin_convert as convert
from keys.rpc import partner_convert
from keys.rpc.admin_keys import KeyDependencies
from keys.rpc.rules import OVERVIEW
from keys.store import paging
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[object, object]


class PartnerCalls(admin_pb2_grpc.AdminServiceServicer):
    _keys: KeyDependencies

    async def ListPartners(  # noqa: N802
        self, request: admin_pb2.ListPartnersRequest, context: Context
    ) -> admin_pb2.ListPartnersResponse:
        return await self._keys.workers.run(self._list_partners, request)

    def _list_partners(self, request: admin_pb2.ListPartnersRequest) -> admin_pb2.ListPartnersResponse:
        size = request.page_size or paging.DEFAULT_PAGE_SIZE
        with self._keys.access_control.reading(convert.caller(request)) as transaction:
            order = partner_convert.read_order(request.order_by)
            after = paging.read_partner_token(request.page_token, order) if request.page_token else None
            found = partner_overviews.page(transaction, request.search, order, after, size)
            ids = [record.partner.id for record in found.records] if request.include == OVERVIEW else []
            overviews = partner_overviews.overviews(transaction, ids)
        return admin_pb2.ListPartnersResponse(
            partners=[partner_convert.partner(record, overviews.get(record.partner.id)) for record in found.records],
            next_page_token=paging.write_sorted_token(order, found.end) if found.end else "",
            total_count=found.total_count,
        )

    async def GetPartner(self, request: admin_pb2.GetPartnerRequest, context: Context) -> admin_pb2.GetPartnerResponse:  # noqa: N802
        return await self._keys.workers.run(self._get_partner, request)

    def _get_partner(self, request: admin_pb2.GetPartnerRequest) -> admin_pb2.GetPartnerResponse:
        with self._keys.access_control.reading(convert.caller(request)) as transaction:
            record = partner_overviews.find(transaction, request.partner_id)
            overview = partner_overviews.overviews(transaction, [request.partner_id])[request.partner_id]
        return admin_pb2.GetPartnerResponse(partner=partner_convert.partner(record, overview))

    async def ListPartnerBills(  # noqa: N802
        self, request: admin_pb2.ListPartnerBillsRequest, context: Context
    ) -> admin_pb2.ListPartnerBillsResponse:
        return await self._keys.workers.run(self._list_partner_bills, request)

    def _list_partner_bills(self, request: admin_pb2.ListPartnerBillsRequest) -> admin_pb2.ListPartnerBillsResponse:
        with self._keys.access_control.reading(convert.caller(request)) as transaction:
            found = partner_overviews.last_bills(transaction, request.partner_id)
        return admin_pb2.ListPartnerBillsResponse(bills=[partner_convert.bill(bill) for bill in found])

    async def CreatePartner(  # noqa: N802
        self, request: admin_pb2.CreatePartnerRequest, context: Context
    ) -> admin_pb2.CreatePartnerResponse:
        return await self._keys.workers.run(self._create_partner, request)

    def _create_partner(self, request: admin_pb2.CreatePartnerRequest) -> admin_pb2.CreatePartnerResponse:
        with self._keys.access_control.changing(convert.caller(request), Role.OPERATOR) as change:
            record = partner_changes.create(change, partner_convert.read_draft(request))
        return admin_pb2.CreatePartnerResponse(partner=partner_convert.partner(record))

    async def UpdatePartner(  # noqa: N802
        self, request: admin_pb2.UpdatePartnerRequest, context: Context
    ) -> admin_pb2.UpdatePartnerResponse:
        return await self._keys.workers.run(self._update_partner, request)

    def _update_partner(self, request: admin_pb2.UpdatePartnerRequest) -> admin_pb2.UpdatePartnerResponse:
        paths, given = list(request.update_mask.paths), request.partner
        with self._keys.access_control.changing(convert.caller(request), Role.OPERATOR) as change:
            record = partner_changes.update(
                change,
                given.id,
                lambda found: partner_convert.edited_draft(found, given, paths),
                changes_status="status" in paths,
            )
        return admin_pb2.UpdatePartnerResponse(partner=partner_convert.partner(record))
