"""The usage report with its billing preview, as JSON or as CSV."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel
from starlette.responses import Response

from contract.messages.keys import SHAPES
from edge.access import API
from edge.admin.csv_tables import CSV, Table, table
from edge.admin.requests import MessageQuery
from edge.dependencies import Admin, ModelQuery
from edge.descriptions.operations import route_options
from edge.negotiation import JSON, chosen_media_type
from edge.responses import attachment, json_response
from edge.routing import new_router
from landpartner.keys.v1 import admin_pb2 as pb
from servicekit.languages import language

router = new_router()

_REPORT = SHAPES[pb.GetUsageReportResponse]
_QUERY = MessageQuery(
    pb.GetUsageReportRequest, names={"partner": "partner_id", "month": "billing_month"}, defaults={"bucket": "day"}
)


class TableChoice(BaseModel):
    table: Table = "keys"
    """The table that a CSV has."""


@router.get(
    f"{API}/admin/usage",
    **route_options("admin", _REPORT, codes=("invalid_payload", "not_found"), alternative_media_types=(CSV,)),
)
async def usage_report(
    request: Request,
    query: Annotated[pb.GetUsageReportRequest, Depends(_QUERY)],
    admin: Admin,
    choice: Annotated[TableChoice, Depends(ModelQuery(TableChoice))],
) -> Response:
    is_json = chosen_media_type(request, (JSON, CSV), JSON) == JSON
    report = _REPORT.write(await admin(admin.stub.GetUsageReport, query))
    if is_json:
        return json_response(report)
    return attachment(table(report, choice.table, language.get()), f"usage-{choice.table}.csv", CSV)
