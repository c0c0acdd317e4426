"""Issued bills: their list as JSON, their entries for accounting as CSV, and each as a PDF."""

from typing import Annotated

from fastapi import Depends, Path, Request
from starlette.responses import Response

from contract.messages.keys import SHAPES
from edge.access import API
from edge.admin.csv_tables import CSV, accounting_table
from edge.admin.forwarding import AdminRoutes
from edge.admin.requests import MessageBody, MessageQuery
from edge.dependencies import Admin
from edge.descriptions.operations import route_options
from edge.negotiation import JSON, chosen_media_type
from edge.responses import attachment, json_response
from landpartner.keys.v1 import admin_pb2 as pb
from servicekit.languages import language

routes = AdminRoutes()
router = routes.router

PDF = "application/pdf"
_PAGE = SHAPES[pb.ListIssuedBillsResponse]
_QUERY = MessageQuery(pb.ListIssuedBillsRequest, names={"partner": "partner_id"})
_CORRECTION = MessageBody(
    pb.CorrectIssuedBillRequest, omitted=("bill_id",), required=("amount", "reason_fr", "reason_en")
)


@router.get(
    f"{API}/admin/bills",
    **route_options("admin", _PAGE, codes=("invalid_payload",), alternative_media_types=(CSV,)),
)
async def list_issued_bills(
    request: Request, query: Annotated[pb.ListIssuedBillsRequest, Depends(_QUERY)], admin: Admin
) -> Response:
    is_json = chosen_media_type(request, (JSON, CSV), JSON) == JSON
    page = _PAGE.write(await admin(admin.stub.ListIssuedBills, query))
    if is_json:
        return json_response(page)
    return attachment(accounting_table(page["items"], language.get()), "accounting.csv", CSV)


@router.get(f"{API}/admin/bills/{{billId}}.pdf", **route_options("admin", media_type=PDF, codes=("not_found",)))
async def issued_bill_pdf(request: Request, bill_id: Annotated[str, Path(alias="billId")], admin: Admin) -> Response:
    bill = await admin(admin.stub.GetIssuedBillPdf, pb.GetIssuedBillPdfRequest(bill_id=bill_id))
    return attachment(bill.pdf, f"{bill.number}.pdf", PDF)


routes.add("POST", "/bills/{billId}/corrections", "CorrectIssuedBill", answers="bill", status=201, reads=_CORRECTION)
