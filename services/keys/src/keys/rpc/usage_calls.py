"""AdminService: the usage report, and the newest calls of a key."""

# ruff: noqa: N802 (gRPC's names)
from collections.abc import Mapping
from datetime import datetime

from contract.endpoints import LINE_ENDPOINTS
from keys.api_keys import changes as key_changes
from keys.metering.outcome_report import Outcomes
from keys.metering.reporting import TopKey, UsageReport, report
from keys.rpc.calls import Calls, reading
from keys.rpc.convert import enum_number, instant, message, read_enum
from keys.rpc.partner_messages import brief_partner
from keys.store import key_records, partner_records
from keys.store.answered_requests import KeyCall, newest_calls
from keys.store.change import Transaction
from keys.store.rollups import Scope
from keys.values import months
from keys.values.buckets import Bucket, read_range
from keys.values.pricing import CURRENCY, Bill
from keys.values.records import NamedKey
from landpartner.keys.v1 import admin_pb2


class UsageCalls(Calls):
    @reading()
    def GetUsageReport(
        self, transaction: Transaction, request: admin_pb2.GetUsageReportRequest
    ) -> admin_pb2.GetUsageReportResponse:
        bucket = read_enum(Bucket, admin_pb2.UsageBucket.DESCRIPTOR, request.bucket) or Bucket.DAY
        period = read_range(getattr(request, "from"), request.to, bucket, transaction.now)
        month = request.billing_month or months.month_of(transaction.now)
        partner_id = partner_records.id_of(transaction.connection, request.partner_id)
        scope = Scope(key_records.id_of(transaction.connection, request.key_id), partner_id)
        return _response(report(transaction, period, bucket, scope, month), bucket, transaction.now)

    @reading()
    def ListKeyCalls(
        self, transaction: Transaction, request: admin_pb2.ListKeyCallsRequest
    ) -> admin_pb2.ListKeyCallsResponse:
        calls = newest_calls(transaction.connection, key_changes.get(transaction, request.key_id).id)
        return admin_pb2.ListKeyCallsResponse(calls=[_call(call) for call in calls])


def _response(usage: UsageReport, bucket: Bucket, as_of: datetime) -> admin_pb2.GetUsageReportResponse:
    outcomes = usage.outcomes
    return admin_pb2.GetUsageReportResponse(
        **{"from": instant(usage.range.start)},
        to=instant(usage.range.end),
        bucket=enum_number(admin_pb2.UsageBucket.DESCRIPTOR, bucket),
        summary=message(
            admin_pb2.UsageSummary,
            usage.total,
            active_keys=usage.active_keys,
            p95_latency_ms=outcomes.total.p95_latency_ms,
        ),
        statuses=_statuses(outcomes.total),
        codes=[message(admin_pb2.CodeCount, count) for count in outcomes.codes],
        top_keys=[_key_usage(top_key) for top_key in usage.top_keys],
        billing_preview=message(
            admin_pb2.BillingPreview,
            usage.bills,
            bills=[_bill(bill, usage.keys) for bill in usage.bills.bills],
            as_of=as_of,
        ),
        timeline=[message(admin_pb2.UsagePoint, sums, **{"from": start}) for start, sums in usage.timeline],
        endpoints=[
            message(
                admin_pb2.EndpointUsage,
                sums,
                endpoint=endpoint,
                p95_latency_ms=of_endpoint.p95_latency_ms,
                statuses=_statuses(of_endpoint),
            )
            for endpoint, sums in usage.endpoints
            for of_endpoint in [outcomes.endpoints.get(endpoint, Outcomes())]
        ],
    )


def _statuses(outcomes: Outcomes) -> list[admin_pb2.StatusCount]:
    return [admin_pb2.StatusCount(status=status, requests=requests) for status, requests in outcomes.statuses]


def _call(call: KeyCall) -> admin_pb2.KeyCall:
    units = None if call.endpoint in LINE_ENDPOINTS else call.units
    return message(admin_pb2.KeyCall, call, units=units, latency_ms=call.latency_us / 1_000)


def _key_usage(top_key: TopKey) -> admin_pb2.KeyUsage:
    key = top_key.key
    return message(
        admin_pb2.KeyUsage,
        top_key.sums,
        key_id=key.id,
        masked=key.masked,
        label=key.label,
        partner=brief_partner(key.partner),
        estimated_cost=top_key.cost,
        currency=CURRENCY,
    )


def _bill(bill: Bill, keys: Mapping[str, NamedKey]) -> admin_pb2.Bill:
    first, *_ = bill.key_ids
    return message(
        admin_pb2.Bill,
        bill,
        **vars(bill.total),
        partner=brief_partner(keys[first].partner),
        label=keys[bill.key_id].label if bill.key_id else "",
        keys=[message(admin_pb2.BilledKey, key, label=keys[key.key_id].label) for key in bill.keys],
    )
