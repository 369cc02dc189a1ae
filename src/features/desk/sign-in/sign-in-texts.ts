import type { Texts } from '../../../calendar/locales/texts.ts'

export const signInTexts = {
  Allow: { de: 'Erlauben', fr: 'Autoriser', es: 'Permitir' },
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
  'This program was given a password before, on {date}. It stays good until you take it away.': {
    de: 'Dieses Programm hat am {date} schon ein Passwort bekommen. Es gilt, bis Sie es wegnehmen.',
    fr:
      'Ce programme a déjà reçu un mot de passe, le {date}. ' +
      'Il reste valable jusqu’à ce que vous le retiriez.',
    es: 'Este programa ya recibió una contraseña el {date}. Sigue valiendo hasta que usted se la quite.',
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
  'If that is not the address you use, whoever runs this calendar has to set KALENDS_SITE_URL to the one you \
use.': {
    de:
      'Wenn Sie eine andere Adresse benutzen, muss, wer diesen ' +
      'Kalender betreibt, KALENDS_SITE_URL auf diese setzen.',
    fr:
      'Si ce n’est pas l’adresse que vous utilisez, qui tient ' +
      'ce calendrier doit régler KALENDS_SITE_URL sur la vôtre.',
    es:
      'Si esa no es la dirección que usa, quien lleva este ' +
      'calendario tiene que poner la suya en KALENDS_SITE_URL.',
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
    de:
      'Das Programm will das Passwort an eine Adresse ' +
      'gesendet haben, die weder https noch seine eigene ist.',
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
  'Write your own records': {
    de: 'Eigenes schreiben',
    fr: 'Écrire ce qui est à vous',
    es: 'Escribir lo suyo',
  },
  'Write the records of everybody': {
    de: 'Alles von allen schreiben',
    fr: 'Écrire ce qui est à tous',
    es: 'Escribir lo de todos',
  },
  'What it may do': { de: 'Was es darf', fr: 'Ce qu’il peut faire', es: 'Qué puede hacer' },
  'Only what is chosen here:': {
    de: 'Nur, was hier gewählt ist:',
    fr: 'Seulement ce qui est choisi ici :',
    es: 'Solo lo elegido aquí:',
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
  'Say yes only to a program that you have just started yourself. You can take the password away again on \
the page of your account.': {
    de:
      'Sagen Sie nur zu einem Programm Ja, das Sie gerade selbst gestartet ' +
      'haben. Auf der Seite Ihres Kontos können Sie das Passwort wieder entziehen.',
    fr:
      'Ne dites oui qu’à un programme que vous venez de lancer vous-même. ' +
      'Vous pouvez reprendre le mot de passe sur la page de votre compte.',
    es:
      'Diga que sí solo a un programa que usted mismo acaba de ' +
      'abrir. Puede retirar la contraseña en la página de su cuenta.',
  },
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
  'Sign in to go on': {
    de: 'Anmelden und weitermachen',
    fr: 'Se connecter pour continuer',
    es: 'Entrar para seguir',
  },
  'Your session has ended. What you typed is kept here: sign in, and it is saved.': {
    de:
      'Ihre Sitzung ist zu Ende. Was Sie geschrieben haben, ist ' +
      'hier aufgehoben: Melden Sie sich an, und es wird gespeichert.',
    fr:
      'Votre session est terminée. Ce que vous avez écrit ' +
      'est gardé ici : connectez-vous, et ce sera enregistré.',
    es: 'Su sesión ha terminado. Lo que escribió se guarda aquí: entre, y quedará guardado.',
  },
  'Only the picture has to be chosen again afterwards.': {
    de: 'Nur das Bild muss danach noch einmal gewählt werden.',
    fr: 'Seule l’image est à choisir de nouveau ensuite.',
    es: 'Solo habrá que elegir de nuevo la imagen.',
  },
  'Sign in and go on': { de: 'Anmelden und weiter', fr: 'Se connecter et continuer', es: 'Entrar y seguir' },
  'Sign in to the desk': {
    de: 'Am Schreibtisch anmelden',
    fr: 'Se connecter au bureau',
    es: 'Entrar en el escritorio',
  },
  'Name or e-mail': { de: 'Name oder E-Mail', fr: 'Nom ou e-mail', es: 'Nombre o correo' },
  'That name and password do not belong together.': {
    de: 'Name und Passwort gehören nicht zusammen.',
    fr: 'Ce nom et ce mot de passe ne vont pas ensemble.',
    es: 'Ese nombre y esa contraseña no se corresponden.',
  },
  'Forgotten? Have a link sent to you.': {
    de: 'Vergessen? Lassen Sie sich einen Link schicken.',
    fr: 'Oublié ? Faites-vous envoyer un lien.',
    es: '¿Olvidada? Pida que le enviemos un enlace.',
  },
  'A new password': { de: 'Ein neues Passwort', fr: 'Un nouveau mot de passe', es: 'Una contraseña nueva' },
  'Send me a link': { de: 'Link schicken', fr: 'M’envoyer un lien', es: 'Enviarme un enlace' },
  'Look into your mailbox': {
    de: 'Sehen Sie in Ihr Postfach',
    fr: 'Regardez dans votre boîte',
    es: 'Mire en su buzón',
  },
  'If an account has this name and an e-mail address, a link for a new password is on its way to it.': {
    de:
      'Gibt es ein Konto mit diesem Namen und einer E-Mail-Adresse, ' +
      'ist ein Link für ein neues Passwort dorthin unterwegs.',
    fr: 'Si un compte a ce nom et une adresse e-mail, un lien pour un nouveau mot de passe lui est envoyé.',
    es:
      'Si una cuenta tiene este nombre y una dirección de correo, ' +
      'se le ha enviado un enlace para una contraseña nueva.',
  },
  'Forgotten? Ask whoever runs this calendar for a link.': {
    de: 'Vergessen? Bitten Sie, wer diesen Kalender betreibt, um einen Link.',
    fr: 'Oublié ? Demandez un lien à qui tient ce calendrier.',
    es: '¿Olvidada? Pida un enlace a quien lleva este calendario.',
  },
} as const satisfies Texts
