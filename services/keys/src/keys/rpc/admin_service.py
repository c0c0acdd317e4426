"""AdminService, combined from its groups of calls."""

from keys.admins.access_handlers import AccessCalls
from keys.admins.handlers import AdminsCalls
from keys.audit.handlers import AuditCalls
from keys.bills.handlers import BillCalls
from keys.keys.handlers import KeyCalls
from keys.metering.handlers import UsageCalls
from keys.partners.handlers import PartnerCalls
from keys.plans.handlers import PlanCalls
from keys.rpc.calls import AdminParts


class AdminServicer(AccessCalls, AdminsCalls, AuditCalls, BillCalls, KeyCalls, PartnerCalls, PlanCalls, UsageCalls):
    def __init__(self, parts: AdminParts) -> None:
        self._parts = parts
