"""Sign-in at the identity provider: the account of an identity, with the role that the provider gives."""

from dataclasses import replace

from keys.admins import credentials
from keys.admins.authenticator import SIGNED_IN, SignedIn
from keys.admins.provider import Identity, Provider
from keys.audit.differences import differences
from keys.store import admins, attempts, refused_access, sessions
from keys.store.audit_log import Actor
from keys.store.change import Change
from keys.store.database import Database
from keys.store.refused_access import Refusal, RefusedAccess
from keys.values import texts, throttle
from keys.values.clock import Clock
from keys.values.errors import KeysError, SignInThrottled, SingleSignOnDenied, SingleSignOnFailed
from keys.values.records import Role
from servicekit.languages import Text


class SingleSignOn:
    def __init__(self, provider: Provider, database: Database, clock: Clock, refused: RefusedAccess) -> None:
        self.provider = provider
        self._database = database
        self._clock = clock
        self._refused = refused

    def begin(self, token: str, state: str, client_address: str) -> None:
        """Counts an attempt, and uses the state up. Raises SignInThrottled or SingleSignOnFailed."""
        try:
            with self._database.writing() as connection:
                now = self._clock()
                attempts.begin(connection, throttle.limits_of_single_sign_on(client_address), now)
                is_first = self.provider.is_begun(token, state) and attempts.use_once(connection, state, now)
            if not is_first:
                raise SingleSignOnFailed(texts.SIGN_IN_NOT_PROVEN)
        except (SignInThrottled, SingleSignOnFailed) as error:
            self.note(error, client_address)
            raise

    def finish(self, identity: Identity, client_address: str) -> SignedIn:
        """Starts a session. Creates the account at its first sign-in, and gives it the role of the identity. Raises
        SingleSignOnDenied, also if another account has the email address.
        """
        try:
            if identity.role is None:
                self._end_access(identity, client_address)
                raise SingleSignOnDenied(
                    Text(
                        "Le fournisseur d’identité ne donne à ce compte aucun rôle ici.",
                        "The identity provider gives this account no role here.",
                    )
                )
            return self._start_session(identity, identity.role, client_address)
        except SingleSignOnDenied as error:
            self.fail(error, client_address)
            raise

    def fail(self, error: KeysError, client_address: str) -> None:
        """Notes a begun sign-in that failed. Only one that is not proven counts as an attempt: colleagues share a
        network.
        """
        if not isinstance(error, SingleSignOnFailed) or error.detail == texts.SIGN_IN_CANCELLED:
            with self._database.writing() as connection:
                attempts.withdraw(connection, throttle.limits_of_single_sign_on(client_address))
        self.note(error, client_address)

    def note(self, error: KeysError, client_address: str) -> None:
        self._refused.note(Refusal(refused_access.SIGN_IN, "", Actor("nobody", client_address), error.detail))

    def _end_access(self, identity: Identity, client_address: str) -> None:
        """Ends the sessions and tokens of an account that the provider gives no role any more."""
        with self._database.writing() as connection:
            admin = admins.find_by_subject(connection, identity.subject)
            if admin is None:
                return
            actor = Actor(f"admin {admin.email}", client_address)
            change = Change(connection, self._clock(), actor, admin.role)
            token_ids = admins.revoke_tokens_of(connection, actor.name, change.now)
            if admins.end_sessions(connection, admin.id) or token_ids:
                change.audit("admin.lose_role", admin.id, {"role": admin.role.name.lower(), "tokens": [*token_ids]})

    def _start_session(self, identity: Identity, role: Role, client_address: str) -> SignedIn:
        token = credentials.new_token()
        with self._database.writing() as connection:
            now, role_name = self._clock(), role.name.lower()
            admin = admins.find_by_subject(connection, identity.subject)
            actor = Actor(f"admin {admin.email if admin else identity.email}", client_address)
            change = Change(connection, now, actor, role)
            if admin is None:
                admin = admins.add(connection, identity.email, "", role, now, identity.subject)
                if admin is None:
                    raise SingleSignOnDenied(
                        Text(
                            "Un autre compte a cette adresse : connectez-vous avec son mot de passe.",
                            "Another account has this email address: sign in with its password.",
                        )
                    )
                change.audit("admin.create", admin.id, {"email": admin.email, "role": role_name})
            elif not admin.is_active:
                raise SingleSignOnDenied(
                    Text("Un propriétaire a désactivé ce compte.", "An owner disabled this account.")
                )
            elif admin.role is not role:
                admins.set_role(connection, admin.id, role, is_active=True)
                admins.end_sessions(connection, admin.id)
                before = {"role": admin.role.name.lower()}
                change.audit("admin.update", admin.id, differences(before, {"role": role_name}))
                admin = replace(admin, role=role)
            attempts.succeed(connection, throttle.limits_of_single_sign_on(client_address))
            expires_at = sessions.start(connection, credentials.digest(token), admin.id, client_address, now)
            change.audit(SIGNED_IN, admin.id)
        return SignedIn(admin, token, credentials.csrf_token(token), expires_at)
