"""AdminService: keys and plans."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from keys import texts
from keys.access.access_control import AccessControl
from keys.admin import key_changes, plan_changes
from keys.errors import NotFound
from keys.issuing.hashing import Peppers
from keys.quota import months
from keys.quota.policy import AssistantMode, Quota
from keys.records import IssuedKey, Role
from keys.rpc import admin_convert as convert
from keys.rpc.convert import STATUSES
from keys.store import key_pages, key_records, paging, partner_records, plan_records
from keys.store.key_pages import KeyFilter
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc
from servicekit.workers import Workers

if TYPE_CHECKING:
    from datetime import datetime

    import grpc

    Context = grpc.aio.ServicerContext[object, object]


@dataclass(frozen=True)
class KeyDependencies:
    """The dependencies of the calls, and the defaults of a new key."""

    access_control: AccessControl
    peppers: Peppers
    workers: Workers
    default_quota: Quota
    default_mode: AssistantMode


class KeyCalls(admin_pb2_grpc.AdminServiceServicer):
    _keys: KeyDependencies

    async def ListKeys(self, request: admin_pb2.ListKeysRequest, context: Context) -> admin_pb2.ListKeysResponse:  # noqa: N802
        return await self._keys.workers.run(self._list_keys, request)

    def _list_keys(self, request: admin_pb2.ListKeysRequest) -> admin_pb2.ListKeysResponse:
        size = request.page_size or paging.DEFAULT_PAGE_SIZE
        statuses = {number: status for status, number in STATUSES.items()}
        with self._keys.access_control.reading(convert.caller(request)) as transaction:
            partner_id = partner_records.id_of(transaction.connection, request.partner_id)
            key_filter = KeyFilter(partner_id, statuses.get(request.status), request.search)
            order = convert.read_key_order(request.order_by)
            after = paging.read_key_token(request.page_token, order) if request.page_token else None
            found = key_pages.page(transaction.connection, key_filter, order, after, size, transaction.now)
        return admin_pb2.ListKeysResponse(
            keys=[convert.key(record, transaction.now) for record in found.records],
            next_page_token=paging.write_sorted_token(order, found.end) if found.end else "",
            total_count=found.total_count,
        )

    async def CreateKey(self, request: admin_pb2.CreateKeyRequest, context: Context) -> admin_pb2.CreateKeyResponse:  # noqa: N802
        return await self._keys.workers.run(self._create_key, request)

    def _create_key(self, request: admin_pb2.CreateKeyRequest) -> admin_pb2.CreateKeyResponse:
        with self._keys.access_control.changing(convert.caller(request), Role.OPERATOR) as change:
            draft = convert.read_key_draft(request, self._keys.default_quota, self._keys.default_mode)
            issued = key_changes.create(change, self._keys.peppers, draft, request.idempotency_key)
        key, text = _key_and_secret(issued, change.now)
        return admin_pb2.CreateKeyResponse(key=key, secret=text)

    async def GetKey(self, request: admin_pb2.GetKeyRequest, context: Context) -> admin_pb2.GetKeyResponse:  # noqa: N802
        return await self._keys.workers.run(self._get_key, request)

    def _get_key(self, request: admin_pb2.GetKeyRequest) -> admin_pb2.GetKeyResponse:
        with self._keys.access_control.reading(convert.caller(request)) as transaction:
            record = key_records.find(transaction.connection, request.key_id, transaction.now)
        if record is None:
            raise NotFound(texts.NO_SUCH_KEY)
        return admin_pb2.GetKeyResponse(key=convert.key(record, transaction.now))

    async def UpdateKey(self, request: admin_pb2.UpdateKeyRequest, context: Context) -> admin_pb2.UpdateKeyResponse:  # noqa: N802
        return await self._keys.workers.run(self._update_key, request)

    def _update_key(self, request: admin_pb2.UpdateKeyRequest) -> admin_pb2.UpdateKeyResponse:
        paths = list(request.update_mask.paths)
        with self._keys.access_control.changing(convert.caller(request), Role.OPERATOR) as change:
            record = key_changes.update(
                change, request.key.id, lambda found: convert.edited_draft(found, request.key, paths, change.now)
            )
        return admin_pb2.UpdateKeyResponse(key=convert.key(record, change.now))

    async def RevokeKey(self, request: admin_pb2.RevokeKeyRequest, context: Context) -> admin_pb2.RevokeKeyResponse:  # noqa: N802
        return await self._keys.workers.run(self._revoke_key, request)

    def _revoke_key(self, request: admin_pb2.RevokeKeyRequest) -> admin_pb2.RevokeKeyResponse:
        with self._keys.access_control.changing(convert.caller(request), Role.OPERATOR) as change:
            record = key_changes.revoke(change, request.key_id)
        return admin_pb2.RevokeKeyResponse(key=convert.key(record, change.now))

    async def RotateKey(self, request: admin_pb2.RotateKeyRequest, context: Context) -> admin_pb2.RotateKeyResponse:  # noqa: N802
        return await self._keys.workers.run(self._rotate_key, request)

    def _rotate_key(self, request: admin_pb2.RotateKeyRequest) -> admin_pb2.RotateKeyResponse:
        with self._keys.access_control.changing(convert.caller(request), Role.OPERATOR) as change:
            grace = timedelta(days=request.grace_days)
            issued = key_changes.rotate(change, self._keys.peppers, request.key_id, grace)
        key, text = _key_and_secret(issued, change.now)
        return admin_pb2.RotateKeyResponse(key=key, secret=text)

    async def ListPlans(self, request: admin_pb2.ListPlansRequest, context: Context) -> admin_pb2.ListPlansResponse:  # noqa: N802
        return await self._keys.workers.run(self._list_plans, request)

    def _list_plans(self, request: admin_pb2.ListPlansRequest) -> admin_pb2.ListPlansResponse:
        with self._keys.access_control.reading(convert.caller(request)) as transaction:
            found = plan_records.all_plans(transaction.connection, months.month_of(transaction.now))
        return admin_pb2.ListPlansResponse(plans=[convert.plan(plan) for plan in found])

    async def CreatePlan(self, request: admin_pb2.CreatePlanRequest, context: Context) -> admin_pb2.CreatePlanResponse:  # noqa: N802
        return await self._keys.workers.run(self._create_plan, request)

    def _create_plan(self, request: admin_pb2.CreatePlanRequest) -> admin_pb2.CreatePlanResponse:
        with self._keys.access_control.changing(convert.caller(request), Role.OWNER) as change:
            terms = convert.read_terms(request.pricing)
            start = request.pricing.effective_from or None
            plan = plan_changes.create_plan(change, request.name.strip(), terms, start)
        return admin_pb2.CreatePlanResponse(plan=convert.plan(plan))

    async def UpdatePlan(self, request: admin_pb2.UpdatePlanRequest, context: Context) -> admin_pb2.UpdatePlanResponse:  # noqa: N802
        return await self._keys.workers.run(self._update_plan, request)

    def _update_plan(self, request: admin_pb2.UpdatePlanRequest) -> admin_pb2.UpdatePlanResponse:
        paths, given = set(request.update_mask.paths), request.plan
        with self._keys.access_control.changing(convert.caller(request), Role.OWNER) as change:
            plan = plan_changes.update_plan(
                change,
                given.id,
                name=given.name.strip() if "name" in paths else None,
                is_archived=given.is_archived if "is_archived" in paths else None,
                terms=convert.read_terms(given.pricing) if "pricing" in paths else None,
                from_month=given.pricing.effective_from or None,
            )
        return admin_pb2.UpdatePlanResponse(plan=convert.plan(plan))


def _key_and_secret(issued: IssuedKey, now: datetime) -> tuple[admin_pb2.Key, str]:
    return convert.key(issued.record, now), issued.secret.text
