import type { Texts } from '../../calendar/locales/texts.ts'

/** Texts about records and runs; some are parts of sentences. */
export const messageTexts = {
  'line {number}': { de: 'Zeile {number}', fr: 'ligne {number}', es: 'línea {number}' },
  'row {number}': { de: 'Zeile {number}', fr: 'ligne {number}', es: 'fila {number}' },
  'record {number}': { de: 'Eintrag {number}', fr: 'fiche {number}', es: 'registro {number}' },
  'events {number}': { de: 'Veranstaltung {number}', fr: 'événement {number}', es: 'evento {number}' },
  'venues {number}': { de: 'Ort {number}', fr: 'lieu {number}', es: 'lugar {number}' },
  'organizers {number}': {
    de: 'Veranstalter {number}',
    fr: 'organisateur {number}',
    es: 'organizador {number}',
  },
  'categories {number}': { de: 'Kategorie {number}', fr: 'catégorie {number}', es: 'categoría {number}' },
  'tags {number}': { de: 'Schlagwort {number}', fr: 'étiquette {number}', es: 'etiqueta {number}' },
  category: { de: 'Kategorie', fr: 'catégorie', es: 'categoría' },
  tag: { de: 'Schlagwort', fr: 'étiquette', es: 'etiqueta' },
  venue: { de: 'Ort', fr: 'lieu', es: 'lugar' },
  organizer: { de: 'Veranstalter', fr: 'organisateur', es: 'organizador' },
  series: { de: 'Serie', fr: 'série', es: 'serie' },
  event: { de: 'Veranstaltung', fr: 'événement', es: 'evento' },
  '{kind} “{name}”': { de: '{kind} „{name}“', fr: '{kind} «\u00a0{name}\u00a0»', es: '{kind} «{name}»' },
  '{kind} {which}': { de: '{kind} {which}', fr: '{kind} {which}', es: '{kind} {which}' },
  '{kind} {which} ({name})': {
    de: '{kind} {which} ({name})',
    fr: '{kind} {which} ({name})',
    es: '{kind} {which} ({name})',
  },
  '{item}: {reason}': { de: '{item}: {reason}', fr: '{item}\u00a0: {reason}', es: '{item}: {reason}' },
  '{title}: {reason}': { de: '{title}: {reason}', fr: '{title}\u00a0: {reason}', es: '{title}: {reason}' },
  '{part}: {fault}': { de: '{part}: {fault}', fr: '{part}\u00a0: {fault}', es: '{part}: {fault}' },
  '{address} {reason}': { de: '{address} {reason}', fr: '{address} {reason}', es: '{address} {reason}' },
  '{place}: {reason}': { de: '{place}: {reason}', fr: '{place}\u00a0: {reason}', es: '{place}: {reason}' },
  '{place}, UID {uid}: {reason}': {
    de: '{place}, UID {uid}: {reason}',
    fr: '{place}, UID {uid}\u00a0: {reason}',
    es: '{place}, UID {uid}: {reason}',
  },
  '{what}.': { de: '{what}.', fr: '{what}.', es: '{what}.' },
  'This is not a record.': {
    de: 'Das ist kein Eintrag.',
    fr: 'Ce n’est pas une fiche.',
    es: 'Esto no es un registro.',
  },
  'This event has no id, and no title with a start_date: {name}.': {
    de: 'Diese Veranstaltung hat keine id und keinen Titel mit start_date: {name}.',
    fr: 'Cet événement n’a ni id, ni titre avec start_date\u00a0: {name}.',
    es: 'Este evento no tiene id ni título con start_date: {name}.',
  },
  'This event has no id, and no title with a start_date.': {
    de: 'Diese Veranstaltung hat keine id und keinen Titel mit start_date.',
    fr: 'Cet événement n’a ni id, ni titre avec start_date.',
    es: 'Este evento no tiene id ni título con start_date.',
  },
  'This {kind} has no name: {name}.': {
    de: '{kind} ohne Namen: {name}.',
    fr: '{kind} sans nom\u00a0: {name}.',
    es: '{kind} sin nombre: {name}.',
  },
  'This {kind} has no name.': { de: '{kind} ohne Namen.', fr: '{kind} sans nom.', es: '{kind} sin nombre.' },
  'It has no title.': { de: 'Der Titel fehlt.', fr: 'Le titre manque.', es: 'Falta el título.' },
  'It has no name.': { de: 'Der Name fehlt.', fr: 'Le nom manque.', es: 'Falta el nombre.' },
  'It has no start.': { de: 'Der Beginn fehlt.', fr: 'Le début manque.', es: 'Falta el comienzo.' },
  'It is in the file {count} times, and comes in once, as it is there first.': {
    de: 'Steht {count}-mal in der Datei und wird einmal übernommen, wie sie dort zuerst steht.',
    fr: 'Il figure {count} fois dans le fichier et n’est repris qu’une fois, tel qu’il y figure d’abord.',
    es: 'Está {count} veces en el archivo y se importa una sola vez, como aparece primero.',
  },
  'The start "{start}" is not a date.': {
    de: 'Der Beginn „{start}“ ist kein Datum.',
    fr: 'Le début «\u00a0{start}\u00a0» n’est pas une date.',
    es: 'El comienzo «{start}» no es una fecha.',
  },
  'The time "{time}" is not a time of day.': {
    de: 'Die Zeit „{time}“ ist keine Uhrzeit.',
    fr: 'L’heure «\u00a0{time}\u00a0» n’est pas une heure du jour.',
    es: 'La hora «{time}» no es una hora del día.',
  },
  '{title}: The end "{end}" cannot be read or lies before its start, so only its start is in.': {
    de:
      '{title}: Das Ende „{end}“ ist nicht lesbar oder liegt vor dem ' +
      'Beginn; übernommen wird nur der Beginn.',
    fr:
      '{title}\u00a0: la fin «\u00a0{end}\u00a0» est illisible ou précède le ' +
      'début\u00a0; seul le début est repris.',
    es: '{title}: el final «{end}» no se puede leer o es anterior al comienzo; solo se toma el comienzo.',
  },
  '{name}: "{cell}" in the column {column} cannot be read, so it is in without it.': {
    de: '{name}: „{cell}“ in der Spalte {column} ist nicht lesbar und wird weggelassen.',
    fr: '{name}\u00a0: «\u00a0{cell}\u00a0» dans la colonne {column} est illisible et n’est pas repris.',
    es: '{name}: «{cell}» en la columna {column} no se puede leer y se omite.',
  },
  '{item} is an earlier revision (SEQUENCE) than the one that is in, and is passed over.': {
    de: '{item} ist eine frühere Fassung (SEQUENCE) als die übernommene und wird übergangen.',
    fr: '{item} est une version antérieure (SEQUENCE) à celle qui est importée, et est ignorée.',
    es: '{item} es una revisión anterior (SEQUENCE) a la importada, y se pasa por alto.',
  },
  '{item} was removed here, and stays so.': {
    de: '{item} wurde hier entfernt und bleibt es.',
    fr: '{item} a été supprimé ici et le reste.',
    es: '{item} se quitó aquí, y así queda.',
  },
  '{item} was changed here as well, which stays: {fields}': {
    de: '{item} wurde auch hier geändert, und das bleibt: {fields}',
    fr: '{item} a aussi été modifié ici, et cela reste\u00a0: {fields}',
    es: '{item} también se cambió aquí, y eso queda: {fields}',
  },
  '{item} is here already: {kind} {id}': {
    de: '{item} ist schon hier: {kind} {id}',
    fr: '{item} est déjà ici\u00a0: {kind} {id}',
    es: '{item} ya está aquí: {kind} {id}',
  },
  '{item} is here already: {kind} {id}, from {address}': {
    de: '{item} ist schon hier: {kind} {id}, von {address}',
    fr: '{item} est déjà ici\u00a0: {kind} {id}, de {address}',
    es: '{item} ya está aquí: {kind} {id}, de {address}',
  },
  '{item} has too many dates in the past; it begins with {begin}.': {
    de: '{item} hat zu viele vergangene Termine und beginnt mit {begin}.',
    fr: '{item} a trop de dates passées\u00a0; elle commence par {begin}.',
    es: '{item} tiene demasiadas fechas pasadas; empieza con {begin}.',
  },
  '{name}: There is no {kind} with the id {number}, so it is in without it.': {
    de: '{name}: {kind} mit der id {number} gibt es nicht und fehlt daher.',
    fr: '{name}\u00a0: {kind} avec l’id {number} n’existe pas et n’est pas repris.',
    es: '{name}: no existe {kind} con el id {number}, y se omite.',
  },
  'It is an event of this calendar itself.': {
    de: 'Es ist eine Veranstaltung dieses Kalenders selbst.',
    fr: 'C’est un événement de ce calendrier même.',
    es: 'Es un evento de este mismo calendario.',
  },
  'Another event with the same id or UID stands before it in the source, and was taken.': {
    de: 'Eine andere Veranstaltung mit derselben id oder UID steht in der Quelle davor und wurde genommen.',
    fr: 'Un autre événement de même id ou UID le précède dans la source et a été pris.',
    es: 'Otro evento con el mismo id o UID está antes en la fuente, y se tomó.',
  },
  'Its image could not be fetched: {image}': {
    de: 'Das Bild ließ sich nicht holen: {image}',
    fr: 'L’image n’a pas pu être récupérée\u00a0: {image}',
    es: 'No se pudo obtener la imagen: {image}',
  },
  'A picture of its texts could not be fetched: {picture}': {
    de: 'Ein Bild der Texte ließ sich nicht holen: {picture}',
    fr: 'Une image des textes n’a pas pu être récupérée\u00a0: {picture}',
    es: 'No se pudo obtener una imagen de los textos: {picture}',
  },
  'It has more than {most} new pictures; the next run fetches others.': {
    de: 'Es sind mehr als {most} neue Bilder; der nächste Lauf holt weitere.',
    fr: 'Il y a plus de {most} nouvelles images\u00a0; la prochaine exécution en récupère d’autres.',
    es: 'Hay más de {most} imágenes nuevas; la próxima ejecución trae otras.',
  },
  'Its {name} would be too long with the addresses of its pictures here.': {
    de: '{name} würde mit den hiesigen Adressen der Bilder zu lang.',
    fr: '{name} serait trop long avec les adresses des images d’ici.',
    es: '{name} sería demasiado largo con las direcciones de las imágenes de aquí.',
  },
  '{item} was changed since, and stays.': {
    de: '{item} wurde seither geändert und bleibt.',
    fr: '{item} a été modifié depuis, et reste.',
    es: '{item} se cambió desde entonces, y queda.',
  },
  '{item} was changed since: {fields} stays.': {
    de: '{item} wurde seither geändert: {fields} bleibt.',
    fr: '{item} a été modifié depuis\u00a0: {fields} reste.',
    es: '{item} se cambió desde entonces: {fields} queda.',
  },
  '{item} was changed since: {fields} stay.': {
    de: '{item} wurde seither geändert: {fields} bleiben.',
    fr: '{item} a été modifié depuis\u00a0: {fields} restent.',
    es: '{item} se cambió desde entonces: {fields} quedan.',
  },
  '{item} has other events, and stays.': {
    de: '{item} hat andere Veranstaltungen und bleibt.',
    fr: '{item} a d’autres événements, et reste.',
    es: '{item} tiene otros eventos, y queda.',
  },
  '{item} has categories below it, and stays.': {
    de: '{item} hat Kategorien unter sich und bleibt.',
    fr: '{item} a des catégories en dessous, et reste.',
    es: '{item} tiene categorías debajo, y queda.',
  },
  '{item} is gone from the source': {
    de: '{item} ist aus der Quelle verschwunden',
    fr: '{item} a disparu de la source',
    es: '{item} ya no está en la fuente',
  },
  '{item} was replaced by another record, since it repeats differently now': {
    de: '{item} wurde durch einen anderen Eintrag ersetzt, weil es sich jetzt anders wiederholt',
    fr: '{item} a été remplacé par une autre fiche, car sa répétition a changé',
    es: '{item} se sustituyó por otro registro, porque ahora se repite de otro modo',
  },
  '{what}; it stays, since something in the source cannot be read.': {
    de: '{what}; es bleibt, weil etwas in der Quelle nicht lesbar ist.',
    fr: '{what}\u00a0; cela reste, car une partie de la source est illisible.',
    es: '{what}; queda, porque algo de la fuente no se puede leer.',
  },
  '{what}; it was changed here, and stays.': {
    de: '{what}; es wurde hier geändert und bleibt.',
    fr: '{what}\u00a0; modifié ici, cela reste.',
    es: '{what}; se cambió aquí, y queda.',
  },
  '{what}; it goes to the trash.': {
    de: '{what}; es kommt in den Papierkorb.',
    fr: '{what}\u00a0; cela va à la corbeille.',
    es: '{what}; va a la papelera.',
  },
  '{gone} of {all} events from this source are gone from it at once,': {
    de: '{gone} von {all} Veranstaltungen dieser Quelle sind auf einmal verschwunden,',
    fr: '{gone} événements sur {all} ont disparu d’un coup de cette source,',
    es: '{gone} de {all} eventos de esta fuente han desaparecido a la vez,',
  },
  'so none was moved to the trash. If that is right, allow it with --allow-mass-removal.': {
    de: 'daher kam keine in den Papierkorb. Ist das richtig, erlaubt es --allow-mass-removal.',
    fr: 'donc aucun n’est allé à la corbeille. Si c’est voulu, --allow-mass-removal le permet.',
    es: 'así que ninguno fue a la papelera. Si es correcto, --allow-mass-removal lo permite.',
  },
  'What came before is in, and nothing counts as gone.': {
    de: 'Was davor kam, ist übernommen, und nichts gilt als verschwunden.',
    fr: 'Ce qui précède est importé, et rien ne compte comme disparu.',
    es: 'Lo anterior está importado, y nada cuenta como desaparecido.',
  },
  '--with-addresses brings them in.': {
    de: '--with-addresses übernimmt sie.',
    fr: '--with-addresses les importe.',
    es: '--with-addresses las importa.',
  },
  'The source is this calendar itself, or a copy of its database;': {
    de: 'Die Quelle ist dieser Kalender selbst oder eine Kopie seiner Datenbank;',
    fr: 'La source est ce calendrier même, ou une copie de sa base de données\u00a0;',
    es: 'La fuente es este mismo calendario, o una copia de su base de datos;',
  },
  'for a copy, run kalends invalidate-etags there and start it again.': {
    de: 'bei einer Kopie führen Sie dort kalends invalidate-etags aus und starten sie neu.',
    fr: 'pour une copie, y lancer kalends invalidate-etags et la redémarrer.',
    es: 'para una copia, ejecute allí kalends invalidate-etags y reiníciela.',
  },
  'The source is this calendar itself: its events are here already.': {
    de: 'Die Quelle ist dieser Kalender selbst: seine Veranstaltungen sind schon hier.',
    fr: 'La source est ce calendrier même\u00a0: ses événements sont déjà ici.',
    es: 'La fuente es este mismo calendario: sus eventos ya están aquí.',
  },
  '{same} of the first {events} events are here already, from {address}.': {
    de: '{same} der ersten {events} Veranstaltungen sind schon hier, von {address}.',
    fr: '{same} des {events} premiers événements sont déjà ici, de {address}.',
    es: '{same} de los primeros {events} eventos ya están aquí, de {address}.',
  },
  "If it is the same calendar under another address, go on with --same-as '{address}';": {
    de: "Ist es derselbe Kalender unter anderer Adresse, geht es mit --same-as '{address}' weiter;",
    fr: "Si c’est le même calendrier à une autre adresse, continuer avec --same-as '{address}'\u00a0;",
    es: "Si es el mismo calendario en otra dirección, siga con --same-as '{address}';",
  },
  'if it is another one that shares events, with --same-as {word}.': {
    de: 'ist es ein anderer mit gemeinsamen Veranstaltungen, mit --same-as {word}.',
    fr: 'si c’en est un autre qui partage des événements, avec --same-as {word}.',
    es: 'si es otro que comparte eventos, con --same-as {word}.',
  },
  'Another import of this source has taken over, since this one made no progress.': {
    de: 'Ein anderer Import dieser Quelle hat übernommen, weil dieser nicht vorankam.',
    fr: 'Un autre import de cette source a pris le relais, car celui-ci n’avançait pas.',
    es: 'Otra importación de esta fuente tomó el relevo, porque esta no avanzaba.',
  },
  'There is no source {name}; kalends imports lists them.': {
    de: 'Die Quelle {name} gibt es nicht; kalends imports zeigt alle.',
    fr: 'Il n’y a pas de source {name}\u00a0; kalends imports les montre.',
    es: 'No hay ninguna fuente {name}; kalends imports las muestra.',
  },
  'There is no run {run}; kalends imports lists them.': {
    de: 'Den Lauf {run} gibt es nicht; kalends imports zeigt alle.',
    fr: 'Il n’y a pas d’exécution {run}\u00a0; kalends imports les montre.',
    es: 'No hay ninguna ejecución {run}; kalends imports las muestra.',
  },
  '{address} was imported by itself already; undo its runs first, which kalends imports lists.': {
    de:
      '{address} wurde schon für sich importiert; nehmen Sie erst ' +
      'die Läufe zurück, die kalends imports zeigt.',
    fr:
      '{address} a déjà été importé à part\u00a0; annulez d’abord ses ' +
      'exécutions, que kalends imports montre.',
    es: '{address} ya se importó por separado; deshaga antes sus ejecuciones, que kalends imports muestra.',
  },
  'Run {run} was undone already.': {
    de: 'Lauf {run} ist schon zurückgenommen.',
    fr: 'L’exécution {run} a déjà été annulée.',
    es: 'La ejecución {run} ya se deshizo.',
  },
  'Run {later} of the same source came after run {run}; undo that one first.': {
    de: 'Lauf {later} derselben Quelle kam nach Lauf {run}; nehmen Sie erst jenen zurück.',
    fr: 'L’exécution {later} de la même source a suivi la {run}\u00a0; annulez d’abord celle-là.',
    es: 'La ejecución {later} de la misma fuente siguió a la {run}; deshaga antes aquella.',
  },
  'Run {run}:': { de: 'Lauf {run}:', fr: 'Exécution {run}\u00a0:', es: 'Ejecución {run}:' },
  'A run would have:': {
    de: 'Ein Lauf hätte:',
    fr: 'Une exécution aurait\u00a0:',
    es: 'Una ejecución habría:',
  },
  '{created} made, {updated} changed, {unchanged} unchanged,': {
    de: '{created} neu, {updated} geändert, {unchanged} unverändert,',
    fr: '{created} créés, {updated} modifiés, {unchanged} inchangés,',
    es: '{created} nuevos, {updated} cambiados, {unchanged} sin cambios,',
  },
  '{left} left as they are here, {trashed} moved to the trash, {failed} not in.': {
    de: '{left} hier belassen, {trashed} im Papierkorb, {failed} nicht übernommen.',
    fr: '{left} laissés tels quels, {trashed} à la corbeille, {failed} non importés.',
    es: '{left} dejados como están, {trashed} en la papelera, {failed} sin importar.',
  },
  'Nothing was written.': {
    de: 'Es wurde nichts geschrieben.',
    fr: 'Rien n’a été écrit.',
    es: 'No se escribió nada.',
  },
  'It was ended ({signal}).': {
    de: 'Er wurde beendet ({signal}).',
    fr: 'Elle a été arrêtée ({signal}).',
    es: 'Se detuvo ({signal}).',
  },
  'The import {name} failed:': {
    de: 'Der Import {name} ist fehlgeschlagen:',
    fr: 'L’import {name} a échoué\u00a0:',
    es: 'La importación {name} ha fallado:',
  },
  'The import {name} is paused:': {
    de: 'Der Import {name} ruht:',
    fr: 'L’import {name} est en pause\u00a0:',
    es: 'La importación {name} está en pausa:',
  },
  'To go on: {command}': {
    de: 'Zum Fortsetzen: {command}',
    fr: 'Pour continuer\u00a0: {command}',
    es: 'Para continuar: {command}',
  },
  'There is no import {name} on a schedule; kalends imports schedules lists them.': {
    de: 'Einen regelmäßigen Import {name} gibt es nicht; kalends imports schedules zeigt alle.',
    fr: 'Il n’y a pas d’import régulier {name}\u00a0; kalends imports schedules les montre.',
    es: 'No hay ninguna importación periódica {name}; kalends imports schedules las muestra.',
  },
  'The e-mail addresses of {count} organizers would be public here.': {
    en: {
      one: 'The e-mail address of an organizer would be public here.',
      other: 'The e-mail addresses of {count} organizers would be public here.',
    },
    de: {
      one: 'Die E-Mail-Adresse eines Veranstalters wäre hier öffentlich.',
      other: 'Die E-Mail-Adressen von {count} Veranstaltern wären hier öffentlich.',
    },
    fr: {
      one: 'L’adresse e-mail d’un organisateur serait publique ici.',
      other: 'Les adresses e-mail de {count} organisateurs seraient publiques ici.',
    },
    es: {
      one: 'La dirección de correo de un organizador sería pública aquí.',
      other: 'Las direcciones de correo de {count} organizadores serían públicas aquí.',
    },
  },
} as const satisfies Texts
