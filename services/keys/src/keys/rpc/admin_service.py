"""AdminService, combined from its groups of calls."""

from keys.rpc.access_calls import AccessCalls
from keys.rpc.admin_calls import AdminsCalls
from keys.rpc.audit_calls import AuditCalls
from keys.rpc.bill_calls import BillCalls
from keys.rpc.installation_calls import InstallationCalls
from keys.rpc.key_calls import KeyCalls
from keys.rpc.partner_calls import PartnerCalls
from keys.rpc.plan_calls import PlanCalls
from keys.rpc.usage_calls import UsageCalls


class AdminServicer(
    AccessCalls,
    AdminsCalls,
    AuditCalls,
    BillCalls,
    InstallationCalls,
    KeyCalls,
    PartnerCalls,
    PlanCalls,
    UsageCalls,
):
    """All calls of AdminService."""
