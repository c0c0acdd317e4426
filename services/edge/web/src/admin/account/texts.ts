// The texts of setup, sign-in and the admin's own account.
import { translations } from "../../shell/language";

export const accountTexts = translations({
  setupTitle: ["Première installation", "First setup"],
  setupIntro: [
    "Créez le premier compte. Il sera propriétaire : il pourra en inviter d’autres.",
    "Create the first account. It will be an owner's: it can invite others.",
  ],
  setupToken: ["Jeton d’installation", "Setup token"],
  setupTokenNote: [
    "Il figure dans le journal du service à son premier démarrage et reste valable 30 minutes. Pour en créer un autre :",
    "Written to the service's log at its first start, and valid for 30 minutes. To make another one:",
  ],
  email: ["Adresse électronique", "Email address"],
  password: ["Mot de passe", "Password"],
  passwordAgain: ["Confirmation du mot de passe", "Password again"],
  createOwner: ["Créer le compte", "Create the account"],
  signInTitle: ["Connexion", "Sign in"],
  signInIntro: ["Clés, usage et factures des partenaires.", "Keys, usage and bills of partners."],
  signIn: ["Se connecter", "Sign in"],
  singleSignOn: ["Se connecter avec l’annuaire de l’entreprise", "Continue with the company account"],
  codeNote: ["Celui qu’affiche votre application d’authentification.", "The one that your authenticator app shows."],
  forgotten: ["Mot de passe oublié ?", "Forgotten password?"],
  forgottenDetail: ["L’exploitant peut le remplacer sur le serveur :", "The operator gives a new one on the server:"],
  expiredTitle: ["Votre session a expiré", "Your session is over"],
  expiredDetail: [
    "Reconnectez-vous : vous reprendrez là où vous en étiez, rien n’est perdu.",
    "Sign in again: what you were doing goes on, nothing is lost.",
  ],
  signOut: ["Quitter sans enregistrer", "Leave without saving"],
  cookieLost: [
    "Le navigateur n’a pas gardé la session. Hors de cette machine, l’administration exige HTTPS : ouvrez cette page en https://.",
    "The browser did not keep the session. Away from this machine the admin page needs HTTPS: open this page by https://.",
  ],
  invitationTitle: ["Bienvenue", "Welcome"],
  invitationIntro: [
    "Vous êtes invité à administrer ce service. Choisissez votre mot de passe.",
    "You are invited to administer this service. Choose your password.",
  ],
  invitedAs: ["Rôle", "Role"],
  accept: ["Créer mon compte", "Create my account"],
  leavesSession: [
    (email: string) => `Vous êtes connecté en tant que ${email}. Accepter met fin à cette session.`,
    (email: string) => `You are signed in as ${email}. If you accept, that session ends.`,
  ],
  invitationTotp: [
    "Un second facteur est exigé de chaque compte : dernière étape.",
    "Every account needs a second factor: the last step.",
  ],
  invitationInvalidTitle: ["Ce lien n’est pas valable", "This link is not valid"],
  toSignIn: ["Aller à la connexion", "Go to the sign-in"],
  emailTaken: ["Cette adresse a déjà un compte. Connectez-vous.", "This address has an account already. Sign in."],
  changePassword: ["Changer de mot de passe", "Change password"],
  currentPassword: ["Mot de passe actuel", "Current password"],
  newPassword: ["Nouveau mot de passe", "New password"],
  newPasswordAgain: ["Confirmation du nouveau mot de passe", "New password again"],
  passwordNote: [
    "Au moins 12 caractères. Vos autres sessions prendront fin.",
    "At least 12 characters. Your other sessions end.",
  ],
  change: ["Changer", "Change"],
  enrol: ["Activer le second facteur", "Enrol a second factor"],
  enrolNote: [
    "Une application d’authentification donnera un code à chaque connexion.",
    "An authenticator app will give a code for each sign-in.",
  ],
  next: ["Continuer", "Continue"],
  secretNote: [
    "Ajoutez ce secret, affiché une seule fois, à votre application, puis saisissez le code qu’elle donne.",
    "Add this secret to your app, then enter the code that it shows. It is shown this once.",
  ],
  openApp: ["Ouvrir dans une application de cet appareil", "Open in an app on this device"],
  copySecret: ["Copier le secret", "Copy the secret"],
  confirm: ["Confirmer", "Confirm"],
  remove: ["Désactiver le second facteur", "Remove the second factor"],
  removeNote: ["Le mot de passe suffira pour se connecter.", "The password alone will do for signing in."],
  removeYes: ["Désactiver", "Remove"],
  conflict: [
    "Un second facteur est exigé de tous, ou a changé entre-temps.",
    "A second factor is required of everybody, or it changed in the meantime.",
  ],
  requiredTitle: ["Second facteur exigé", "Second factor required"],
  requiredIntro: [
    "Les propriétaires exigent un second facteur de chaque compte. Activez le vôtre pour continuer.",
    "Owners require a second factor of every account. Enrol yours to go on.",
  ],
});
