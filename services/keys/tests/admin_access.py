"""Setup, sign-in and accounts with a fast password hash, for the tests of all folders."""

from dataclasses import dataclass

from argon2 import PasswordHasher
from keys_world import World

from keys.admins import changes as administrators
from keys.admins.accepting import Invitations
from keys.admins.access_control import AccessControl, Credentials
from keys.admins.account import Account, Enrolment
from keys.admins.authenticator import Authenticator, SignedIn
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
        self.access_control = AccessControl(world.database, world.clock, self.refusals)
        self.authenticator = Authenticator(
            world.database, self.access_control, world.peppers, world.clock, self.refusals
        )
        self.invitations = Invitations(world.database, world.clock, self.refusals)
        self.account = Account(self.access_control, world.peppers, self.refusals)

    def setup_token(self) -> str:
        with self.world.change() as change:
            setup = administrators.setup_token(change)
        assert setup is not None
        return setup[0]

    def complete_setup(self, token: str, email: str, password: str, address: str) -> Admin:
        self.authenticator.begin_setup(token, address)
        return self.authenticator.complete_setup(token, email, FAST_PASSWORDS.hash(password), address)

    def owner(self) -> Credentials:
        """The first owner, signed in."""
        self.complete_setup(self.setup_token(), OWNER, PASSWORD, KNOWN_ADDRESS)
        return self.sign_in(OWNER)

    def add(self, email: str, role: Role) -> str:
        with self.world.change() as change:
            return administrators.create_admin(change, email, FAST_PASSWORDS.hash(PASSWORD), role).id

    def accept(self, token: str, password: str = PASSWORD, address: str = OTHER_ADDRESS) -> SignedIn:
        self.invitations.read(token, address)
        return self.invitations.accept(token, FAST_PASSWORDS.hash(password), address)

    def signed_in(self, email: str, password: str = PASSWORD, address: str = KNOWN_ADDRESS, code: str = "") -> SignedIn:
        attempt = self.authenticator.begin_sign_in(email, address)
        is_right = FAST_PASSWORDS.verify(password, attempt.password_hash)
        return self.authenticator.finish_sign_in(attempt, code, is_right=is_right)

    def sign_in(
        self, email: str, password: str = PASSWORD, address: str = KNOWN_ADDRESS, code: str = ""
    ) -> Credentials:
        return caller(self.signed_in(email, password, address, code), address)

    def change_password(self, who: Credentials, password: str, new_password: str) -> None:
        attempt = self.account.begin(who)
        if not FAST_PASSWORDS.verify(password, attempt.password_hash):
            raise self.account.refuse(attempt)
        self.account.change_password(who, attempt, FAST_PASSWORDS.hash(new_password))

    def begin_totp(self, who: Credentials, password: str = PASSWORD) -> Enrolment:
        attempt = self.account.begin(who)
        if not FAST_PASSWORDS.verify(password, attempt.password_hash):
            raise self.account.refuse(attempt)
        return self.account.begin_totp(who, attempt)

    def remove_totp(self, who: Credentials, code: str, password: str = PASSWORD) -> None:
        attempt = self.account.begin(who)
        if not FAST_PASSWORDS.verify(password, attempt.password_hash):
            raise self.account.refuse(attempt)
        self.account.remove_totp(who, attempt, code)

    def may(self, who: Credentials, role: Role = Role.VIEWER) -> None:
        with self.access_control.reading(who, role):
            pass

    def may_change(self, who: Credentials, role: Role = Role.OWNER) -> None:
        with self.access_control.changing(who, role):
            pass


def caller(signed_in: SignedIn, address: str = KNOWN_ADDRESS) -> Credentials:
    return Credentials(signed_in.session_token, signed_in.csrf_token, "", address)
