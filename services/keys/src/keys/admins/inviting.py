"""Invitations of new admins, made and withdrawn by owners."""

from datetime import timedelta

from keys.admins import credentials
from keys.store import admins, invitations, mails
from keys.store.change import Change
from keys.values import texts
from keys.values.errors import Conflict, NotFound
from keys.values.records import Invitation, Json, Role, new_record_id
from servicekit.languages import Text

DEFAULT_HOURS = 72
MAX_HOURS = 168
MAX_OPEN = 100


def invite(change: Change, email: str, role: Role, lifetime: timedelta) -> tuple[Invitation, str]:
    """Returns the invitation and its token, which is shown only once. An earlier invitation of the address ends. Raises
    Conflict if the address has an account, or if too many invitations are open.
    """
    if admins.find_by_email(change.connection, email) is not None:
        raise Conflict(texts.EMAIL_TAKEN)
    revoke_all(change, email=email)
    if invitations.count(change.connection) >= MAX_OPEN:
        raise Conflict(
            Text(
                "{most} invitations sont ouvertes : révoquez-en d’abord.",
                "{most} invitations are open: revoke some first.",
            ).format(most=MAX_OPEN)
        )
    invitation = Invitation(
        id=new_record_id(),
        email=email,
        role=role,
        created_by=change.actor.name,
        created_at=change.now,
        expires_at=change.now + lifetime,
    )
    token = credentials.new_invitation_token(invitation.id)
    invitations.put(change.connection, invitation, credentials.digest(token))
    mails.add(change.connection, [{"invitation_id": invitation.id}], change.now)
    change.audit("invitation.create", invitation.id, {**_values(invitation), "expires_at": str(invitation.expires_at)})
    return invitation, token


def revoke(change: Change, invitation_id: str) -> None:
    """Raises NotFound if no such invitation is open."""
    if not revoke_all(change, id=invitation_id):
        raise NotFound(Text("Cette invitation n’est pas ouverte.", "There is no such open invitation."))


def expire(change: Change) -> int:
    """Ends the invitations past their time and returns their number."""
    expired = invitations.remove_expired(change.connection, change.now)
    for invitation in expired:
        change.audit("invitation.expire", invitation.id, _values(invitation))
    return len(expired)


def revoke_all(change: Change, **values: str) -> bool:
    """Revokes the invitations with these values of columns, or all. Returns whether there was one."""
    removed = invitations.remove(change.connection, **values)
    for invitation in removed:
        change.audit("invitation.revoke", invitation.id, _values(invitation))
    return bool(removed)


def _values(invitation: Invitation) -> dict[str, Json]:
    """The address is kept, since the record is deleted."""
    return {"email": invitation.email, "role": invitation.role.name.lower()}
