"""A sentence for each action of the audit log: who did what to what. An unknown action keeps its raw name."""

import re
from collections.abc import Mapping

from keys.records import Json
from servicekit.languages import Text

SENTENCES: Mapping[str, Text] = {
    "key.create": Text("{actor} a créé la clé {subject}", "{actor} created the key {subject}"),
    "key.update": Text("{actor} a modifié la clé {subject}", "{actor} changed the key {subject}"),
    "key.revoke": Text("{actor} a révoqué la clé {subject}", "{actor} revoked the key {subject}"),
    "key.suspend": Text("{actor} a suspendu la clé {subject}", "{actor} suspended the key {subject}"),
    "key.resume": Text("{actor} a rétabli la clé {subject}", "{actor} resumed the key {subject}"),
    "key.rotate": Text("{actor} a renouvelé le secret de la clé {subject}", "{actor} rotated the key {subject}"),
    "partner.create": Text("{actor} a créé le partenaire {subject}", "{actor} created the partner {subject}"),
    "partner.update": Text("{actor} a modifié le partenaire {subject}", "{actor} changed the partner {subject}"),
    "partner.erase": Text("{actor} a effacé le partenaire {subject}", "{actor} erased the partner {subject}"),
    "plan.create": Text("{actor} a créé le tarif {subject}", "{actor} created the plan {subject}"),
    "plan.update": Text("{actor} a modifié le tarif {subject}", "{actor} changed the plan {subject}"),
    "bill.correct": Text(
        "{actor} a rectifié une facture du partenaire {subject}", "{actor} corrected a bill of the partner {subject}"
    ),
    "admin.create": Text("{actor} a créé le compte {subject}", "{actor} created the account {subject}"),
    "admin.update": Text("{actor} a modifié le compte {subject}", "{actor} changed the account {subject}"),
    "admin.erase": Text("{actor} a effacé le compte {subject}", "{actor} erased the account {subject}"),
    "admin.change_password": Text("{actor} a changé son mot de passe", "{actor} changed their own password"),
    "admin.reset_password": Text(
        "{actor} a remplacé le mot de passe de {subject}", "{actor} replaced the password of {subject}"
    ),
    "admin.add_totp": Text(
        "{actor} a activé le second facteur de {subject}", "{actor} enrolled the second factor of {subject}"
    ),
    "admin.remove_totp": Text(
        "{actor} a retiré le second facteur de {subject}", "{actor} removed the second factor of {subject}"
    ),
    "invitation.create": Text("{actor} a invité {subject}", "{actor} invited {subject}"),
    "invitation.revoke": Text(
        "{actor} a révoqué l’invitation de {subject}", "{actor} revoked the invitation of {subject}"
    ),
    "invitation.accept": Text("{actor} a accepté son invitation", "{actor} accepted the invitation"),
    "invitation.expire": Text("L’invitation de {subject} a expiré", "The invitation of {subject} expired"),
    "token.create": Text("{actor} a créé le jeton {subject}", "{actor} created the token {subject}"),
    "token.revoke": Text("{actor} a révoqué le jeton {subject}", "{actor} revoked the token {subject}"),
    "access_policy.update": Text("{actor} a modifié la règle de connexion", "{actor} changed the sign-in rule"),
    "session.start": Text("{actor} a ouvert une session", "{actor} signed in"),
    "setup.token": Text("{actor} a créé un jeton d’installation", "{actor} made a setup token"),
    "restore.withdraw": Text(
        "{actor} a retiré ce que la restauration avait rétabli", "{actor} withdrew what a restore brought back"
    ),
    "refused.sign_in": Text("Connexion refusée{of}", "Sign-in refused{of}"),
    "refused.throttled": Text("Connexion ralentie{of}", "Sign-in slowed down{of}"),
    "refused.setup": Text("Installation refusée", "Setup refused"),
    "refused.invitation": Text("Lien d’invitation refusé", "Invitation link refused"),
    "refused.role": Text("{actor} n’a pas le rôle requis", "{actor} does not have the required role"),
    "refused.csrf": Text("Jeton anti-CSRF incorrect de {actor}", "Wrong CSRF token of {actor}"),
}
_RAW = Text("{actor} : {action} {subject}", "{actor}: {action} {subject}")
_TIMES = Text(" : {count} fois", ": {count} times")
_ACTORS: Mapping[str, Text] = {
    "command line": Text("La ligne de commande", "The command line"),
    "setup": Text("L’installation", "Setup"),
    "first start": Text("Le premier démarrage", "The first start"),
    "visitor": Text("Un visiteur", "A visitor"),
    "nobody": Text("Une personne inconnue", "An unknown person"),
    "several": Text("Plusieurs", "Several"),
    "housekeeping": Text("L’entretien", "Housekeeping"),
}
_TOKEN = re.compile(r"token (.*) \(([0-9A-Za-z]+)\)")


def actor_name(actor: str) -> Text:
    """Returns who acted, such as an admin's address. An unknown actor keeps its raw name."""
    token = _TOKEN.fullmatch(actor)
    if token is not None:
        return Text(f"Le jeton « {token[1]} »", f"The token “{token[1]}”")
    if actor.startswith("key "):
        return Text(f"La clé {actor[4:]}", f"The key {actor[4:]}")
    address = actor.removeprefix("admin ")
    return _ACTORS.get(actor) or Text(address, address)


def sentence(actor: str, action: str, subject: Text | None, changes: Mapping[str, Json]) -> Text:
    """Returns the sentence of an entry. Counted entries say how many times."""
    name = subject or Text("", "")
    about = Text(f" : {name.fr}", f": {name.en}") if subject else name
    words = SENTENCES.get(action, _RAW).format(actor=actor_name(actor), action=action, subject=name, of=about)
    count = changes.get("count")
    if isinstance(count, int) and count > 1:
        times = _TIMES.format(count=count)
        words = Text(words.fr + times.fr, words.en + times.en)
    return Text(words.fr.strip(), words.en.strip())
