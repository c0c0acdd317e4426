"""The texts of errors, in French and English."""

from servicekit.languages import Text

# Records
NO_SUCH_KEY = Text("Cette clé n’existe pas.", "There is no such key.")
NO_SUCH_PARTNER = Text("Ce partenaire n’existe pas.", "There is no such partner.")
NO_SUCH_PLAN = Text("Ce tarif n’existe pas.", "There is no such plan.")
OLD_SECRET = Text(
    "Un secret remplacé ne peut pas remplacer de clé : utilisez le nouveau.",
    "A replaced secret cannot rotate keys: use the new one.",
)
NO_SUCH_BILL = Text("Cette facture n’existe pas.", "There is no such bill.")
NO_SUCH_ADMIN = Text("Cet administrateur n’existe pas.", "There is no such admin.")
NO_SUCH_TOKEN = Text("Ce jeton n’existe pas.", "There is no such token.")
NO_SUCH_INVITATION = Text("Cette invitation n’est pas ouverte.", "There is no such open invitation.")
TOO_MANY_INVITATIONS = Text(
    "{most} invitations sont ouvertes : révoquez-en d’abord.", "{most} invitations are open: revoke some first."
)
PARTNER_NAME_TAKEN = Text("Un partenaire porte déjà ce nom.", "There is a partner of that name.")
PLAN_NAME_TAKEN = Text("Un tarif porte déjà ce nom.", "There is a plan of that name.")
EMAIL_TAKEN = Text("Un administrateur a déjà cette adresse.", "There is an admin of that address.")
DEFAULT_PLAN_ARCHIVED = Text(
    "Le tarif par défaut du partenaire est archivé : un propriétaire doit en choisir un autre.",
    "The default plan of the partner is archived: an owner has to choose another one.",
)
PLAN_IN_USE = Text("Une clé a pris ce tarif entre-temps.", "A key took the plan in the meantime.")
IDEMPOTENCY_MISMATCH = Text(
    "Cette Idempotency-Key accompagnait une autre requête.", "This Idempotency-Key came with another request."
)
SECRET_LOST = Text(
    "Le secret de cette clé ne peut plus être donné : renouvelez-le.",
    "The secret of this key can no longer be given: rotate it.",
)
WRONG_LINES = Text("Une requête a de 1 à {most} lignes.", "A request has 1 to {most} lines.")
LAST_OWNER = Text("Le dernier propriétaire actif doit le rester.", "The last active owner stays one.")

# Access
SIGN_IN_FIRST = Text("Connectez-vous d’abord.", "Sign in first.")
WRONG_SIGN_IN = Text(
    "L’adresse électronique ou le mot de passe est incorrect.", "The email address or the password is wrong."
)
WRONG_PASSWORD = Text("Le mot de passe est incorrect.", "The password is wrong.")
WRONG_CODE = Text(
    "Le code à usage unique est incorrect ou a déjà servi.", "The one-time code is wrong, or was used before."
)
CODE_REQUIRED = Text(
    "Donnez aussi le code à usage unique de votre application.", "Give the one-time code of your authenticator, too."
)
WRONG_CSRF_TOKEN = Text("Le jeton anti-CSRF est absent ou incorrect.", "The CSRF token is missing or wrong.")
WRONG_SETUP_TOKEN = Text("Le jeton d’installation est incorrect ou a expiré.", "The setup token is wrong or too old.")
WRONG_INVITATION = Text(
    "L’invitation est incorrecte, révoquée, déjà utilisée ou expirée. Demandez un nouveau lien à un propriétaire.",
    "The invitation is wrong, revoked, used or expired. Ask an owner for a new link.",
)
NO_MAIL_ADDRESS = Text("Un jeton n’a pas d’adresse : connectez-vous.", "A token has no address: sign in.")
NO_PROVIDER = Text("Aucun fournisseur d’identité n’est configuré.", "No identity provider is configured.")
PROVIDER_SILENT = Text("Le fournisseur d’identité ne répond pas.", "The identity provider does not answer.")
SIGN_IN_NOT_PROVEN = Text(
    "La connexion chez le fournisseur d’identité n’est pas prouvée : recommencez.",
    "The sign-in at the identity provider is not proven: start again.",
)
SIGN_IN_CANCELLED = Text(
    "La connexion a été annulée chez le fournisseur d’identité.",
    "The sign-in was cancelled at the identity provider.",
)
NO_PROVIDER_ROLE = Text(
    "Le fournisseur d’identité ne donne à ce compte aucun rôle ici.",
    "The identity provider gives this account no role here.",
)
ADDRESS_OF_ANOTHER = Text(
    "Un autre compte a cette adresse : connectez-vous avec son mot de passe.",
    "Another account has this email address: sign in with its password.",
)
ACCOUNT_DISABLED = Text("Un propriétaire a désactivé ce compte.", "An owner disabled this account.")
SETUP_CLOSED = Text("Le premier propriétaire existe déjà.", "The first owner was made before.")
ENROL_FIRST = Text("Activez d’abord un second facteur.", "Enrol a second factor first.")
ENROL_YOURSELF_FIRST = Text("Activez d’abord votre propre second facteur.", "Enrol a second factor yourself first.")
HAS_SECOND_FACTOR = Text(
    "Un second facteur est déjà actif : désactivez-le d’abord.", "There is a second factor: remove it first."
)
NO_ENROLMENT = Text("Aucun second facteur n’est en cours d’activation.", "No second factor is being enrolled.")
NO_SECOND_FACTOR = Text("Il n’y a pas de second facteur.", "There is no second factor.")
SECOND_FACTOR_REQUIRED = Text(
    "Un second facteur est exigé de tous les administrateurs.", "A second factor is required of every admin."
)
TOO_MANY_FAILURES = Text("Trop de tentatives ont échoué.", "Too many attempts failed.")
TOO_MANY_AT_ONCE = Text("Trop de tentatives à la fois.", "Too many attempts at once.")
TOO_MANY_PASSWORDS = Text(
    "Trop de mots de passe sont en cours de vérification.", "Too many passwords are being checked."
)

# Availability
DATABASE_SILENT = Text("La base de données des clés ne répond pas.", "The database of keys does not answer.")
DATABASE_BUSY = Text("La base de données des clés est occupée.", "The database of keys is busy.")
ROW_LOCKED = Text("Une autre transaction détient un verrou.", "Another transaction holds a lock.")
NOT_STORABLE = Text(
    "Une valeur ne peut pas être enregistrée, par exemple un texte avec un caractère NUL.",
    "A value cannot be stored, such as a text with a NUL character.",
)
TOO_LATE = Text("La décision arrive trop tard pour son appelant.", "The decision comes too late for its caller.")

# Leases
WRONG_RESERVATION_ID = Text("Un identifiant de réservation compte {size} octets.", "A reservation id has {size} bytes.")
RESERVATION_OF_ANOTHER_KEY = Text(
    "Un identifiant de réservation appartient à une autre clé.", "A reservation id belongs to another key."
)
NO_VISITOR_KEYS = Text("Ce service ne donne pas de clé aux visiteurs.", "This service gives visitors no key.")
VISITOR_KEYS_USED = Text(
    "Toutes les clés d’essai du jour sont données. Revenez plus tard.",
    "All test keys of the day are taken. Try again later.",
)
NETWORK_KEYS_USED = Text(
    "Votre réseau a déjà ses {most} clés d’essai du jour. Utilisez l’une d’elles, ou revenez plus tard.",
    "Your network already has its {most} test keys of the day. Use one of them, or try again later.",
)
