import type { Locale } from './messages.ts'

/** Spanish, mostly in impersonal forms. */
export const es: Locale = {
  'Only events with all of these words, in any form and with a wrong letter forgiven, in their texts or the \
names of their venues, organizers, categories and tags; the best come first':
    'Solo los eventos con todas estas palabras, en cualquier forma y pese a una letra ' +
    'equivocada, en sus textos o en los nombres de sus lugares, ' +
    'organizadores, categorías y etiquetas; los mejores primero',
  'There is no {time} on this day, since clocks go forward: it is {first} or {second}.':
    'Las {time} no existen ese día, porque los relojes se adelantan: son las {first} o las {second}.',
  '{time} comes twice on this day, since clocks go back: as {first} and again as {second}.':
    'Las {time} se dan dos veces ese día, porque los relojes ' +
    'se atrasan: como {first} y otra vez como {second}.',
  'This version of the record is not known, or not any more.':
    'Esta versión del registro no se conoce, o ya no.',
  'The only members to put back; without it, all of them':
    'Los únicos campos que se restauran; sin indicarlos, todos',
  'The version: the sequence that the record had': 'La versión: el número de secuencia que tenía el registro',
  'List what changed a record, the newest first':
    'Enumerar lo que cambió un registro, lo más reciente primero',
  'Who changed it, when, and what it had before': 'Quién lo cambió, cuándo y qué tenía antes',
  'Read what a record had in a version': 'Leer lo que tenía un registro en una versión',
  'Put a version of a record back': 'Restaurar una versión de un registro',
  'The changed record, and what could not be put back': 'El registro cambiado y lo que no se pudo restaurar',
  'normal does each request by itself, require-all-validate all of them or none':
    'normal hace cada petición por separado, require-all-validate todas o ninguna',
  'The requests, done in their order': 'Las peticiones, que se hacen en su orden',
  'A batch cannot hold a request for this address and method.':
    'Un lote no puede contener una petición con esta dirección y este método.',
  'Write many records with one request': 'Escribir muchos registros con una petición',
  'The answers to the requests, in their order': 'Las respuestas a las peticiones, en su orden',
  'Many requests in one': 'Muchas peticiones en una',
  'There is no webhook with this id.': 'No hay ningún webhook con este ID.',
  'There is no message with this id.': 'No hay ningún mensaje con este ID.',
  'What the application password is for': 'Para qué es la contraseña de aplicación',
  'The UUID by which the program names itself': 'El UUID con el que el programa se identifica',
  'The request came without an application password.': 'La petición llegó sin contraseña de aplicación.',
  'There is no application password with this UUID.':
    'No hay ninguna contraseña de aplicación con este UUID.',
  'There are {limit} webhooks already; remove one that is not needed.':
    'Ya hay {limit} webhooks; elimine uno que no haga falta.',
  'With series, only the first occurrence that the list finds of each series':
    'Con series, solo la primera fecha que la lista encuentra de cada serie',
  'The same as collapse=series, when true': 'Lo mismo que collapse=series, si es verdadero',
  'There is no series with this id.': 'No hay ninguna serie con este ID.',
  'The series is not open to you.': 'La serie no es accesible para usted.',
  'The series is in the trash already.': 'La serie ya está en la papelera.',
  'Series: events that repeat, with all their dates': 'Series: eventos que se repiten, con todas sus fechas',
  'The id of the series': 'El ID de la serie',
  'Somebody else has changed the series meanwhile; read it again.':
    'Otra persona ha cambiado la serie mientras tanto; léala de nuevo.',
  'The texts and links of {dates} dates take up more than {limit} bytes.':
    'Los textos y enlaces de {dates} fechas ocupan más de {limit} bytes.',
  'The rule has more than {limit} dates before today.':
    'La regla tiene más de {limit} fechas anteriores a hoy.',
  'How the event repeats: lines RRULE, RDATE and EXDATE of RFC 5545, or a rule as an object':
    'Cómo se repite el evento: líneas RRULE, RDATE y EXDATE de RFC 5545, o una regla como objeto',
  'Which occurrences of a series a change is about': 'A qué fechas de una serie se refiere un cambio',
  'The id of the event': 'El ID del evento',
  'Accepted and ignored: events have no passwords': 'Se acepta y se ignora: los eventos no tienen contraseña',
  'The slug of the event': 'El slug del evento',
  'The id of the author': 'El ID del autor',
  'The publication date, in the time zone of the site':
    'La fecha de publicación, en la zona horaria del sitio',
  'The publication date in UTC': 'La fecha de publicación en UTC',
  'The title of the event': 'El título del evento',
  'The description of the event': 'La descripción del evento',
  'The excerpt of the event': 'El extracto del evento',
  'The publication status': 'El estado de publicación',
  'The time zone of the event; that of the site when none is given':
    'La zona horaria del evento; la del sitio si no se indica ninguna',
  'Whether the event lasts all day': 'Indica si el evento dura todo el día',
  'When the event starts': 'Cuándo empieza el evento',
  'When the event ends': 'Cuándo termina el evento',
  'The featured image: the id of an image, or an address to fetch one from':
    'La imagen destacada: el ID de una imagen o una dirección de la que obtenerla',
  'The cost of the event': 'El precio del evento',
  'The website of the event': 'El sitio web del evento',
  'Whether the event shows a map': 'Indica si el evento muestra un mapa',
  'Whether the event links to a map': 'Indica si el evento enlaza a un mapa',
  'Whether the event is left out of lists': 'Indica si el evento se omite en las listas',
  'Whether the event is sticky in the calendar': 'Indica si el evento está fijado en el calendario',
  'Whether the event is featured': 'Indica si el evento está destacado',
  'The categories of the event: ids, slugs or names': 'Las categorías del evento: IDs, slugs o nombres',
  'The tags of the event: ids, slugs or names': 'Las etiquetas del evento: IDs, slugs o nombres',
  'The venue of the event: its id or its fields': 'El lugar del evento: su ID o sus campos',
  'The organizers of the event: their ids or their fields':
    'Los organizadores del evento: sus IDs o sus campos',
  'The page of the list to return': 'La página de la lista que se devuelve',
  'How many records a page holds': 'Cuántos elementos contiene una página',
  'Only events that start on this day or later': 'Solo los eventos que empiezan en este día o más tarde',
  'Only events that start on this day or earlier': 'Solo los eventos que empiezan en este día o antes',
  'Only events that start before this date': 'Solo los eventos que empiezan antes de esta fecha',
  'Only events that start after this date': 'Solo los eventos que empiezan después de esta fecha',
  'Only events that end before this date': 'Solo los eventos que terminan antes de esta fecha',
  'Only events that end after this date': 'Solo los eventos que terminan después de esta fecha',
  'Take the dates to the second instead of by whole days':
    'Tomar las fechas con precisión de segundos en lugar de por días enteros',
  'Only events with these words in their title, excerpt or description':
    'Solo los eventos con estas palabras en el título, el extracto o la descripción',
  'Only events in any of these categories, by id or slug':
    'Solo los eventos de alguna de estas categorías, por ID o slug',
  'Only events with any of these tags, by id or slug':
    'Solo los eventos con alguna de estas etiquetas, por ID o slug',
  'Only events at any of these venues, by id': 'Solo los eventos en alguno de estos lugares, por ID',
  'Only events of any of these organizers, by id':
    'Solo los eventos de alguno de estos organizadores, por ID',
  'Only featured events, or only those that are not': 'Solo los eventos destacados, o solo los demás',
  'Only events at this time, by the clock of the site':
    'Solo los eventos de este momento, según el reloj del sitio',
  'Only events in which people take part in one of these ways':
    'Solo los eventos en los que se participa de una de estas formas',
  'Only events that are free of charge, or only those of which that is not known':
    'Solo los eventos gratuitos, o solo los demás',
  'Only events that begin at one of these times of day':
    'Solo los eventos que empiezan en uno de estos momentos del día',
  'Only events with one of these statuses': 'Solo los eventos con alguno de estos estados',
  'Only events whose venue has coordinates, or only those whose venue has none':
    'Solo los eventos cuyo lugar tiene coordenadas, o solo aquellos cuyo lugar no las tiene',
  'The latitude to look around; needs geoloc_lng':
    'La latitud en torno a la que se busca; requiere geoloc_lng',
  'The longitude to look around; needs geoloc_lat':
    'La longitud en torno a la que se busca; requiere geoloc_lat',
  'Only the events with these ids, whenever they are':
    'Solo los eventos con estos IDs, sea cual sea su fecha',
  'Only dates of the series with this id': 'Solo las fechas de la serie con este ID',
  'Only events that sell tickets, which this service does not':
    'Solo los eventos con venta de entradas, que este servicio no ofrece',
  'Only events whose venue lies in this part of the map: west, south, east and north in degrees':
    'Solo eventos cuyo lugar está en esta parte del mapa: oeste, sur, este y norte en grados',
  'How far to look around geoloc_lat and geoloc_lng, in kilometres':
    'La distancia de búsqueda en torno a geoloc_lat y geoloc_lng, en kilómetros',

  'The id of the venue': 'El ID del lugar',
  'The slug of the venue': 'El slug del lugar',
  'The name of the venue': 'El nombre del lugar',
  'The description of the venue': 'La descripción del lugar',
  'Whether events at the venue show a map': 'Indica si los eventos en el lugar muestran un mapa',
  'Whether events at the venue link to a map': 'Indica si los eventos en el lugar enlazan a un mapa',
  'The street address of the venue': 'La calle y el número del lugar',
  'The city of the venue': 'La ciudad del lugar',
  'The country of the venue': 'El país del lugar',
  'The province of the venue': 'La provincia del lugar',
  'The state of the venue': 'El estado federal del lugar',
  'The postal code of the venue': 'El código postal del lugar',
  'The phone number of the venue': 'El número de teléfono del lugar',
  'The state or province of the venue': 'El estado federal o la provincia del lugar',
  'The website of the venue': 'El sitio web del lugar',
  'The latitude of the venue, in degrees; sent together with geo_lng':
    'La latitud del lugar, en grados; se envía junto con geo_lng',
  'The longitude of the venue, in degrees; sent together with geo_lat':
    'La longitud del lugar, en grados; se envía junto con geo_lat',
  'Only records with this text in their name, description or details':
    'Solo los elementos con este texto en el nombre, la descripción o los demás datos',
  'Only records linked to the event with this id': 'Solo los elementos vinculados al evento con este ID',
  'Only records that have events, or only those that have none':
    'Solo los elementos que tienen eventos, o solo los que no los tienen',
  'Only records that have upcoming events': 'Solo los elementos que tienen próximos eventos',
  'Only records with one of these statuses': 'Solo los elementos con alguno de estos estados',
  'Only venues that have coordinates, or only those that have none':
    'Solo los lugares que tienen coordenadas, o solo los que no las tienen',

  'The id of the organizer': 'El ID del organizador',
  'The slug of the organizer': 'El slug del organizador',
  'The name of the organizer': 'El nombre del organizador',
  'The description of the organizer': 'La descripción del organizador',
  'The phone number of the organizer': 'El número de teléfono del organizador',
  'The website of the organizer': 'El sitio web del organizador',
  'The e-mail address of the organizer': 'La dirección de correo electrónico del organizador',

  'The id of the category': 'El ID de la categoría',
  'The id of the tag': 'El ID de la etiqueta',
  'The description of the term': 'La descripción del término',
  'The id of the parent category; 0 for none': 'El ID de la categoría superior; 0 si no hay ninguna',
  'How many terms a page holds': 'Cuántos términos contiene una página',
  'Only terms with this text in their name or slug':
    'Solo los términos con este texto en el nombre o el slug',
  'Leave out the terms with these ids': 'Omitir los términos con estos IDs',
  'Only the terms with these ids': 'Solo los términos con estos IDs',
  'The direction of the order: asc or desc': 'El sentido del orden: asc o desc',
  'What the terms are ordered by: name, id, slug, count, description, parent or include':
    'El criterio de orden de los términos: name, id, slug, count, description, parent o include',
  'Leave out terms that no published event is assigned to':
    'Omitir los términos que no están asignados a ningún evento publicado',
  'Only the children of the category with this id; 0 for those at the top':
    'Solo las subcategorías de la categoría con este ID; 0 para las de primer nivel',
  'Only terms assigned to the event with this id': 'Solo los términos asignados al evento con este ID',
  'Only the term with this slug': 'Solo el término con este slug',

  'No route matches the address and method of the request.':
    'Ninguna ruta corresponde a la dirección y el método de la petición.',
  'The namespace asked for could not be found.': 'No se ha encontrado el espacio de nombres solicitado.',
  'The body of the request is not valid JSON.': 'El cuerpo de la petición no es JSON válido.',
  'The form in the body of the request cannot be read.':
    'No se puede leer el formulario del cuerpo de la petición.',
  'A body may be sent in chunks, and by no other transfer coding.':
    'El contenido puede enviarse en fragmentos, y con ninguna otra codificación de transferencia.',
  'Requests are sent by HTTP/1.0 or HTTP/1.1.': 'Las peticiones se envían por HTTP/1.0 o HTTP/1.1.',
  'The request is no HTTP that can be read.': 'La petición no es HTTP legible.',
  'The head of the request is larger than 16 kB.': 'La cabecera de la petición supera los 16 kB.',
  'The request took too long to arrive.': 'La petición tardó demasiado en llegar.',
  'Too many requests of one client; try again in a moment.':
    'Demasiadas peticiones de un mismo cliente; en un momento se puede volver a intentar.',
  'This sync token is of no use any more; begin again without one.':
    'Este testigo de sincronización ya no sirve; empiece de nuevo sin él.',
  'Missing parameters: {names}': 'Faltan parámetros: {names}',
  'Invalid parameters: {names}': 'Parámetros no válidos: {names}',
  'The value is invalid.': 'El valor no es válido.',
  'The value of {name} is invalid; {example} would be valid.':
    'El valor de {name} no es válido; {example} lo sería.',
  'The value of {name} is not of the type {type}.': 'El valor de {name} no es del tipo {type}.',
  'The value of {name} is not one of {choices}.': 'El valor de {name} no es ninguno de {choices}.',
  'This service sells no tickets.': 'Este servicio no vende entradas.',
  'The value of {name} is longer than {limit} characters.':
    'El valor de {name} tiene más de {limit} caracteres.',
  'The value of {name} is longer than {limit} bytes.': 'El valor de {name} tiene más de {limit} bytes.',
  'The value of {name} has more than {limit} words.': 'El valor de {name} tiene más de {limit} palabras.',
  'The value of {name} has more than {limit} entries.': 'El valor de {name} tiene más de {limit} entradas.',
  'The value of {name} nests deeper than {limit} levels.':
    'El valor de {name} está anidado en más de {limit} niveles.',
  'The value of {name} has more than {limit} members in all.':
    'El valor de {name} tiene en total más de {limit} miembros.',
  'The value of {name} has more than {limit} accents on one letter.':
    'El valor de {name} tiene más de {limit} acentos sobre una letra.',
  'The request has more than {limit} parameters.': 'La petición tiene más de {limit} parámetros.',
  'You are not allowed to do that.': 'Esta acción no está permitida.',
  'You need to sign in to do that.': 'Esta acción requiere iniciar sesión.',
  'You are not signed in.': 'No se ha iniciado sesión.',
  'The content type of the body is not supported.': 'El tipo de contenido de la petición no es compatible.',
  'The body of the request is larger than {bytes} bytes.':
    'El cuerpo de la petición supera los {bytes} bytes.',
  'The address of the request is too long.': 'La dirección de la petición es demasiado larga.',
  'The service cannot answer just now; try again soon.':
    'El servicio no puede responder en este momento; conviene intentarlo de nuevo en breve.',
  'The service can only be read just now; try again later.':
    'Ahora mismo el servicio solo se puede leer; inténtelo más tarde.',
  'The service has no room left to keep this; try again later.':
    'El servicio no tiene espacio para guardar esto; inténtelo más tarde.',
  'Something went wrong here; it has been noted.': 'Algo ha fallado aquí; el error ha quedado registrado.',
  'No file was sent.': 'No se ha enviado ningún archivo.',
  'The file is not an image of a kind this service keeps.':
    'El archivo no es una imagen de un formato que acepte este servicio.',
  'There is no image or record with this id.': 'No hay ninguna imagen ni ningún elemento con este ID.',
  'The password does not belong to this user.': 'La contraseña no corresponde a esta cuenta.',
  'There is no such user.': 'Esta cuenta no existe.',
  'Nobody has this token; it may have been taken away.':
    'Nadie tiene este token; puede que haya sido retirado.',
  'This application password or token has expired.':
    'Esta contraseña de aplicación o este token ha caducado.',
  'Too many attempts to sign in at once; try again soon.':
    'Demasiados intentos de acceso a la vez; vuelva a intentarlo en breve.',
  'A term of this name exists already with this parent.':
    'Ya existe un término con este nombre bajo el mismo término superior.',
  'Another term has this slug already.': 'Otro término ya tiene este slug.',
  'The page of events asked for does not exist.': 'La página de eventos solicitada no existe.',
  'The page of venues asked for does not exist.': 'La página de lugares solicitada no existe.',
  'The page of organizers asked for does not exist.': 'La página de organizadores solicitada no existe.',
  'The event is not open to you.': 'El acceso a este evento no está permitido.',
  'The venue is not open to you.': 'El acceso a este lugar no está permitido.',
  'The organizer is not open to you.': 'El acceso a este organizador no está permitido.',
  'The event is in the trash already.': 'El evento ya está en la papelera.',
  'The venue is in the trash already.': 'El lugar ya está en la papelera.',
  'The organizer is in the trash already.': 'El organizador ya está en la papelera.',
  'A venue needs a name.': 'Un lugar necesita un nombre.',
  'An organizer needs a name.': 'Un organizador necesita un nombre.',
  'There is no event with this id or slug.': 'No hay ningún evento con este ID o slug.',
  'The id belongs to something that is not an event.': 'El ID pertenece a algo que no es un evento.',
  'The event is no longer available.': 'El evento ya no está disponible.',
  'Events, venues, organizers, categories and tags of this calendar.':
    'Eventos, lugares, organizadores, categorías y etiquetas de este calendario.',
  'Describe this interface as an OpenAPI document': 'Describir esta interfaz como documento OpenAPI',
  'List the matching records, page by page': 'Listar página por página lo que coincide',
  'Change the sent fields and leave the rest': 'Cambiar lo que se envía y dejar el resto',
  'Move one to the trash': 'Mover uno a la papelera',
  'Remove one for good': 'Eliminar uno definitivamente',
  'One page of the matching records': 'Una página de lo que coincide',
  'The changed record': 'El estado tras el cambio',
  'Nothing has changed since the version that If-None-Match names':
    'Nada ha cambiado desde la versión que indica If-None-Match',
  'How many records match in all': 'Cuántos elementos coinciden en total',
  'The fields whose values were passed over': 'Los campos cuyos valores se pasaron por alto',
  'How many pages they fill': 'Cuántas páginas ocupan',
  'The address of the REST root, and of the next and the previous page of a list':
    'La dirección de la raíz REST, y de las páginas siguiente y anterior de una lista',
  'The version of the answer, for If-None-Match': 'La versión de la respuesta, para If-None-Match',
  'The version of the answer that is known already, as its ETag named it':
    'La versión ya conocida de la respuesta, tal como la indicó su ETag',
  'The methods open to the caller': 'Los métodos abiertos a quien hace la petición',
  'The address of the created record': 'La dirección de lo que se creó',
  'Seconds to wait before trying again': 'Segundos de espera antes de volver a intentarlo',
  'The name of the request in the log of the service': 'El nombre de la petición en el registro del servicio',
  'A user name or e-mail address with an application password':
    'Un nombre de usuario o una dirección de correo electrónico con una contraseña de aplicación',
  'The description of this interface': 'La descripción de esta interfaz',
  'Events: what takes place and when': 'Eventos: qué se celebra y cuándo',
  'Venues: where events take place': 'Lugares: dónde se celebran los eventos',
  'Organizers: who holds events': 'Organizadores: quién organiza los eventos',
  'Categories: the tree that events are sorted into':
    'Categorías: el árbol en el que se clasifican los eventos',
  'Tags: the words that events are marked with': 'Etiquetas: las palabras con las que se marcan los eventos',
  'Every operation also takes _fields to pick members of the answer, _envelope to put status and headers \
into the body, and _pretty to indent it.':
    'Toda operación acepta también _fields para elegir partes de la respuesta, _envelope ' +
    'para incluir el estado y las cabeceras en el cuerpo y _pretty para sangrarlo.',
  'The list has fewer pages than that.': 'La lista no tiene tantas páginas.',
  'There is no term with this id.': 'No hay ningún término con este ID.',
  'The id of the image': 'El ID de la imagen',
  'The image: the whole body of the request, or a file of a multipart form':
    'La imagen: todo el cuerpo de la petición o un archivo de un formulario multipart',
  'Only the terms with these slugs': 'Solo los términos con estos slugs',
  'What it is read for: view, edit or embed': 'Para qué se lee: view, edit o embed',
  'Only records with these words in their texts': 'Solo los elementos con estas palabras en sus textos',
  'Only records published after this time': 'Solo los elementos publicados después de este momento',
  'Only records published before this time': 'Solo los elementos publicados antes de este momento',
  'Only records changed after this time': 'Solo los elementos modificados después de este momento',
  'Only records changed before this time': 'Solo los elementos modificados antes de este momento',
  'Only records of these authors, by id': 'Solo los elementos de estos autores, por ID',
  'Leave out the records with these ids': 'Omitir los elementos con estos IDs',
  'Only the records with these ids': 'Solo los elementos con estos IDs',
  'How many records to pass over before the first page':
    'Cuántos elementos pasar por alto antes de la primera página',
  'What the records are ordered by: date, modified, id, title, slug, author, include or relevance':
    'El criterio de orden de los elementos: date, modified, id, title, slug, author, include o relevance',
  'Only the records with these slugs': 'Solo los elementos con estos slugs',
  'Only records with one of these statuses; any stands for all but the trash':
    'Solo los elementos con alguno de estos estados; any los abarca todos menos la papelera',
  'Only events in any of these categories, by id': 'Solo los eventos de alguna de estas categorías, por ID',
  'Only events with any of these tags, by id': 'Solo los eventos con alguna de estas etiquetas, por ID',
  'The id of the featured image; 0 for none': 'El ID de la imagen destacada; 0 si no hay ninguna',
  'The title of the image; the name of its file unless sent':
    'El título de la imagen; el nombre del archivo si no se envía',
  'What the image shows, for those who do not see it': 'Lo que muestra la imagen, para quienes no la ven',
  'The caption of the image': 'El pie de la imagen',
  'The description of the image': 'La descripción de la imagen',
  'Only files of this kind: image, video, text, application or audio':
    'Solo los archivos de este tipo: image, video, text, application o audio',
  'Only files of this media type, such as image/png':
    'Solo los archivos de este tipo de medio, como image/png',
  'Only events that are scheduled, canceled or postponed: any of these words':
    'Solo los eventos que se celebran, se cancelan o se aplazan ' +
    '(scheduled, canceled, postponed): cualquiera de estas palabras',
  'Whether the event takes place: scheduled, canceled or postponed':
    'Si el evento se celebra: scheduled (según lo previsto), canceled (cancelado) o postponed (aplazado)',
  'Why the event is canceled or postponed': 'Por qué se cancela o se aplaza el evento',
  'This is no longer listed.': 'Esto ya no figura en el calendario.',
  'This Idempotency-Key belongs to another request; take a new one.':
    'Esta Idempotency-Key pertenece a otra petición; use una nueva.',
  'The record has changed since the version that If-Match names; read it again.':
    'El registro ha cambiado desde la versión que indica If-Match; vuelva a leerlo.',
  'Changes the record only if it still has the version that this ETag of it names':
    'Cambia el registro solo si aún tiene la versión que indica este ETag',
  'The request with this Idempotency-Key is being answered; try again soon.':
    'La petición con esta Idempotency-Key se está respondiendo; inténtelo de nuevo en un momento.',
  'For 24 hours the same request with the same key gets the same answer and creates nothing more':
    'Durante 24 horas, la misma petición con la misma clave recibe la misma respuesta y no crea nada más',
  'return=minimal asks for an answer without a body': 'return=minimal pide una respuesta sin cuerpo',
  'Says that the answer was given before to the same key':
    'Indica que la respuesta ya se dio antes a la misma clave',
  'The preference that was followed': 'La preferencia que se ha seguido',
  'The image has more than {limit} pixels, or too many frames, or takes too long to read.':
    'La imagen tiene más de {limit} píxeles o demasiados fotogramas, o tarda demasiado en leerse.',
  'The name of the format of the answer; without it Accept chooses':
    'El nombre del formato de la respuesta; sin él decide Accept',
  'A recurrence is RRULE, RDATE and EXDATE lines as a text or list, or an object.':
    'Una repetición son las líneas RRULE, RDATE y EXDATE como texto o lista, o un objeto.',
  'The part {part} of a recurrence is not supported.': 'La parte {part} de una repetición no se admite.',
  'The part {part} of a recurrence is given more than once.':
    'La parte {part} de una repetición aparece más de una vez.',
  'The value of {part} is invalid.': 'El valor de {part} no es válido.',
  'The value of {part} has to lie between {from} and {to}.':
    'El valor de {part} debe estar entre {from} y {to}.',
  'The value of {part} has more than {limit} entries.': 'El valor de {part} tiene más de {limit} entradas.',
  'A rule repeats daily, weekly, monthly or yearly.': 'Una regla se repite cada día, semana, mes o año.',
  'A rule has either a count or an end.': 'Una regla tiene o un número o un final.',
  'The part {part} does not go with a rule that repeats like this.':
    'La parte {part} no encaja con una regla que se repite así.',
  'Positions need weekdays, days or months to choose from.':
    'Las posiciones necesitan días de la semana, días o meses entre los que elegir.',
  'The rule combines more than {limit} days.': 'La regla combina más de {limit} días.',
  'The time zone of {part} does not exist.': 'La zona horaria de {part} no existe.',
  'The date of {part} lies before the start of the event.':
    'La fecha de {part} es anterior al inicio del evento.',
  'The date of {part} is not the start of the event.': 'La fecha de {part} no es el inicio del evento.',
  'The rule has no date at all.': 'La regla no tiene ninguna fecha.',
  'The exceptions leave no date.': 'Las excepciones no dejan ninguna fecha.',
  'No rule without an end has the dates of the series there. Send a recurrence as well.':
    'Ninguna regla sin fin tiene allí las fechas de la serie. Envíe también una recurrencia.',
  'Accessible parking': 'Aparcamiento accesible',
  'Assistance dogs welcome': 'Perros de asistencia bienvenidos',
  'Free ticket for a companion': 'Entrada gratuita para acompañante',
  'What else there is to know about access': 'Qué más conviene saber sobre la accesibilidad',
  'Whom to ask about access': 'A quién preguntar por la accesibilidad',
  'How people take part: in_person, online or mixed':
    'Cómo se participa: in_person (presencial), online (en línea) o mixed (ambas)',
  'The link of the meeting': 'El enlace de la reunión',
  'What the link of the meeting is called': 'Cómo se llama el enlace de la reunión',
  'When everybody sees the link of the meeting: always, before:<minutes> or never':
    'Cuándo ve todo el mundo el enlace de la reunión: always (siempre), ' +
    'before:<minutes> (tantos minutos antes del inicio) o never (nunca)',
  'Only events that have all of these facts of access, themselves or by their venue':
    'Solo los eventos que ofrecen todo esto en accesibilidad, por sí mismos o por su lugar',
  'In person and online': 'Presencial y en línea',
  'Whether the image only decorates the event, so that nothing is said of it there':
    'Si la imagen solo adorna el evento, de modo que no se dice nada de ella',
  'It only decorates, and needs no text': 'Solo adorna y no necesita texto',
  'What the image shows at this event, where that is something else than the text of the image says':
    'Lo que muestra la imagen en este evento, si no es lo que dice el texto de la imagen',
  'A login is up to 60 letters, digits and . _ - @ and starts with a letter or digit.':
    'Un nombre de entrada tiene hasta 60 letras, cifras y . _ - @ y empieza por una letra o una cifra.',
  '{email} is not an e-mail address.': '{email} no es una dirección de correo.',
  'A name is one line of at most 250 characters.': 'Un nombre es una línea de 250 caracteres como mucho.',
  'There already is a user with the login or e-mail address {name}.':
    'Ya hay alguien con el nombre de entrada o el correo {name}.',
  'Nobody has more than 100 passwords for programs; take one away first.':
    'Nadie tiene más de 100 contraseñas para programas; retira primero una.',
  '{login} is the last administrator; make another user administrator first.':
    '{login} es el último administrador; nombre antes a otro.',
  'The records of {login} cannot go to {login}.': 'Los registros de {login} no pueden ir a {login}.',
  '{login} owns records; name the user who takes them over.':
    '{login} tiene registros; diga quién se hace cargo de ellos.',
  'Its code, such as bfi, gsg or lsf.': 'Su código, como ssp, bfi o gsg.',
  'In degrees, such as 53.2707; together with the longitude.':
    'En grados, como 53.2707; junto con la longitud.',
  'In degrees, such as -9.0568.': 'En grados, como -9.0568.',
  'Left empty, it is made from the name.': 'Si queda vacía, sale del nombre.',
  'From a quarter of an hour before the start': 'Desde un cuarto de hora antes del comienzo',
  'From an hour before the start': 'Desde una hora antes del comienzo',
  'From a day before the start': 'Desde un día antes del comienzo',
  'One sentence for lists': 'Una frase para listas',
  'Hide from lists': 'Ocultar en las listas',
  'First on its day in the month view': 'Primero en su día en la vista de mes',
  'More about access': 'Más sobre accesibilidad',
  'When the link is shown': 'Cuándo se muestra el enlace',
}
