import type { Texts } from '../../calendar/locales/texts.ts'

/** Texts about sources; some are parts of sentences. */
export const sourceTexts = {
  'The file': { de: 'Die Datei', fr: 'Le fichier', es: 'El archivo' },
  'The file {path}': { de: 'Die Datei {path}', fr: 'Le fichier {path}', es: 'El archivo {path}' },
  'a login page (HTML)': {
    de: 'eine Anmeldeseite (HTML)',
    fr: 'une page de connexion (HTML)',
    es: 'una página de inicio de sesión (HTML)',
  },
  'a web page (HTML)': { de: 'eine Webseite (HTML)', fr: 'une page web (HTML)', es: 'una página web (HTML)' },
  'a document in XML, such as an RSS feed': {
    de: 'ein Dokument in XML, etwa ein RSS-Feed',
    fr: 'un document XML, tel qu’un flux RSS',
    es: 'un documento XML, como un canal RSS',
  },
  '{file} is {markup}, and not a calendar.': {
    de: '{file} ist {markup} und kein Kalender.',
    fr: '{file} est {markup}, et non un calendrier.',
    es: '{file} es {markup}, y no un calendario.',
  },
  '{file} is a folder: name a file in it.': {
    de: '{file} ist ein Ordner: Nennen Sie eine Datei darin.',
    fr: '{file} est un dossier\u00a0: nommez un fichier qu’il contient.',
    es: '{file} es una carpeta: indique un archivo de ella.',
  },
  '{file} is not a text file: save a spreadsheet as CSV, unpack an archive,': {
    de: '{file} ist keine Textdatei: Speichern Sie eine Tabelle als CSV, packen Sie ein Archiv aus,',
    fr:
      '{file} n’est pas un fichier texte\u00a0: enregistrez une feuille ' +
      'en CSV, décompressez une archive,',
    es: '{file} no es un archivo de texto: guarde una hoja de cálculo como CSV, descomprima un archivo,',
  },
  'restore a backup with kalends restore.': {
    de: 'spielen Sie eine Sicherung mit kalends restore ein.',
    fr: 'restaurez une sauvegarde avec kalends restore.',
    es: 'restaure una copia de seguridad con kalends restore.',
  },
  'It is not JSON.': { de: 'Das ist kein JSON.', fr: 'Ce n’est pas du JSON.', es: 'No es JSON.' },
  'It has {bytes} bytes; the longest line that is read has {most}.': {
    de: 'Die Zeile hat {bytes} Bytes; gelesen werden höchstens {most}.',
    fr: 'La ligne a {bytes} octets\u00a0; on en lit au plus {most}.',
    es: 'La línea tiene {bytes} bytes; se leen como máximo {most}.',
  },
  'The file has {bytes} bytes; one JSON value may have {most}.': {
    de: 'Die Datei hat {bytes} Bytes; ein JSON-Wert darf {most} haben.',
    fr: 'Le fichier a {bytes} octets\u00a0; une valeur JSON peut en avoir {most}.',
    es: 'El archivo tiene {bytes} bytes; un valor JSON puede tener {most}.',
  },
  'Save it as one record a line (NDJSON).': {
    de: 'Speichern Sie sie mit einem Eintrag je Zeile (NDJSON).',
    fr: 'Enregistrez-le avec une fiche par ligne (NDJSON).',
    es: 'Guárdelo con un registro por línea (NDJSON).',
  },
  'The file is not JSON, or is cut off.': {
    de: 'Die Datei ist kein JSON oder abgeschnitten.',
    fr: 'Le fichier n’est pas du JSON, ou est tronqué.',
    es: 'El archivo no es JSON, o está cortado.',
  },
  'The file has no records in it.': {
    de: 'In der Datei stehen keine Einträge.',
    fr: 'Le fichier ne contient aucune fiche.',
    es: 'El archivo no contiene registros.',
  },
  'The file is not a list of events, venues, organizers, categories or tags.': {
    de:
      'Die Datei ist keine Liste von Veranstaltungen, Orten, ' +
      'Veranstaltern, Kategorien oder Schlagwörtern.',
    fr:
      'Le fichier n’est pas une liste d’événements, de lieux, ' +
      'd’organisateurs, de catégories ou d’étiquettes.',
    es: 'El archivo no es una lista de eventos, lugares, organizadores, categorías o etiquetas.',
  },
  'The file has {has} of {total} records.': {
    de: 'Die Datei hat {has} von {total} Einträgen.',
    fr: 'Le fichier a {has} fiches sur {total}.',
    es: 'El archivo tiene {has} de {total} registros.',
  },
  'The file breaks off: its last record, {record}, is not JSON.': {
    de: 'Die Datei bricht ab: Der letzte Eintrag, {record}, ist kein JSON.',
    fr: 'Le fichier s’interrompt\u00a0: sa dernière fiche, {record}, n’est pas du JSON.',
    es: 'El archivo se interrumpe: su último registro, {record}, no es JSON.',
  },
  'The thread that reads the file has ended.': {
    de: 'Das Lesen der Datei ist abgebrochen.',
    fr: 'La lecture du fichier s’est interrompue.',
    es: 'La lectura del archivo se ha interrumpido.',
  },
  'The table is empty.': {
    de: 'Die Tabelle ist leer.',
    fr: 'Le tableau est vide.',
    es: 'La tabla está vacía.',
  },
  'The table cannot be read any further: {reason}': {
    de: 'Die Tabelle ist nicht weiter lesbar: {reason}',
    fr: 'Le tableau ne peut pas être lu plus loin\u00a0: {reason}',
    es: 'La tabla no se puede leer más allá: {reason}',
  },
  'The table breaks off: its last row, {row}, has too few cells.': {
    de: 'Die Tabelle bricht ab: Ihre letzte Zeile, {row}, hat zu wenige Zellen.',
    fr: 'Le tableau s’interrompt\u00a0: sa dernière ligne, {row}, a trop peu de cellules.',
    es: 'La tabla se interrumpe: su última fila, {row}, tiene muy pocas celdas.',
  },
  'The file has no column {name}; its columns are {columns}.': {
    de: 'Die Datei hat keine Spalte {name}; ihre Spalten sind {columns}.',
    fr: 'Le fichier n’a pas de colonne {name}\u00a0; ses colonnes sont {columns}.',
    es: 'El archivo no tiene la columna {name}; sus columnas son {columns}.',
  },
  'No column has the {meaning} of events; name it with --map "Column={meaning}".': {
    de: 'Keine Spalte hat {meaning}; nennen Sie sie mit --map "Spalte={meaning}".',
    fr: 'Aucune colonne n’a {meaning}\u00a0; nommez-la avec --map "Colonne={meaning}".',
    es: 'Ninguna columna tiene {meaning}; indíquela con --map "Columna={meaning}".',
  },
  'The columns are {columns}.': {
    de: 'Die Spalten sind {columns}.',
    fr: 'Les colonnes sont {columns}.',
    es: 'Las columnas son {columns}.',
  },
  'Some dates have the day first and some the month;': {
    de: 'Manche Daten beginnen mit dem Tag, manche mit dem Monat;',
    fr: 'Certaines dates commencent par le jour, d’autres par le mois\u00a0;',
    es: 'Unas fechas empiezan por el día y otras por el mes;',
  },
  'say with --dates european or --dates american how to read them.': {
    de: 'sagen Sie mit --dates european oder --dates american, wie sie zu lesen sind.',
    fr: 'dites avec --dates european ou --dates american comment les lire.',
    es: 'diga con --dates european o --dates american cómo leerlas.',
  },
  'The dates may have the day or the month first;': {
    de: 'Die Daten können mit Tag oder Monat beginnen;',
    fr: 'Les dates peuvent commencer par le jour ou le mois\u00a0;',
    es: 'Las fechas pueden empezar por el día o por el mes;',
  },
  'say which with --dates european or --dates american.': {
    de: 'sagen Sie, womit: --dates european oder --dates american.',
    fr: 'dites lequel avec --dates european ou --dates american.',
    es: 'diga cuál con --dates european o --dates american.',
  },
  'Columns that mean nothing here: {columns}, and {more} more.': {
    de: 'Spalten ohne Bedeutung hier: {columns} und {more} weitere.',
    fr: 'Colonnes sans signification ici\u00a0: {columns} et {more} autres.',
    es: 'Columnas sin significado aquí: {columns} y {more} más.',
  },
  'Columns that mean nothing here: {columns}.': {
    de: 'Spalten ohne Bedeutung hier: {columns}.',
    fr: 'Colonnes sans signification ici\u00a0: {columns}.',
    es: 'Columnas sin significado aquí: {columns}.',
  },
  '--map "Column=field" says what one means.': {
    de: '--map "Spalte=Feld" sagt, was eine bedeutet.',
    fr: '--map "Colonne=champ" dit ce que l’une signifie.',
    es: '--map "Columna=campo" dice qué significa una.',
  },
  'The file is not an iCalendar file: it has no components.': {
    de: 'Die Datei ist keine iCalendar-Datei: Sie hat keine Bestandteile.',
    fr: 'Le fichier n’est pas un fichier iCalendar\u00a0: il n’a pas de composants.',
    es: 'El archivo no es iCalendar: no tiene componentes.',
  },
  'Line {line}: {reason}': {
    de: 'Zeile {line}: {reason}',
    fr: 'Ligne {line}\u00a0: {reason}',
    es: 'Línea {line}: {reason}',
  },
  'Line {line} is too long.': {
    de: 'Zeile {line} ist zu lang.',
    fr: 'La ligne {line} est trop longue.',
    es: 'La línea {line} es demasiado larga.',
  },
  'It has more than {most} lines.': {
    de: 'Es sind mehr als {most} Zeilen.',
    fr: 'Il y a plus de {most} lignes.',
    es: 'Hay más de {most} líneas.',
  },
  'It has more than {most} nested components.': {
    de: 'Es sind mehr als {most} verschachtelte Bestandteile.',
    fr: 'Il y a plus de {most} composants imbriqués.',
    es: 'Hay más de {most} componentes anidados.',
  },
  'This {name} has no end.': {
    de: '{name} hat kein Ende.',
    fr: '{name} n’a pas de fin.',
    es: '{name} no tiene final.',
  },
  'This {name} has no end: the file is cut off.': {
    de: '{name} hat kein Ende: Die Datei ist abgeschnitten.',
    fr: '{name} n’a pas de fin\u00a0: le fichier est tronqué.',
    es: '{name} no tiene final: el archivo está cortado.',
  },
  'The event {title} has no start that can be read.': {
    de: 'Der Beginn der Veranstaltung {title} ist nicht lesbar.',
    fr: 'Le début de l’événement {title} est illisible.',
    es: 'El comienzo del evento {title} no se puede leer.',
  },
  'The end of {title} cannot be read or lies before its start, so only its start is in.': {
    de: 'Das Ende von {title} ist nicht lesbar oder liegt vor dem Beginn; übernommen wird nur der Beginn.',
    fr: 'La fin de {title} est illisible ou précède le début\u00a0; seul le début est repris.',
    es: 'El final de {title} no se puede leer o es anterior al comienzo; solo se toma el comienzo.',
  },
  '{title} changes a date that its series leaves out, so it is left out.': {
    de: '{title} ändert einen Termin, den die Serie auslässt, und bleibt weg.',
    fr: '{title} modifie une date que sa série omet, et est laissé de côté.',
    es: '{title} cambia una fecha que su serie omite, y se deja fuera.',
  },
  'How {title} repeats cannot be read, so only its first date is in: {reason}.': {
    de: 'Wie sich {title} wiederholt, ist nicht lesbar; übernommen wird nur der erste Termin: {reason}.',
    fr: 'Répétition illisible de {title}\u00a0; seule la première date est reprise\u00a0: {reason}.',
    es: 'No se puede leer cómo se repite {title}; solo se toma la primera fecha: {reason}.',
  },
  '{title} repeats in a way that events here do not ({reason}), so': {
    de: '{title} wiederholt sich, wie es hier nicht geht ({reason});',
    fr: '{title} se répète d’une façon impossible ici ({reason})\u00a0;',
    es: '{title} se repite de un modo que aquí no existe ({reason});',
  },
  'only its first date is in.': {
    de: 'nur der erste Termin wird übernommen.',
    fr: 'seule la première date est reprise.',
    es: 'solo se toma la primera fecha.',
  },
  'it is in on {dates} dates from {from} to {to}.': {
    de: 'übernommen werden {dates} Termine von {from} bis {to}.',
    fr: '{dates} dates sont reprises, du {from} au {to}.',
    es: 'se toman {dates} fechas, del {from} al {to}.',
  },
  'it is in on {dates} dates from {from} to {to}; others are left out.': {
    de: 'übernommen werden {dates} Termine von {from} bis {to}, andere nicht.',
    fr: '{dates} dates sont reprises, du {from} au {to}\u00a0; les autres sont omises.',
    es: 'se toman {dates} fechas, del {from} al {to}; las demás se omiten.',
  },
  'its time zone has clocks like no other': {
    de: 'die Uhren ihrer Zeitzone sind wie keine anderen',
    fr: 'son fuseau a des horloges comme aucun autre',
    es: 'su zona horaria tiene relojes como ninguna otra',
  },
  '{title} changes this date and all later ones, of which only this one is changed here.': {
    de: '{title} ändert diesen und alle späteren Termine; hier ändert sich nur dieser.',
    fr: '{title} modifie cette date et toutes les suivantes\u00a0; seule celle-ci change ici.',
    es: '{title} cambia esta fecha y todas las posteriores; aquí solo cambia esta.',
  },
  '{title}: Each of its dates is as long as the first one here, whatever end it has in the file.': {
    de: '{title}: Jeder Termin dauert hier so lang wie der erste, welches Ende er auch in der Datei hat.',
    fr:
      '{title}\u00a0: chaque date dure ici autant que la première, quelle ' +
      'que soit sa fin dans le fichier.',
    es: '{title}: cada fecha dura aquí lo que la primera, sea cual sea su final en el archivo.',
  },
  '{title}: The link of its meeting is no address by https, so it is in without it: {link}': {
    de: '{title}: Der Link zum Treffen ist keine https-Adresse und fehlt daher: {link}',
    fr:
      '{title}\u00a0: le lien de la réunion n’est pas une adresse https ' +
      'et n’est pas repris\u00a0: {link}',
    es: '{title}: el enlace de la reunión no es una dirección https, y se omite: {link}',
  },
  '{title}: Its coordinates are none, so it is in without them: {geo}': {
    de: '{title}: Die Koordinaten sind keine und fehlen daher: {geo}',
    fr: '{title}\u00a0: les coordonnées n’en sont pas et ne sont pas reprises\u00a0: {geo}',
    es: '{title}: las coordenadas no lo son, y se omiten: {geo}',
  },
  '{title}: Its address is none, so it is in without it: {page}': {
    de: '{title}: Die Adresse ist keine und fehlt daher: {page}',
    fr: '{title}\u00a0: l’adresse n’en est pas une et n’est pas reprise\u00a0: {page}',
    es: '{title}: la dirección no lo es, y se omite: {page}',
  },
  '{title} says that it is canceled, but its STATUS does not, so it takes place here.': {
    de: '{title} nennt sich abgesagt, sein STATUS aber nicht; hier findet es statt.',
    fr: '{title} se dit annulé, mais son STATUS non\u00a0; ici, il a lieu.',
    es: '{title} dice que se cancela, pero su STATUS no; aquí se celebra.',
  },
  '{title}: Lines that are no properties were read as the rest of the text before them: {lines}': {
    de: '{title}: Zeilen, die keine Eigenschaften sind, gelten als Rest des Textes davor: {lines}',
    fr:
      '{title}\u00a0: des lignes qui ne sont pas des propriétés ont été ' +
      'lues comme la suite du texte\u00a0: {lines}',
    es: '{title}: las líneas que no son propiedades se leyeron como resto del texto anterior: {lines}',
  },
  '{title}: Lines that cannot be read were left out: {lines}': {
    de: '{title}: Unlesbare Zeilen wurden weggelassen: {lines}',
    fr: '{title}\u00a0: des lignes illisibles ont été omises\u00a0: {lines}',
    es: '{title}: se omitieron líneas que no se pueden leer: {lines}',
  },
  'The time zone {name} is unknown here, so its times are at {offset} all year.': {
    de: 'Die Zeitzone {name} ist hier unbekannt; ihre Zeiten gelten das ganze Jahr mit {offset}.',
    fr: 'Le fuseau {name} est inconnu ici\u00a0; ses heures sont à {offset} toute l’année.',
    es: 'La zona horaria {name} no se conoce aquí; sus horas van con {offset} todo el año.',
  },
  'The time zone {name} is unknown here, so its times are in {zone}, the zone of the calendar.': {
    de: 'Die Zeitzone {name} ist hier unbekannt; ihre Zeiten gelten in {zone}, der Zone des Kalenders.',
    fr: 'Le fuseau {name} est inconnu ici\u00a0; ses heures sont dans {zone}, celui du calendrier.',
    es: 'La zona horaria {name} no se conoce aquí; sus horas van en {zone}, la del calendario.',
  },
  '{address} is no address.': {
    de: '{address} ist keine Adresse.',
    fr: '{address} n’est pas une adresse.',
    es: '{address} no es una dirección.',
  },
  'is no address.': { de: 'ist keine Adresse.', fr: 'n’est pas une adresse.', es: 'no es una dirección.' },
  'is {markup}, and not a calendar.': {
    de: 'ist {markup} und kein Kalender.',
    fr: 'est {markup}, et non un calendrier.',
    es: 'es {markup}, y no un calendario.',
  },
  'is not asked: {why}.': {
    de: 'wird nicht angefragt: {why}.',
    fr: 'n’est pas interrogé\u00a0: {why}.',
    es: 'no se consulta: {why}.',
  },
  'it is at no public address': {
    de: 'die Adresse ist nicht öffentlich',
    fr: 'ce n’est pas une adresse publique',
    es: 'no es una dirección pública',
  },
  'the login is for {origin} alone': {
    de: 'die Anmeldung gilt nur für {origin}',
    fr: 'l’identifiant est pour {origin} seul',
    es: 'las credenciales son solo para {origin}',
  },
  'is not asked: the source leads there, and {why}.': {
    de: 'wird nicht angefragt: Die Quelle führt dorthin, und {why}.',
    fr: 'n’est pas interrogé\u00a0: la source y mène, et {why}.',
    es: 'no se consulta: la fuente lleva ahí, y {why}.',
  },
  'Give this address in its place if it is meant.': {
    de: 'Geben Sie stattdessen diese Adresse an, wenn sie gemeint ist.',
    fr: 'Donnez cette adresse à sa place si c’est celle-ci.',
    es: 'Indique esta dirección en su lugar si es la que quiere.',
  },
  'answers with status {status}.': {
    de: 'antwortet mit Status {status}.',
    fr: 'répond avec le statut {status}.',
    es: 'responde con el estado {status}.',
  },
  'answers with status {status} and leads to {address}.': {
    de: 'antwortet mit Status {status} und führt zu {address}.',
    fr: 'répond avec le statut {status} et mène à {address}.',
    es: 'responde con el estado {status} y lleva a {address}.',
  },
  'answers with status 401: it wants a login with its application password.': {
    de: 'antwortet mit Status 401: Eine Anmeldung mit Anwendungspasswort ist nötig.',
    fr: 'répond avec le statut 401\u00a0: il veut un identifiant et son mot de passe d’application.',
    es: 'responde con el estado 401: pide un usuario con su contraseña de aplicación.',
  },
  'does not answer: {reason}.': {
    de: 'antwortet nicht: {reason}.',
    fr: 'ne répond pas\u00a0: {reason}.',
    es: 'no responde: {reason}.',
  },
  'answers with more than {most} bytes.': {
    de: 'antwortet mit mehr als {most} Bytes.',
    fr: 'répond avec plus de {most} octets.',
    es: 'responde con más de {most} bytes.',
  },
  'answers with a body that cannot be decoded: {reason}.': {
    de: 'antwortet mit nicht entschlüsselbarem Inhalt: {reason}.',
    fr: 'répond avec un contenu indéchiffrable\u00a0: {reason}.',
    es: 'responde con un contenido que no se puede decodificar: {reason}.',
  },
  'answers with HTML in place of {list}.': {
    de: 'antwortet mit HTML statt {list}.',
    fr: 'répond avec du HTML au lieu de {list}.',
    es: 'responde con HTML en lugar de {list}.',
  },
  'answers with something else in place of {list}.': {
    de: 'antwortet mit etwas anderem als {list}.',
    fr: 'répond avec autre chose que {list}.',
    es: 'responde con otra cosa en lugar de {list}.',
  },
  'redirects more than {most} times.': {
    de: 'leitet mehr als {most} Mal weiter.',
    fr: 'redirige plus de {most} fois.',
    es: 'redirige más de {most} veces.',
  },
  'tells no changes.': {
    de: 'nennt keine Änderungen.',
    fr: 'ne donne pas de modifications.',
    es: 'no da cambios.',
  },
  'reports changes without an end.': {
    de: 'nennt Änderungen ohne Ende.',
    fr: 'donne des modifications sans fin.',
    es: 'da cambios sin fin.',
  },
  'has more than {most} pages of {list}.': {
    de: 'hat mehr als {most} Seiten von {list}.',
    fr: 'a plus de {most} pages de {list}.',
    es: 'tiene más de {most} páginas de {list}.',
  },
  'gives the same answer for every page of {list} from page {page} on.': {
    de: 'gibt ab Seite {page} für jede Seite von {list} dieselbe Antwort.',
    fr: 'donne la même réponse pour chaque page de {list} à partir de la page {page}.',
    es: 'da la misma respuesta para cada página de {list} desde la página {page}.',
  },
  '{address} breaks off: it gave {given} of {total} records.': {
    de: '{address} bricht ab: {given} von {total} Einträgen kamen.',
    fr: '{address} s’interrompt\u00a0: {given} fiches sur {total} sont venues.',
    es: '{address} se interrumpe: dio {given} de {total} registros.',
  },
  'The dates of the series {series} at {address} break off.': {
    de: 'Die Termine der Serie {series} bei {address} brechen ab.',
    fr: 'Les dates de la série {series} à {address} s’interrompent.',
    es: 'Las fechas de la serie {series} en {address} se interrumpen.',
  },
  'does not lead to an event interface;': {
    de: 'führt zu keiner Veranstaltungs-Schnittstelle;',
    fr: 'ne mène pas à une interface d’événements\u00a0;',
    es: 'no lleva a una interfaz de eventos;',
  },
  'does not lead to an event interface but to {markup};': {
    de: 'führt zu keiner Veranstaltungs-Schnittstelle, sondern auf {markup};',
    fr: 'ne mène pas à une interface d’événements mais à {markup}\u00a0;',
    es: 'no lleva a una interfaz de eventos sino a {markup};',
  },
  'give the address of its namespace, such as https://host/wp-json/tribe/events/v1,': {
    de: 'geben Sie die Adresse ihres Namensraums an, etwa https://host/wp-json/tribe/events/v1,',
    fr: 'donnez l’adresse de son espace de noms, telle que https://host/wp-json/tribe/events/v1,',
    es: 'indique la dirección de su espacio de nombres, como https://host/wp-json/tribe/events/v1,',
  },
  'or of a calendar file.': {
    de: 'oder die einer Kalenderdatei.',
    fr: 'ou d’un fichier de calendrier.',
    es: 'o de un archivo de calendario.',
  },
} as const satisfies Texts
