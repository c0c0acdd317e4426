"""AdminService: the usage report, and the newest calls of a key."""

# ruff: noqa: N802 (gRPC's names)
from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from contract.endpoints import LINE_ENDPOINTS
from keys import months, texts
from keys.bills.pricing import CURRENCY, Bill
from keys.errors import NotFound
from keys.keys import records as key_records
from keys.metering import key_calls
from keys.metering.buckets import Bucket, read_range
from keys.metering.key_calls import KeyCall
from keys.metering.outcome_report import Outcomes
from keys.metering.reporting import TopKey, UsageReport, report
from keys.metering.rollups import Scope, Sums
from keys.partners import records as partner_records
from keys.partners.convert import brief_partner
from keys.records import NamedKey
from keys.rpc.calls import AdminParts, reading
from keys.rpc.convert import BUCKETS, CHARGED_PER, instant
from keys.store.change import Transaction
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc

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


def _response(usage: UsageReport, as_of: datetime) -> admin_pb2.GetUsageReportResponse:
    response = admin_pb2.GetUsageReportResponse(
        to=instant(usage.range.end),
        summary=admin_pb2.UsageSummary(
            requests=usage.total.requests,
            errors=usage.total.errors,
            average_latency_ms=usage.total.average_latency_ms,
            active_keys=usage.active_keys,
            units=usage.total.units,
            p95_latency_ms=usage.outcomes.total.p95_latency_ms,
        ),
        statuses=_statuses(usage.outcomes.total),
        codes=[
            admin_pb2.CodeCount(code=count.code, status=count.status, requests=count.requests)
            for count in usage.outcomes.codes
        ],
        top_keys=[_key_usage(top_key) for top_key in usage.top_keys],
        billing_preview=admin_pb2.BillingPreview(
            month=usage.bills.month,
            bills=[_bill(bill, usage.keys) for bill in usage.bills.bills],
            is_provisional=usage.bills.is_provisional,
            as_of=instant(as_of),
        ),
    )
    setattr(response, "from", instant(usage.range.start))
    for start, sums in usage.timeline:
        point = response.timeline.add(**_counts(sums))
        setattr(point, "from", instant(start))
    for endpoint, sums in usage.endpoints:
        outcomes = usage.outcomes.endpoints.get(endpoint, Outcomes())
        response.endpoints.add(
            endpoint=endpoint,
            p95_latency_ms=outcomes.p95_latency_ms,
            statuses=_statuses(outcomes),
            **_counts(sums),
        )
    return response


def _statuses(outcomes: Outcomes) -> list[admin_pb2.StatusCount]:
    return [admin_pb2.StatusCount(status=status, requests=requests) for status, requests in outcomes.statuses]


def _call(call: KeyCall) -> admin_pb2.KeyCall:
    return admin_pb2.KeyCall(
        occurred_at=instant(call.occurred_at),
        request_id=call.request_id or "",
        endpoint=call.endpoint,
        status=call.status,
        code=call.code or "",
        units=None if call.endpoint in LINE_ENDPOINTS else call.units,
        latency_ms=call.latency_us / 1_000,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
    )


class _Counts(TypedDict):
    requests: int
    errors: int
    units: int
    average_latency_ms: float | None


def _counts(sums: Sums) -> _Counts:
    return _Counts(
        requests=sums.requests, errors=sums.errors, units=sums.units, average_latency_ms=sums.average_latency_ms
    )


def _key_usage(top_key: TopKey) -> admin_pb2.KeyUsage:
    return admin_pb2.KeyUsage(
        key_id=top_key.key.id,
        masked=top_key.key.masked,
        label=top_key.key.label,
        partner=brief_partner(top_key.key.partner),
        requests=top_key.sums.requests,
        errors=top_key.sums.errors,
        units=top_key.sums.units,
        estimated_cost=format(top_key.cost, "f"),
        currency=CURRENCY,
    )


def _bill(bill: Bill, keys: Mapping[str, NamedKey]) -> admin_pb2.Bill:
    first, *_ = bill.key_ids
    return admin_pb2.Bill(
        key_id=bill.key_id,
        partner=brief_partner(keys[first].partner),
        units=bill.units,
        included_units=bill.included_units,
        lines=[
            admin_pb2.BillLine(
                kind=line.kind,
                description=str(line.description),
                units=line.units,
                unit_price=format(line.unit_price, "f"),
                amount=format(line.amount, "f"),
                vat_rate=format(line.vat_rate, "f"),
            )
            for line in bill.lines
        ],
        currency=bill.total.currency,
        net=format(bill.total.net, "f"),
        vat=format(bill.total.vat, "f"),
        gross=format(bill.total.gross, "f"),
        label=keys[bill.key_id].label if bill.key_id else "",
        plan_id=bill.plan_id,
        plan=bill.plan,
        charged_per=CHARGED_PER[bill.charged_per],
        keys=[
            admin_pb2.BilledKey(key_id=key.key_id, label=keys[key.key_id].label, units=key.units) for key in bill.keys
        ],
    )
