import type { Texts } from '../../calendar/locales/texts.ts'

export const setUpTexts = {
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
  'Show password': {
    de: 'Passwort anzeigen',
    fr: 'Afficher le mot de passe',
    es: 'Mostrar la contraseña',
  },
  '{least} characters or more; a few words are easy to remember.': {
    de: '{least} Zeichen oder mehr; ein paar Wörter merkt man sich leicht.',
    fr: '{least} caractères ou plus ; quelques mots se retiennent facilement.',
    es: '{least} caracteres o más; unas pocas palabras se recuerdan bien.',
  },
  'Look around': { de: 'Umsehen', fr: 'Faire le tour', es: 'Echar un vistazo' },
  'This link lets you in without a password, once. The desk is where the calendar is kept.': {
    de: 'Dieser Link lässt Sie einmal ohne Passwort ein. Am Schreibtisch wird der Kalender geführt.',
    fr:
      'Ce lien vous laisse entrer une fois sans mot de ' +
      'passe. C’est au bureau que l’on tient le calendrier.',
    es: 'Este enlace le deja entrar una vez sin contraseña. En el escritorio se lleva el calendario.',
  },
  'Set up your calendar': {
    de: 'Ihren Kalender einrichten',
    fr: 'Préparer votre calendrier',
    es: 'Preparar su calendario',
  },
  'You sign in as': { de: 'Sie melden sich an als', fr: 'Vous vous connectez comme', es: 'Usted entra como' },
  'Save and sign in': {
    de: 'Speichern und anmelden',
    fr: 'Enregistrer et se connecter',
    es: 'Guardar y entrar',
  },
  'Address of the calendar': {
    de: 'Adresse des Kalenders',
    fr: 'Adresse du calendrier',
    es: 'Dirección del calendario',
  },
  'Network address that it listens on': {
    de: 'Netzwerkadresse, an der er lauscht',
    fr: 'Adresse réseau où il écoute',
    es: 'Dirección de red en la que escucha',
  },
  'Proxies that are believed': {
    de: 'Proxys, denen geglaubt wird',
    fr: 'Proxys de confiance',
    es: 'Proxies en los que se confía',
  },
  'Path of the interface': {
    de: 'Pfad der Schnittstelle',
    fr: 'Chemin de l’interface',
    es: 'Ruta de la interfaz',
  },
  'First word of the interface': {
    de: 'Erstes Wort der Schnittstelle',
    fr: 'Premier mot de l’interface',
    es: 'Primera palabra de la interfaz',
  },
  'Data folder': { de: 'Datenordner', fr: 'Dossier des données', es: 'Carpeta de datos' },
  Database: { de: 'Datenbank', fr: 'Base de données', es: 'Base de datos' },
  'Where images are kept': {
    de: 'Wo Bilder liegen',
    fr: 'Où sont les images',
    es: 'Dónde se guardan las imágenes',
  },
  'Public address of images': {
    de: 'Öffentliche Adresse der Bilder',
    fr: 'Adresse publique des images',
    es: 'Dirección pública de las imágenes',
  },
  'Languages that visitors may choose': {
    de: 'Sprachen, die Besucher wählen können',
    fr: 'Langues au choix des visiteurs',
    es: 'Idiomas que pueden elegir los visitantes',
  },
  Currency: { de: 'Währung', fr: 'Monnaie', es: 'Moneda' },
  'Months ahead that series become events': {
    de: 'Monate im Voraus, für die aus Serien Veranstaltungen werden',
    fr: 'Mois d’avance pour lesquels les séries deviennent des événements',
    es: 'Meses de antelación con que las series se convierten en eventos',
  },
  'Radius of searches around a place (km)': {
    de: 'Umkreis der Suche um einen Ort (km)',
    fr: 'Rayon des recherches autour d’un lieu (km)',
    es: 'Radio de las búsquedas alrededor de un lugar (km)',
  },
  'Pages for visitors': {
    de: 'Seiten für Besucher',
    fr: 'Pages pour les visiteurs',
    es: 'Páginas para los visitantes',
  },
  'The desk': { de: 'Der Schreibtisch', fr: 'Le bureau', es: 'El escritorio' },
  'What assistants may do': {
    de: 'Was Assistenten dürfen',
    fr: 'Ce que les assistants peuvent faire',
    es: 'Lo que pueden hacer los asistentes',
  },
  'Sites that may frame the calendar': {
    de: 'Websites, die den Kalender einrahmen dürfen',
    fr: 'Sites qui peuvent encadrer le calendrier',
    es: 'Sitios que pueden enmarcar el calendario',
  },
  'Hosts that images come from': {
    de: 'Rechner, von denen Bilder kommen',
    fr: 'Hôtes d’où viennent les images',
    es: 'Servidores de los que vienen las imágenes',
  },
  'Hosts that webhooks go to': {
    de: 'Rechner, an die Webhooks gehen',
    fr: 'Hôtes où vont les webhooks',
    es: 'Servidores a los que van los webhooks',
  },
  'Address of directions': {
    de: 'Adresse für Routen',
    fr: 'Adresse des itinéraires',
    es: 'Dirección de las rutas',
  },
  'Tiles of maps': { de: 'Kacheln der Karten', fr: 'Tuiles des cartes', es: 'Teselas de los mapas' },
  'Named on every map': {
    de: 'Auf jeder Karte genannt',
    fr: 'Nommé sur chaque carte',
    es: 'Nombrado en cada mapa',
  },
  'Pages of text': { de: 'Textseiten', fr: 'Pages de texte', es: 'Páginas de texto' },
  'Own style sheet': { de: 'Eigenes Stylesheet', fr: 'Feuille de style propre', es: 'Hoja de estilo propia' },
  'Records on a page of a list, at most': {
    de: 'Einträge je Seite einer Liste, höchstens',
    fr: 'Fiches par page d’une liste, au plus',
    es: 'Fichas por página de una lista, como máximo',
  },
  'Longest description': {
    de: 'Längste Beschreibung',
    fr: 'Plus longue description',
    es: 'Descripción más larga',
  },
  'Largest request': { de: 'Größte Anfrage', fr: 'Plus grande requête', es: 'Petición más grande' },
  'Largest image': { de: 'Größtes Bild', fr: 'Plus grande image', es: 'Imagen más grande' },
  'Memory for requests that arrive': {
    de: 'Speicher für eintreffende Anfragen',
    fr: 'Mémoire pour les requêtes qui arrivent',
    es: 'Memoria para las peticiones que llegan',
  },
  'Memory for kept answers': {
    de: 'Speicher für aufgehobene Antworten',
    fr: 'Mémoire pour les réponses gardées',
    es: 'Memoria para las respuestas guardadas',
  },
  'Requests a second of each address': {
    de: 'Anfragen je Sekunde und Adresse',
    fr: 'Requêtes par seconde de chaque adresse',
    es: 'Peticiones por segundo de cada dirección',
  },
  'Requests a second of each assistant': {
    de: 'Anfragen je Sekunde und Assistent',
    fr: 'Requêtes par seconde de chaque assistant',
    es: 'Peticiones por segundo de cada asistente',
  },
  'Patience with slow clients': {
    de: 'Geduld mit langsamen Gegenstellen',
    fr: 'Patience avec les clients lents',
    es: 'Paciencia con los clientes lentos',
  },
  'Time for connections before a stop': {
    de: 'Zeit für Verbindungen vor dem Anhalten',
    fr: 'Temps pour les connexions avant l’arrêt',
    es: 'Tiempo para las conexiones antes de parar',
  },
  'Time for answers before a stop': {
    de: 'Zeit für Antworten vor dem Anhalten',
    fr: 'Temps pour les réponses avant l’arrêt',
    es: 'Tiempo para las respuestas antes de parar',
  },
  'Days that the history is kept': {
    de: 'Tage, die der Verlauf aufgehoben wird',
    fr: 'Jours pendant lesquels l’historique est gardé',
    es: 'Días que se guarda el historial',
  },
  'Room for values from before': {
    de: 'Platz für frühere Werte',
    fr: 'Place pour les valeurs d’avant',
    es: 'Espacio para los valores anteriores',
  },
  'How much is logged': {
    de: 'Wie viel protokolliert wird',
    fr: 'Détail du journal',
    es: 'Detalle del registro',
  },
  'Requests in the log': {
    de: 'Anfragen im Protokoll',
    fr: 'Requêtes dans le journal',
    es: 'Peticiones en el registro',
  },
  'Where metrics are read': {
    de: 'Wo Messwerte gelesen werden',
    fr: 'Où se lisent les mesures',
    es: 'Dónde se leen las métricas',
  },
  'All settings': { de: 'Alle Einstellungen', fr: 'Tous les réglages', es: 'Todos los ajustes' },
  'What was set when the service was started, by a flag or in its environment, wins over what is set here.': {
    de:
      'Was beim Start des Dienstes gesetzt wurde, durch eine Option ' +
      'oder in seiner Umgebung, geht dem vor, was hier gesetzt ist.',
    fr:
      'Ce qui a été fixé au démarrage du service, par une option ou ' +
      'dans son environnement, l’emporte sur ce qui est réglé ici.',
    es:
      'Lo que se fijó al arrancar el servicio, con una opción ' +
      'o en su entorno, prevalece sobre lo que se ajusta aquí.',
  },
  '{place} — now {time}': {
    de: '{place} – jetzt {time}',
    fr: '{place} – maintenant {time}',
    es: '{place}: ahora {time}',
  },
  'taken from your browser': {
    de: 'vom Browser übernommen',
    fr: 'selon votre navigateur',
    es: 'según su navegador',
  },
  'Your events are at the time of': {
    de: 'Die Veranstaltungen richten sich nach der Uhr von',
    fr: 'Vos événements sont à l’heure de',
    es: 'Sus eventos son a la hora de',
  },
  'An event at 19:30 appears at 19:30 in {place} in every phone.': {
    de: 'Eine Veranstaltung um 19:30 steht in jedem Telefon um 19:30 in {place}.',
    fr: 'Un événement à 19 h 30 apparaît à 19 h 30 à {place} sur chaque téléphone.',
    es: 'Un evento a las 19:30 aparece a las 19:30 de {place} en cada teléfono.',
  },
  'An event at 19:30 appears at 19:30 in {place} in every phone. Changing it later asks what becomes of the \
events that are there.': {
    de:
      'Eine Veranstaltung um 19:30 steht in jedem Telefon um 19:30 in {place}. ' +
      'Eine spätere Änderung fragt, was aus den vorhandenen Veranstaltungen wird.',
    fr:
      'Un événement à 19 h 30 apparaît à 19 h 30 à {place} sur chaque téléphone. ' +
      'Un changement ultérieur demande ce que deviennent les événements déjà là.',
    es:
      'Un evento a las 19:30 aparece a las 19:30 de {place} en cada teléfono. ' +
      'Si se cambia después, se pregunta qué pasa con los eventos que ya existen.',
  },
  'Then, on Today (until done or waved away)': {
    de: 'Dann, auf „Heute“ (bis erledigt oder weggeklickt)',
    fr: 'Ensuite, sur Aujourd’hui (jusqu’à ce que ce soit fait ou écarté)',
    es: 'Después, en Hoy (hasta hacerlo o descartarlo)',
  },
  'Import events — paste a table or drop a file': {
    de: 'Veranstaltungen importieren – eine Tabelle einfügen oder eine Datei ablegen',
    fr: 'Importer des événements – coller un tableau ou déposer un fichier',
    es: 'Importar eventos: pegar una tabla o soltar un archivo',
  },
  'Logo and colour': { de: 'Logo und Farbe', fr: 'Logo et couleur', es: 'Logotipo y color' },
  'Put it on your website': {
    de: 'Auf die eigene Website stellen',
    fr: 'Le mettre sur votre site',
    es: 'Ponerlo en su sitio web',
  },
  Welcome: { de: 'Willkommen', fr: 'Bienvenue', es: 'Bienvenida' },
  'This invitation has expired': {
    de: 'Diese Einladung ist abgelaufen',
    fr: 'Cette invitation a expiré',
    es: 'Esta invitación ha caducado',
  },
  'Ask {name} for a new one: one click makes it.': {
    de: '{name} kann mit einem Klick eine neue machen: bitte dort fragen.',
    fr: 'Demandez-en une nouvelle à {name} : un clic suffit.',
    es: 'Pida una nueva a {name}: basta un clic.',
  },
  'by the flag {name}': {
    de: 'durch die Option {name}',
    fr: 'par l’option {name}',
    es: 'por la opción {name}',
  },
  'by {name} in the environment': {
    de: 'durch {name} in der Umgebung',
    fr: 'par {name} dans l’environnement',
    es: 'por {name} en el entorno',
  },
  'set at the desk': {
    de: 'am Schreibtisch gesetzt',
    fr: 'réglé au bureau',
    es: 'ajustado en el escritorio',
  },
  'by default': { de: 'von Anfang an', fr: 'par défaut', es: 'por defecto' },
  'What becomes of the events that are there?': {
    de: 'Was wird aus den vorhandenen Veranstaltungen?',
    fr: 'Que deviennent les événements déjà là ?',
    es: '¿Qué pasa con los eventos que ya existen?',
  },
  'They keep': { de: 'Sie behalten', fr: 'Ils gardent', es: 'Conservan' },
  'What is at 19:30 in {from} is at 19:30 in {to}: right where the zone was wrong until now.': {
    de: 'Was um 19:30 in {from} ist, ist um 19:30 in {to}: richtig, wo die Zone bisher falsch war.',
    fr: 'Ce qui est à 19 h 30 à {from} est à 19 h 30 à {to} : juste si le fuseau était faux jusqu’ici.',
    es:
      'Lo que es a las 19:30 de {from} pasa a las 19:30 de ' +
      '{to}: lo correcto si la zona era errónea hasta ahora.',
  },
  'What is at 19:30 in {from} stays at that moment, and is shown at the hour of {to}: right where the \
calendar moves. Series stay in their zone, since their rule goes by its clock.': {
    de:
      'Was um 19:30 in {from} ist, bleibt zu diesem Zeitpunkt und steht zur Uhrzeit von {to}: ' +
      'richtig, wo der Kalender umzieht. Serien bleiben in ihrer Zone, da ihre Regel nach deren Uhr geht.',
    fr:
      'Ce qui est à 19 h 30 à {from} reste à ce moment et apparaît à l’heure de {to} : juste ' +
      'si le calendrier déménage. Les séries restent dans leur fuseau, car leur règle suit son horloge.',
    es:
      'Lo que es a las 19:30 de {from} sigue en ese momento y aparece a la hora de {to}: lo ' +
      'correcto si el calendario se muda. Las series siguen en su zona, porque su regla va por su reloj.',
  },
  'It can be taken back for 30 days.': {
    de: 'Es lässt sich 30 Tage lang zurücknehmen.',
    fr: 'On peut revenir en arrière pendant 30 jours.',
    es: 'Se puede deshacer durante 30 días.',
  },
  'Change the zone': { de: 'Die Zone ändern', fr: 'Changer de fuseau', es: 'Cambiar la zona' },
  'One event': { de: 'Eine Veranstaltung', fr: 'Un événement', es: 'Un evento' },
  '{count} series': {
    en: { one: 'One series', other: '{count} series' },
    de: { one: 'Eine Serie', other: '{count} Serien' },
    fr: { one: 'Une série', other: '{count} séries' },
    es: { one: 'Una serie', other: '{count} series de eventos' },
  },
  'In the zone of the calendar: {what}.': {
    de: 'In der Zone des Kalenders: {what}.',
    fr: 'Dans le fuseau du calendrier : {what}.',
    es: 'En la zona del calendario: {what}.',
  },
  'The next ten': { de: 'Die nächsten zehn', fr: 'Les dix prochains', es: 'Los diez próximos' },
  '{count} records': {
    en: { one: '{count} record', other: '{count} records' },
    de: { one: '{count} Eintrag', other: '{count} Einträge' },
    fr: { one: '{count} fiche', other: '{count} fiches' },
    es: { one: '{count} ficha', other: '{count} fichas' },
  },
  'The zone changes: {count} done or to do. This page says more once it is loaded again.': {
    de:
      'Die Zone wird geändert: {count} erledigt oder noch ' +
      'zu tun. Beim nächsten Laden sagt diese Seite mehr.',
    fr: 'Le fuseau change : {count} faites ou à faire. Rechargez cette page pour en savoir plus.',
    es: 'La zona está cambiando: {count} hechas o por hacer. Vuelva a cargar esta página para saber más.',
  },
  'The zone is being changed just now. Try again once that is done.': {
    de: 'Die Zone wird gerade geändert. Versuchen Sie es noch einmal, wenn das erledigt ist.',
    fr: 'Le fuseau est en cours de changement. Réessayez une fois que c’est terminé.',
    es: 'La zona se está cambiando ahora mismo. Vuelva a intentarlo cuando haya terminado.',
  },
  'The zone is {to} in place of {from}; {count} kept the hour.': {
    de: 'Die Zone ist {to} statt {from}; {count} behielten die Uhrzeit.',
    fr: 'Le fuseau est {to} au lieu de {from} ; {count} ont gardé l’heure.',
    es: 'La zona es {to} en lugar de {from}; {count} conservaron la hora.',
  },
  'The zone is {to} in place of {from}; {count} kept the moment.': {
    de: 'Die Zone ist {to} statt {from}; {count} behielten den Zeitpunkt.',
    fr: 'Le fuseau est {to} au lieu de {from} ; {count} ont gardé le moment.',
    es: 'La zona es {to} en lugar de {from}; {count} conservaron el momento.',
  },
  'Undo this change': {
    de: 'Änderung rückgängig machen',
    fr: 'Annuler ce changement',
    es: 'Deshacer el cambio',
  },
  'Keep the hour': { de: 'Die Uhrzeit behalten', fr: 'Garder l’heure', es: 'Conservar la hora' },
  'Keep the moment': { de: 'Den Zeitpunkt behalten', fr: 'Garder le moment', es: 'Conservar el momento' },
  'Number of the port': { de: 'Nummer des Ports', fr: 'Numéro du port', es: 'Número de puerto' },
  'Relay of e-mail': { de: 'Relay für E-Mails', fr: 'Relais des e-mails', es: 'Servidor de correo saliente' },
  'File of the relay’s password': {
    de: 'Datei mit dem Passwort des Relays',
    fr: 'Fichier du mot de passe du relais',
    es: 'Archivo de la contraseña del servidor',
  },
  'Sender of e-mail': {
    de: 'Absender der E-Mails',
    fr: 'Expéditeur des e-mails',
    es: 'Remitente de los correos',
  },
  'E-mails an hour, at most': {
    de: 'E-Mails je Stunde, höchstens',
    fr: 'E-mails par heure, au plus',
    es: 'Correos por hora, como máximo',
  },
  'Provider of sign-in (OpenID Connect)': {
    de: 'Anbieter der Anmeldung (OpenID Connect)',
    fr: 'Fournisseur de connexion (OpenID Connect)',
    es: 'Proveedor de inicio de sesión (OpenID Connect)',
  },
  'Name of the calendar at the provider': {
    de: 'Name des Kalenders beim Anbieter',
    fr: 'Nom du calendrier chez le fournisseur',
    es: 'Nombre del calendario en el proveedor',
  },
  'File of the provider’s secret': {
    de: 'Datei mit dem Geheimnis des Anbieters',
    fr: 'Fichier du secret du fournisseur',
    es: 'Archivo del secreto del proveedor',
  },
  'Words on the button of sign-in': {
    de: 'Beschriftung des Knopfs der Anmeldung',
    fr: 'Texte du bouton de connexion',
    es: 'Texto del botón de inicio de sesión',
  },
  'Who gets which role': {
    de: 'Wer welche Rolle bekommt',
    fr: 'Qui reçoit quel rôle',
    es: 'Quién recibe qué papel',
  },
  'Role of everybody else': {
    de: 'Rolle aller anderen',
    fr: 'Rôle de tous les autres',
    es: 'Papel de los demás',
  },
  'Passwords on the sign-in page': {
    de: 'Passwörter auf der Anmeldeseite',
    fr: 'Mots de passe sur la page de connexion',
    es: 'Contraseñas en la página de inicio de sesión',
  },
  'Who may suggest events': {
    de: 'Wer Veranstaltungen vorschlagen darf',
    fr: 'Qui peut proposer des événements',
    es: 'Quién puede proponer eventos',
  },
  'Suggestions a day of one e-mail address': {
    de: 'Vorschläge einer E-Mail-Adresse am Tag',
    fr: 'Propositions par jour d’une adresse e-mail',
    es: 'Propuestas al día de una dirección de correo',
  },
  'Suggestions an hour of one network': {
    de: 'Vorschläge aus einem Netz in der Stunde',
    fr: 'Propositions par heure d’un réseau',
    es: 'Propuestas por hora de una red',
  },
  'Suggestions an hour in all': {
    de: 'Vorschläge in der Stunde insgesamt',
    fr: 'Propositions par heure en tout',
    es: 'Propuestas por hora en total',
  },
  'Suggestions an hour above which browsers compute': {
    de: 'Vorschläge in der Stunde, ab denen Browser rechnen',
    fr: 'Propositions par heure au-delà desquelles les navigateurs calculent',
    es: 'Propuestas por hora a partir de las cuales los navegadores calculan',
  },
  'Months that senders are kept': {
    de: 'Monate, die Absender aufgehoben werden',
    fr: 'Mois pendant lesquels les expéditeurs sont gardés',
    es: 'Meses que se guardan los remitentes',
  },
  'Terms that senders agree to': {
    de: 'Bedingungen, denen Absender zustimmen',
    fr: 'Conditions que les expéditeurs acceptent',
    es: 'Condiciones que aceptan los remitentes',
  },
  'This link is no longer valid': {
    de: 'Dieser Link ist nicht mehr gültig',
    fr: 'Ce lien n’est plus valable',
    es: 'Este enlace ya no es válido',
  },
  'A link is good once, and for half an hour. Whoever runs this calendar can make another: kalends user link \
LOGIN.': {
    de:
      'Ein Link gilt einmal und eine halbe Stunde lang. Wer diesen ' +
      'Kalender betreibt, kann einen neuen machen: kalends user link LOGIN.',
    fr:
      'Un lien sert une fois, pendant une demi-heure. Qui tient ce ' +
      'calendrier peut en faire un autre : kalends user link LOGIN.',
    es:
      'Un enlace sirve una vez y durante media hora. Quien lleva ' +
      'este calendario puede hacer otro: kalends user link LOGIN.',
  },
  'Choose a password': {
    de: 'Ein Passwort wählen',
    fr: 'Choisir un mot de passe',
    es: 'Elegir una contraseña',
  },
  'Your name': { de: 'Ihr Name', fr: 'Votre nom', es: 'Su nombre' },
  Limits: { de: 'Grenzen', fr: 'Limites', es: 'Límites' },
  Log: { de: 'Protokoll', fr: 'Journal', es: 'Registro' },
  'So that it looks like yours.': {
    de: 'Damit er nach Ihnen aussieht.',
    fr: 'Pour qu’il vous ressemble.',
    es: 'Para que se parezca a usted.',
  },
  'They get a link that is good for seven days.': {
    de: 'Der Link dafür gilt sieben Tage.',
    fr: 'Le lien vaut sept jours.',
    es: 'El enlace vale siete días.',
  },
  'A line of HTML shows the calendar on another page.': {
    de: 'Eine Zeile HTML zeigt den Kalender auf einer anderen Seite.',
    fr: 'Une ligne de HTML montre le calendrier sur une autre page.',
    es: 'Una línea de HTML muestra el calendario en otra página.',
  },
  'Still to do': { de: 'Noch zu tun', fr: 'Reste à faire', es: 'Queda por hacer' },
  'Not needed': { de: 'Nicht nötig', fr: 'Pas nécessaire', es: 'No hace falta' },
  // Headings that features have in the settings.
  'Sign-in': { de: 'Anmeldung', fr: 'Connexion', es: 'Inicio de sesión' },
  'Suggestions of events': {
    de: 'Vorschläge von Veranstaltungen',
    fr: 'Propositions d’événements',
    es: 'Propuestas de eventos',
  },
  Assistants: { de: 'Assistenten', fr: 'Assistants', es: 'Asistentes' },
  Webhooks: { de: 'Webhooks', fr: 'Webhooks', es: 'Webhooks' },
  Metrics: { de: 'Messwerte', fr: 'Mesures', es: 'Métricas' },
} as const satisfies Texts
