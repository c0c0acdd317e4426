"""The usage report with its billing preview, as JSON or as CSV."""

from fastapi import Request
from starlette.responses import Response

from edge.access import API
from edge.admin.credentials import caller_of
from edge.admin.csv_tables import table
from edge.admin.requests import UsageParameters
from edge.admin.schemas import UsageReport
from edge.body import validated
from edge.descriptions.operations import route_options
from edge.responses import json_response
from edge.routing import new_router
from edge.upstreams import settings_of, upstreams_of

router = new_router()

CSV = "text/csv"


@router.get(
    f"{API}/admin/usage",
    **route_options(
        "See usage and what it will cost",
        tag="admin",
        parameters=UsageParameters,
        response=UsageReport,
        codes=("invalid_payload",),
        alternative_media_type=CSV,
    ),
)
async def usage_report(request: Request) -> Response:
    """Gives the summary, top keys, timeline and billing preview. With `Accept: text/csv`, one table as CSV."""
    query = validated(UsageParameters, dict(request.query_params))
    caller = caller_of(request, settings_of(request).trusted_proxies)
    report = await upstreams_of(request).admin.usage(caller, query.model_dump(by_alias=True))
    if CSV not in request.headers.get("accept", "").lower():
        return json_response(report)
    name = f"usage-{query.table}.csv"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(table(report, query.table), headers=headers, media_type=f"{CSV}; charset=utf-8")
