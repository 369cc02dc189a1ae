import type { Texts } from '../../calendar/locales/texts.ts'

export const lookTexts = {
  'Colours and letters': { de: 'Farben und Schrift', fr: 'Couleurs et caractères', es: 'Colores y letra' },
  'As the device': { de: 'Wie das Gerät', fr: 'Comme l’appareil', es: 'Como el dispositivo' },
  Light: { de: 'Hell', fr: 'Clair', es: 'Claro' },
  Dark: { de: 'Dunkel', fr: 'Sombre', es: 'Oscuro' },
  'A line': { de: 'Eine Linie', fr: 'Une ligne', es: 'Una línea' },
  'A band in the colour': {
    de: 'Ein Band in der Farbe',
    fr: 'Une bande de la couleur',
    es: 'Una banda del color',
  },
  'The name large, in the middle': {
    de: 'Der Name groß in der Mitte',
    fr: 'Le nom en grand, au milieu',
    es: 'El nombre grande, en el centro',
  },
  Round: { de: 'Rund', fr: 'Ronds', es: 'Redondas' },
  'Slightly round': { de: 'Leicht gerundet', fr: 'Légèrement arrondis', es: 'Algo redondeadas' },
  Square: { de: 'Eckig', fr: 'Carrés', es: 'Rectas' },
  'As usual': { de: 'Wie üblich', fr: 'Habituel', es: 'Habitual' },
  Spacious: { de: 'Großzügig', fr: 'Aéré', es: 'Amplio' },
  Compact: { de: 'Knapp', fr: 'Serré', es: 'Compacto' },
  Plain: { de: 'Schlicht', fr: 'Simples', es: 'Sencilla' },
  Friendly: { de: 'Freundlich', fr: 'Chaleureux', es: 'Cálida' },
  Geometric: { de: 'Geometrisch', fr: 'Géométriques', es: 'Geométrica' },
  'Like a book': { de: 'Wie im Buch', fr: 'Comme un livre', es: 'Como un libro' },
  Strong: { de: 'Kräftig', fr: 'Robustes', es: 'Fuerte' },
  'Like a typewriter': {
    de: 'Wie eine Schreibmaschine',
    fr: 'Comme une machine à écrire',
    es: 'Como una máquina de escribir',
  },
  Shown: { de: 'Sichtbar', fr: 'Affiché', es: 'Visible' },
  Hidden: { de: 'Verborgen', fr: 'Masqué', es: 'Oculto' },
  'Pictures and font': { de: 'Bilder und Schriftdatei', fr: 'Images et police', es: 'Imágenes y fuente' },
  'At most {most} kB: {kinds}.': {
    de: 'Höchstens {most} kB: {kinds}.',
    fr: 'Au plus {most} ko : {kinds}.',
    es: 'Como máximo {most} kB: {kinds}.',
  },
  'One a line: words first, address last.': {
    de: 'Je Zeile einer: erst die Wörter, dann die Adresse.',
    fr: 'Un par ligne : les mots, puis l’adresse.',
    es: 'Uno por línea: primero las palabras, al final la dirección.',
  },
  'Such as https://example.org/imprint, /imprint/ or mailto:us@example.org.': {
    de: 'Etwa https://example.org/impressum, /impressum/ oder mailto:wir@example.org.',
    fr: 'Par exemple https://example.org/mentions, /mentions/ ou mailto:nous@example.org.',
    es: 'Por ejemplo https://example.org/aviso, /aviso/ o mailto:nosotros@example.org.',
  },
  Texts: { de: 'Texte', fr: 'Textes', es: 'Textos' },
  'Markdown: **strong**, *emphasis*, [words](https://example.org/), lists with dashes.': {
    de: 'Markdown: **kräftig**, *betont*, [Wörter](https://example.org/), Listen mit Strichen.',
    fr: 'Markdown : **gras**, *italique*, [mots](https://example.org/), listes avec des tirets.',
    es: 'Markdown: **negrita**, *énfasis*, [palabras](https://example.org/), listas con guiones.',
  },
  'Address of the page, such as about': {
    de: 'Adresse der Seite, etwa ueber-uns',
    fr: 'Adresse de la page, par exemple a-propos',
    es: 'Dirección de la página, como acerca',
  },
  'Its text, with a title such as # About us': {
    de: 'Ihr Text, mit einem Titel wie # Über uns',
    fr: 'Son texte, avec un titre comme # À propos',
    es: 'Su texto, con un título como # Quiénes somos',
  },
  'A page of text': { de: 'Eine Textseite', fr: 'Une page de texte', es: 'Una página de texto' },
  'Add a page of text': {
    de: 'Eine Textseite hinzufügen',
    fr: 'Ajouter une page de texte',
    es: 'Añadir una página de texto',
  },
  'Their slugs with commas between them, six at the most.': {
    de: 'Ihre Slugs mit Kommas dazwischen, höchstens sechs.',
    fr: 'Leurs slugs séparés par des virgules, six au plus.',
    es: 'Sus slugs separados por comas, seis como máximo.',
  },
  'Views of the pages': { de: 'Ansichten der Seiten', fr: 'Vues des pages', es: 'Vistas de las páginas' },
  'Remove the file': { de: 'Die Datei entfernen', fr: 'Retirer le fichier', es: 'Quitar el archivo' },
  'Preview it': { de: 'Vorschau', fr: 'Aperçu', es: 'Vista previa' },
  'The front page as it would look': {
    de: 'Die Startseite, wie sie aussähe',
    fr: 'La page d’accueil telle qu’elle serait',
    es: 'La portada tal como quedaría',
  },
  'Save the look': { de: 'Aussehen speichern', fr: 'Enregistrer l’apparence', es: 'Guardar el aspecto' },
  'The look is saved; all pages have it.': {
    de: 'Das Aussehen ist gespeichert; alle Seiten haben es.',
    fr: 'L’apparence est enregistrée ; toutes les pages l’ont.',
    es: 'El aspecto está guardado; todas las páginas lo tienen.',
  },
  'Back to the plain look': {
    de: 'Zurück zum schlichten Aussehen',
    fr: 'Revenir à l’apparence simple',
    es: 'Volver al aspecto sencillo',
  },
  'This resets everything that was set here, files and texts included.': {
    de: 'Das setzt alles zurück, was hier eingestellt wurde, auch Dateien und Texte.',
    fr: 'Cela réinitialise tout ce qui a été réglé ici, fichiers et textes compris.',
    es: 'Esto restablece todo lo que se ha ajustado aquí, también archivos y textos.',
  },
  'Somebody has changed the look meanwhile. What you typed is here; look at it, and save again.': {
    de:
      'Jemand hat das Aussehen inzwischen geändert. Die ' +
      'Eingaben stehen noch hier; ansehen und erneut speichern.',
    fr:
      'Quelqu’un a changé l’apparence entre-temps. Votre ' +
      'saisie est là ; vérifiez-la, puis enregistrez à nouveau.',
    es: 'Alguien ha cambiado el aspecto entretanto. Lo escrito sigue aquí; revíselo y guarde otra vez.',
  },
  'At most {most} characters, none of them invisible.': {
    de: 'Höchstens {most} Zeichen, keines davon unsichtbar.',
    fr: 'Au plus {most} caractères, aucun invisible.',
    es: 'Como máximo {most} caracteres, ninguno invisible.',
  },
  'Six links at the most, one a line: words first, address last.': {
    de: 'Höchstens sechs Links, je Zeile einer: erst die Wörter, dann die Adresse.',
    fr: 'Six liens au plus, un par ligne : les mots, puis l’adresse.',
    es: 'Seis enlaces como máximo, uno por línea: primero las palabras, al final la dirección.',
  },
  'Each has an address of small letters, digits and dashes that nothing else has, and begins with a title \
such as # About us.': {
    de:
      'Jede hat eine eigene Adresse aus Kleinbuchstaben, Ziffern ' +
      'und Strichen und beginnt mit einem Titel wie # Über uns.',
    fr:
      'Chacune a une adresse à elle, en minuscules, chiffres ' +
      'et tirets, et commence par un titre comme # À propos.',
    es:
      'Cada una tiene una dirección propia de minúsculas, cifras ' +
      'y guiones, y empieza por un título como # Quiénes somos.',
  },
  'On light pages, text in this colour would have a contrast of {ratio} and needs 4.5. It is shown in \
{colour}.': {
    de:
      'Auf hellen Seiten hätte Text in dieser Farbe einen Kontrast ' +
      'von {ratio} und braucht 4,5. Er erscheint in {colour}.',
    fr:
      'Sur les pages claires, un texte de cette couleur aurait un ' +
      'contraste de {ratio} et il en faut 4,5. Il paraît en {colour}.',
    es:
      'En páginas claras, un texto de este color tendría un ' +
      'contraste de {ratio} y necesita 4,5. Se muestra en {colour}.',
  },
  'On dark pages, text in this colour would have a contrast of {ratio} and needs 4.5. It is shown in \
{colour}.': {
    de:
      'Auf dunklen Seiten hätte Text in dieser Farbe einen Kontrast ' +
      'von {ratio} und braucht 4,5. Er erscheint in {colour}.',
    fr:
      'Sur les pages sombres, un texte de cette couleur aurait un ' +
      'contraste de {ratio} et il en faut 4,5. Il paraît en {colour}.',
    es:
      'En páginas oscuras, un texto de este color tendría un ' +
      'contraste de {ratio} y necesita 4,5. Se muestra en {colour}.',
  },
  'A colour is such as #0b6e5f.': {
    de: 'Eine Farbe ist etwa #0b6e5f.',
    fr: 'Une couleur s’écrit comme #0b6e5f.',
    es: 'Un color se escribe como #0b6e5f.',
  },
  'This is none of the choices.': {
    de: 'Das ist keine der Möglichkeiten.',
    fr: 'Ce n’est pas un des choix.',
    es: 'No es ninguna de las opciones.',
  },
  'This is no address.': {
    de: 'Das ist keine Adresse.',
    fr: 'Ce n’est pas une adresse.',
    es: 'Esto no es una dirección.',
  },
} as const satisfies Texts
