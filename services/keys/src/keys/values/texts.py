"""The texts that several errors have, in French and English. A text of one error stands where it is raised."""

from servicekit.languages import Text

# Records
NO_SUCH_KEY = Text("Cette clé n’existe pas.", "There is no such key.")
NO_SUCH_PLAN = Text("Ce tarif n’existe pas.", "There is no such plan.")
NO_SUCH_BILL = Text("Cette facture n’existe pas.", "There is no such bill.")
PARTNER_NAME_TAKEN = Text("Un partenaire porte déjà ce nom.", "There is a partner of that name.")
PLAN_NAME_TAKEN = Text("Un tarif porte déjà ce nom.", "There is a plan of that name.")
EMAIL_TAKEN = Text("Un administrateur a déjà cette adresse.", "There is an admin of that address.")

# Access
SIGN_IN_FIRST = Text("Connectez-vous d’abord.", "Sign in first.")
WRONG_SIGN_IN = Text(
    "L’adresse électronique ou le mot de passe est incorrect.", "The email address or the password is wrong."
)
WRONG_PASSWORD = Text("Le mot de passe est incorrect.", "The password is wrong.")
WRONG_CODE = Text(
    "Le code à usage unique est incorrect ou a déjà servi.", "The one-time code is wrong, or was used before."
)
WRONG_INVITATION = Text(
    "L’invitation est incorrecte, révoquée, déjà utilisée ou expirée. Demandez un nouveau lien à un propriétaire.",
    "The invitation is wrong, revoked, used or expired. Ask an owner for a new link.",
)
PROVIDER_SILENT = Text("Le fournisseur d’identité ne répond pas.", "The identity provider does not answer.")
SIGN_IN_NOT_PROVEN = Text(
    "La connexion chez le fournisseur d’identité n’est pas prouvée : recommencez.",
    "The sign-in at the identity provider is not proven: start again.",
)
SIGN_IN_CANCELLED = Text(
    "La connexion a été annulée chez le fournisseur d’identité.",
    "The sign-in was cancelled at the identity provider.",
)
SETUP_CLOSED = Text("Le premier propriétaire existe déjà.", "The first owner was made before.")

# Availability
DATABASE_SILENT = Text("La base de données des clés ne répond pas.", "The database of keys does not answer.")

# Leases
WRONG_RESERVATION_ID = Text("Un identifiant de réservation compte {size} octets.", "A reservation id has {size} bytes.")
