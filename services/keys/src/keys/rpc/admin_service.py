"""AdminService, combined from its groups of calls."""

from keys.rpc.admin_access import AccessCalls
from keys.rpc.admin_admins import AdminsCalls
from keys.rpc.admin_keys import KeyCalls
from keys.rpc.admin_usage import UsageCalls
from keys.rpc.calls import AdminParts


class AdminServicer(AccessCalls, AdminsCalls, KeyCalls, UsageCalls):
    def __init__(self, parts: AdminParts) -> None:
        self._parts = parts
