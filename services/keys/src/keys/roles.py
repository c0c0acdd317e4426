"""The refusal of a caller whose role is too low."""

from keys.errors import RoleDenied
from keys.records import Role
from servicekit.languages import Text

_NAMES = {
    Role.VIEWER: Text("lecteur", "viewer"),
    Role.OPERATOR: Text("opérateur", "operator"),
    Role.OWNER: Text("propriétaire", "owner"),
}
_DETAIL = Text("{what} exige le rôle {role}.", "{what} needs the role {role}.")
_THIS = Text("Cette action", "This")


def role_denied(at_least: Role, what: Text = _THIS) -> RoleDenied:
    """`what` names the action, as the subject of the sentence."""
    return RoleDenied(_DETAIL.format(what=what, role=_NAMES[at_least]))
