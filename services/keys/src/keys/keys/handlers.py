"""AdminService: keys, plans and partners."""

# ruff: noqa: N802 (gRPC's names)
from datetime import timedelta

from keys import months, texts
from keys.errors import NotFound
from keys.keys import changes as key_changes
from keys.keys import convert
from keys.keys import pages as key_pages
from keys.keys import records as key_records
from keys.keys.pages import KeyFilter, KeySort
from keys.partners import changes as partner_changes
from keys.partners import convert as partner_convert
from keys.partners import overviews as partner_overviews
from keys.partners import records as partner_records
from keys.partners.pages import PartnerSort
from keys.plans import changes as plan_changes
from keys.plans import records as plan_records
from keys.records import Role
from keys.rpc.calls import AdminParts, changing, reading
from keys.rpc.convert import STATUSES
from keys.rpc.rules import OVERVIEW
from keys.store import paging
from keys.store.change import Change, Transaction
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc

_STATUSES = {number: status for status, number in STATUSES.items()}


class KeyCalls(admin_pb2_grpc.AdminServiceServicer):
    _parts: AdminParts

    @reading()
    def ListKeys(self, transaction: Transaction, request: admin_pb2.ListKeysRequest) -> admin_pb2.ListKeysResponse:
        partner_id = partner_records.id_of(transaction.connection, request.partner_id)
        key_filter = KeyFilter(partner_id, _STATUSES.get(request.status), request.search)
        order = paging.read_order(request.order_by, KeySort)
        after = paging.read_sorted_token(request.page_token, order) if request.page_token else None
        size = request.page_size or paging.DEFAULT_PAGE_SIZE
        page = key_pages.page(transaction.connection, key_filter, order, after, size, transaction.now)
        return admin_pb2.ListKeysResponse(
            keys=[convert.key(record, transaction.now) for record in page.records],
            next_page_token=paging.write_sorted_token(order, page.end) if page.end else "",
            total_count=page.total_count,
        )

    @changing(Role.OPERATOR)
    def CreateKey(self, change: Change, request: admin_pb2.CreateKeyRequest) -> admin_pb2.CreateKeyResponse:
        draft = convert.read_key_draft(request, self._parts.default_quota, self._parts.default_mode)
        issued = key_changes.create(change, self._parts.peppers, draft, request.idempotency_key)
        return admin_pb2.CreateKeyResponse(key=convert.key(issued.record, change.now), secret=issued.secret.text)

    @reading()
    def GetKey(self, transaction: Transaction, request: admin_pb2.GetKeyRequest) -> admin_pb2.GetKeyResponse:
        record = key_records.find(transaction.connection, request.key_id, transaction.now)
        if record is None:
            raise NotFound(texts.NO_SUCH_KEY)
        return admin_pb2.GetKeyResponse(key=convert.key(record, transaction.now))

    @changing(Role.OPERATOR)
    def UpdateKey(self, change: Change, request: admin_pb2.UpdateKeyRequest) -> admin_pb2.UpdateKeyResponse:
        paths = list(request.update_mask.paths)
        record = key_changes.update(
            change, request.key.id, lambda record: convert.edited_draft(record, request.key, paths, change.now)
        )
        return admin_pb2.UpdateKeyResponse(key=convert.key(record, change.now))

    @changing(Role.OPERATOR)
    def RevokeKey(self, change: Change, request: admin_pb2.RevokeKeyRequest) -> admin_pb2.RevokeKeyResponse:
        record = key_changes.revoke(change, request.key_id)
        return admin_pb2.RevokeKeyResponse(key=convert.key(record, change.now))

    @changing(Role.OPERATOR)
    def RotateKey(self, change: Change, request: admin_pb2.RotateKeyRequest) -> admin_pb2.RotateKeyResponse:
        grace = timedelta(days=request.grace_days)
        issued = key_changes.rotate(change, self._parts.peppers, request.key_id, grace)
        return admin_pb2.RotateKeyResponse(key=convert.key(issued.record, change.now), secret=issued.secret.text)

    @reading()
    def ListPlans(self, transaction: Transaction, request: admin_pb2.ListPlansRequest) -> admin_pb2.ListPlansResponse:
        plans = plan_records.all_plans(transaction.connection, months.month_of(transaction.now))
        return admin_pb2.ListPlansResponse(plans=[convert.plan(plan) for plan in plans])

    @changing(Role.OWNER)
    def CreatePlan(self, change: Change, request: admin_pb2.CreatePlanRequest) -> admin_pb2.CreatePlanResponse:
        terms, start = convert.read_terms(request.pricing), request.pricing.effective_from or None
        plan = plan_changes.create_plan(change, request.name.strip(), terms, start)
        return admin_pb2.CreatePlanResponse(plan=convert.plan(plan))

    @changing(Role.OWNER)
    def UpdatePlan(self, change: Change, request: admin_pb2.UpdatePlanRequest) -> admin_pb2.UpdatePlanResponse:
        paths, members = set(request.update_mask.paths), request.plan
        plan = plan_changes.update_plan(
            change,
            members.id,
            name=members.name.strip() if "name" in paths else None,
            is_archived=members.is_archived if "is_archived" in paths else None,
            terms=convert.read_terms(members.pricing) if "pricing" in paths else None,
            from_month=members.pricing.effective_from or None,
        )
        return admin_pb2.UpdatePlanResponse(plan=convert.plan(plan))

    @reading()
    def ListPartners(
        self, transaction: Transaction, request: admin_pb2.ListPartnersRequest
    ) -> admin_pb2.ListPartnersResponse:
        order = paging.read_order(request.order_by, PartnerSort)
        after = paging.read_sorted_token(request.page_token, order) if request.page_token else None
        size = request.page_size or paging.DEFAULT_PAGE_SIZE
        page = partner_overviews.page(transaction, request.search, order, after, size)
        ids = [record.partner.id for record in page.records] if request.include == OVERVIEW else []
        overviews = partner_overviews.overviews(transaction, ids)
        return admin_pb2.ListPartnersResponse(
            partners=[partner_convert.partner(record, overviews.get(record.partner.id)) for record in page.records],
            next_page_token=paging.write_sorted_token(order, page.end) if page.end else "",
            total_count=page.total_count,
        )

    @reading()
    def GetPartner(
        self, transaction: Transaction, request: admin_pb2.GetPartnerRequest
    ) -> admin_pb2.GetPartnerResponse:
        record = partner_overviews.find(transaction, request.partner_id)
        overview = partner_overviews.overviews(transaction, [request.partner_id])[request.partner_id]
        return admin_pb2.GetPartnerResponse(partner=partner_convert.partner(record, overview))

    @reading()
    def ListPartnerBills(
        self, transaction: Transaction, request: admin_pb2.ListPartnerBillsRequest
    ) -> admin_pb2.ListPartnerBillsResponse:
        bills = partner_overviews.last_bills(transaction, request.partner_id)
        return admin_pb2.ListPartnerBillsResponse(bills=[partner_convert.bill(bill) for bill in bills])

    @changing(Role.OPERATOR)
    def CreatePartner(self, change: Change, request: admin_pb2.CreatePartnerRequest) -> admin_pb2.CreatePartnerResponse:
        record = partner_changes.create(change, partner_convert.read_draft(request))
        return admin_pb2.CreatePartnerResponse(partner=partner_convert.partner(record))

    @changing(Role.OPERATOR)
    def UpdatePartner(self, change: Change, request: admin_pb2.UpdatePartnerRequest) -> admin_pb2.UpdatePartnerResponse:
        paths, members = list(request.update_mask.paths), request.partner
        record = partner_changes.update(
            change,
            members.id,
            lambda record: partner_convert.edited_draft(record, members, paths),
            changes_status="status" in paths,
        )
        return admin_pb2.UpdatePartnerResponse(partner=partner_convert.partner(record))
