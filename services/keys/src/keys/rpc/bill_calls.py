"""AdminService: issued bills."""

# ruff: noqa: N802 (gRPC's names)
from decimal import Decimal

from keys.bills import sheets
from keys.rpc.calls import Calls, changing, reading
from keys.rpc.partner_messages import issued_bill
from keys.store import issued_bills, partner_records
from keys.store.change import Change, Transaction
from keys.store.tables import issued_bills as table
from keys.values import months, texts
from keys.values.errors import NotFound
from keys.values.records import Role
from landpartner.keys.v1 import admin_pb2
from servicekit.languages import Text


class BillCalls(Calls):
    @reading()
    def ListIssuedBills(
        self, transaction: Transaction, request: admin_pb2.ListIssuedBillsRequest
    ) -> admin_pb2.ListIssuedBillsResponse:
        first, last = getattr(request, "from"), request.to
        if not request.number:
            month = months.month_of(transaction.now)
            first, last = first or month, last or month
        conditions = [table.c.number.contains(request.number, autoescape=True)]
        if first:
            conditions.append(table.c.issued_on >= first)
        if last:
            conditions.append(table.c.issued_on < months.next_month(last))
        if partner_id := partner_records.id_of(transaction.connection, request.partner_id):
            conditions.append(table.c.partner_id == partner_id)
        bills = issued_bills.find_all(transaction.connection, *conditions)
        return admin_pb2.ListIssuedBillsResponse(bills=[issued_bill(bill) for bill in bills])

    @changing(Role.OWNER)
    def CorrectIssuedBill(
        self, change: Change, request: admin_pb2.CorrectIssuedBillRequest
    ) -> admin_pb2.CorrectIssuedBillResponse:
        vat_rate = Decimal(request.vat_rate) if request.vat_rate else None
        reason = Text(request.reason_fr, request.reason_en)
        document = issued_bills.correct(change, request.bill_id, Decimal(request.amount), reason, vat_rate)
        return admin_pb2.CorrectIssuedBillResponse(bill=issued_bill(document))

    @reading()
    def GetIssuedBillPdf(
        self, transaction: Transaction, request: admin_pb2.GetIssuedBillPdfRequest
    ) -> admin_pb2.GetIssuedBillPdfResponse:
        bills = issued_bills.find_all(transaction.connection, table.c.id == request.bill_id)
        if not bills:
            raise NotFound(texts.NO_SUCH_BILL)
        pdf = sheets.write_pdf(bills[0], self.seller.logo if self.seller else b"")
        return admin_pb2.GetIssuedBillPdfResponse(number=bills[0].number, pdf=pdf)
