"""AdminService: the usage report, and the newest calls of a key."""

# ruff: noqa: N802 (gRPC's names)
from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from keys import texts
from keys.admin.outcome_report import Outcomes
from keys.admin.reporting import TopKey, UsageReport, report
from keys.errors import NotFound
from keys.metering.buckets import Bucket, read_range
from keys.pricing import CURRENCY, Bill
from keys.quota import months
from keys.records import NamedKey
from keys.rpc import admin_convert as convert
from keys.rpc.calls import AdminParts, reading
from keys.rpc.convert import BUCKETS, CHARGED_PER, instant
from keys.store import key_calls, key_records, partner_records
from keys.store.change import Transaction
from keys.store.key_calls import KeyCall
from keys.store.rollups import Scope, Sums
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc
from servicekit.endpoints import LINE_ENDPOINTS

_BUCKETS = {number: bucket for bucket, number in BUCKETS.items()}


class UsageCalls(admin_pb2_grpc.AdminServiceServicer):
    _parts: AdminParts

    @reading()
    def GetUsageReport(
        self, transaction: Transaction, request: admin_pb2.GetUsageReportRequest
    ) -> admin_pb2.GetUsageReportResponse:
        bucket = _BUCKETS.get(request.bucket, Bucket.DAY)
        period = read_range(getattr(request, "from"), request.to, bucket, transaction.now)
        month = request.billing_month or months.month_of(transaction.now)
        partner_id = partner_records.id_of(transaction.connection, request.partner_id)
        scope = Scope(key_records.id_of(transaction.connection, request.key_id), partner_id)
        response = _response(report(transaction, period, bucket, scope, month), transaction.now)
        response.bucket = BUCKETS[bucket]
        return response

    @reading()
    def ListKeyCalls(
        self, transaction: Transaction, request: admin_pb2.ListKeyCallsRequest
    ) -> admin_pb2.ListKeyCallsResponse:
        if key_records.find(transaction.connection, request.key_id, transaction.now) is None:
            raise NotFound(texts.NO_SUCH_KEY)
        calls = key_calls.newest_calls(transaction.connection, request.key_id)
        return admin_pb2.ListKeyCallsResponse(calls=[_call(call) for call in calls])


def _response(of: UsageReport, as_of: datetime) -> admin_pb2.GetUsageReportResponse:
    response = admin_pb2.GetUsageReportResponse(
        to=instant(of.range.end),
        summary=admin_pb2.UsageSummary(
            requests=of.total.requests,
            errors=of.total.errors,
            average_latency_ms=of.total.average_latency_ms,
            active_keys=of.active_keys,
            units=of.total.units,
            p95_latency_ms=of.outcomes.total.p95_latency_ms,
        ),
        statuses=_statuses(of.outcomes.total),
        codes=[
            admin_pb2.CodeCount(code=each.code, status=each.status, requests=each.requests)
            for each in of.outcomes.codes
        ],
        top_keys=[_key_usage(usage) for usage in of.top_keys],
        billing_preview=admin_pb2.BillingPreview(
            month=of.bills.month,
            bills=[_bill(bill, of.keys) for bill in of.bills.bills],
            is_provisional=of.bills.is_provisional,
            as_of=instant(as_of),
        ),
    )
    setattr(response, "from", instant(of.range.start))
    for start, sums in of.timeline:
        point = response.timeline.add(**_counts(sums))
        setattr(point, "from", instant(start))
    for endpoint, sums in of.endpoints:
        outcomes = of.outcomes.endpoints.get(endpoint, Outcomes())
        response.endpoints.add(
            endpoint=endpoint,
            p95_latency_ms=outcomes.p95_latency_ms,
            statuses=_statuses(outcomes),
            **_counts(sums),
        )
    return response


def _statuses(of: Outcomes) -> list[admin_pb2.StatusCount]:
    return [admin_pb2.StatusCount(status=status, requests=requests) for status, requests in of.statuses]


def _call(of: KeyCall) -> admin_pb2.KeyCall:
    return admin_pb2.KeyCall(
        occurred_at=instant(of.occurred_at),
        request_id=of.request_id or "",
        endpoint=of.endpoint,
        status=of.status,
        code=of.code or "",
        units=None if of.endpoint in LINE_ENDPOINTS else of.units,
        latency_ms=of.latency_us / 1_000,
        input_tokens=of.input_tokens,
        output_tokens=of.output_tokens,
    )


class _Counts(TypedDict):
    requests: int
    errors: int
    units: int
    average_latency_ms: float | None


def _counts(of: Sums) -> _Counts:
    return _Counts(requests=of.requests, errors=of.errors, units=of.units, average_latency_ms=of.average_latency_ms)


def _key_usage(of: TopKey) -> admin_pb2.KeyUsage:
    return admin_pb2.KeyUsage(
        key_id=of.key.id,
        masked=of.key.masked,
        label=of.key.label,
        partner=convert.partner(of.key.partner),
        requests=of.sums.requests,
        errors=of.sums.errors,
        units=of.sums.units,
        estimated_cost=format(of.cost, "f"),
        currency=CURRENCY,
    )


def _bill(of: Bill, keys: Mapping[str, NamedKey]) -> admin_pb2.Bill:
    first, *_ = of.key_ids
    return admin_pb2.Bill(
        key_id=of.key_id,
        partner=convert.partner(keys[first].partner),
        units=of.units,
        included_units=of.included_units,
        lines=[
            admin_pb2.BillLine(
                kind=line.kind,
                description=str(line.description),
                units=line.units,
                unit_price=format(line.unit_price, "f"),
                amount=format(line.amount, "f"),
                vat_rate=format(line.vat_rate, "f"),
            )
            for line in of.lines
        ],
        currency=of.total.currency,
        net=format(of.total.net, "f"),
        vat=format(of.total.vat, "f"),
        gross=format(of.total.gross, "f"),
        label=keys[of.key_id].label if of.key_id else "",
        plan_id=of.plan_id,
        plan=of.plan,
        charged_per=CHARGED_PER[of.charged_per],
        keys=[
            admin_pb2.BilledKey(key_id=each.key_id, label=keys[each.key_id].label, units=each.units) for each in of.keys
        ],
    )
