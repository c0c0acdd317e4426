"""AdminService, put together from its parts."""

from keys.rpc.admin_access import AccessCalls, AccessParts
from keys.rpc.admin_account import AccountCalls
from keys.rpc.admin_keys import KeyCalls, KeyParts
from keys.rpc.admin_usage import UsageCalls, UsageParts


class AdminServicer(AccessCalls, AccountCalls, KeyCalls, UsageCalls):
    def __init__(self, access: AccessParts, keys: KeyParts, usage: UsageParts) -> None:
        self._access = access
        self._keys = keys
        self._usage = usage
