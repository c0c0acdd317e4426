"""Setup, sign-in and accounts with a fast password hash, for the tests of all folders."""

from dataclasses import dataclass

from argon2 import PasswordHasher
from keys_world import World

from keys.admins import account, authenticator, inviting
from keys.admins import changes as administrators
from keys.admins.access_control import AccessControl, Credentials
from keys.admins.account import Enrolment
from keys.admins.authenticator import SignedIn
from keys.admins.passwords import Passwords
from keys.store.refused_access import RefusedAccess
from keys.values.records import Admin, Role

OWNER, PASSWORD = "ann@example.org", "correct horse battery"
KNOWN_ADDRESS, OTHER_ADDRESS = "192.0.2.1", "198.51.100.9"
FAST_PASSWORDS = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@dataclass
class AdminAccess:
    """The steps of the gRPC calls, without the hashing queue."""

    world: World

    def __post_init__(self) -> None:
        world = self.world
        self.refusals = RefusedAccess(world.database, world.clock)
        self.access_control = AccessControl(world.database, world.clock, world.peppers, self.refusals)

    def setup_token(self) -> str:
        with self.world.change() as change:
            setup = administrators.setup_token(change)
        assert setup is not None
        return setup[0]

    def complete_setup(self, token: str, email: str, password: str, address: str) -> Admin:
        authenticator.begin_setup(self.access_control, token, address)
        return authenticator.complete_setup(self.access_control, token, email, FAST_PASSWORDS.hash(password), address)

    def owner(self) -> Credentials:
        """The first owner, signed in."""
        self.complete_setup(self.setup_token(), OWNER, PASSWORD, KNOWN_ADDRESS)
        return self.sign_in(OWNER)

    def admin_of(self, who: Credentials) -> Admin:
        admin = self.access_control.session(who).admin
        assert admin is not None
        return admin

    def add(self, email: str, role: Role) -> str:
        with self.world.change() as change:
            return administrators.create_admin(change, email, FAST_PASSWORDS.hash(PASSWORD), role).id

    def accept(self, token: str, password: str = PASSWORD, address: str = OTHER_ADDRESS) -> SignedIn:
        inviting.read(self.access_control, token, address)
        return inviting.accept(self.access_control, token, FAST_PASSWORDS.hash(password), address)

    def signed_in(self, email: str, password: str = PASSWORD, address: str = KNOWN_ADDRESS, code: str = "") -> SignedIn:
        attempt = authenticator.begin_sign_in(self.access_control, email, address)
        is_right = FAST_PASSWORDS.verify(password, attempt.password_hash)
        return authenticator.finish_sign_in(self.access_control, attempt, code, is_right=is_right)

    def sign_in(
        self, email: str, password: str = PASSWORD, address: str = KNOWN_ADDRESS, code: str = ""
    ) -> Credentials:
        return caller(self.signed_in(email, password, address, code), address)

    def change_password(self, who: Credentials, password: str, new_password: str) -> None:
        attempt = account.begin(self.access_control, who)
        if not FAST_PASSWORDS.verify(password, attempt.password_hash):
            raise account.refuse(self.access_control, attempt)
        account.change_password(self.access_control, who, attempt, FAST_PASSWORDS.hash(new_password))

    def begin_totp(self, who: Credentials, password: str = PASSWORD) -> Enrolment:
        attempt = account.begin(self.access_control, who)
        if not FAST_PASSWORDS.verify(password, attempt.password_hash):
            raise account.refuse(self.access_control, attempt)
        return account.begin_totp(self.access_control, who, attempt)

    def remove_totp(self, who: Credentials, code: str, password: str = PASSWORD) -> None:
        attempt = account.begin(self.access_control, who)
        if not FAST_PASSWORDS.verify(password, attempt.password_hash):
            raise account.refuse(self.access_control, attempt)
        account.remove_totp(self.access_control, who, attempt, code)

    def may(self, who: Credentials, role: Role = Role.VIEWER) -> None:
        with self.access_control.reading(who, role):
            pass

    def may_change(self, who: Credentials, role: Role = Role.OWNER) -> None:
        with self.access_control.changing(who, role):
            pass


def caller(signed_in: SignedIn, address: str = KNOWN_ADDRESS) -> Credentials:
    return Credentials(signed_in.session_token, signed_in.csrf_token, "", address)
