import type { Locale } from './messages.ts'

/** German, mostly in impersonal forms. */
export const de: Locale = {
  'Only events with all of these words, in any form and with a wrong letter forgiven, in their texts or the \
names of their venues, organizers, categories and tags; the best come first':
    'Nur Veranstaltungen mit allen diesen Wörtern, in jeder Form und trotz eines falschen ' +
    'Buchstabens, in ihren Texten oder den Namen ihrer Orte, ' +
    'Veranstalter, Kategorien und Schlagwörter; die besten zuerst',
  'There is no {time} on this day, since clocks go forward: it is {first} or {second}.':
    'An diesem Tag gibt es {time} nicht, weil die Uhren vorgestellt werden: es ist {first} oder {second}.',
  '{time} comes twice on this day, since clocks go back: as {first} and again as {second}.':
    '{time} kommt an diesem Tag zweimal, weil die Uhren ' +
    'zurückgestellt werden: als {first} und noch einmal als {second}.',
  'This version of the record is not known, or not any more.':
    'Diese Version des Eintrags ist nicht bekannt oder nicht mehr.',
  'The only members to put back; without it, all of them':
    'Die einzigen Felder, die zurückgesetzt werden; ohne Angabe alle',
  'The version: the sequence that the record had': 'Die Version: die Folgenummer, die der Eintrag hatte',
  'List what changed a record, the newest first':
    'Auflisten, was einen Eintrag geändert hat, das Neueste zuerst',
  'Who changed it, when, and what it had before': 'Wer ihn wann geändert hat, und was vorher darin stand',
  'Read what a record had in a version': 'Lesen, was ein Eintrag in einer Version enthielt',
  'Put a version of a record back': 'Eine Version eines Eintrags zurückholen',
  'The changed record, and what could not be put back':
    'Der geänderte Eintrag, und was nicht zurückgeholt werden konnte',
  'normal does each request by itself, require-all-validate all of them or none':
    'normal führt jede Anfrage für sich aus, require-all-validate alle oder keine',
  'The requests, done in their order': 'Die Anfragen, die der Reihe nach ausgeführt werden',
  'A batch cannot hold a request for this address and method.':
    'Ein Stapel kann keine Anfrage mit dieser Adresse und Methode enthalten.',
  'Write many records with one request': 'Viele Einträge mit einer Anfrage schreiben',
  'The answers to the requests, in their order': 'Die Antworten auf die Anfragen, in deren Reihenfolge',
  'Many requests in one': 'Viele Anfragen in einer',
  'There is no webhook with this id.': 'Es gibt keinen Webhook mit dieser ID.',
  'There is no message with this id.': 'Es gibt keine Nachricht mit dieser ID.',
  'What the application password is for': 'Wofür das Anwendungspasswort ist',
  'The UUID by which the program names itself': 'Die UUID, mit der sich das Programm selbst nennt',
  'The request came without an application password.': 'Die Anfrage kam ohne ein Anwendungspasswort.',
  'There is no application password with this UUID.': 'Es gibt kein Anwendungspasswort mit dieser UUID.',
  'There are {limit} webhooks already; remove one that is not needed.':
    'Es gibt schon {limit} Webhooks; entfernen Sie einen, der nicht gebraucht wird.',
  'With series, only the first occurrence that the list finds of each series':
    'Bei series nur der erste Termin jeder Serie, den die Liste findet',
  'The same as collapse=series, when true': 'Dasselbe wie collapse=series, wenn wahr',
  'There is no series with this id.': 'Es gibt keine Serie mit dieser ID.',
  'The series is not open to you.': 'Die Serie ist für Sie nicht zugänglich.',
  'The series is in the trash already.': 'Die Serie ist bereits im Papierkorb.',
  'Series: events that repeat, with all their dates':
    'Serien: Veranstaltungen, die sich wiederholen, mit allen Terminen',
  'The id of the series': 'Die ID der Serie',
  'Somebody else has changed the series meanwhile; read it again.':
    'Jemand anderes hat die Serie inzwischen geändert; lesen Sie sie neu.',
  'The texts and links of {dates} dates take up more than {limit} bytes.':
    'Die Texte und Verweise von {dates} Terminen sind zusammen länger als {limit} Bytes.',
  'The rule has more than {limit} dates before today.': 'Die Regel hat mehr als {limit} Termine vor heute.',
  'How the event repeats: lines RRULE, RDATE and EXDATE of RFC 5545, or a rule as an object':
    'Wie die Veranstaltung sich wiederholt: Zeilen RRULE, ' +
    'RDATE und EXDATE von RFC 5545 oder eine Regel als Objekt',
  'Which occurrences of a series a change is about':
    'Um welche Termine einer Serie es bei einer Änderung geht',
  'The id of the event': 'Die ID der Veranstaltung',
  'Accepted and ignored: events have no passwords':
    'Wird angenommen und ignoriert: Veranstaltungen haben keine Passwörter',
  'The slug of the event': 'Der Slug der Veranstaltung',
  'The id of the author': 'Die ID der Autorin oder des Autors',
  'The publication date, in the time zone of the site':
    'Das Veröffentlichungsdatum in der Zeitzone der Website',
  'The publication date in UTC': 'Das Veröffentlichungsdatum in UTC',
  'The title of the event': 'Der Titel der Veranstaltung',
  'The description of the event': 'Die Beschreibung der Veranstaltung',
  'The excerpt of the event': 'Der Auszug der Veranstaltung',
  'The publication status': 'Der Veröffentlichungsstatus',
  'The time zone of the event; that of the site when none is given':
    'Die Zeitzone der Veranstaltung; ohne Angabe die der Website',
  'Whether the event lasts all day': 'Ob die Veranstaltung den ganzen Tag dauert',
  'When the event starts': 'Wann die Veranstaltung beginnt',
  'When the event ends': 'Wann die Veranstaltung endet',
  'The featured image: the id of an image, or an address to fetch one from':
    'Das Titelbild: die ID eines Bildes oder eine Adresse, von der es abgerufen wird',
  'The cost of the event': 'Die Kosten der Veranstaltung',
  'The website of the event': 'Die Website der Veranstaltung',
  'Whether the event shows a map': 'Ob die Veranstaltung eine Karte zeigt',
  'Whether the event links to a map': 'Ob die Veranstaltung auf eine Karte verlinkt',
  'Whether the event is left out of lists': 'Ob die Veranstaltung in Listen ausgelassen wird',
  'Whether the event is sticky in the calendar': 'Ob die Veranstaltung im Kalender angeheftet ist',
  'Whether the event is featured': 'Ob die Veranstaltung hervorgehoben ist',
  'The categories of the event: ids, slugs or names':
    'Die Kategorien der Veranstaltung: IDs, Slugs oder Namen',
  'The tags of the event: ids, slugs or names': 'Die Schlagwörter der Veranstaltung: IDs, Slugs oder Namen',
  'The venue of the event: its id or its fields':
    'Der Veranstaltungsort der Veranstaltung: seine ID oder seine Felder',
  'The organizers of the event: their ids or their fields':
    'Die Veranstalter der Veranstaltung: ihre IDs oder ihre Felder',
  'The page of the list to return': 'Die Seite der Liste, die geliefert wird',
  'How many records a page holds': 'Wie viele Einträge eine Seite enthält',
  'Only events that start on this day or later':
    'Nur Veranstaltungen, die an diesem Tag oder später beginnen',
  'Only events that start on this day or earlier':
    'Nur Veranstaltungen, die an diesem Tag oder früher beginnen',
  'Only events that start before this date': 'Nur Veranstaltungen, die vor diesem Zeitpunkt beginnen',
  'Only events that start after this date': 'Nur Veranstaltungen, die nach diesem Zeitpunkt beginnen',
  'Only events that end before this date': 'Nur Veranstaltungen, die vor diesem Zeitpunkt enden',
  'Only events that end after this date': 'Nur Veranstaltungen, die nach diesem Zeitpunkt enden',
  'Take the dates to the second instead of by whole days':
    'Datumsangaben sekundengenau statt nach ganzen Tagen auswerten',
  'Only events with these words in their title, excerpt or description':
    'Nur Veranstaltungen mit diesen Wörtern in Titel, Auszug oder Beschreibung',
  'Only events in any of these categories, by id or slug':
    'Nur Veranstaltungen in mindestens einer dieser Kategorien, nach ID oder Slug',
  'Only events with any of these tags, by id or slug':
    'Nur Veranstaltungen mit mindestens einem dieser Schlagwörter, nach ID oder Slug',
  'Only events at any of these venues, by id':
    'Nur Veranstaltungen an einem dieser Veranstaltungsorte, nach ID',
  'Only events of any of these organizers, by id':
    'Nur Veranstaltungen von einem dieser Veranstalter, nach ID',
  'Only featured events, or only those that are not':
    'Nur hervorgehobene Veranstaltungen oder nur die übrigen',
  'Only events at this time, by the clock of the site':
    'Nur Veranstaltungen zu dieser Zeit, nach der Uhr des Kalenders',
  'Only events in which people take part in one of these ways':
    'Nur Veranstaltungen, an denen man auf eine dieser Arten teilnimmt',
  'Only events that are free of charge, or only those of which that is not known':
    'Nur kostenlose Veranstaltungen oder nur die, von denen das nicht bekannt ist',
  'Only events that begin at one of these times of day':
    'Nur Veranstaltungen, die zu einer dieser Tageszeiten beginnen',
  'Only events with one of these statuses': 'Nur Veranstaltungen mit einem dieser Status',
  'Only events whose venue has coordinates, or only those whose venue has none':
    'Nur Veranstaltungen, deren Veranstaltungsort Koordinaten ' +
    'hat, oder nur solche, deren Veranstaltungsort keine hat',
  'The latitude to look around; needs geoloc_lng':
    'Die geografische Breite, um die herum gesucht wird; erfordert geoloc_lng',
  'The longitude to look around; needs geoloc_lat':
    'Die geografische Länge, um die herum gesucht wird; erfordert geoloc_lat',
  'Only the events with these ids, whenever they are':
    'Nur die Veranstaltungen mit diesen IDs, gleich wann sie stattfinden',
  'Only dates of the series with this id': 'Nur Termine der Serie mit dieser ID',
  'Only events that sell tickets, which this service does not':
    'Nur Veranstaltungen mit Kartenverkauf, den dieser Dienst nicht anbietet',
  'Only events whose venue lies in this part of the map: west, south, east and north in degrees':
    'Nur Veranstaltungen, deren Ort in diesem Teil der Karte liegt: Westen, Süden, Osten und Norden in Grad',
  'How far to look around geoloc_lat and geoloc_lng, in kilometres':
    'Wie weit um geoloc_lat und geoloc_lng herum gesucht wird, in Kilometern',

  'The id of the venue': 'Die ID des Veranstaltungsorts',
  'The slug of the venue': 'Der Slug des Veranstaltungsorts',
  'The name of the venue': 'Der Name des Veranstaltungsorts',
  'The description of the venue': 'Die Beschreibung des Veranstaltungsorts',
  'Whether events at the venue show a map':
    'Ob Veranstaltungen an diesem Veranstaltungsort eine Karte zeigen',
  'Whether events at the venue link to a map':
    'Ob Veranstaltungen an diesem Veranstaltungsort auf eine Karte verlinken',
  'The street address of the venue': 'Straße und Hausnummer des Veranstaltungsorts',
  'The city of the venue': 'Die Stadt des Veranstaltungsorts',
  'The country of the venue': 'Das Land des Veranstaltungsorts',
  'The province of the venue': 'Die Provinz des Veranstaltungsorts',
  'The state of the venue': 'Der Bundesstaat des Veranstaltungsorts',
  'The postal code of the venue': 'Die Postleitzahl des Veranstaltungsorts',
  'The phone number of the venue': 'Die Telefonnummer des Veranstaltungsorts',
  'The state or province of the venue': 'Der Bundesstaat oder die Provinz des Veranstaltungsorts',
  'The website of the venue': 'Die Website des Veranstaltungsorts',
  'The latitude of the venue, in degrees; sent together with geo_lng':
    'Die geografische Breite des Veranstaltungsorts in Grad; wird zusammen mit geo_lng gesendet',
  'The longitude of the venue, in degrees; sent together with geo_lat':
    'Die geografische Länge des Veranstaltungsorts in Grad; wird zusammen mit geo_lat gesendet',
  'Only records with this text in their name, description or details':
    'Nur Einträge mit diesem Text in Name, Beschreibung oder weiteren Angaben',
  'Only records linked to the event with this id':
    'Nur Einträge, die mit der Veranstaltung mit dieser ID verknüpft sind',
  'Only records that have events, or only those that have none':
    'Nur Einträge mit Veranstaltungen oder nur solche ohne',
  'Only records that have upcoming events': 'Nur Einträge mit bevorstehenden Veranstaltungen',
  'Only records with one of these statuses': 'Nur Einträge mit einem dieser Status',
  'Only venues that have coordinates, or only those that have none':
    'Nur Veranstaltungsorte mit Koordinaten oder nur solche ohne',

  'The id of the organizer': 'Die ID des Veranstalters',
  'The slug of the organizer': 'Der Slug des Veranstalters',
  'The name of the organizer': 'Der Name des Veranstalters',
  'The description of the organizer': 'Die Beschreibung des Veranstalters',
  'The phone number of the organizer': 'Die Telefonnummer des Veranstalters',
  'The website of the organizer': 'Die Website des Veranstalters',
  'The e-mail address of the organizer': 'Die E-Mail-Adresse des Veranstalters',

  'The id of the category': 'Die ID der Kategorie',
  'The id of the tag': 'Die ID des Schlagworts',
  'The description of the term': 'Die Beschreibung des Begriffs',
  'The id of the parent category; 0 for none': 'Die ID der übergeordneten Kategorie; 0 für keine',
  'How many terms a page holds': 'Wie viele Begriffe eine Seite enthält',
  'Only terms with this text in their name or slug': 'Nur Begriffe mit diesem Text in Name oder Slug',
  'Leave out the terms with these ids': 'Die Begriffe mit diesen IDs auslassen',
  'Only the terms with these ids': 'Nur die Begriffe mit diesen IDs',
  'The direction of the order: asc or desc': 'Die Richtung der Sortierung: asc oder desc',
  'What the terms are ordered by: name, id, slug, count, description, parent or include':
    'Wonach die Begriffe sortiert werden: name, id, slug, count, description, parent oder include',
  'Leave out terms that no published event is assigned to':
    'Begriffe auslassen, denen keine veröffentlichte Veranstaltung zugeordnet ist',
  'Only the children of the category with this id; 0 for those at the top':
    'Nur die Unterkategorien der Kategorie mit dieser ID; 0 für die obersten',
  'Only terms assigned to the event with this id':
    'Nur Begriffe, die der Veranstaltung mit dieser ID zugeordnet sind',
  'Only the term with this slug': 'Nur der Begriff mit diesem Slug',

  'No route matches the address and method of the request.':
    'Zu Adresse und Methode der Anfrage passt keine Route.',
  'The namespace asked for could not be found.': 'Der angefragte Namensraum wurde nicht gefunden.',
  'The body of the request is not valid JSON.': 'Der Inhalt der Anfrage ist kein gültiges JSON.',
  'The form in the body of the request cannot be read.':
    'Das Formular im Rumpf der Anfrage ist nicht lesbar.',
  'A body may be sent in chunks, and by no other transfer coding.':
    'Ein Inhalt darf in Stücken gesendet werden, mit keiner anderen Transfer-Kodierung.',
  'Requests are sent by HTTP/1.0 or HTTP/1.1.': 'Anfragen werden mit HTTP/1.0 oder HTTP/1.1 gesendet.',
  'The request is no HTTP that can be read.': 'Die Anfrage ist kein lesbares HTTP.',
  'The head of the request is larger than 16 kB.': 'Der Kopf der Anfrage ist größer als 16 kB.',
  'The request took too long to arrive.': 'Die Anfrage kam zu langsam an.',
  'Too many requests of one client; try again in a moment.':
    'Zu viele Anfragen; in einem Augenblick geht es wieder.',
  'This sync token is of no use any more; begin again without one.':
    'Dieses Synchronisierungszeichen gilt nicht mehr; bitte ohne eines neu beginnen.',
  'Missing parameters: {names}': 'Fehlende Parameter: {names}',
  'Invalid parameters: {names}': 'Ungültige Parameter: {names}',
  'The value is invalid.': 'Der Wert ist ungültig.',
  'The value of {name} is invalid; {example} would be valid.':
    'Der Wert von {name} ist ungültig; {example} wäre gültig.',
  'The value of {name} is not of the type {type}.': 'Der Wert von {name} ist nicht vom Typ {type}.',
  'The value of {name} is not one of {choices}.': 'Der Wert von {name} ist keiner von {choices}.',
  'This service sells no tickets.': 'Dieser Dienst verkauft keine Eintrittskarten.',
  'The value of {name} is longer than {limit} characters.':
    'Der Wert von {name} ist länger als {limit} Zeichen.',
  'The value of {name} is longer than {limit} bytes.': 'Der Wert von {name} ist länger als {limit} Bytes.',
  'The value of {name} has more than {limit} words.': 'Der Wert von {name} hat mehr als {limit} Wörter.',
  'The value of {name} has more than {limit} entries.': 'Der Wert von {name} hat mehr als {limit} Einträge.',
  'The value of {name} nests deeper than {limit} levels.':
    'Der Wert von {name} ist tiefer als {limit} Ebenen verschachtelt.',
  'The value of {name} has more than {limit} members in all.':
    'Der Wert von {name} hat insgesamt mehr als {limit} Bestandteile.',
  'The value of {name} has more than {limit} accents on one letter.':
    'Der Wert von {name} hat mehr als {limit} Akzente auf einem Buchstaben.',
  'The request has more than {limit} parameters.': 'Die Anfrage hat mehr als {limit} Parameter.',
  'You are not allowed to do that.': 'Dafür fehlt die Berechtigung.',
  'You need to sign in to do that.': 'Dafür ist eine Anmeldung erforderlich.',
  'You are not signed in.': 'Es liegt keine Anmeldung vor.',
  'The content type of the body is not supported.': 'Der Inhaltstyp der Anfrage wird nicht unterstützt.',
  'The body of the request is larger than {bytes} bytes.':
    'Der Inhalt der Anfrage ist größer als {bytes} Bytes.',
  'The address of the request is too long.': 'Die Adresse der Anfrage ist zu lang.',
  'The service cannot answer just now; try again soon.':
    'Der Dienst kann gerade nicht antworten; bitte in Kürze erneut versuchen.',
  'The service can only be read just now; try again later.':
    'Der Dienst kann gerade nur gelesen werden; bitte später noch einmal versuchen.',
  'The service has no room left to keep this; try again later.':
    'Der Dienst hat keinen Platz mehr, um das zu speichern; bitte später noch einmal versuchen.',
  'Something went wrong here; it has been noted.':
    'Hier ist etwas schiefgegangen; der Fehler wurde vermerkt.',
  'No file was sent.': 'Es wurde keine Datei gesendet.',
  'The file is not an image of a kind this service keeps.':
    'Die Datei ist kein Bild in einem Format, das dieser Dienst aufnimmt.',
  'There is no image or record with this id.': 'Es gibt kein Bild und keinen Eintrag mit dieser ID.',
  'The password does not belong to this user.': 'Das Passwort gehört nicht zu diesem Benutzerkonto.',
  'There is no such user.': 'Dieses Benutzerkonto gibt es nicht.',
  'Nobody has this token; it may have been taken away.':
    'Dieses Token hat niemand; vielleicht wurde es widerrufen.',
  'This application password or token has expired.': 'Dieses Anwendungspasswort oder Token ist abgelaufen.',
  'Too many attempts to sign in at once; try again soon.':
    'Zu viele Anmeldeversuche auf einmal; bitte gleich noch einmal versuchen.',
  'A term of this name exists already with this parent.':
    'Unter demselben übergeordneten Begriff gibt es bereits einen Begriff mit diesem Namen.',
  'Another term has this slug already.': 'Ein anderer Begriff hat diesen Slug bereits.',
  'The page of events asked for does not exist.': 'Die angefragte Seite mit Veranstaltungen gibt es nicht.',
  'The page of venues asked for does not exist.':
    'Die angefragte Seite mit Veranstaltungsorten gibt es nicht.',
  'The page of organizers asked for does not exist.': 'Die angefragte Seite mit Veranstaltern gibt es nicht.',
  'The event is not open to you.': 'Für diese Veranstaltung fehlt die Zugriffsberechtigung.',
  'The venue is not open to you.': 'Für diesen Veranstaltungsort fehlt die Zugriffsberechtigung.',
  'The organizer is not open to you.': 'Für diesen Veranstalter fehlt die Zugriffsberechtigung.',
  'The event is in the trash already.': 'Die Veranstaltung liegt bereits im Papierkorb.',
  'The venue is in the trash already.': 'Der Veranstaltungsort liegt bereits im Papierkorb.',
  'The organizer is in the trash already.': 'Der Veranstalter liegt bereits im Papierkorb.',
  'A venue needs a name.': 'Ein Veranstaltungsort braucht einen Namen.',
  'An organizer needs a name.': 'Ein Veranstalter braucht einen Namen.',
  'There is no event with this id or slug.': 'Es gibt keine Veranstaltung mit dieser ID oder diesem Slug.',
  'The id belongs to something that is not an event.': 'Die ID gehört zu etwas, das keine Veranstaltung ist.',
  'The event is no longer available.': 'Die Veranstaltung ist nicht mehr verfügbar.',
  'Events, venues, organizers, categories and tags of this calendar.':
    'Veranstaltungen, Veranstaltungsorte, Veranstalter, Kategorien und Schlagwörter dieses Kalenders.',
  'Describe this interface as an OpenAPI document': 'Diese Schnittstelle als OpenAPI-Dokument beschreiben',
  'List the matching records, page by page': 'Seitenweise auflisten, was passt',
  'Change the sent fields and leave the rest': 'Gesendetes ändern und den Rest belassen',
  'Move one to the trash': 'Eines in den Papierkorb legen',
  'Remove one for good': 'Eines endgültig löschen',
  'One page of the matching records': 'Eine Seite dessen, was passt',
  'The changed record': 'Der Stand nach der Änderung',
  'Nothing has changed since the version that If-None-Match names':
    'Seit der in If-None-Match genannten Fassung hat sich nichts geändert',
  'How many records match in all': 'Wie viele Einträge insgesamt passen',
  'The fields whose values were passed over': 'Die Felder, deren Werte übergangen wurden',
  'How many pages they fill': 'Wie viele Seiten sie füllen',
  'The address of the REST root, and of the next and the previous page of a list':
    'Die Adresse der REST-Wurzel und der nächsten und der vorigen Seite einer Liste',
  'The version of the answer, for If-None-Match': 'Die Fassung der Antwort, für If-None-Match',
  'The version of the answer that is known already, as its ETag named it':
    'Die bereits bekannte Fassung der Antwort, wie ihr ETag sie nannte',
  'The methods open to the caller': 'Die Methoden, für die eine Berechtigung besteht',
  'The address of the created record': 'Die Adresse dessen, was angelegt wurde',
  'Seconds to wait before trying again': 'Sekunden bis zum nächsten Versuch',
  'The name of the request in the log of the service': 'Der Name der Anfrage im Protokoll des Dienstes',
  'A user name or e-mail address with an application password':
    'Ein Benutzername oder eine E-Mail-Adresse mit einem Anwendungspasswort',
  'The description of this interface': 'Die Beschreibung dieser Schnittstelle',
  'Events: what takes place and when': 'Veranstaltungen: was wann stattfindet',
  'Venues: where events take place': 'Veranstaltungsorte: wo Veranstaltungen stattfinden',
  'Organizers: who holds events': 'Veranstalter: wer Veranstaltungen ausrichtet',
  'Categories: the tree that events are sorted into':
    'Kategorien: der Baum, in den Veranstaltungen eingeordnet werden',
  'Tags: the words that events are marked with':
    'Schlagwörter: die Wörter, mit denen Veranstaltungen gekennzeichnet sind',
  'Every operation also takes _fields to pick members of the answer, _envelope to put status and headers \
into the body, and _pretty to indent it.':
    'Jede Operation nimmt auch _fields an, um Teile der Antwort auszuwählen, _envelope, ' +
    'um Status und Kopfzeilen in den Inhalt zu legen, und _pretty, um ihn einzurücken.',
  'The list has fewer pages than that.': 'So viele Seiten hat die Liste nicht.',
  'There is no term with this id.': 'Es gibt keinen Begriff mit dieser ID.',
  'The id of the image': 'Die ID des Bildes',
  'The image: the whole body of the request, or a file of a multipart form':
    'Das Bild: der ganze Inhalt der Anfrage oder eine Datei eines Multipart-Formulars',
  'Only the terms with these slugs': 'Nur die Begriffe mit diesen Slugs',
  'What it is read for: view, edit or embed': 'Wofür gelesen wird: view, edit oder embed',
  'Only records with these words in their texts': 'Nur Einträge mit diesen Wörtern in ihren Texten',
  'Only records published after this time': 'Nur Einträge, die nach diesem Zeitpunkt veröffentlicht wurden',
  'Only records published before this time': 'Nur Einträge, die vor diesem Zeitpunkt veröffentlicht wurden',
  'Only records changed after this time': 'Nur Einträge, die nach diesem Zeitpunkt geändert wurden',
  'Only records changed before this time': 'Nur Einträge, die vor diesem Zeitpunkt geändert wurden',
  'Only records of these authors, by id': 'Nur Einträge dieser Autoren, nach ID',
  'Leave out the records with these ids': 'Die Einträge mit diesen IDs auslassen',
  'Only the records with these ids': 'Nur die Einträge mit diesen IDs',
  'How many records to pass over before the first page':
    'Wie viele Einträge vor der ersten Seite übergangen werden',
  'What the records are ordered by: date, modified, id, title, slug, author, include or relevance':
    'Wonach die Einträge geordnet sind: date, modified, id, title, slug, author, include oder relevance',
  'Only the records with these slugs': 'Nur die Einträge mit diesen Slugs',
  'Only records with one of these statuses; any stands for all but the trash':
    'Nur Einträge in einem dieser Zustände; any steht für alle außer dem Papierkorb',
  'Only events in any of these categories, by id': 'Nur Veranstaltungen in einer dieser Kategorien, nach ID',
  'Only events with any of these tags, by id': 'Nur Veranstaltungen mit einem dieser Schlagwörter, nach ID',
  'The id of the featured image; 0 for none': 'Die ID des Beitragsbilds; 0 für keines',
  'The title of the image; the name of its file unless sent':
    'Der Titel des Bilds; ohne Angabe der Name der Datei',
  'What the image shows, for those who do not see it': 'Was das Bild zeigt, für alle, die es nicht sehen',
  'The caption of the image': 'Die Bildunterschrift',
  'The description of the image': 'Die Beschreibung des Bilds',
  'Only files of this kind: image, video, text, application or audio':
    'Nur Dateien dieser Art: image, video, text, application oder audio',
  'Only files of this media type, such as image/png': 'Nur Dateien dieses Medientyps, etwa image/png',
  'Only events that are scheduled, canceled or postponed: any of these words':
    'Nur Veranstaltungen, die stattfinden, abgesagt oder verschoben sind ' +
    '(scheduled, canceled, postponed): eines dieser Wörter oder mehrere',
  'Whether the event takes place: scheduled, canceled or postponed':
    'Ob die Veranstaltung stattfindet: scheduled (wie ' +
    'geplant), canceled (abgesagt) oder postponed (verschoben)',
  'Why the event is canceled or postponed': 'Warum die Veranstaltung abgesagt oder verschoben ist',
  'This is no longer listed.': 'Das steht nicht mehr im Kalender.',
  'This Idempotency-Key belongs to another request; take a new one.':
    'Dieser Idempotency-Key gehört zu einer anderen Anfrage; nehmen Sie einen neuen.',
  'The record has changed since the version that If-Match names; read it again.':
    'Der Eintrag hat sich seit der Fassung geändert, die If-Match nennt; bitte neu lesen.',
  'Changes the record only if it still has the version that this ETag of it names':
    'Ändert den Eintrag nur, wenn er noch die Fassung hat, die dieses ETag von ihm nennt',
  'The request with this Idempotency-Key is being answered; try again soon.':
    'Die Anfrage mit diesem Idempotency-Key wird gerade beantwortet; versuchen Sie es gleich noch einmal.',
  'For 24 hours the same request with the same key gets the same answer and creates nothing more':
    '24 Stunden lang bekommt dieselbe Anfrage mit demselben ' +
    'Schlüssel dieselbe Antwort und legt nichts weiter an',
  'return=minimal asks for an answer without a body': 'return=minimal verlangt eine Antwort ohne Inhalt',
  'Says that the answer was given before to the same key':
    'Sagt, dass die Antwort auf denselben Schlüssel schon einmal gegeben wurde',
  'The preference that was followed': 'Der Wunsch, der befolgt wurde',
  'The image has more than {limit} pixels, or too many frames, or takes too long to read.':
    'Das Bild hat mehr als {limit} Pixel oder zu viele Einzelbilder, oder es zu lesen dauert zu lange.',
  'The name of the format of the answer; without it Accept chooses':
    'Der Name des Formats der Antwort; ohne ihn wählt Accept',
  'A recurrence is RRULE, RDATE and EXDATE lines as a text or list, or an object.':
    'Eine Wiederholung besteht aus den Zeilen RRULE, RDATE ' +
    'und EXDATE als Text oder Liste oder aus einem Objekt.',
  'The part {part} of a recurrence is not supported.':
    'Der Teil {part} einer Wiederholung wird nicht unterstützt.',
  'The part {part} of a recurrence is given more than once.':
    'Der Teil {part} einer Wiederholung steht mehr als einmal da.',
  'The value of {part} is invalid.': 'Der Wert von {part} ist ungültig.',
  'The value of {part} has to lie between {from} and {to}.':
    'Der Wert von {part} muss zwischen {from} und {to} liegen.',
  'The value of {part} has more than {limit} entries.': 'Der Wert von {part} hat mehr als {limit} Einträge.',
  'A rule repeats daily, weekly, monthly or yearly.':
    'Eine Regel wiederholt sich täglich, wöchentlich, monatlich oder jährlich.',
  'A rule has either a count or an end.': 'Eine Regel hat entweder eine Anzahl oder ein Ende.',
  'The part {part} does not go with a rule that repeats like this.':
    'Der Teil {part} passt nicht zu einer Regel, die sich so wiederholt.',
  'Positions need weekdays, days or months to choose from.':
    'Positionen brauchen Wochentage, Tage oder Monate, aus denen sie wählen.',
  'The rule combines more than {limit} days.': 'Die Regel verbindet mehr als {limit} Tage.',
  'The time zone of {part} does not exist.': 'Die Zeitzone von {part} gibt es nicht.',
  'The date of {part} lies before the start of the event.':
    'Das Datum von {part} liegt vor dem Beginn der Veranstaltung.',
  'The date of {part} is not the start of the event.':
    'Das Datum von {part} ist nicht der Beginn der Veranstaltung.',
  'The rule has no date at all.': 'Die Regel hat kein einziges Datum.',
  'The exceptions leave no date.': 'Die Ausnahmen lassen kein Datum übrig.',
  'No rule without an end has the dates of the series there. Send a recurrence as well.':
    'Keine Regel ohne Ende hat die Termine der Reihe dort. Bitte auch eine Wiederholung (recurrence) senden.',
  'Accessible parking': 'Behindertenparkplatz',
  'Assistance dogs welcome': 'Assistenzhunde willkommen',
  'Free ticket for a companion': 'Begleitperson frei',
  'What else there is to know about access': 'Was man sonst zur Barrierefreiheit wissen muss',
  'Whom to ask about access': 'Wer Fragen zur Barrierefreiheit beantwortet',
  'How people take part: in_person, online or mixed':
    'Wie man teilnimmt: in_person (vor Ort), online oder mixed (beides)',
  'The link of the meeting': 'Der Link zum Online-Treffen',
  'What the link of the meeting is called': 'Wie der Link zum Online-Treffen heißt',
  'When everybody sees the link of the meeting: always, before:<minutes> or never':
    'Wann alle den Link zum Online-Treffen sehen: always (immer), ' +
    'before:<minutes> (so viele Minuten vor Beginn) oder never (nie)',
  'Only events that have all of these facts of access, themselves or by their venue':
    'Nur Veranstaltungen, die all das zur Barrierefreiheit bieten, selbst oder durch ihren Ort',
  'In person and online': 'Vor Ort und online',
  'Whether the image only decorates the event, so that nothing is said of it there':
    'Ob das Bild die Veranstaltung nur schmückt, sodass dort nichts dazu gesagt wird',
  'It only decorates, and needs no text': 'Es schmückt nur und braucht keinen Text',
  'What the image shows at this event, where that is something else than the text of the image says':
    'Was das Bild bei dieser Veranstaltung zeigt, wenn es etwas anderes ist, als der Text des Bildes sagt',
  'A login is up to 60 letters, digits and . _ - @ and starts with a letter or digit.':
    'Ein Anmeldename hat bis zu 60 Buchstaben, Ziffern und . ' +
    '_ - @ und beginnt mit einem Buchstaben oder einer Ziffer.',
  '{email} is not an e-mail address.': '{email} ist keine E-Mail-Adresse.',
  'A name is one line of at most 250 characters.': 'Ein Name ist eine Zeile von höchstens 250 Zeichen.',
  'There already is a user with the login or e-mail address {name}.':
    'Es gibt schon jemanden mit dem Anmeldenamen oder der E-Mail-Adresse {name}.',
  'Nobody has more than 100 passwords for programs; take one away first.':
    'Niemand hat mehr als 100 Passwörter für Programme; nehmen Sie zuerst eines zurück.',
  '{login} is the last administrator; make another user administrator first.':
    '{login} ist der letzte Administrator; machen Sie zuerst jemand anderen dazu.',
  'The records of {login} cannot go to {login}.': 'Die Einträge von {login} können nicht an {login} gehen.',
  '{login} owns records; name the user who takes them over.':
    '{login} hat Einträge; sagen Sie, wer sie übernimmt.',
  'Its code, such as bfi, gsg or lsf.': 'Ihr Kürzel, etwa gsg, bfi oder lsf.',
  'In degrees, such as 53.2707; together with the longitude.':
    'In Grad, etwa 53.2707; zusammen mit der Länge.',
  'In degrees, such as -9.0568.': 'In Grad, etwa -9.0568.',
  'Left empty, it is made from the name.': 'Bleibt sie leer, entsteht sie aus dem Namen.',
  'From a quarter of an hour before the start': 'Ab einer Viertelstunde vor Beginn',
  'From an hour before the start': 'Ab einer Stunde vor Beginn',
  'From a day before the start': 'Ab einem Tag vor Beginn',
  'One sentence for lists': 'Ein Satz für Listen',
  'Hide from lists': 'In Listen verbergen',
  'First on its day in the month view': 'In der Monatsansicht zuerst am Tag',
  'More about access': 'Mehr zur Barrierefreiheit',
  'When the link is shown': 'Wann der Link erscheint',
}
