import type { Texts } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'
import { deskTexts } from '../desk/desk-texts.ts'

export const openIdTexts = {
  'Sign in with {name}': {
    de: 'Mit {name} anmelden',
    fr: 'Se connecter avec {name}',
    es: 'Entrar con {name}',
  },
  'You are signed out here. At {name} you may still be signed in.': {
    de: 'Hier sind Sie abgemeldet. Bei {name} sind Sie vielleicht noch angemeldet.',
    fr: 'Vous êtes déconnecté ici. Vous l’êtes peut-être encore chez {name}.',
    es: 'Aquí ha cerrado la sesión. En {name} quizá siga abierta.',
  },
  'Sign out of {name} too': {
    de: 'Auch bei {name} abmelden',
    fr: 'Se déconnecter aussi de {name}',
    es: 'Cerrar también la sesión de {name}',
  },
  'Use my account of {name}': {
    de: 'Mein Konto bei {name} verwenden',
    fr: 'Utiliser mon compte {name}',
    es: 'Usar mi cuenta de {name}',
  },
  'From then on you sign in with it.': {
    de: 'Von da an melden Sie sich damit an.',
    fr: 'Vous vous connecterez ensuite avec lui.',
    es: 'Desde entonces entrará con ella.',
  },
  'Sign in with {name} in another tab': {
    de: 'In einem anderen Tab mit {name} anmelden',
    fr: 'Se connecter avec {name} dans un autre onglet',
    es: 'Entrar con {name} en otra pestaña',
  },
  'I have signed in: go on': {
    de: 'Ich bin angemeldet: weiter',
    fr: 'Je suis connecté\u00a0: continuer',
    es: 'Ya he entrado: continuar',
  },
  'Connected with {account}, last used {when}.': {
    de: 'Verbunden mit {account}, zuletzt verwendet {when}.',
    fr: 'Relié à {account}, utilisé la dernière fois {when}.',
    es: 'Vinculado con {account}, usado por última vez {when}.',
  },
  'Not connected with an account there.': {
    de: 'Mit keinem Konto dort verbunden.',
    fr: 'Relié à aucun compte de ce fournisseur.',
    es: 'No está vinculado con ninguna cuenta de allí.',
  },
  'A link that you create for them connects one.': {
    de: 'Mit einem Link, den Sie für sie erstellen, lässt sich eines verbinden.',
    fr: 'Un lien que vous créez pour cette personne permet d’en relier un.',
    es: 'Con un enlace que cree para esa persona se puede vincular una.',
  },
  'Connect my account': { de: 'Mein Konto verbinden', fr: 'Relier mon compte', es: 'Vincular mi cuenta' },
  Disconnect: { de: 'Trennen', fr: 'Dissocier', es: 'Desvincular' },
  'Without a password you sign in with it alone.': {
    de: 'Ohne Passwort melden Sie sich nur damit an.',
    fr: 'Sans mot de passe, c’est votre seul moyen de vous connecter.',
    es: 'Sin contraseña, solo puede entrar con ella.',
  },
  'Name and role follow the account at each sign-in.': {
    de: 'Name und Rolle folgen bei jeder Anmeldung dem Konto.',
    fr: 'Le nom et le rôle suivent le compte à chaque connexion.',
    es: 'El nombre y el rol siguen a la cuenta en cada entrada.',
  },
  'The name follows the account at each sign-in.': {
    de: 'Der Name folgt bei jeder Anmeldung dem Konto.',
    fr: 'Le nom suit le compte à chaque connexion.',
    es: 'El nombre sigue a la cuenta en cada entrada.',
  },
  'Try again': { de: 'Noch einmal versuchen', fr: 'Réessayer', es: 'Volver a intentarlo' },
  '{name} does not answer': {
    de: '{name} antwortet nicht',
    fr: '{name} ne répond pas',
    es: '{name} no responde',
  },
  'Nothing was changed. Try again in a minute.': {
    de: 'Es wurde nichts geändert. Versuchen Sie es in einer Minute noch einmal.',
    fr: 'Rien n’a été modifié. Réessayez dans une minute.',
    es: 'No se ha cambiado nada. Inténtelo de nuevo dentro de un minuto.',
  },
  'The answer of {name} cannot be used': {
    de: 'Die Antwort von {name} ist nicht brauchbar',
    fr: 'La réponse de {name} est inutilisable',
    es: 'La respuesta de {name} no se puede usar',
  },
  'Nobody was signed in. An administrator finds the reason in the log of the calendar.': {
    de: 'Niemand wurde angemeldet. Den Grund findet die Verwaltung im Protokoll des Kalenders.',
    fr: 'Personne n’a été connecté. L’administration trouvera la raison dans le journal du calendrier.',
    es: 'No ha entrado nadie. La administración encontrará la razón en el registro del calendario.',
  },
  'This sign-in has been used or has expired': {
    de: 'Diese Anmeldung wurde schon verwendet oder ist abgelaufen',
    fr: 'Cette connexion a déjà servi ou a expiré',
    es: 'Este inicio de sesión ya se usó o ha caducado',
  },
  'This sign-in was not begun here': {
    de: 'Diese Anmeldung wurde nicht hier begonnen',
    fr: 'Cette connexion n’a pas été commencée ici',
    es: 'Este inicio de sesión no se empezó aquí',
  },
  'It was begun in another browser, or more than ten minutes ago.': {
    de: 'Sie wurde in einem anderen Browser begonnen oder vor mehr als zehn Minuten.',
    fr: 'Elle a été commencée dans un autre navigateur, ou il y a plus de dix minutes.',
    es: 'Se empezó en otro navegador o hace más de diez minutos.',
  },
  '{name} did not sign you in': {
    de: '{name} hat Sie nicht angemeldet',
    fr: '{name} ne vous a pas connecté',
    es: '{name} no le ha dejado entrar',
  },
  'You have cancelled it, or your account may not use this calendar.': {
    de: 'Sie haben abgebrochen, oder Ihr Konto darf diesen Kalender nicht benutzen.',
    fr: 'Vous avez annulé, ou votre compte n’a pas droit à ce calendrier.',
    es: 'Usted lo ha cancelado, o su cuenta no puede usar este calendario.',
  },
  'You have no access to this calendar': {
    de: 'Sie haben keinen Zugang zu diesem Kalender',
    fr: 'Vous n’avez pas accès à ce calendrier',
    es: 'No tiene acceso a este calendario',
  },
  'Your account of {name} has no role here. Ask an administrator of this calendar.': {
    de: 'Ihr Konto bei {name} hat hier keine Rolle. Fragen Sie die Verwaltung dieses Kalenders.',
    fr: 'Votre compte {name} n’a pas de rôle ici. Adressez-vous à l’administration de ce calendrier.',
    es: 'Su cuenta de {name} no tiene ningún rol aquí. Pregunte a la administración de este calendario.',
  },
  'This account is connected already': {
    de: 'Dieses Konto ist schon verbunden',
    fr: 'Ce compte est déjà relié',
    es: 'Esta cuenta ya está vinculada',
  },
  'Your account of {name} signs in somebody else here. That has to be disconnected first.': {
    de: 'Mit Ihrem Konto bei {name} meldet sich hier jemand anderes an. Das muss zuerst getrennt werden.',
    fr: 'Votre compte {name} connecte ici quelqu’un d’autre. Il faut d’abord le dissocier.',
    es: 'Con su cuenta de {name} entra aquí otra persona. Primero hay que desvincularla.',
  },
  'Nothing was connected': {
    de: 'Es wurde nichts verbunden',
    fr: 'Rien n’a été relié',
    es: 'No se ha vinculado nada',
  },
  'Your session has ended meanwhile. Begin again on the page of your account.': {
    de: 'Ihre Sitzung ist inzwischen zu Ende. Beginnen Sie noch einmal auf der Seite Ihres Kontos.',
    fr: 'Votre session a pris fin entre-temps. Recommencez sur la page de votre compte.',
    es: 'Su sesión ha terminado entretanto. Empiece de nuevo en la página de su cuenta.',
  },
  '{name} has no page for signing out': {
    de: '{name} hat keine Seite zum Abmelden',
    fr: '{name} n’a pas de page de déconnexion',
    es: '{name} no tiene página para cerrar la sesión',
  },
  'Sign out on a page of {name} itself.': {
    de: 'Melden Sie sich auf einer Seite von {name} selbst ab.',
    fr: 'Déconnectez-vous sur une page de {name}.',
    es: 'Cierre la sesión en una página del propio {name}.',
  },
} as const satisfies Texts

export const sayOpenId = sayIn({ ...deskTexts, ...openIdTexts } as const)
export type OpenIdText = Parameters<typeof sayOpenId>[1]
