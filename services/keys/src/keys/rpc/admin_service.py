"""AdminService, combined from its groups of calls."""

from keys.rpc.admin_access import AccessCalls, AccessDependencies
from keys.rpc.admin_account import AccountCalls
from keys.rpc.admin_invitations import InvitationCalls
from keys.rpc.admin_keys import KeyCalls, KeyDependencies
from keys.rpc.admin_partners import PartnerCalls
from keys.rpc.admin_usage import UsageCalls, UsageDependencies


class AdminServicer(AccessCalls, AccountCalls, InvitationCalls, KeyCalls, PartnerCalls, UsageCalls):
    def __init__(self, access: AccessDependencies, keys: KeyDependencies, usage: UsageDependencies) -> None:
        self._access = access
        self._keys = keys
        self._usage = usage
