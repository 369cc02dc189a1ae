import type { CountedIn, TextIn, Texts } from '../../calendar/locales/texts.ts'
import { sayCountIn, sayIn } from '../../calendar/locales/translate.ts'
import { deskTexts } from '../desk/desk-texts.ts'

export const importTexts = {
  Import: { de: 'Übernehmen', fr: 'Importer', es: 'Importar' },
  'Import events': {
    de: 'Veranstaltungen übernehmen',
    fr: 'Importer des événements',
    es: 'Importar eventos',
  },
  'Paste from Excel, Numbers or a Word table, or drop a file (CSV, XLSX, ICS, JSON). Nothing is saved before \
you have seen it.': {
    de:
      'Aus Excel, Numbers oder einer Word-Tabelle einfügen oder eine Datei ablegen (CSV, XLSX, ICS, ' +
      'JSON). Nichts wird gespeichert, bevor Sie es gesehen haben.',
    fr:
      'Collez depuis Excel, Numbers ou un tableau Word, ou déposez un fichier (CSV, XLSX, ICS, JSON). ' +
      'Rien n’est enregistré avant que vous l’ayez vu.',
    es:
      'Pegue desde Excel, Numbers o una tabla de Word, o suelte un archivo (CSV, XLSX, ICS, JSON). No ' +
      'se guarda nada antes de que lo haya visto.',
  },
  Paste: { de: 'Einfügen', fr: 'Coller', es: 'Pegar' },
  'Your table': { de: 'Ihre Tabelle', fr: 'Votre tableau', es: 'Su tabla' },
  '12.12.2026, 19:30, Brahms Quartet, Main hall, €12': {
    de: '12.12.2026, 19:30, Brahms-Quartett, Großer Saal, 12 €',
    fr: '12.12.2026, 19:30, Quatuor Brahms, Grande salle, 12 €',
    es: '12.12.2026, 19:30, Cuarteto Brahms, Sala grande, 12 €',
  },
  File: { de: 'Datei', fr: 'Fichier', es: 'Archivo' },
  'Columns are recognised by their names or by what is in them. What you paste or drop is shown at once.': {
    de:
      'Spalten werden an ihren Namen oder an ihrem Inhalt erkannt. Was Sie einfügen oder ablegen, wird ' +
      'sofort gezeigt.',
    fr:
      'Les colonnes sont reconnues à leur nom ou à leur contenu. Ce que vous collez ou déposez est ' +
      'montré aussitôt.',
    es:
      'Las columnas se reconocen por su nombre o por su contenido. Lo que pegue o suelte se muestra ' +
      'enseguida.',
  },
  'Show the rows': { de: 'Zeilen zeigen', fr: 'Montrer les lignes', es: 'Mostrar las filas' },
  'Pasted table': { de: 'Eingefügte Tabelle', fr: 'Tableau collé', es: 'Tabla pegada' },
  'A file may have {most} MB.': {
    de: 'Eine Datei darf {most} MB haben.',
    fr: 'Un fichier peut avoir {most} Mo.',
    es: 'Un archivo puede tener {most} MB.',
  },
  'This file is neither a table nor a calendar: save it as XLSX or CSV.': {
    de: 'Diese Datei ist weder Tabelle noch Kalender: Speichern Sie sie als XLSX oder CSV.',
    fr: 'Ce fichier n’est ni un tableau ni un calendrier\u00a0: enregistrez-le en XLSX ou CSV.',
    es: 'Este archivo no es ni una tabla ni un calendario: guárdelo como XLSX o CSV.',
  },
  'More cells have been mended than are kept. Mend the table, and paste it again.': {
    de:
      'Es wurden mehr Zellen berichtigt, als behalten werden. Berichtigen Sie die Tabelle und fügen Sie ' +
      'sie noch einmal ein.',
    fr:
      'Plus de cellules ont été corrigées qu’il n’en est gardé. Corrigez le tableau et collez-le ' +
      'à nouveau.',
    es: 'Se han corregido más celdas de las que se guardan. Corrija la tabla y péguela de nuevo.',
  },
  'This is a web page, and neither a table nor a calendar.': {
    de: 'Das ist eine Webseite und weder Tabelle noch Kalender.',
    fr: 'C’est une page web, et ni un tableau ni un calendrier.',
    es: 'Es una página web, y ni una tabla ni un calendario.',
  },
  'This is no spreadsheet that can be read.': {
    de: 'Das ist keine Tabelle, die sich lesen lässt.',
    fr: 'Ce n’est pas une feuille de calcul lisible.',
    es: 'No es una hoja de cálculo que se pueda leer.',
  },
  'Its rows are too long to be kept.': {
    de: 'Die Zeilen sind zu lang, um behalten zu werden.',
    fr: 'Ses lignes sont trop longues pour être gardées.',
    es: 'Sus filas son demasiado largas para guardarlas.',
  },
  'There is no event in it.': {
    de: 'Darin steht keine Veranstaltung.',
    fr: 'Il ne contient aucun événement.',
    es: 'No contiene ningún evento.',
  },
  'A table may have {most} rows.': {
    de: 'Eine Tabelle darf {most} Zeilen haben.',
    fr: 'Un tableau peut avoir {most} lignes.',
    es: 'Una tabla puede tener {most} filas.',
  },
  'A table may have {most} columns.': {
    de: 'Eine Tabelle darf {most} Spalten haben.',
    fr: 'Un tableau peut avoir {most} colonnes.',
    es: 'Una tabla puede tener {most} columnas.',
  },
  '{count} rows': {
    en: { one: '{count} row', other: '{count} rows' },
    de: { one: '{count} Zeile', other: '{count} Zeilen' },
    fr: { one: '{count} ligne', other: '{count} lignes' },
    es: { one: '{count} fila', other: '{count} filas' },
  },
  Rows: { de: 'Zeilen', fr: 'Lignes', es: 'Filas' },
  'To mend': { de: 'Zu berichtigen', fr: 'À corriger', es: 'Por corregir' },
  'There?': { de: 'Schon da?', fr: 'Déjà là\u00a0?', es: '¿Ya está?' },
  New: { de: 'Neu', fr: 'Nouvelles', es: 'Nuevas' },
  'Are in': { de: 'Übernommen', fr: 'Importées', es: 'Importadas' },
  new: { de: 'neu', fr: 'nouveau', es: 'nuevo' },
  update: { de: 'ändern', fr: 'mettre à jour', es: 'actualizar' },
  'leave out': { de: 'weglassen', fr: 'laisser de côté', es: 'omitir' },
  mend: { de: 'berichtigen', fr: 'corriger', es: 'corregir' },
  in: { de: 'übernommen', fr: 'importé', es: 'importado' },
  'there?': { de: 'schon da?', fr: 'déjà là\u00a0?', es: '¿ya está?' },
  'update it': { de: 'ändern', fr: 'le mettre à jour', es: 'actualizarlo' },
  'import as new': { de: 'als neu übernehmen', fr: 'importer comme nouveau', es: 'importar como nuevo' },
  'Same as': { de: 'Dasselbe wie', fr: 'Identique à', es: 'Igual que' },
  'Same as row {number}': {
    de: 'Dasselbe wie Zeile {number}',
    fr: 'Identique à la ligne {number}',
    es: 'Igual que la fila {number}',
  },
  'Row {number}': { de: 'Zeile {number}', fr: 'Ligne {number}', es: 'Fila {number}' },
  'Column {number}': { de: 'Spalte {number}', fr: 'Colonne {number}', es: 'Columna {number}' },
  'What becomes of it': { de: 'Was daraus wird', fr: 'Ce qu’elle devient', es: 'Qué se hace con ella' },
  'ends {time}': { de: 'bis {time}', fr: 'fin à {time}', es: 'hasta las {time}' },
  'new venue': { de: 'neuer Ort', fr: 'nouveau lieu', es: 'lugar nuevo' },
  '{name}?': { de: '{name}?', fr: '{name}\u00a0?', es: '¿{name}?' },
  'take it': { de: 'diesen nehmen', fr: 'le prendre', es: 'usarlo' },
  'This cannot be read.': {
    de: 'Das ist nicht lesbar.',
    fr: 'Ceci ne peut pas être lu.',
    es: 'Esto no se puede leer.',
  },
  'The first row is a heading': {
    de: 'Die erste Zeile ist eine Überschrift',
    fr: 'La première ligne est un en-tête',
    es: 'La primera fila es un encabezado',
  },
  '3/4/2027 is': { de: '3/4/2027 ist', fr: '3/4/2027 est le', es: '3/4/2027 es el' },
  'Say which column has the title.': {
    de: 'Sagen Sie, in welcher Spalte der Titel steht.',
    fr: 'Dites quelle colonne contient le titre.',
    es: 'Indique en qué columna está el título.',
  },
  'Say which column has the date.': {
    de: 'Sagen Sie, in welcher Spalte der Tag steht.',
    fr: 'Dites quelle colonne contient la date.',
    es: 'Indique en qué columna está la fecha.',
  },
  'For all rows:': {
    de: 'Für alle Zeilen:',
    fr: 'Pour toutes les lignes\u00a0:',
    es: 'Para todas las filas:',
  },
  'Check again': { de: 'Neu prüfen', fr: 'Vérifier à nouveau', es: 'Comprobar de nuevo' },
  'Import {count} as drafts': {
    en: { one: 'Import {count} as a draft', other: 'Import {count} as drafts' },
    de: { one: '{count} als Entwurf übernehmen', other: '{count} als Entwürfe übernehmen' },
    fr: { one: 'Importer {count} en brouillon', other: 'Importer {count} en brouillons' },
    es: { one: 'Importar {count} como borrador', other: 'Importar {count} como borradores' },
  },
  'Import {count} and publish': {
    en: { one: 'Import {count} and publish', other: 'Import {count} and publish' },
    de: { one: '{count} übernehmen und veröffentlichen', other: '{count} übernehmen und veröffentlichen' },
    fr: { one: 'Importer {count} et publier', other: 'Importer {count} et publier' },
    es: { one: 'Importar {count} y publicar', other: 'Importar {count} y publicar' },
  },
  'Import {count} for review': {
    en: { one: 'Import {count} for review', other: 'Import {count} for review' },
    de: { one: '{count} zur Prüfung übernehmen', other: '{count} zur Prüfung übernehmen' },
    fr: { one: 'Importer {count} à relire', other: 'Importer {count} à relire' },
    es: { one: 'Importar {count} para revisión', other: 'Importar {count} para revisión' },
  },
  '{count} rows have to be mended.': {
    en: { one: 'One row has to be mended.', other: '{count} rows have to be mended.' },
    de: { one: 'Eine Zeile ist zu berichtigen.', other: '{count} Zeilen sind zu berichtigen.' },
    fr: { one: 'Une ligne est à corriger.', other: '{count} lignes sont à corriger.' },
    es: { one: 'Hay que corregir una fila.', other: 'Hay que corregir {count} filas.' },
  },
  'All of it can be taken back in one click, for {days} days.': {
    de: 'Alles lässt sich {days} Tage lang mit einem Klick zurücknehmen.',
    fr: 'Le tout peut être repris en un clic, pendant {days} jours.',
    es: 'Todo se puede deshacer con un clic durante {days} días.',
  },
  'Something is still to mend. Nothing has come in yet.': {
    de: 'Etwas ist noch zu berichtigen. Es ist noch nichts übernommen.',
    fr: 'Il reste quelque chose à corriger. Rien n’a encore été importé.',
    es: 'Queda algo por corregir. Todavía no se ha importado nada.',
  },
  'No row can come in as it is.': {
    de: 'So kann keine Zeile übernommen werden.',
    fr: 'Aucune ligne ne peut être importée telle quelle.',
    es: 'Ninguna fila se puede importar así.',
  },
  '{count} events are in as drafts.': {
    en: { one: 'One event is in as a draft.', other: '{count} events are in as drafts.' },
    de: {
      one: 'Eine Veranstaltung ist als Entwurf übernommen.',
      other: '{count} Veranstaltungen sind als Entwürfe übernommen.',
    },
    fr: {
      one: 'Un événement est importé en brouillon.',
      other: '{count} événements sont importés en brouillons.',
    },
    es: {
      one: 'Un evento está importado como borrador.',
      other: '{count} eventos están importados como borradores.',
    },
  },
  '{count} events are in and published.': {
    en: { one: 'One event is in and published.', other: '{count} events are in and published.' },
    de: {
      one: 'Eine Veranstaltung ist übernommen und veröffentlicht.',
      other: '{count} Veranstaltungen sind übernommen und veröffentlicht.',
    },
    fr: { one: 'Un événement est importé et publié.', other: '{count} événements sont importés et publiés.' },
    es: {
      one: 'Un evento está importado y publicado.',
      other: '{count} eventos están importados y publicados.',
    },
  },
  '{count} events are in and wait for review.': {
    en: { one: 'One event is in and waits for review.', other: '{count} events are in and wait for review.' },
    de: {
      one: 'Eine Veranstaltung ist übernommen und wartet auf Prüfung.',
      other: '{count} Veranstaltungen sind übernommen und warten auf Prüfung.',
    },
    fr: {
      one: 'Un événement est importé et attend la relecture.',
      other: '{count} événements sont importés et attendent la relecture.',
    },
    es: {
      one: 'Un evento está importado y espera revisión.',
      other: '{count} eventos están importados y esperan revisión.',
    },
  },
  '{count} records were taken back.': {
    en: { one: 'One record was taken back.', other: '{count} records were taken back.' },
    de: { one: 'Ein Eintrag ist zurückgenommen.', other: '{count} Einträge sind zurückgenommen.' },
    fr: { one: 'Une fiche a été reprise.', other: '{count} fiches ont été reprises.' },
    es: { one: 'Se deshizo un registro.', other: 'Se deshicieron {count} registros.' },
  },
  'Show the events': {
    de: 'Veranstaltungen zeigen',
    fr: 'Montrer les événements',
    es: 'Mostrar los eventos',
  },
  'Import more': { de: 'Mehr übernehmen', fr: 'Importer autre chose', es: 'Importar más' },
  'Undo import': {
    de: 'Import rückgängig machen',
    fr: 'Annuler l’importation',
    es: 'Deshacer la importación',
  },
  'For {days} days': { de: '{days} Tage lang', fr: 'Pendant {days} jours', es: 'Durante {days} días' },
  'What to look at': { de: 'Was anzusehen ist', fr: 'À regarder', es: 'Qué hay que mirar' },
  'Coming in': { de: 'Wird übernommen', fr: 'Importation en cours', es: 'Importación en curso' },
  'Being taken back': { de: 'Wird zurückgenommen', fr: 'Reprise en cours', es: 'Deshaciendo la importación' },
  '{done} of {total}': { de: '{done} von {total}', fr: '{done} sur {total}', es: '{done} de {total}' },
  'It goes on by itself; you may close this page.': {
    de: 'Es geht von selbst weiter; Sie können diese Seite schließen.',
    fr: 'Cela continue tout seul\u00a0; vous pouvez fermer cette page.',
    es: 'Continúa por sí solo; puede cerrar esta página.',
  },
  'Address, kept up to date': {
    de: 'Adresse, laufend übernommen',
    fr: 'Adresse, tenue à jour',
    es: 'Dirección, siempre al día',
  },
  'Imports until now': {
    de: 'Bisher übernommen',
    fr: 'Importations jusqu’ici',
    es: 'Importaciones hasta ahora',
  },
  'What only the command line can do': {
    de: 'Was nur die Befehlszeile kann',
    fr: 'Ce que seule la ligne de commande peut faire',
    es: 'Lo que solo puede la línea de comandos',
  },
  'kalends import also reads sites with a login, keeps old addresses of a site that moves here, trashes what \
is gone from a source, reads files above 5 MB, and settles conflicts otherwise.': {
    de:
      'kalends import liest auch Sites mit Anmeldung, behält alte Adressen einer Site, die hierher ' +
      'zieht, legt in den Papierkorb, was in einer Quelle ' +
      'fehlt, liest Dateien über 5 MB und löst Konflikte anders.',
    fr:
      'kalends import lit aussi des sites avec identifiant, garde les anciennes adresses d’un site ' +
      'qui déménage ici, met à la corbeille ce qui a disparu d’une source, ' +
      'lit des fichiers de plus de 5 Mo et règle autrement les conflits.',
    es:
      'kalends import también lee sitios con inicio de sesión, conserva las direcciones antiguas de ' +
      'un sitio que se traslada aquí, envía a la papelera lo que falta en una ' +
      'fuente, lee archivos de más de 5 MB y resuelve los conflictos de otra manera.',
  },
  'Write it as https://example.org/events.ics, for example, without a password in it.': {
    de: 'Schreiben Sie sie etwa als https://example.org/events.ics, ohne Passwort darin.',
    fr: 'Écrivez-la par exemple https://example.org/events.ics, sans mot de passe.',
    es: 'Escríbala por ejemplo como https://example.org/events.ics, sin contraseña.',
  },
  'every hour': { de: 'jede Stunde', fr: 'toutes les heures', es: 'cada hora' },
  'every six hours': { de: 'alle sechs Stunden', fr: 'toutes les six heures', es: 'cada seis horas' },
  'No event was found there.': {
    de: 'Dort wurde keine Veranstaltung gefunden.',
    fr: 'Aucun événement n’y a été trouvé.',
    es: 'No se encontró ningún evento allí.',
  },
  'Events that appear there later come in if it is kept up to date all the same.': {
    de: 'Was später dort erscheint, kommt herein, wenn sie trotzdem laufend übernommen wird.',
    fr: 'Ce qui y paraîtra plus tard est importé si elle est tenue à jour malgré tout.',
    es: 'Lo que aparezca más tarde se importa si se mantiene al día de todos modos.',
  },
  'It is not kept up to date, since it cannot be read.': {
    de: 'Sie wird nicht laufend übernommen, da sie nicht lesbar ist.',
    fr: 'Elle n’est pas tenue à jour, car elle est illisible.',
    es: 'No se mantiene al día, porque no se puede leer.',
  },
  'Keep it up to date although there is no event yet': {
    de: 'Laufend übernehmen, obwohl noch keine Veranstaltung da ist',
    fr: 'La tenir à jour bien qu’il n’y ait encore aucun événement',
    es: 'Mantenerla al día aunque todavía no haya ningún evento',
  },
  'Tick this first.': {
    de: 'Setzen Sie erst dieses Häkchen.',
    fr: 'Cochez d’abord cette case.',
    es: 'Marque antes esta casilla.',
  },
  '{count} events would come in.': {
    en: { one: 'One event would come in.', other: '{count} events would come in.' },
    de: { one: 'Eine Veranstaltung käme herein.', other: '{count} Veranstaltungen kämen herein.' },
    fr: { one: 'Un événement serait importé.', other: '{count} événements seraient importés.' },
    es: { one: 'Se importaría un evento.', other: 'Se importarían {count} eventos.' },
  },
  'Kept up to date': { de: 'Laufend übernommen', fr: 'Tenu à jour', es: 'Siempre al día' },
  'New events': { de: 'Neue Veranstaltungen', fr: 'Nouveaux événements', es: 'Eventos nuevos' },
  'Import and keep up to date': {
    de: 'Laufend übernehmen',
    fr: 'Importer et tenir à jour',
    es: 'Importar y mantener al día',
  },
  Imports: { de: 'Übernahmen', fr: 'Importations', es: 'Importaciones' },
  'Nothing has been imported yet.': {
    de: 'Es wurde noch nichts übernommen.',
    fr: 'Rien n’a encore été importé.',
    es: 'Todavía no se ha importado nada.',
  },
  'It is kept up to date from now on.': {
    de: 'Sie wird von nun an laufend übernommen.',
    fr: 'Elle est désormais tenue à jour.',
    es: 'A partir de ahora se mantiene al día.',
  },
  'Done.': { de: 'Erledigt.', fr: 'C’est fait.', es: 'Hecho.' },
  'Tables and files': { de: 'Tabellen und Dateien', fr: 'Tableaux et fichiers', es: 'Tablas y archivos' },
  Runs: { de: 'Läufe', fr: 'Exécutions', es: 'Ejecuciones' },
  'not in yet': { de: 'noch nicht übernommen', fr: 'pas encore importé', es: 'aún sin importar' },
  'taken back': { de: 'zurückgenommen', fr: 'repris', es: 'deshecho' },
  'broke off': { de: 'abgebrochen', fr: 'interrompu', es: 'interrumpido' },
  'under way': { de: 'läuft gerade', fr: 'en cours', es: 'en curso' },
  'next: {when}': {
    de: 'nächster Lauf: {when}',
    fr: 'prochaine fois\u00a0: {when}',
    es: 'próxima vez: {when}',
  },
  'not in: {count}': {
    de: 'nicht übernommen: {count}',
    fr: 'non importés\u00a0: {count}',
    es: 'sin importar: {count}',
  },
  '{count} records': {
    en: { one: '{count} record', other: '{count} records' },
    de: { one: '{count} Eintrag', other: '{count} Einträge' },
    fr: { one: '{count} fiche', other: '{count} fiches' },
    es: { one: '{count} registro', other: '{count} registros' },
  },
  '{created} made, {updated} changed, {trashed} in the trash, {failed} not in': {
    de: '{created} neu, {updated} geändert, {trashed} im Papierkorb, {failed} nicht übernommen',
    fr: '{created} créés, {updated} modifiés, {trashed} à la corbeille, {failed} non importés',
    es: '{created} creados, {updated} cambiados, {trashed} en la papelera, {failed} sin importar',
  },
  'Run now': { de: 'Jetzt ausführen', fr: 'Exécuter maintenant', es: 'Ejecutar ahora' },
  'Go on': { de: 'Fortsetzen', fr: 'Reprendre le cours', es: 'Continuar' },
  Stop: { de: 'Anhalten', fr: 'Arrêter', es: 'Detener' },
  Remove: { de: 'Entfernen', fr: 'Retirer', es: 'Quitar' },
  'Look again': { de: 'Noch einmal nachsehen', fr: 'Regarder à nouveau', es: 'Volver a mirar' },
  'The first events, as pages would show them:': {
    de: 'Die ersten Veranstaltungen, wie Seiten sie zeigen würden:',
    fr: 'Les premiers événements, tels que les pages les montreraient :',
    es: 'Los primeros eventos, como los mostrarían las páginas:',
  },
  'Of this source visitors see: {coming} coming, {past} past; and not: {hidden} private, {waiting} draft, \
pending or scheduled.': {
    de:
      'Von dieser Quelle sehen Besucher: {coming} kommende, {past} vergangene; und nicht: {hidden} ' +
      'private, {waiting} als Entwurf, zur Prüfung oder geplant.',
    fr:
      'De cette source, les visiteurs voient : {coming} à venir, {past} passés ; et ne voient pas : ' +
      '{hidden} privés, {waiting} brouillons, en attente de relecture ou planifiés.',
    es:
      'De esta fuente los visitantes ven: {coming} próximos, {past} pasados; y no ven: {hidden} ' +
      'privados, {waiting} en borrador, pendientes o programados.',
  },
  'Of what was read visitors would see: {coming} coming, {past} past; and not: {hidden} private, {waiting} \
draft, pending or scheduled.': {
    de:
      'Vom Gelesenen sähen Besucher: {coming} kommende, {past} vergangene; und nicht: {hidden} ' +
      'private, {waiting} als Entwurf, zur Prüfung oder geplant.',
    fr:
      'De ce qui a été lu, les visiteurs verraient : {coming} à venir, {past} passés ; et ne ' +
      'verraient pas : {hidden} privés, {waiting} brouillons, en attente de relecture ou planifiés.',
    es:
      'De lo leído los visitantes verían: {coming} próximos, {past} pasados; y no verían: {hidden} ' +
      'privados, {waiting} en borrador, pendientes o programados.',
  },
  'Import “{name}”': { de: 'Import „{name}“', fr: 'Import « {name} »', es: 'Importación «{name}»' },
} as const satisfies Texts

const sayings = { ...deskTexts, ...importTexts } as const

export type ImportText = TextIn<typeof sayings>
export type CountedImportText = CountedIn<typeof importTexts>

export const sayImport = sayIn(sayings)
export const countImport = sayCountIn(importTexts)
