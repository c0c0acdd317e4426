"""The JSON of keys' answers: the usage of a key, and the admin API. Money stays a decimal text."""

from google.protobuf.message import Message

from contract.messages.shape import Group, Layout, Shapes
from landpartner.keys.v1 import admin_pb2 as pb
from landpartner.keys.v1 import keys_pb2

_NAMED_PARTNER = {"partner": Layout(name="PartnerName", only=("id", "name", "status"))}
_INVITATION_FIELDS = [field.name for field in pb.Invitation.DESCRIPTOR.fields]
_TOKEN_FIELDS = [field.name for field in pb.AdminToken.DESCRIPTOR.fields]


def _page(name: str, items: str, message: type[Message]) -> Layout:
    fields = message.DESCRIPTOR.fields_by_name
    members = {"items": items, "next_cursor": "next_page_token", "total": "total_count"}
    present = {member: field for member, field in members.items() if field in fields}
    return Layout(name, present, null_if_empty=("next_page_token",))


LAYOUTS = {
    keys_pb2.GetKeyUsageResponse: Layout(name="UsageResponse"),
    keys_pb2.ListPartnerKeysResponse: Layout(name="PartnerKeysResponse"),
    keys_pb2.ListKeyEventsResponse: Layout(name="KeyEventsResponse", null_if_empty=("next_after",)),
    keys_pb2.RotatePartnerKeyResponse: Layout(name="RotatedKey"),
    pb.GetSetupResponse: Layout(name="SetupState"),
    pb.SignInResponse: Layout(name="SignedIn", omitted=("session_token",)),
    pb.BeginSingleSignOnResponse: Layout(name="SingleSignOn"),
    pb.GetSessionResponse: Layout(
        name="Session",
        members={"totp_required": "is_totp_required"},
        nullable=("admin",),
        null_if_empty=("csrf_token", "expires_at"),
    ),
    pb.BeginTotpEnrolmentResponse: Layout(name="TotpEnrolment"),
    pb.AccessPolicy: Layout(members={"totp_required": "is_totp_required"}),
    pb.CreateTokenResponse: Layout(
        name="NewAdminToken", members={**{name: f"token.{name}" for name in _TOKEN_FIELDS}, "token": "secret"}
    ),
    pb.CreateInvitationResponse: Layout(
        name="NewInvitation", members={**{name: f"invitation.{name}" for name in _INVITATION_FIELDS}, "token": "token"}
    ),
    pb.GetInvitationResponse: Layout(name="InvitedAdmin", members={"totp_required": "is_totp_required"}),
    pb.ListInvitationsResponse: _page("InvitationPage", "invitations", pb.ListInvitationsResponse),
    pb.Partner: Layout(
        nullable=("overview",), null_if_empty=("created_at", "legal_name", "siren", "vat_number", "default_plan")
    ),
    pb.PartnerContact: Layout(null_if_empty=("name", "email", "phone")),
    pb.BillingAddress: Layout(null_if_empty=("postcode", "city", "country")),
    pb.PartnerBill: Layout(members={"provisional": "is_provisional"}),
    pb.Pricing: Layout(null_if_empty=("plan", "effective_from")),
    pb.Key: Layout(nullable=("pricing",), variants=_NAMED_PARTNER),
    pb.MonthUsage: Layout(null_if_empty=("month",)),
    pb.CreateKeyResponse: Layout(name="NewKey"),
    pb.RotateKeyResponse: Layout(name="NewKey"),
    pb.AuditEntry: Layout(null_if_empty=("client_address",), nullable=("subject_name",)),
    pb.AuditDetail: Layout(nullable=("old",)),
    pb.GetUsageReportResponse: Layout(
        name="UsageReport",
        members={"range": Group("UsageRange", {"from": "from", "to": "to", "bucket": "bucket"})},
        nullable=("billing_preview",),
    ),
    pb.KeyCall: Layout(null_if_empty=("request_id", "code")),
    pb.ListKeyCallsResponse: Layout(name="KeyCalls", members={"items": "calls"}),
    pb.KeyUsage: Layout(members={"key": "masked"}, variants=_NAMED_PARTNER),
    pb.BillingPreview: Layout(members={"keys": "bills", "provisional": "is_provisional"}),
    pb.Bill: Layout(null_if_empty=("plan_id", "plan"), variants=_NAMED_PARTNER),
    pb.ListTokensResponse: _page("TokenPage", "tokens", pb.ListTokensResponse),
    pb.ListAdminsResponse: _page("AdminPage", "admins", pb.ListAdminsResponse),
    pb.ListPlansResponse: _page("PlanPage", "plans", pb.ListPlansResponse),
    pb.ListPartnersResponse: _page("PartnerPage", "partners", pb.ListPartnersResponse),
    pb.ListPartnerBillsResponse: _page("PartnerBillPage", "bills", pb.ListPartnerBillsResponse),
    pb.GetInstallationResponse: Layout(
        name="KeysInstallation", null_if_empty=("seller", "single_sign_on", "mails_wait_since", "last_backup_at")
    ),
    pb.ListIssuedBillsResponse: _page("IssuedBillPage", "bills", pb.ListIssuedBillsResponse),
    pb.IssuedBill: Layout(null_if_empty=("corrected_number",), variants=_NAMED_PARTNER),
    pb.ListKeysResponse: _page("KeyPage", "keys", pb.ListKeysResponse),
    pb.ListAuditEntriesResponse: _page("AuditPage", "entries", pb.ListAuditEntriesResponse),
}
SHAPES = Shapes(LAYOUTS)
PAGE_MEMBERS = {"limit": "page_size", "cursor": "page_token"}
"""The parameters of a page, and their fields in keys' requests."""
