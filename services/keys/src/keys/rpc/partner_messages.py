"""Converts between the messages of partners and the domain. Requests were validated by `keys.rpc.rules`."""

from contract.enums import enum_numbers
from keys.partners.overviews import PartnerBill
from keys.rpc import convert
from keys.store.issued_bills import IssuedBill
from keys.values.company_numbers import normalized
from keys.values.pricing import CURRENCY
from keys.values.records import Contact, Customer, Partner, PartnerDraft, PartnerOverview, PartnerRecord, PostalAddress
from landpartner.keys.v1 import admin_pb2


def brief_partner(record: Partner) -> admin_pb2.Partner:
    """Returns a partner without its data as a customer."""
    return admin_pb2.Partner(
        id=record.id,
        name=record.name,
        status=admin_pb2.PARTNER_STATUS_ACTIVE if record.is_active else admin_pb2.PARTNER_STATUS_DISABLED,
        created_at=convert.instant(record.created_at),
        metadata=convert.struct(record.metadata),
    )


def partner(record: PartnerRecord, overview: PartnerOverview | None = None) -> admin_pb2.Partner:
    """Returns a partner with all its fields."""
    brief = brief_partner(record.partner)
    return convert.message(
        admin_pb2.Partner,
        record.customer,
        id=brief.id,
        name=brief.name,
        status=brief.status,
        created_at=brief.created_at,
        metadata=brief.metadata,
        default_plan=record.default_plan.name if record.default_plan else "",
        overview=overview
        and convert.message(
            admin_pb2.PartnerOverview, overview, currency=CURRENCY, held_reasons=map(str, overview.held_reasons)
        ),
    )


def bill(record: PartnerBill) -> admin_pb2.PartnerBill:
    documents = [issued_bill(document) for document in record.issued]
    reasons = map(str, record.held_reasons)
    return convert.message(admin_pb2.PartnerBill, record, currency=CURRENCY, issued=documents, held_reasons=reasons)


def issued_bill(bill: IssuedBill) -> admin_pb2.IssuedBill:
    content = bill.content
    same = ("number", "month", "issued_on", "due_on", "net", "vat", "gross", "currency")
    return admin_pb2.IssuedBill(
        id=bill.id,
        kind=enum_numbers(admin_pb2.BillKind.DESCRIPTOR)[content["kind"]],
        partner=brief_partner(bill.partner),
        corrected_number=content.get("corrects", {}).get("number", ""),
        **{name: content[name] for name in same},
    )


def read_draft(message: admin_pb2.CreatePartnerRequest) -> PartnerDraft:
    metadata, plan = convert.read_metadata(message.metadata), message.default_plan.strip() or None
    return PartnerDraft(
        name=message.name.strip(),
        is_active=True,
        metadata=metadata,
        customer=_read_customer(message),
        default_plan=plan,
    )


def edited_draft(record: PartnerRecord, members: admin_pb2.Partner, paths: list[str]) -> PartnerDraft:
    """Returns the partner's draft with the given values of the members that the paths name."""
    merged = partner(record)
    for path in paths:
        convert.copy_field(members, merged, path.split("."))
    return PartnerDraft(
        name=merged.name.strip(),
        is_active=merged.status == admin_pb2.PARTNER_STATUS_ACTIVE,
        metadata=convert.read_metadata(merged.metadata),
        customer=_read_customer(merged),
        default_plan=members.default_plan.strip() if "default_plan" in paths else None,
    )


def _read_customer(message: admin_pb2.CreatePartnerRequest | admin_pb2.Partner) -> Customer:
    contact, address = message.contact, message.billing_address
    return Customer(
        legal_name=message.legal_name.strip(),
        contact=Contact(contact.name.strip(), contact.email.strip(), contact.phone.strip()),
        billing_address=PostalAddress(
            lines=tuple(line.strip() for line in address.lines),
            postcode=address.postcode.strip().upper(),
            city=address.city.strip(),
            country=address.country,
        ),
        siren=normalized(message.siren),
        vat_number=normalized(message.vat_number),
    )
