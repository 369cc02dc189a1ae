import type { Texts } from '../../calendar/locales/texts.ts'

export const settingsTexts = {
  'The name of the calendar; empty for that of the start': {
    de: 'Der Name des Kalenders; leer für den des Starts',
    fr: 'Le nom du calendrier ; vide pour celui du démarrage',
    es: 'El nombre del calendario; vacío para el del arranque',
  },
  'A sentence below the name of the calendar': {
    de: 'Ein Satz unter dem Namen des Kalenders',
    fr: 'Une phrase sous le nom du calendrier',
    es: 'Una frase bajo el nombre del calendario',
  },
  'The colour of the pages, such as #0b6e5f; empty for that of the start': {
    de: 'Die Farbe der Seiten, etwa #0b6e5f; leer für die des Starts',
    fr: 'La couleur des pages, comme #0b6e5f ; vide pour celle du démarrage',
    es: 'El color de las páginas, como #0b6e5f; vacío para el del arranque',
  },
  'Whether pages are light or dark: auto, light or dark': {
    de: 'Ob Seiten hell oder dunkel sind: auto, light oder dark',
    fr: 'Si les pages sont claires ou sombres : auto, light ou dark',
    es: 'Si las páginas son claras u oscuras: auto, light o dark',
  },
  'The head of the pages: line, band or masthead': {
    de: 'Der Kopf der Seiten: line, band oder masthead',
    fr: 'L’en-tête des pages : line, band ou masthead',
    es: 'La cabecera de las páginas: line, band o masthead',
  },
  'The corners of the pages: round, slight or square': {
    de: 'Die Ecken der Seiten: round, slight oder square',
    fr: 'Les coins des pages : round, slight ou square',
    es: 'Las esquinas de las páginas: round, slight o square',
  },
  'How much room the pages leave: normal, spacious or compact': {
    de: 'Wie viel Raum die Seiten lassen: normal, spacious oder compact',
    fr: 'L’espace que laissent les pages : normal, spacious ou compact',
    es: 'Cuánto espacio dejan las páginas: normal, spacious o compact',
  },
  'The letters of the pages: sans, humanist, geometric, serif, slab or mono': {
    de: 'Die Schrift der Seiten: sans, humanist, geometric, serif, slab oder mono',
    fr: 'Les caractères des pages : sans, humanist, geometric, serif, slab ou mono',
    es: 'La letra de las páginas: sans, humanist, geometric, serif, slab o mono',
  },
  'A font of the letters as WOFF2: a data: address in base64': {
    de: 'Eine Schrift als WOFF2: eine data:-Adresse in Base64',
    fr: 'Une police en WOFF2 : une adresse data: en base64',
    es: 'Una fuente en WOFF2: una dirección data: en base64',
  },
  'The logo before the name: a data: address in base64': {
    de: 'Das Logo vor dem Namen: eine data:-Adresse in Base64',
    fr: 'Le logo devant le nom : une adresse data: en base64',
    es: 'El logotipo ante el nombre: una dirección data: en base64',
  },
  'The logo on dark pages: a data: address in base64': {
    de: 'Das Logo auf dunklen Seiten: eine data:-Adresse in Base64',
    fr: 'Le logo des pages sombres : une adresse data: en base64',
    es: 'El logotipo de las páginas oscuras: una dirección data: en base64',
  },
  'Whether the name stands beside the logo: beside or hidden': {
    de: 'Ob der Name neben dem Logo steht: beside oder hidden',
    fr: 'Si le nom figure à côté du logo : beside ou hidden',
    es: 'Si el nombre aparece junto al logotipo: beside o hidden',
  },
  'The picture in the tabs of browsers: a data: address in base64': {
    de: 'Das Bild in den Tabs von Browsern: eine data:-Adresse in Base64',
    fr: 'L’image des onglets de navigateur : une adresse data: en base64',
    es: 'La imagen de las pestañas del navegador: una dirección data: en base64',
  },
  'The picture that other sites show with links: a data: address in base64': {
    de: 'Das Bild, das andere Websites bei Links zeigen: eine data:-Adresse in Base64',
    fr: 'L’image que d’autres sites affichent avec les liens : une adresse data: en base64',
    es: 'La imagen que otros sitios muestran con los enlaces: una dirección data: en base64',
  },
  'Links in the head of the pages: one a line, words first and address last': {
    de: 'Links im Kopf der Seiten: je Zeile einer, erst die Wörter, dann die Adresse',
    fr: 'Liens dans l’en-tête des pages : un par ligne, les mots puis l’adresse',
    es: 'Enlaces en la cabecera de las páginas: uno por línea, primero las palabras y al final la dirección',
  },
  'The address of the imprint': {
    de: 'Die Adresse des Impressums',
    fr: 'L’adresse des mentions légales',
    es: 'La dirección del aviso legal',
  },
  'The address of the privacy notice': {
    de: 'Die Adresse der Datenschutzerklärung',
    fr: 'L’adresse de la politique de confidentialité',
    es: 'La dirección de la política de privacidad',
  },
  'The address of the accessibility statement': {
    de: 'Die Adresse der Erklärung zur Barrierefreiheit',
    fr: 'L’adresse de la déclaration d’accessibilité',
    es: 'La dirección de la declaración de accesibilidad',
  },
  'Where visitors reach the owner: an address of the web or a mailto: address': {
    de: 'Wo Besucher den Betreiber erreichen: eine Webadresse oder eine mailto:-Adresse',
    fr: 'Où joindre le propriétaire : une adresse web ou une adresse mailto:',
    es: 'Dónde contactar con el propietario: una dirección web o una dirección mailto:',
  },
  'A text above the list at the address of the site, in Markdown': {
    de: 'Ein Text über der Liste an der Adresse der Website, in Markdown',
    fr: 'Un texte au-dessus de la liste à l’adresse du site, en Markdown',
    es: 'Un texto sobre la lista en la dirección del sitio, en Markdown',
  },
  'Pages of text in Markdown: a list of records with slug and text, which begins with its title': {
    de: 'Textseiten in Markdown: eine Liste von Einträgen mit slug und text, der mit seinem Titel beginnt',
    fr: 'Pages de texte en Markdown : une liste d’entrées avec slug et text, qui commence par son titre',
    es: 'Páginas de texto en Markdown: una lista de entradas con slug y text, que empieza por su título',
  },
  'The view at the address of the site: list, month or week': {
    de: 'Die Ansicht an der Adresse der Website: list, month oder week',
    fr: 'La vue à l’adresse du site : list, month ou week',
    es: 'La vista en la dirección del sitio: list, month o week',
  },
  'Whether times have 12 or 24 hours: auto, 12 or 24': {
    de: 'Ob Zeiten 12 oder 24 Stunden haben: auto, 12 oder 24',
    fr: 'Si les heures vont jusqu’à 12 ou 24 : auto, 12 ou 24',
    es: 'Si las horas son de 12 o 24: auto, 12 o 24',
  },
  'Categories that stand above lists as chips: slugs with commas between them': {
    de: 'Kategorien, die über Listen als Schaltflächen stehen: Slugs mit Kommas dazwischen',
    fr: 'Catégories affichées en boutons au-dessus des listes : slugs séparés par des virgules',
    es: 'Categorías que aparecen como botones sobre las listas: slugs separados por comas',
  },
  'The first day of the week on pages: auto, monday, saturday or sunday; empty for that of the start': {
    de: 'Der erste Wochentag auf Seiten: auto, monday, saturday oder sunday; leer für den des Starts',
    fr: 'Le premier jour de la semaine sur les pages : auto, monday, saturday ou sunday ; vide pour celui du \
démarrage',
    es: 'El primer día de la semana en las páginas: auto, monday, saturday o sunday; vacío para el del \
arranque',
  },
  'Settings: the names and the look of the calendar': {
    de: 'Einstellungen: Namen und Aussehen des Kalenders',
    fr: 'Réglages : les noms et l’aspect du calendrier',
    es: 'Ajustes: los nombres y el aspecto del calendario',
  },
  'The settings in effect, and the names of those that were set': {
    de: 'Die geltenden Einstellungen, und die Namen derer, die gesetzt wurden',
    fr: 'Les réglages en vigueur et les noms de ceux qui ont été fixés',
    es: 'Los ajustes vigentes y los nombres de los que se fijaron',
  },
  'Read what owners set while the service runs': {
    de: 'Lesen, was Betreiber im laufenden Betrieb einstellen',
    fr: 'Lire ce que les responsables règlent pendant le service',
    es: 'Leer lo que los responsables ajustan durante el servicio',
  },
  'Change what owners set while the service runs': {
    de: 'Ändern, was Betreiber im laufenden Betrieb einstellen',
    fr: 'Modifier ce que les responsables règlent pendant le service',
    es: 'Cambiar lo que los responsables ajustan durante el servicio',
  },
} as const satisfies Texts
