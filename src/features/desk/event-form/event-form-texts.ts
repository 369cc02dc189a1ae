import type { Texts } from '../../../calendar/locales/texts.ts'

/** Texts of the form of an event. */
export const eventFormTexts = {
  months: { de: 'Monate', fr: 'mois', es: 'meses' },
  'Pictures in the format HEIC cannot be read here: send this one as JPEG or PNG.': {
    de: 'Bilder im Format HEIC lassen sich hier nicht lesen: Senden Sie dieses als JPEG oder PNG.',
    fr: 'Les images au format HEIC ne peuvent pas être lues ici. Envoyez celle-ci en JPEG ou en PNG.',
    es: 'Aquí no se pueden leer imágenes en formato HEIC: envíe esta como JPEG o PNG.',
  },
  'There are more categories: type the name of one, and it is found.': {
    de: 'Es gibt noch mehr Kategorien: Schreiben Sie den Namen, und sie wird gefunden.',
    fr: 'Il y a d’autres catégories\u00a0: écrivez le nom de l’une, elle sera trouvée.',
    es: 'Hay más categorías: escriba el nombre de una y se encontrará.',
  },
  'Add a price': { de: 'Preis hinzufügen', fr: 'Ajouter un prix', es: 'Añadir un precio' },
  Who: { de: 'Wer', fr: 'Qui', es: 'Quién' },
  Every: { de: 'Alle', fr: 'Tous les', es: 'Cada' },
  weeks: { de: 'Wochen', fr: 'semaines', es: 'semanas' },
  years: { de: 'Jahre', fr: 'ans', es: 'años' },
  'Taking part online': { de: 'Online teilnehmen', fr: 'Participer en ligne', es: 'Participar en línea' },
  'In lists': { de: 'In Listen', fr: 'Dans les listes', es: 'En las listas' },
  'More than one day': { de: 'Mehrere Tage', fr: 'Plusieurs jours', es: 'Varios días' },
  'Number of dates': { de: 'Zahl der Termine', fr: 'Nombre de dates', es: 'Número de fechas' },
  'or number of dates': { de: 'oder Zahl der Termine', fr: 'ou nombre de dates', es: 'o número de fechas' },
  'Further dates': { de: 'Weitere Termine', fr: 'Autres dates', es: 'Otras fechas' },
  'Changes are for': {
    de: 'Änderungen gelten für',
    fr: 'Les changements valent pour',
    es: 'Los cambios valen para',
  },
  'What you change is for': {
    de: 'Was Sie ändern, gilt für',
    fr: 'Ce que vous changez vaut pour',
    es: 'Lo que cambie vale para',
  },
  'One date of a series': {
    de: 'Ein Termin einer Reihe',
    fr: 'Une date d’une série',
    es: 'Una fecha de una serie',
  },
  'Every day': { de: 'Jeden Tag', fr: 'Chaque jour', es: 'Cada día' },
  'Every month': { de: 'Jeden Monat', fr: 'Chaque mois', es: 'Cada mes' },
  'Every year': { de: 'Jedes Jahr', fr: 'Chaque année', es: 'Cada año' },
  'On dates that I name': {
    de: 'An Tagen, die ich nenne',
    fr: 'Aux dates que j’indique',
    es: 'En fechas que indico',
  },
  'On these days': { de: 'An diesen Tagen', fr: 'Ces jours-là', es: 'Estos días' },
  'On which day': { de: 'An welchem Tag', fr: 'Quel jour', es: 'Qué día' },
  'on the same day of the month': {
    de: 'am gleichen Tag des Monats',
    fr: 'le même jour du mois',
    es: 'el mismo día del mes',
  },
  'on the same weekday, as the second Tuesday': {
    de: 'am gleichen Wochentag, wie dem zweiten Dienstag',
    fr: 'le même jour de la semaine, comme le deuxième mardi',
    es: 'el mismo día de la semana, como el segundo martes',
  },
  'on the last such weekday': {
    de: 'am letzten solchen Wochentag',
    fr: 'le dernier de ces jours du mois',
    es: 'el último de esos días del mes',
  },
  'Show the dates': { de: 'Termine zeigen', fr: 'Montrer les dates', es: 'Mostrar las fechas' },
  'An event of this length is not over when the next date begins.': {
    de: 'Eine Veranstaltung dieser Länge ist noch nicht zu Ende, wenn der nächste Termin beginnt.',
    fr: 'Un événement de cette durée n’est pas fini quand la date suivante commence.',
    es: 'Un evento de esta duración no ha terminado cuando empieza la fecha siguiente.',
  },
  'Since the clocks change, the date on {date} ends at {time}: all dates last equally long.': {
    de:
      'Weil die Uhren umgestellt werden, endet der Termin ' +
      'am {date} um {time}: Alle Termine dauern gleich lang.',
    fr:
      'À cause du changement d’heure, la date du {date} ' +
      'finit à {time} : toutes les dates ont la même durée.',
    es: 'Por el cambio de hora, la fecha del {date} termina a las {time}: todas las fechas duran lo mismo.',
  },
  'Click a date to skip or restore it.': {
    de: 'Klicken Sie auf einen Termin, um ihn auszulassen oder wiederherzustellen.',
    fr: 'Cliquez sur une date pour l’exclure ou la rétablir.',
    es: 'Haga clic en una fecha para omitirla o restaurarla.',
  },
  'This is a whole number, as 2.': {
    de: 'Hier steht eine ganze Zahl, wie 2.',
    fr: 'C’est un nombre entier, comme 2.',
    es: 'Es un número entero, como 2.',
  },
  '4 Dec, 18 Dec, 8 Jan': {
    de: '4.12., 18.12., 8.1.',
    fr: '4 déc, 18 déc, 8 janv',
    es: '4 dic, 18 dic, 8 ene',
  },
  'The end lies before the start.': {
    de: 'Das Ende liegt vor dem Beginn.',
    fr: 'La fin précède le début.',
    es: 'El final está antes del comienzo.',
  },
  'The first one is meant.': { de: 'Gemeint ist die erste.', fr: 'C’est la première.', es: 'Es la primera.' },
  'The second one is meant.': {
    de: 'Gemeint ist die zweite.',
    fr: 'C’est la seconde.',
    es: 'Es la segunda.',
  },
  'It starts at the second one': {
    de: 'Beginnt zur zweiten',
    fr: 'Commence à la seconde',
    es: 'Empieza a la segunda',
  },
  'It ends at the second one': {
    de: 'Endet zur zweiten',
    fr: 'Finit à la seconde',
    es: 'Termina a la segunda',
  },
  'on the last day of the month': {
    de: 'am letzten Tag des Monats',
    fr: 'le dernier jour du mois',
    es: 'el último día del mes',
  },
  'There is no day “{value}”. Write it as {example}, for example.': {
    de: 'Einen Tag „{value}“ gibt es nicht. Schreiben Sie ihn etwa so: {example}.',
    fr: 'Il n’y a pas de jour « {value} ». Écrivez par exemple {example}.',
    es: 'No existe el día «{value}». Escriba por ejemplo {example}.',
  },
  'There is no time “{value}”. Write it as 19:30, for example.': {
    de: 'Eine Zeit „{value}“ gibt es nicht. Schreiben Sie sie etwa so: 19:30.',
    fr: 'Il n’y a pas d’heure « {value} ». Écrivez par exemple 19:30.',
    es: 'No existe la hora «{value}». Escriba por ejemplo 19:30.',
  },
  '{first} until {last}': { de: '{first} bis {last}', fr: '{first} au {last}', es: '{first} hasta {last}' },
  'ends the next morning': {
    de: 'endet am nächsten Morgen',
    fr: 'finit le lendemain matin',
    es: 'termina a la mañana siguiente',
  },
  'Type a name; a new venue is created from what you type.': {
    de: 'Geben Sie einen Namen ein; ein neuer Name legt einen neuen Ort an.',
    fr: 'Écrivez un nom ; un nouveau nom crée un nouveau lieu.',
    es: 'Escriba un nombre; uno nuevo crea un lugar nuevo.',
  },
  'Add an organizer': {
    de: 'Veranstalter hinzufügen',
    fr: 'Ajouter un organisateur',
    es: 'Añadir un organizador',
  },
  'Another picture': { de: 'Anderes Bild', fr: 'Autre image', es: 'Otra imagen' },
  'Separate them by commas.': {
    de: 'Durch Kommas getrennt.',
    fr: 'Séparés par des virgules.',
    es: 'Separadas por comas.',
  },
  'Separate them by commas; new ones wait for review.': {
    de: 'Durch Kommas getrennt; neue warten auf die Durchsicht.',
    fr: 'Séparés par des virgules ; les nouveaux attendent une relecture.',
    es: 'Separadas por comas; las nuevas esperan revisión.',
  },
  'Left empty, it is made from the title.': {
    de: 'Bleibt sie leer, entsteht sie aus dem Titel.',
    fr: 'Laissée vide, elle est tirée du titre.',
    es: 'Si queda vacía, sale del título.',
  },
  'Revert to draft': { de: 'In Entwurf umwandeln', fr: 'Repasser en brouillon', es: 'Volver a borrador' },
  'Save draft': { de: 'Entwurf speichern', fr: 'Enregistrer le brouillon', es: 'Guardar borrador' },
  'Save as private': { de: 'Privat speichern', fr: 'Enregistrer en privé', es: 'Guardar como privado' },
  'This event is in the trash.': {
    de: 'Dieser Termin liegt im Papierkorb.',
    fr: 'Cet événement est à la corbeille.',
    es: 'Este evento está en la papelera.',
  },
  'Sent for review': {
    de: 'Zur Durchsicht geschickt',
    fr: 'Envoyé à la relecture',
    es: 'Enviado a revisión',
  },
  'Your change waits for review; the page stays as it is until then.': {
    de: 'Ihre Änderung wartet auf die Durchsicht; bis dahin bleibt die Seite, wie sie ist.',
    fr: 'Votre modification attend une relecture ; d’ici là, la page reste telle quelle.',
    es: 'Su cambio espera revisión; hasta entonces la página sigue igual.',
  },
  'A copy of “{title}”, which is not saved yet. Look at the date first.': {
    de: 'Eine Kopie von „{title}“, die noch nicht gespeichert ist. Sehen Sie zuerst auf das Datum.',
    fr: 'Une copie de « {title} », pas encore enregistrée. Vérifiez d’abord la date.',
    es: 'Una copia de «{title}», aún sin guardar. Mire primero la fecha.',
  },
  'Copy all dates of the series': {
    de: 'Alle Termine der Reihe kopieren',
    fr: 'Copier toutes les dates de la série',
    es: 'Copiar todas las fechas de la serie',
  },
  'All dates': { de: 'Alle', fr: 'Toutes', es: 'Todas' },
  'Create “{name}”': { de: '„{name}“ anlegen', fr: 'Créer « {name} »', es: 'Crear «{name}»' },
  'At the same time at this venue:': {
    de: 'Zur gleichen Zeit an diesem Ort:',
    fr: 'Au même moment dans ce lieu :',
    es: 'A la misma hora en este lugar:',
  },
  'Perhaps the same event:': {
    de: 'Vielleicht derselbe Termin:',
    fr: 'Peut-être le même événement :',
    es: 'Quizá el mismo evento:',
  },
  'This is a preview.': {
    de: 'Das ist eine Vorschau.',
    fr: 'Ceci est un aperçu.',
    es: 'Esto es una vista previa.',
  },
  'Nothing is saved yet, and nobody else sees it.': {
    de: 'Noch ist nichts gespeichert, und sonst sieht sie niemand.',
    fr: 'Rien n’est encore enregistré, et personne d’autre ne le voit.',
    es: 'Aún no se ha guardado nada y nadie más la ve.',
  },
  'Kept, but not saved yet': {
    de: 'Behalten, aber noch nicht gespeichert',
    fr: 'Conservé, mais pas encore enregistré',
    es: 'Conservado, pero aún sin guardar',
  },
  'Too long to be kept before it is saved': {
    de: 'Zu lang, um vor dem Speichern behalten zu werden',
    fr: 'Trop long pour être conservé avant l’enregistrement',
    es: 'Demasiado largo para conservarlo antes de guardar',
  },
  Text: { de: 'Schrift', fr: 'Texte', es: 'Texto' },
  Bold: { de: 'Fett', fr: 'Gras', es: 'Negrita' },
  Italic: { de: 'Kursiv', fr: 'Italique', es: 'Cursiva' },
  Heading: { de: 'Überschrift', fr: 'Intertitre', es: 'Encabezado' },
  'Numbered list': { de: 'Nummerierte Liste', fr: 'Liste numérotée', es: 'Lista numerada' },
  Quotation: { de: 'Zitat', fr: 'Citation', es: 'Cita' },
  'Address of the link': { de: 'Adresse des Verweises', fr: 'Adresse du lien', es: 'Dirección del enlace' },
  'The editor would lose parts of this text, so it stays as HTML.': {
    de: 'Der Editor würde Teile dieses Textes verlieren, deshalb bleibt er HTML.',
    fr: 'L’éditeur perdrait des parties de ce texte, qui reste donc en HTML.',
    es: 'El editor perdería partes de este texto, por eso sigue en HTML.',
  },
  'Nobody who does not see the picture knows what it shows.': {
    de: 'Wer das Bild nicht sieht, weiß nicht, was es zeigt.',
    fr: 'Qui ne voit pas l’image ne sait pas ce qu’elle montre.',
    es: 'Quien no ve la imagen no sabe qué muestra.',
  },
  'These wait with the event: {names}': {
    de: 'Mit dem Termin warten: {names}',
    fr: 'Attendent avec l’événement : {names}',
    es: 'Esperan con el evento: {names}',
  },
  'A rule is about several dates: choose for which ones it changes.': {
    de: 'Eine Regel gilt für mehrere Termine: Wählen Sie, für welche sie sich ändert.',
    fr: 'Une règle vaut pour plusieurs dates : choisissez pour lesquelles elle change.',
    es: 'Una regla vale para varias fechas: elija para cuáles cambia.',
  },
  Update: { de: 'Aktualisieren', fr: 'Mettre à jour', es: 'Actualizar' },
  'Midnight at the end of a day is 0:00 on the next day.': {
    de: 'Mitternacht am Ende eines Tages ist 0:00 am nächsten Tag.',
    fr: 'Minuit à la fin d’un jour est 0:00 le jour suivant.',
    es: 'La medianoche al final de un día son las 0:00 del día siguiente.',
  },
  'Some of what was chosen here has been deleted; save again without it.': {
    de: 'Einiges von dem, was hier gewählt war, ist gelöscht worden; speichern Sie noch einmal ohne es.',
    fr: 'Une partie de ce qui était choisi ici a été supprimée ; enregistrez à nouveau sans elle.',
    es: 'Algo de lo elegido aquí se ha borrado; guarde otra vez sin ello.',
  },
  'Last day': { de: 'Letzter Tag', fr: 'Dernier jour', es: 'Último día' },
  'all day': { de: 'ganztägig', fr: 'toute la journée', es: 'todo el día' },
  'Left out': { de: 'Ausgelassen', fr: 'Supprimées', es: 'Quitadas' },
  'Does not repeat': { de: 'Wiederholt sich nicht', fr: 'Ne se répète pas', es: 'No se repite' },
  'Every week': { de: 'Jede Woche', fr: 'Chaque semaine', es: 'Cada semana' },
  'That is in the past.': { de: 'Das ist schon vorbei.', fr: 'C’est déjà passé.', es: 'Eso ya ha pasado.' },
} as const satisfies Texts
