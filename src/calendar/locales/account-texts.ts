import type { Language } from '../../base/config.ts'
import type { UserRefusalText } from '../people/users.ts'

/** A text in every language but English. */
export type Others = Readonly<Record<Exclude<Language, 'en'>, string>>

/** The English texts of signing in, of people and of their passwords at the desk, with their translations beside them. */
export const accountTexts = {
  'Too many attempts from here; wait a minute and try again.': {
    de: 'Zu viele Versuche von hier; warten Sie eine Minute und versuchen Sie es noch einmal.',
    fr: 'Trop de tentatives d’ici ; attendez une minute et réessayez.',
    es: 'Demasiados intentos desde aquí; espere un minuto e inténtelo de nuevo.',
  },
  'Too many people sign in just now; try again in a few seconds.': {
    de: 'Gerade melden sich zu viele an; versuchen Sie es in ein paar Sekunden noch einmal.',
    fr: 'Trop de personnes se connectent en ce moment ; réessayez dans quelques secondes.',
    es: 'Ahora mismo entran demasiadas personas; inténtelo de nuevo en unos segundos.',
  },
  'This form did not come from the desk': {
    de: 'Dieses Formular kam nicht vom Schreibtisch',
    fr: 'Ce formulaire ne vient pas du bureau',
    es: 'Este formulario no vino del escritorio',
  },
  'Nothing was changed. Your browser says that another site sent this form.': {
    de: 'Es wurde nichts geändert. Ihr Browser sagt, dass eine andere Website dieses Formular gesendet hat.',
    fr: 'Rien n’a été modifié. Votre navigateur dit qu’un autre site a envoyé ce formulaire.',
    es: 'No se ha cambiado nada. Su navegador dice que otro sitio envió este formulario.',
  },
  'It came from {origin}, and the desk is at {own}.': {
    de: 'Es kam von {origin}, und der Schreibtisch ist unter {own}.',
    fr: 'Il vient de {origin}, et le bureau est à {own}.',
    es: 'Vino de {origin}, y el escritorio está en {own}.',
  },
  'Open the desk at its address': {
    de: 'Den Schreibtisch unter seiner Adresse öffnen',
    fr: 'Ouvrir le bureau à son adresse',
    es: 'Abrir el escritorio en su dirección',
  },
  'If that is not the address you use, whoever runs this calendar has to set KALENDS_SITE_URL to the one you use.': {
    de: 'Wenn Sie eine andere Adresse benutzen, muss, wer diesen Kalender betreibt, KALENDS_SITE_URL auf diese setzen.',
    fr: 'Si ce n’est pas l’adresse que vous utilisez, qui tient ce calendrier doit régler KALENDS_SITE_URL sur la vôtre.',
    es: 'Si esa no es la dirección que usa, quien lleva este calendario tiene que poner la suya en KALENDS_SITE_URL.',
  },
  'A password has {least} characters or more.': {
    de: 'Ein Passwort hat mindestens {least} Zeichen.',
    fr: 'Un mot de passe a au moins {least} caractères.',
    es: 'Una contraseña tiene al menos {least} caracteres.',
  },
  'A password has {most} characters at the most.': {
    de: 'Ein Passwort hat höchstens {most} Zeichen.',
    fr: 'Un mot de passe a au plus {most} caractères.',
    es: 'Una contraseña tiene como mucho {most} caracteres.',
  },
  'New password': { de: 'Neues Passwort', fr: 'Nouveau mot de passe', es: 'Contraseña nueva' },
  '{least} characters or more; a few words are easy to remember.': {
    de: '{least} Zeichen oder mehr; ein paar Wörter merkt man sich leicht.',
    fr: '{least} caractères ou plus ; quelques mots se retiennent facilement.',
    es: '{least} caracteres o más; unas pocas palabras se recuerdan bien.',
  },
  'This link is of no use any more': {
    de: 'Dieser Link gilt nicht mehr',
    fr: 'Ce lien ne sert plus',
    es: 'Este enlace ya no sirve',
  },
  'A link is good once, and for half an hour. Whoever runs this calendar can make another: kalends user link LOGIN.': {
    de: 'Ein Link gilt einmal und eine halbe Stunde lang. Wer diesen Kalender betreibt, kann einen neuen machen: kalends user link LOGIN.',
    fr: 'Un lien sert une fois, pendant une demi-heure. Qui tient ce calendrier peut en faire un autre : kalends user link LOGIN.',
    es: 'Un enlace sirve una vez y durante media hora. Quien lleva este calendario puede hacer otro: kalends user link LOGIN.',
  },
  'Look around': { de: 'Umsehen', fr: 'Faire le tour', es: 'Echar un vistazo' },
  'This link lets you in without a password, once. The desk is where the calendar is kept.': {
    de: 'Dieser Link lässt Sie einmal ohne Passwort ein. Am Schreibtisch wird der Kalender geführt.',
    fr: 'Ce lien vous laisse entrer une fois sans mot de passe. C’est au bureau que l’on tient le calendrier.',
    es: 'Este enlace le deja entrar una vez sin contraseña. En el escritorio se lleva el calendario.',
  },
  'Set up your calendar': {
    de: 'Ihren Kalender einrichten',
    fr: 'Préparer votre calendrier',
    es: 'Preparar su calendario',
  },
  'Choose a password': { de: 'Ein Passwort wählen', fr: 'Choisir un mot de passe', es: 'Elegir una contraseña' },
  'You sign in as': { de: 'Sie melden sich an als', fr: 'Vous vous connectez comme', es: 'Usted entra como' },
  'Open the desk': { de: 'Den Schreibtisch öffnen', fr: 'Ouvrir le bureau', es: 'Abrir el escritorio' },
  'Save and sign in': { de: 'Speichern und anmelden', fr: 'Enregistrer et se connecter', es: 'Guardar y entrar' },
  'Name of the calendar': { de: 'Name des Kalenders', fr: 'Nom du calendrier', es: 'Nombre del calendario' },
  'Its colour': { de: 'Seine Farbe', fr: 'Sa couleur', es: 'Su color' },
  'A name is one line of at most 200 characters.': {
    de: 'Ein Name ist eine Zeile von höchstens 200 Zeichen.',
    fr: 'Un nom tient sur une ligne de 200 caractères au plus.',
    es: 'Un nombre es una línea de 200 caracteres como mucho.',
  },
  'A colour is such as #0b6e5f.': {
    de: 'Eine Farbe ist etwa #0b6e5f.',
    fr: 'Une couleur s’écrit comme #0b6e5f.',
    es: 'Un color se escribe como #0b6e5f.',
  },
  'The program does not say what it is called.': {
    de: 'Das Programm sagt nicht, wie es heißt.',
    fr: 'Le programme ne dit pas comment il s’appelle.',
    es: 'El programa no dice cómo se llama.',
  },
  'The program names itself by an app_id that is no UUID.': {
    de: 'Das Programm nennt sich mit einer app_id, die keine UUID ist.',
    fr: 'Le programme se nomme par un app_id qui n’est pas un UUID.',
    es: 'El programa se nombra con un app_id que no es un UUID.',
  },
  'The program wants the password sent to an address that is neither https nor its own.': {
    de: 'Das Programm will das Passwort an eine Adresse gesendet haben, die weder https noch seine eigene ist.',
    fr: 'Le programme veut recevoir le mot de passe à une adresse qui n’est ni en https ni la sienne.',
    es: 'El programa quiere la contraseña en una dirección que no es https ni suya.',
  },
  'This program cannot be given a password': {
    de: 'Dieses Programm kann kein Passwort bekommen',
    fr: 'Ce programme ne peut pas recevoir de mot de passe',
    es: 'A este programa no se le puede dar una contraseña',
  },
  'Read drafts and private records': {
    de: 'Entwürfe und Privates lesen',
    fr: 'Lire les brouillons et ce qui est privé',
    es: 'Leer borradores y lo privado',
  },
  'Write your own records': { de: 'Eigenes schreiben', fr: 'Écrire ce qui est à vous', es: 'Escribir lo suyo' },
  'Write the records of everybody': {
    de: 'Alles von allen schreiben',
    fr: 'Écrire ce qui est à tous',
    es: 'Escribir lo de todos',
  },
  'Upload pictures': { de: 'Bilder hochladen', fr: 'Envoyer des images', es: 'Subir imágenes' },
  'What it may do': { de: 'Was es darf', fr: 'Ce qu’il peut faire', es: 'Qué puede hacer' },
  'Everything that you may do': {
    de: 'Alles, was Sie dürfen',
    fr: 'Tout ce que vous pouvez faire',
    es: 'Todo lo que usted puede hacer',
  },
  'Only what is chosen here:': {
    de: 'Nur, was hier gewählt ist:',
    fr: 'Seulement ce qui est choisi ici :',
    es: 'Solo lo elegido aquí:',
  },
  'Choose what it may do.': {
    de: 'Wählen Sie, was es darf.',
    fr: 'Choisissez ce qu’il peut faire.',
    es: 'Elija qué puede hacer.',
  },
  'It gets a password of its own, which is sent to {place}.': {
    de: 'Es bekommt ein eigenes Passwort, das an {place} gesendet wird.',
    fr: 'Il reçoit son propre mot de passe, envoyé à {place}.',
    es: 'Recibe una contraseña propia, que se envía a {place}.',
  },
  'It gets a password of its own, which is shown to you once.': {
    de: 'Es bekommt ein eigenes Passwort, das Ihnen einmal gezeigt wird.',
    fr: 'Il reçoit son propre mot de passe, qui vous est montré une fois.',
    es: 'Recibe una contraseña propia, que se le muestra una vez.',
  },
  '{name} wants to use this calendar in your name': {
    de: '{name} möchte diesen Kalender in Ihrem Namen benutzen',
    fr: '{name} veut utiliser ce calendrier en votre nom',
    es: '{name} quiere usar este calendario en su nombre',
  },
  'You are signed in as {name}.': {
    de: 'Sie sind angemeldet als {name}.',
    fr: 'Vous êtes connecté comme {name}.',
    es: 'Ha entrado como {name}.',
  },
  'Say yes only to a program that you have just started yourself. You can take the password away again on the page of your account.':
    {
      de: 'Sagen Sie nur zu einem Programm Ja, das Sie gerade selbst gestartet haben. Auf der Seite Ihres Kontos können Sie das Passwort wieder entziehen.',
      fr: 'Ne dites oui qu’à un programme que vous venez de lancer vous-même. Vous pouvez reprendre le mot de passe sur la page de votre compte.',
      es: 'Diga que sí solo a un programa que usted mismo acaba de abrir. Puede retirar la contraseña en la página de su cuenta.',
    },
  'Yes, let it in': { de: 'Ja, einlassen', fr: 'Oui, le laisser entrer', es: 'Sí, déjelo entrar' },
  'A password for {name}': {
    de: 'Ein Passwort für {name}',
    fr: 'Un mot de passe pour {name}',
    es: 'Una contraseña para {name}',
  },
  'Copy it now: it is shown only this once.': {
    de: 'Kopieren Sie es jetzt: Es wird nur dieses eine Mal gezeigt.',
    fr: 'Copiez-le maintenant : il n’est montré que cette fois.',
    es: 'Cópiela ahora: solo se muestra esta vez.',
  },
  'It is used together with your name, {login}.': {
    de: 'Es wird zusammen mit Ihrem Namen {login} benutzt.',
    fr: 'Il s’utilise avec votre nom, {login}.',
    es: 'Se usa junto con su nombre, {login}.',
  },
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
  'Invite somebody': { de: 'Jemanden einladen', fr: 'Inviter quelqu’un', es: 'Invitar a alguien' },
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
  'Make the account and a link': {
    de: 'Konto und Link machen',
    fr: 'Créer le compte et un lien',
    es: 'Crear la cuenta y un enlace',
  },
  'A link for {name}': { de: 'Ein Link für {name}', fr: 'Un lien pour {name}', es: 'Un enlace para {name}' },
  'Copy it now and send it to them: it is shown only this once, and is good once and for {minutes} minutes. At it they choose a password.':
    {
      de: 'Kopieren und schicken Sie ihn jetzt: Er wird nur dieses eine Mal gezeigt und gilt einmal und {minutes} Minuten lang. Dort wählt die Person ein Passwort.',
      fr: 'Copiez-le et envoyez-le maintenant : il n’est montré que cette fois et sert une fois, pendant {minutes} minutes. On y choisit un mot de passe.',
      es: 'Cópielo y envíelo ahora: solo se muestra esta vez, y sirve una vez y durante {minutes} minutos. Allí se elige una contraseña.',
    },
  Link: { de: 'Link', fr: 'Lien', es: 'Enlace' },
  'A link lets them choose a password, also in place of a forgotten one.': {
    de: 'Mit einem Link wählen sie ein Passwort, auch anstelle eines vergessenen.',
    fr: 'Un lien permet de choisir un mot de passe, aussi à la place d’un mot de passe oublié.',
    es: 'Un enlace permite elegir una contraseña, también en lugar de una olvidada.',
  },
  'Make a link': { de: 'Einen Link machen', fr: 'Créer un lien', es: 'Crear un enlace' },
  'Who is deactivated signs in nowhere, with no password and no token. Their records stay.': {
    de: 'Wer gesperrt ist, meldet sich nirgends an, mit keinem Passwort und keinem Token. Die Einträge bleiben.',
    fr: 'Un compte désactivé ne se connecte nulle part, avec aucun mot de passe ni jeton. Ses fiches restent.',
    es: 'Quien está desactivado no entra en ninguna parte, con ninguna contraseña ni token. Sus registros quedan.',
  },
  'This account is deactivated: nobody signs in with it.': {
    de: 'Dieses Konto ist gesperrt: Niemand meldet sich damit an.',
    fr: 'Ce compte est désactivé : personne ne se connecte avec.',
    es: 'Esta cuenta está desactivada: nadie entra con ella.',
  },
  Deactivate: { de: 'Sperren', fr: 'Désactiver', es: 'Desactivar' },
  'Let them in again': { de: 'Wieder einlassen', fr: 'Laisser entrer à nouveau', es: 'Dejar entrar de nuevo' },
  'Who takes over their records': {
    de: 'Wer die Einträge übernimmt',
    fr: 'Qui reprend ses fiches',
    es: 'Quién se hace cargo de sus registros',
  },
  'A sign-in name.': { de: 'Ein Anmeldename.', fr: 'Un nom de connexion.', es: 'Un nombre de entrada.' },
  'Hand over the records': { de: 'Einträge übergeben', fr: 'Transmettre les fiches', es: 'Entregar los registros' },
  'Delete the account for good': {
    de: 'Konto endgültig löschen',
    fr: 'Supprimer le compte définitivement',
    es: 'Eliminar la cuenta definitivamente',
  },
  'Nobody has this sign-in name.': {
    de: 'Niemand hat diesen Anmeldenamen.',
    fr: 'Personne n’a ce nom de connexion.',
    es: 'Nadie tiene ese nombre de entrada.',
  },
  'A login is up to 60 letters, digits and . _ - @ and starts with a letter or digit.': {
    de: 'Ein Anmeldename hat bis zu 60 Buchstaben, Ziffern und . _ - @ und beginnt mit einem Buchstaben oder einer Ziffer.',
    fr: 'Un nom de connexion a jusqu’à 60 lettres, chiffres et . _ - @ et commence par une lettre ou un chiffre.',
    es: 'Un nombre de entrada tiene hasta 60 letras, cifras y . _ - @ y empieza por una letra o una cifra.',
  },
  '{email} is not an e-mail address.': {
    de: '{email} ist keine E-Mail-Adresse.',
    fr: '{email} n’est pas une adresse e-mail.',
    es: '{email} no es una dirección de correo.',
  },
  'A name is one line of at most 250 characters.': {
    de: 'Ein Name ist eine Zeile von höchstens 250 Zeichen.',
    fr: 'Un nom tient sur une ligne de 250 caractères au plus.',
    es: 'Un nombre es una línea de 250 caracteres como mucho.',
  },
  'There already is a user with the login or e-mail address {name}.': {
    de: 'Es gibt schon jemanden mit dem Anmeldenamen oder der E-Mail-Adresse {name}.',
    fr: 'Quelqu’un a déjà le nom de connexion ou l’adresse e-mail {name}.',
    es: 'Ya hay alguien con el nombre de entrada o el correo {name}.',
  },
  '{login} is the last administrator; make another user administrator first.': {
    de: '{login} ist der letzte Administrator; machen Sie zuerst jemand anderen dazu.',
    fr: '{login} est le dernier administrateur ; nommez-en d’abord un autre.',
    es: '{login} es el último administrador; nombre antes a otro.',
  },
  'The records of {login} cannot go to {login}.': {
    de: 'Die Einträge von {login} können nicht an {login} gehen.',
    fr: 'Les fiches de {login} ne peuvent pas aller à {login}.',
    es: 'Los registros de {login} no pueden ir a {login}.',
  },
  '{login} owns records; name the user who takes them over.': {
    de: '{login} hat Einträge; sagen Sie, wer sie übernimmt.',
    fr: '{login} possède des fiches ; dites qui les reprend.',
    es: '{login} tiene registros; diga quién se hace cargo de ellos.',
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
  'That password is good for nothing any more.': {
    de: 'Dieses Passwort gilt nicht mehr.',
    fr: 'Ce mot de passe ne sert plus.',
    es: 'Esa contraseña ya no sirve.',
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
  'Change the password': { de: 'Passwort ändern', fr: 'Changer le mot de passe', es: 'Cambiar la contraseña' },
  'This browser': { de: 'Dieser Browser', fr: 'Ce navigateur', es: 'Este navegador' },
  'Where you are signed in': { de: 'Wo Sie angemeldet sind', fr: 'Où vous êtes connecté', es: 'Dónde ha entrado' },
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
  'What the new one is for': { de: 'Wofür das neue ist', fr: 'À quoi sert le nouveau', es: 'Para qué es la nueva' },
  'Make a password': { de: 'Ein Passwort machen', fr: 'Créer un mot de passe', es: 'Crear una contraseña' },
  'End it': { de: 'Beenden', fr: 'Terminer', es: 'Terminar' },
  'Sign out everywhere else': {
    de: 'Überall sonst abmelden',
    fr: 'Se déconnecter partout ailleurs',
    es: 'Salir de todos los demás sitios',
  },
  'never used': { de: 'nie benutzt', fr: 'jamais utilisé', es: 'nunca usada' },
  'Take it away': { de: 'Entziehen', fr: 'Retirer', es: 'Retirar' },
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
  'Sign in to go on': { de: 'Anmelden und weitermachen', fr: 'Se connecter pour continuer', es: 'Entrar para seguir' },
  'Your session has ended. What you typed is kept here: sign in, and it is saved.': {
    de: 'Ihre Sitzung ist zu Ende. Was Sie geschrieben haben, ist hier aufgehoben: Melden Sie sich an, und es wird gespeichert.',
    fr: 'Votre session est terminée. Ce que vous avez écrit est gardé ici : connectez-vous, et ce sera enregistré.',
    es: 'Su sesión ha terminado. Lo que escribió se guarda aquí: entre, y quedará guardado.',
  },
  'Only the picture has to be chosen again afterwards.': {
    de: 'Nur das Bild muss danach noch einmal gewählt werden.',
    fr: 'Seule l’image est à choisir de nouveau ensuite.',
    es: 'Solo habrá que elegir de nuevo la imagen.',
  },
  'Sign in and go on': { de: 'Anmelden und weiter', fr: 'Se connecter et continuer', es: 'Entrar y seguir' },
  'last seen {when}': { de: 'zuletzt da: {when}', fr: 'vu : {when}', es: 'visto: {when}' },
  'last used {when}': { de: 'zuletzt benutzt: {when}', fr: 'utilisé : {when}', es: 'usada: {when}' },
  'since {when}': { de: 'seit {when}', fr: 'depuis {when}', es: 'desde {when}' },
  'until {when}': { de: 'bis {when}', fr: 'jusqu’au {when}', es: 'hasta {when}' },
} as const satisfies Readonly<Record<string, Others>> & Readonly<Record<UserRefusalText, Others>>
