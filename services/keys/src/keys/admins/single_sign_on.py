"""Sign-in at the identity provider: the account of an identity, with the role that the provider gives."""

from dataclasses import replace

from keys.admins.access_control import AccessControl
from keys.admins.authenticator import SignedIn, start_session
from keys.admins.provider import Identity, Provider
from keys.audit.differences import differences
from keys.store import admins, attempts, refused_access
from keys.store.audit_log import Actor
from keys.store.change import Change
from keys.store.refused_access import Refusal
from keys.values import texts, throttle
from keys.values.errors import KeysError, SignInThrottled, SingleSignOnDenied, SingleSignOnFailed
from keys.values.records import Role
from servicekit.errors import expect
from servicekit.languages import Text


def begin(access: AccessControl, provider: Provider, token: str, state: str, client_address: str) -> None:
    """Counts an attempt, and uses the state up. Raises SignInThrottled or SingleSignOnFailed."""
    with access.noting(refused_access.SIGN_IN, "", client_address, SignInThrottled, SingleSignOnFailed):
        with access.database.writing() as connection:
            now = access.clock()
            attempts.begin(connection, throttle.limits_of("single sign-on", client_address), now)
            is_first = provider.is_begun(token, state) and attempts.use_once(connection, state, now)
        if not is_first:
            raise SingleSignOnFailed(texts.SIGN_IN_NOT_PROVEN)


def finish(access: AccessControl, identity: Identity, client_address: str) -> SignedIn:
    """Starts a session. Creates the account at its first sign-in, and gives it the role of the identity. Raises
    SingleSignOnDenied, also if another account has the email address.
    """
    try:
        if identity.role is None:
            _end_access(access, identity, client_address)
            raise SingleSignOnDenied(
                Text(
                    "Le fournisseur d’identité ne donne à ce compte aucun rôle ici.",
                    "The identity provider gives this account no role here.",
                )
            )
        return _start_session(access, identity, identity.role, client_address)
    except SingleSignOnDenied as error:
        fail(access, error, client_address)
        raise


def fail(access: AccessControl, error: KeysError, client_address: str) -> None:
    """Notes a begun sign-in that failed. Only one that is not proven counts as an attempt: colleagues share a
    network.
    """
    if not isinstance(error, SingleSignOnFailed) or error.detail == texts.SIGN_IN_CANCELLED:
        with access.database.writing() as connection:
            attempts.withdraw(connection, throttle.limits_of("single sign-on", client_address))
    access.refused.note(Refusal(refused_access.SIGN_IN, "", Actor("nobody", client_address), error.detail))


def _end_access(access: AccessControl, identity: Identity, client_address: str) -> None:
    """Ends the sessions and tokens of an account that the provider gives no role any more."""
    with access.database.writing() as connection:
        admin = admins.find_by_subject(connection, identity.subject)
        if admin is None:
            return
        actor = Actor(f"admin {admin.email}", client_address)
        change = Change(connection, access.clock(), actor, admin.role)
        token_ids = admins.revoke_tokens_of(connection, actor.name, change.now)
        if admins.end_sessions(connection, admin.id) or token_ids:
            change.audit("admin.lose_role", admin.id, {"role": admin.role.name.lower(), "tokens": [*token_ids]})


def _start_session(access: AccessControl, identity: Identity, role: Role, client_address: str) -> SignedIn:
    with access.database.writing() as connection:
        now, role_name = access.clock(), role.name.lower()
        admin = admins.find_by_subject(connection, identity.subject)
        actor = Actor(f"admin {admin.email if admin else identity.email}", client_address)
        change = Change(connection, now, actor, role)
        if admin is None:
            admin = expect(
                admins.add(connection, identity.email, "", role, now, identity.subject),
                SingleSignOnDenied(
                    Text(
                        "Un autre compte a cette adresse : connectez-vous avec son mot de passe.",
                        "Another account has this email address: sign in with its password.",
                    )
                ),
            )
            change.audit("admin.create", admin.id, {"email": admin.email, "role": role_name})
        elif not admin.is_active:
            raise SingleSignOnDenied(Text("Un propriétaire a désactivé ce compte.", "An owner disabled this account."))
        elif admin.role is not role:
            admins.set_role(connection, admin.id, role, is_active=True)
            admins.end_sessions(connection, admin.id)
            before = {"role": admin.role.name.lower()}
            change.audit("admin.update", admin.id, differences(before, {"role": role_name}))
            admin = replace(admin, role=role)
        attempts.succeed(connection, throttle.limits_of("single sign-on", client_address))
        return start_session(change, admin)
