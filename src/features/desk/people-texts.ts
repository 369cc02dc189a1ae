import type { Texts } from '../../calendar/locales/texts.ts'

export const peopleTexts = {
  Administrator: { de: 'Administrator', fr: 'Administrateur', es: 'Administrador' },
  Editor: { de: 'Redaktion', fr: 'Rédaction', es: 'Redacción' },
  Writer: { de: 'Schreibt', fr: 'Écrit', es: 'Escribe' },
  Contributor: { de: 'Schlägt vor', fr: 'Propose', es: 'Propone' },
  Reader: { de: 'Liest', fr: 'Lit', es: 'Lee' },
  'Everything, and decides who else may.': {
    de: 'Alles, und entscheidet, wer sonst noch.',
    fr: 'Tout, et décide qui d’autre.',
    es: 'Todo, y decide quién más.',
  },
  'Writes and publishes all records, and reviews those of others.': {
    de: 'Schreibt und veröffentlicht alles und prüft, was andere schreiben.',
    fr: 'Écrit et publie tout, et relit ce qu’écrivent les autres.',
    es: 'Escribe y publica todo, y revisa lo de los demás.',
  },
  'Writes and publishes their own records.': {
    de: 'Schreibt und veröffentlicht Eigenes.',
    fr: 'Écrit et publie ce qui est à soi.',
    es: 'Escribe y publica lo suyo.',
  },
  'Writes their own records, which an editor publishes.': {
    de: 'Schreibt Eigenes, das die Redaktion veröffentlicht.',
    fr: 'Écrit ce qui est à soi, que la rédaction publie.',
    es: 'Escribe lo suyo, que la redacción publica.',
  },
  'Reads what is published.': {
    de: 'Liest, was veröffentlicht ist.',
    fr: 'Lit ce qui est publié.',
    es: 'Lee lo publicado.',
  },
  'Sign-in name': { de: 'Anmeldename', fr: 'Nom de connexion', es: 'Nombre de entrada' },
  Role: { de: 'Rolle', fr: 'Rôle', es: 'Función' },
  Deactivated: { de: 'Gesperrt', fr: 'Désactivé', es: 'Desactivado' },
  'No password yet': { de: 'Noch kein Passwort', fr: 'Pas encore de mot de passe', es: 'Aún sin contraseña' },
  'Letters, digits and . _ - @; it stays as it is.': {
    de: 'Buchstaben, Ziffern und . _ - @; er bleibt, wie er ist.',
    fr: 'Lettres, chiffres et . _ - @ ; il reste tel quel.',
    es: 'Letras, cifras y . _ - @; no cambia después.',
  },
  'E-mail, if it is to sign in as well': {
    de: 'E-Mail, wenn auch sie zur Anmeldung dient',
    fr: 'E-mail, s’il doit aussi servir à se connecter',
    es: 'Correo, si también ha de servir para entrar',
  },
  'Create account and link': {
    de: 'Konto und Link erstellen',
    fr: 'Créer le compte et un lien',
    es: 'Crear la cuenta y un enlace',
  },
  'A link for {name}': { de: 'Ein Link für {name}', fr: 'Un lien pour {name}', es: 'Un enlace para {name}' },
  'It was also sent to {address}.': {
    de: 'Er wurde auch an {address} geschickt.',
    fr: 'Il a aussi été envoyé à {address}.',
    es: 'También se ha enviado a {address}.',
  },
  'A link lets them choose a password, also in place of a forgotten one.': {
    de: 'Mit einem Link wählen sie ein Passwort, auch anstelle eines vergessenen.',
    fr: 'Un lien permet de choisir un mot de passe, aussi à la place d’un mot de passe oublié.',
    es: 'Un enlace permite elegir una contraseña, también en lugar de una olvidada.',
  },
  'Create a link': { de: 'Link erstellen', fr: 'Créer un lien', es: 'Crear un enlace' },
  'Who is deactivated signs in nowhere, with no password and no token. Their records stay.': {
    de:
      'Wer gesperrt ist, meldet sich nirgends an, mit keinem ' +
      'Passwort und keinem Token. Die Einträge bleiben.',
    fr:
      'Un compte désactivé ne se connecte nulle part, avec ' +
      'aucun mot de passe ni jeton. Ses fiches restent.',
    es:
      'Quien está desactivado no entra en ninguna parte, ' +
      'con ninguna contraseña ni token. Sus registros quedan.',
  },
  Deactivate: { de: 'Sperren', fr: 'Désactiver', es: 'Desactivar' },
  Reactivate: { de: 'Wieder aktivieren', fr: 'Réactiver', es: 'Reactivar' },
  'New owner of their records': {
    de: 'Neuer Besitzer der Einträge',
    fr: 'Nouveau propriétaire de ses fiches',
    es: 'Nuevo propietario de sus registros',
  },
  'A sign-in name.': { de: 'Ein Anmeldename.', fr: 'Un nom de connexion.', es: 'Un nombre de entrada.' },
  'Transfer the records': {
    de: 'Einträge übertragen',
    fr: 'Transférer les fiches',
    es: 'Transferir los registros',
  },
  'Delete the account permanently': {
    de: 'Konto endgültig löschen',
    fr: 'Supprimer le compte définitivement',
    es: 'Eliminar la cuenta definitivamente',
  },
  'Nobody has this sign-in name.': {
    de: 'Niemand hat diesen Anmeldenamen.',
    fr: 'Personne n’a ce nom de connexion.',
    es: 'Nadie tiene ese nombre de entrada.',
  },
  'Your password is new, and you are signed out everywhere else.': {
    de: 'Ihr Passwort ist neu, und Sie sind überall sonst abgemeldet.',
    fr: 'Votre mot de passe est nouveau, et vous êtes déconnecté partout ailleurs.',
    es: 'Su contraseña es nueva, y ha salido de todos los demás sitios.',
  },
  'That session has ended.': {
    de: 'Diese Sitzung ist beendet.',
    fr: 'Cette session est terminée.',
    es: 'Esa sesión ha terminado.',
  },
  'That password is revoked.': {
    de: 'Dieses Passwort ist widerrufen.',
    fr: 'Ce mot de passe est révoqué.',
    es: 'Esa contraseña está revocada.',
  },
  'The name that others see': {
    de: 'Der Name, den andere sehen',
    fr: 'Le nom que voient les autres',
    es: 'El nombre que ven los demás',
  },
  'Your password until now': {
    de: 'Ihr bisheriges Passwort',
    fr: 'Votre mot de passe jusqu’ici',
    es: 'Su contraseña hasta ahora',
  },
  'It signs you out everywhere else.': {
    de: 'Es meldet Sie überall sonst ab.',
    fr: 'Il vous déconnecte partout ailleurs.',
    es: 'Le hace salir de todos los demás sitios.',
  },
  'Change the password': {
    de: 'Passwort ändern',
    fr: 'Changer le mot de passe',
    es: 'Cambiar la contraseña',
  },
  'This browser': { de: 'Dieser Browser', fr: 'Ce navigateur', es: 'Este navegador' },
  'Where you are signed in': {
    de: 'Wo Sie angemeldet sind',
    fr: 'Où vous êtes connecté',
    es: 'Dónde ha entrado',
  },
  'Passwords of your programs': {
    de: 'Passwörter Ihrer Programme',
    fr: 'Mots de passe de vos programmes',
    es: 'Contraseñas de sus programas',
  },
  'Each program has one of its own, which opens the calendar to it and never this desk.': {
    de: 'Jedes Programm hat ein eigenes, das ihm den Kalender öffnet und nie diesen Schreibtisch.',
    fr: 'Chaque programme a le sien, qui lui ouvre le calendrier et jamais ce bureau.',
    es: 'Cada programa tiene la suya, que le abre el calendario y nunca este escritorio.',
  },
  'What the new one is for': {
    de: 'Wofür das neue ist',
    fr: 'À quoi sert le nouveau',
    es: 'Para qué es la nueva',
  },
  'Create a password': { de: 'Passwort erstellen', fr: 'Créer un mot de passe', es: 'Crear una contraseña' },
  'End session': { de: 'Sitzung beenden', fr: 'Fermer la session', es: 'Cerrar la sesión' },
  'Sign out everywhere else': {
    de: 'Überall sonst abmelden',
    fr: 'Se déconnecter partout ailleurs',
    es: 'Salir de todos los demás sitios',
  },
  'never used': { de: 'nie benutzt', fr: 'jamais utilisé', es: 'nunca usada' },
  Revoke: { de: 'Widerrufen', fr: 'Révoquer', es: 'Revocar' },
  'That is not your password.': {
    de: 'Das ist nicht Ihr Passwort.',
    fr: 'Ce n’est pas votre mot de passe.',
    es: 'Esa no es su contraseña.',
  },
  'Say in one line what it is for.': {
    de: 'Sagen Sie in einer Zeile, wofür es ist.',
    fr: 'Dites en une ligne à quoi il sert.',
    es: 'Diga en una línea para qué es.',
  },
  'last seen {when}': { de: 'zuletzt da: {when}', fr: 'vu : {when}', es: 'visto: {when}' },
  'last used {when}': { de: 'zuletzt benutzt: {when}', fr: 'utilisé : {when}', es: 'usada: {when}' },
  'since {when}': { de: 'seit {when}', fr: 'depuis {when}', es: 'desde {when}' },
  'until {when}': { de: 'bis {when}', fr: 'jusqu’au {when}', es: 'hasta {when}' },
  'Language of the desk': {
    de: 'Sprache des Schreibtischs',
    fr: 'Langue du bureau',
    es: 'Idioma del escritorio',
  },
  'That of the calendar': { de: 'Die des Kalenders', fr: 'Celle du calendrier', es: 'El del calendario' },
  Invited: { de: 'Eingeladen', fr: 'Invités', es: 'Invitados' },
  'That invitation is revoked.': {
    de: 'Diese Einladung ist widerrufen.',
    fr: 'Cette invitation est révoquée.',
    es: 'Esa invitación queda revocada.',
  },
  'good until {when}': {
    de: 'gültig bis {when}',
    fr: 'valable jusqu’au {when}',
    es: 'válida hasta el {when}',
  },
  expired: { de: 'abgelaufen', fr: 'expirée', es: 'caducada' },
  'Invite again': { de: 'Erneut einladen', fr: 'Inviter à nouveau', es: 'Invitar de nuevo' },
  'At this address you choose a new password for the desk of {calendar}. It is good once and for {minutes} \
minutes.': {
    de:
      'Unter dieser Adresse wählen Sie ein neues Passwort für den ' +
      'Schreibtisch von {calendar}. Sie gilt einmal und {minutes} Minuten lang.',
    fr:
      'À cette adresse, vous choisissez un nouveau mot de passe pour le bureau ' +
      'de {calendar}. Elle vaut une seule fois, pendant {minutes} minutes.',
    es:
      'En esta dirección elige una nueva contraseña para el escritorio ' +
      'de {calendar}. Vale una sola vez, durante {minutes} minutos.',
  },
  'At this address you choose a password for the desk of {calendar}, where its events are kept. It is good \
once and for {days} days.': {
    de:
      'Unter dieser Adresse wählen Sie ein Passwort für den Schreibtisch von {calendar}, ' +
      'an dem seine Veranstaltungen gepflegt werden. Sie gilt einmal und {days} Tage lang.',
    fr:
      'À cette adresse, vous choisissez un mot de passe pour le bureau de {calendar}, ' +
      'où l’on tient ses événements. Elle vaut une seule fois, pendant {days} jours.',
    es:
      'En esta dirección elige una contraseña para el escritorio de {calendar}, ' +
      'donde se llevan sus eventos. Vale una sola vez, durante {days} días.',
  },
  'A new password for {calendar}': {
    de: 'Ein neues Passwort für {calendar}',
    fr: 'Un nouveau mot de passe pour {calendar}',
    es: 'Una nueva contraseña para {calendar}',
  },
  'Invitation to {calendar}': {
    de: 'Einladung zu {calendar}',
    fr: 'Invitation à {calendar}',
    es: 'Invitación a {calendar}',
  },
  'Send it to them now: it is shown only this once, and is good once and for {minutes} minutes.': {
    de:
      'Jetzt weitergeben: Der Link wird nur dieses eine Mal ' +
      'gezeigt und gilt einmal und {minutes} Minuten lang.',
    fr:
      'À transmettre maintenant : ce lien n’est montré qu’une ' +
      'fois, et vaut une seule fois, pendant {minutes} minutes.',
    es: 'Envíelo ahora: solo se muestra esta vez y vale una sola vez, durante {minutes} minutos.',
  },
  'Send it to them: it is shown only this once, and is good once and for {days} days.': {
    de: 'Zum Weitergeben: Der Link wird nur dieses eine Mal gezeigt und gilt einmal und {days} Tage lang.',
    fr: 'À transmettre : ce lien n’est montré qu’une fois, et vaut une seule fois, pendant {days} jours.',
    es: 'Envíelo: solo se muestra esta vez y vale una sola vez, durante {days} días.',
  },
  'With a text': { de: 'Mit einem Text', fr: 'Avec un texte', es: 'Con un texto' },
  'Write an e-mail': { de: 'E-Mail schreiben', fr: 'Écrire un e-mail', es: 'Escribir un correo' },
  'This account is deactivated: nobody signs in with it.': {
    de: 'Dieses Konto ist gesperrt: Niemand meldet sich damit an.',
    fr: 'Ce compte est désactivé : personne ne se connecte avec.',
    es: 'Esta cuenta está desactivada: nadie entra con ella.',
  },
} as const satisfies Texts
