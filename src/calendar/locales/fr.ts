import type { Locale } from './messages.ts'

/** French; a no-break space stands before a colon or semicolon. */
export const fr: Locale = {
  'Only events with all of these words, in any form and with a wrong letter forgiven, in their texts or the \
names of their venues, organizers, categories and tags; the best come first':
    'Seulement les événements avec tous ces mots, sous toute forme et malgré une lettre ' +
    'fausse, dans leurs textes ou les noms de leurs lieux, ' +
    'organisateurs, catégories et mots-clés ; les meilleurs en premier',
  'There is no {time} on this day, since clocks go forward: it is {first} or {second}.':
    '{time} n’existe pas ce jour-là, car les horloges avancent : c’est {first} ou {second}.',
  '{time} comes twice on this day, since clocks go back: as {first} and again as {second}.':
    '{time} arrive deux fois ce jour-là, car les horloges reculent : {first}, puis de nouveau {second}.',
  'This version of the record is not known, or not any more.':
    'Cette version de l’enregistrement n’est pas connue, ou ne l’est plus.',
  'The only members to put back; without it, all of them':
    'Les seuls champs à rétablir ; sans indication, tous',
  'The version: the sequence that the record had':
    'La version : le numéro de séquence qu’avait l’enregistrement',
  'List what changed a record, the newest first':
    'Lister ce qui a modifié un enregistrement, du plus récent au plus ancien',
  'Who changed it, when, and what it had before': 'Qui l’a modifié, quand, et ce qu’il contenait avant',
  'Read what a record had in a version': 'Lire ce que contenait un enregistrement dans une version',
  'Put a version of a record back': 'Rétablir une version d’un enregistrement',
  'The changed record, and what could not be put back':
    'L’enregistrement modifié, et ce qui n’a pas pu être rétabli',
  'normal does each request by itself, require-all-validate all of them or none':
    'normal exécute chaque requête séparément, require-all-validate toutes ou aucune',
  'The requests, done in their order': 'Les requêtes, exécutées dans leur ordre',
  'A batch cannot hold a request for this address and method.':
    'Un lot ne peut pas contenir une requête avec cette adresse et cette méthode.',
  'Write many records with one request': 'Écrire plusieurs fiches en une requête',
  'The answers to the requests, in their order': 'Les réponses aux requêtes, dans leur ordre',
  'Many requests in one': 'Plusieurs requêtes en une',
  'There is no webhook with this id.': 'Aucun webhook ne porte cet identifiant.',
  'There is no message with this id.': 'Aucun message ne porte cet identifiant.',
  'What the application password is for': 'À quoi sert le mot de passe d’application',
  'The UUID by which the program names itself': 'L’UUID par lequel le programme se désigne',
  'The request came without an application password.':
    'La requête est arrivée sans mot de passe d’application.',
  'There is no application password with this UUID.': 'Aucun mot de passe d’application n’a cet UUID.',
  'There are {limit} webhooks already; remove one that is not needed.':
    'Il y a déjà {limit} webhooks\u00a0; supprimez-en un dont vous n’avez pas besoin.',
  'With series, only the first occurrence that the list finds of each series':
    'Avec series, seulement la première date de chaque série que la liste trouve',
  'The same as collapse=series, when true': 'La même chose que collapse=series, si vrai',
  'There is no series with this id.': 'Il n’y a pas de série avec cet identifiant.',
  'The series is not open to you.': 'La série ne vous est pas accessible.',
  'The series is in the trash already.': 'La série est déjà dans la corbeille.',
  'Series: events that repeat, with all their dates':
    'Séries\u00a0: événements qui se répètent, avec toutes leurs dates',
  'The id of the series': 'L’identifiant de la série',
  'Somebody else has changed the series meanwhile; read it again.':
    'Quelqu’un d’autre a modifié la série entre-temps ; relisez-la.',
  'The texts and links of {dates} dates take up more than {limit} bytes.':
    'Les textes et les liens de {dates} dates dépassent ensemble {limit} octets.',
  'The rule has more than {limit} dates before today.': 'La règle a plus de {limit} dates avant aujourd’hui.',
  'How the event repeats: lines RRULE, RDATE and EXDATE of RFC 5545, or a rule as an object':
    'Comment l’événement se répète : lignes RRULE, RDATE et ' +
    'EXDATE de la RFC 5545, ou une règle sous forme d’objet',
  'Which occurrences of a series a change is about': 'Les dates d’une série que concerne une modification',
  'The id of the event': 'L’identifiant de l’événement',
  'Accepted and ignored: events have no passwords':
    'Accepté et ignoré\u00a0: les événements n’ont pas de mot de passe',
  'The slug of the event': 'Le slug de l’événement',
  'The id of the author': 'L’identifiant de l’auteur',
  'The publication date, in the time zone of the site':
    'La date de publication, dans le fuseau horaire du site',
  'The publication date in UTC': 'La date de publication en UTC',
  'The title of the event': 'Le titre de l’événement',
  'The description of the event': 'La description de l’événement',
  'The excerpt of the event': 'L’extrait de l’événement',
  'The publication status': 'L’état de publication',
  'The time zone of the event; that of the site when none is given':
    'Le fuseau horaire de l’événement\u00a0; celui du site si aucun n’est indiqué',
  'Whether the event lasts all day': 'Indique si l’événement dure toute la journée',
  'When the event starts': 'Le début de l’événement',
  'When the event ends': 'La fin de l’événement',
  'The featured image: the id of an image, or an address to fetch one from':
    'L’image mise en avant\u00a0: l’identifiant d’une image ou l’adresse où la récupérer',
  'The cost of the event': 'Le tarif de l’événement',
  'The website of the event': 'Le site web de l’événement',
  'Whether the event shows a map': 'Indique si l’événement affiche une carte',
  'Whether the event links to a map': 'Indique si l’événement renvoie vers une carte',
  'Whether the event is left out of lists': 'Indique si l’événement est omis des listes',
  'Whether the event is sticky in the calendar': 'Indique si l’événement est épinglé dans le calendrier',
  'Whether the event is featured': 'Indique si l’événement est mis en avant',
  'The categories of the event: ids, slugs or names':
    'Les catégories de l’événement\u00a0: identifiants, slugs ou noms',
  'The tags of the event: ids, slugs or names':
    'Les étiquettes de l’événement\u00a0: identifiants, slugs ou noms',
  'The venue of the event: its id or its fields':
    'Le lieu de l’événement\u00a0: son identifiant ou ses champs',
  'The organizers of the event: their ids or their fields':
    'Les organisateurs de l’événement\u00a0: leurs identifiants ou leurs champs',
  'The page of the list to return': 'La page de la liste à renvoyer',
  'How many records a page holds': 'Le nombre d’éléments par page',
  'Only events that start on this day or later':
    'Seulement les événements qui commencent ce jour-là ou plus tard',
  'Only events that start on this day or earlier':
    'Seulement les événements qui commencent ce jour-là ou plus tôt',
  'Only events that start before this date': 'Seulement les événements qui commencent avant cette date',
  'Only events that start after this date': 'Seulement les événements qui commencent après cette date',
  'Only events that end before this date': 'Seulement les événements qui se terminent avant cette date',
  'Only events that end after this date': 'Seulement les événements qui se terminent après cette date',
  'Take the dates to the second instead of by whole days':
    'Prendre les dates à la seconde près plutôt que par jours entiers',
  'Only events with these words in their title, excerpt or description':
    'Seulement les événements avec ces mots dans leur titre, leur extrait ou leur description',
  'Only events in any of these categories, by id or slug':
    'Seulement les événements d’au moins une de ces catégories, par identifiant ou slug',
  'Only events with any of these tags, by id or slug':
    'Seulement les événements avec au moins une de ces étiquettes, par identifiant ou slug',
  'Only events at any of these venues, by id':
    'Seulement les événements dans l’un de ces lieux, par identifiant',
  'Only events of any of these organizers, by id':
    'Seulement les événements de l’un de ces organisateurs, par identifiant',
  'Only featured events, or only those that are not':
    'Seulement les événements mis en avant, ou seulement les autres',
  'Only events at this time, by the clock of the site':
    'Seulement les événements de ce moment, selon l’horloge du site',
  'Only events in which people take part in one of these ways':
    'Seulement les événements auxquels on participe de l’une de ces façons',
  'Only events that are free of charge, or only those of which that is not known':
    'Seulement les événements gratuits, ou seulement les autres',
  'Only events that begin at one of these times of day':
    'Seulement les événements qui commencent à l’un de ces moments de la journée',
  'Only events with one of these statuses': 'Seulement les événements dans l’un de ces états',
  'Only events whose venue has coordinates, or only those whose venue has none':
    'Seulement les événements dont le lieu a des coordonnées, ou seulement ceux dont le lieu n’en a pas',
  'The latitude to look around; needs geoloc_lng':
    'La latitude autour de laquelle chercher\u00a0; nécessite geoloc_lng',
  'The longitude to look around; needs geoloc_lat':
    'La longitude autour de laquelle chercher\u00a0; nécessite geoloc_lat',
  'Only the events with these ids, whenever they are':
    'Seulement les événements portant ces identifiants, quelles que soient leurs dates',
  'Only dates of the series with this id': 'Seulement les dates de la série portant cet identifiant',
  'Only events that sell tickets, which this service does not':
    'Seulement les événements avec billetterie, que ce service ne propose pas',
  'Only events whose venue lies in this part of the map: west, south, east and north in degrees':
    'Seulement les événements dont le lieu se trouve dans cette ' +
    'partie de la carte : ouest, sud, est et nord en degrés',
  'How far to look around geoloc_lat and geoloc_lng, in kilometres':
    'La distance de recherche autour de geoloc_lat et geoloc_lng, en kilomètres',

  'The id of the venue': 'L’identifiant du lieu',
  'The slug of the venue': 'Le slug du lieu',
  'The name of the venue': 'Le nom du lieu',
  'The description of the venue': 'La description du lieu',
  'Whether events at the venue show a map': 'Indique si les événements dans ce lieu affichent une carte',
  'Whether events at the venue link to a map':
    'Indique si les événements dans ce lieu renvoient vers une carte',
  'The street address of the venue': 'Le numéro et la rue du lieu',
  'The city of the venue': 'La ville du lieu',
  'The country of the venue': 'Le pays du lieu',
  'The province of the venue': 'La province du lieu',
  'The state of the venue': 'L’État du lieu',
  'The postal code of the venue': 'Le code postal du lieu',
  'The phone number of the venue': 'Le numéro de téléphone du lieu',
  'The state or province of the venue': 'L’État ou la province du lieu',
  'The website of the venue': 'Le site web du lieu',
  'The latitude of the venue, in degrees; sent together with geo_lng':
    'La latitude du lieu, en degrés\u00a0; à envoyer avec geo_lng',
  'The longitude of the venue, in degrees; sent together with geo_lat':
    'La longitude du lieu, en degrés\u00a0; à envoyer avec geo_lat',
  'Only records with this text in their name, description or details':
    'Seulement les éléments avec ce texte dans leur nom, leur description ou leurs coordonnées',
  'Only records linked to the event with this id':
    'Seulement les éléments liés à l’événement portant cet identifiant',
  'Only records that have events, or only those that have none':
    'Seulement les éléments qui ont des événements, ou seulement ceux qui n’en ont pas',
  'Only records that have upcoming events': 'Seulement les éléments qui ont des événements à venir',
  'Only records with one of these statuses': 'Seulement les éléments dans l’un de ces états',
  'Only venues that have coordinates, or only those that have none':
    'Seulement les lieux qui ont des coordonnées, ou seulement ceux qui n’en ont pas',

  'The id of the organizer': 'L’identifiant de l’organisateur',
  'The slug of the organizer': 'Le slug de l’organisateur',
  'The name of the organizer': 'Le nom de l’organisateur',
  'The description of the organizer': 'La description de l’organisateur',
  'The phone number of the organizer': 'Le numéro de téléphone de l’organisateur',
  'The website of the organizer': 'Le site web de l’organisateur',
  'The e-mail address of the organizer': 'L’adresse e-mail de l’organisateur',

  'The id of the category': 'L’identifiant de la catégorie',
  'The id of the tag': 'L’identifiant de l’étiquette',
  'The description of the term': 'La description du terme',
  'The id of the parent category; 0 for none': 'L’identifiant de la catégorie parente\u00a0; 0 pour aucune',
  'How many terms a page holds': 'Le nombre de termes par page',
  'Only terms with this text in their name or slug':
    'Seulement les termes avec ce texte dans leur nom ou leur slug',
  'Leave out the terms with these ids': 'Omettre les termes portant ces identifiants',
  'Only the terms with these ids': 'Seulement les termes portant ces identifiants',
  'The direction of the order: asc or desc': 'Le sens du tri\u00a0: asc ou desc',
  'What the terms are ordered by: name, id, slug, count, description, parent or include':
    'Le critère de tri des termes\u00a0: name, id, slug, count, description, parent ou include',
  'Leave out terms that no published event is assigned to':
    'Omettre les termes qui ne sont attribués à aucun événement publié',
  'Only the children of the category with this id; 0 for those at the top':
    'Seulement les sous-catégories de la catégorie portant ' +
    'cet identifiant\u00a0; 0 pour celles du premier niveau',
  'Only terms assigned to the event with this id':
    'Seulement les termes attribués à l’événement portant cet identifiant',
  'Only the term with this slug': 'Seulement le terme portant ce slug',

  'No route matches the address and method of the request.':
    'Aucune route ne correspond à l’adresse et à la méthode de la requête.',
  'The namespace asked for could not be found.': 'L’espace de noms demandé est introuvable.',
  'The body of the request is not valid JSON.': 'Le corps de la requête n’est pas du JSON valide.',
  'The form in the body of the request cannot be read.':
    'Le formulaire dans le corps de la requête est illisible.',
  'A body may be sent in chunks, and by no other transfer coding.':
    'Un contenu peut être envoyé par morceaux, et par aucun autre codage de transfert.',
  'Requests are sent by HTTP/1.0 or HTTP/1.1.': 'Les requêtes sont envoyées par HTTP/1.0 ou HTTP/1.1.',
  'The request is no HTTP that can be read.': 'La requête n’est pas du HTTP lisible.',
  'The head of the request is larger than 16 kB.': 'L’en-tête de la requête dépasse 16 ko.',
  'The request took too long to arrive.': 'La requête a mis trop de temps à arriver.',
  'Too many requests of one client; try again in a moment.':
    'Trop de requêtes d’un même client ; à réessayer dans un instant.',
  'This sync token is of no use any more; begin again without one.':
    'Ce jeton de synchronisation ne sert plus\u00a0; recommencez sans lui.',
  'Missing parameters: {names}': 'Paramètres manquants\u00a0: {names}',
  'Invalid parameters: {names}': 'Paramètres non valides\u00a0: {names}',
  'The value is invalid.': 'La valeur n’est pas valide.',
  'The value of {name} is invalid; {example} would be valid.':
    'La valeur de {name} n’est pas valide ; {example} le serait.',
  'The value of {name} is not of the type {type}.': 'La valeur de {name} n’est pas du type {type}.',
  'The value of {name} is not one of {choices}.': 'La valeur de {name} n’est aucune de {choices}.',
  'This service sells no tickets.': 'Ce service ne vend pas de billets.',
  'The value of {name} is longer than {limit} characters.': 'La valeur de {name} dépasse {limit} caractères.',
  'The value of {name} is longer than {limit} bytes.': 'La valeur de {name} dépasse {limit} octets.',
  'The value of {name} has more than {limit} words.': 'La valeur de {name} compte plus de {limit} mots.',
  'The value of {name} has more than {limit} entries.':
    'La valeur de {name} compte plus de {limit} éléments.',
  'The value of {name} nests deeper than {limit} levels.':
    'La valeur de {name} est imbriquée sur plus de {limit} niveaux.',
  'The value of {name} has more than {limit} members in all.':
    'La valeur de {name} compte en tout plus de {limit} membres.',
  'The value of {name} has more than {limit} accents on one letter.':
    'La valeur de {name} porte plus de {limit} accents sur une seule lettre.',
  'The request has more than {limit} parameters.': 'La requête compte plus de {limit} paramètres.',
  'You are not allowed to do that.': 'Cette action n’est pas autorisée.',
  'You need to sign in to do that.': 'Cette action nécessite une connexion.',
  'You are not signed in.': 'Aucune connexion n’est établie.',
  'The content type of the body is not supported.':
    'Le type de contenu de la requête n’est pas pris en charge.',
  'The body of the request is larger than {bytes} bytes.': 'Le corps de la requête dépasse {bytes} octets.',
  'The address of the request is too long.': 'L’adresse de la requête est trop longue.',
  'The service cannot answer just now; try again soon.':
    'Le service ne peut pas répondre pour le moment\u00a0; merci de réessayer bientôt.',
  'The service can only be read just now; try again later.':
    'Le service ne peut qu’être lu pour le moment ; réessayez plus tard.',
  'The service has no room left to keep this; try again later.':
    'Le service n’a plus de place pour conserver ceci ; réessayez plus tard.',
  'Something went wrong here; it has been noted.':
    'Une erreur s’est produite ici\u00a0; elle a été consignée.',
  'No file was sent.': 'Aucun fichier n’a été envoyé.',
  'The file is not an image of a kind this service keeps.':
    'Le fichier n’est pas une image d’un format accepté par ce service.',
  'There is no image or record with this id.': 'Aucune image ni aucun élément ne porte cet identifiant.',
  'The password does not belong to this user.': 'Le mot de passe ne correspond pas à ce compte.',
  'There is no such user.': 'Ce compte n’existe pas.',
  'Nobody has this token; it may have been taken away.': 'Personne n’a ce jeton ; il a peut-être été retiré.',
  'This application password or token has expired.': 'Ce mot de passe d’application ou ce jeton a expiré.',
  'Too many attempts to sign in at once; try again soon.':
    'Trop de tentatives de connexion à la fois ; réessayez dans un instant.',
  'A term of this name exists already with this parent.':
    'Un terme de ce nom existe déjà sous le même parent.',
  'Another term has this slug already.': 'Un autre terme porte déjà ce slug.',
  'The page of events asked for does not exist.': 'La page d’événements demandée n’existe pas.',
  'The page of venues asked for does not exist.': 'La page de lieux demandée n’existe pas.',
  'The page of organizers asked for does not exist.': 'La page d’organisateurs demandée n’existe pas.',
  'The event is not open to you.': 'L’accès à cet événement n’est pas autorisé.',
  'The venue is not open to you.': 'L’accès à ce lieu n’est pas autorisé.',
  'The organizer is not open to you.': 'L’accès à cet organisateur n’est pas autorisé.',
  'The event is in the trash already.': 'L’événement est déjà dans la corbeille.',
  'The venue is in the trash already.': 'Le lieu est déjà dans la corbeille.',
  'The organizer is in the trash already.': 'L’organisateur est déjà dans la corbeille.',
  'A venue needs a name.': 'Un lieu doit avoir un nom.',
  'An organizer needs a name.': 'Un organisateur doit avoir un nom.',
  'There is no event with this id or slug.': 'Aucun événement ne porte cet identifiant ou ce slug.',
  'The id belongs to something that is not an event.': 'L’identifiant désigne autre chose qu’un événement.',
  'The event is no longer available.': 'L’événement n’est plus disponible.',
  'Events, venues, organizers, categories and tags of this calendar.':
    'Événements, lieux, organisateurs, catégories et étiquettes de ce calendrier.',
  'Describe this interface as an OpenAPI document': 'Décrire cette interface dans un document OpenAPI',
  'List the matching records, page by page': 'Lister page par page ce qui correspond',
  'Change the sent fields and leave the rest': 'Modifier ce qui est envoyé et laisser le reste',
  'Move one to the trash': 'En mettre un à la corbeille',
  'Remove one for good': 'En supprimer un définitivement',
  'One page of the matching records': 'Une page de ce qui correspond',
  'The changed record': 'L’état après la modification',
  'Nothing has changed since the version that If-None-Match names':
    'Rien n’a changé depuis la version indiquée par If-None-Match',
  'How many records match in all': 'Le nombre total d’éléments qui correspondent',
  'The fields whose values were passed over': 'Les champs dont les valeurs ont été ignorées',
  'How many pages they fill': 'Le nombre de pages qu’ils remplissent',
  'The address of the REST root, and of the next and the previous page of a list':
    'L’adresse de la racine REST, et celles des pages suivante et précédente d’une liste',
  'The version of the answer, for If-None-Match': 'La version de la réponse, pour If-None-Match',
  'The version of the answer that is known already, as its ETag named it':
    'La version déjà connue de la réponse, telle que son ETag l’indiquait',
  'The methods open to the caller': 'Les méthodes accessibles à l’appelant',
  'The address of the created record': 'L’adresse de ce qui a été créé',
  'Seconds to wait before trying again': 'Nombre de secondes à attendre avant de réessayer',
  'The name of the request in the log of the service': 'Le nom de la requête dans le journal du service',
  'A user name or e-mail address with an application password':
    'Un identifiant de connexion ou une adresse e-mail avec un mot de passe d’application',
  'The description of this interface': 'La description de cette interface',
  'Events: what takes place and when': 'Événements\u00a0: ce qui a lieu et quand',
  'Venues: where events take place': 'Lieux\u00a0: où les événements se déroulent',
  'Organizers: who holds events': 'Organisateurs\u00a0: qui organise les événements',
  'Categories: the tree that events are sorted into':
    'Catégories\u00a0: l’arbre dans lequel les événements sont classés',
  'Tags: the words that events are marked with':
    'Étiquettes\u00a0: les mots dont les événements sont marqués',
  'Every operation also takes _fields to pick members of the answer, _envelope to put status and headers \
into the body, and _pretty to indent it.':
    'Chaque opération accepte aussi _fields pour choisir des éléments de la réponse, ' +
    '_envelope pour placer le statut et les en-têtes dans le corps, et _pretty pour l’indenter.',
  'The list has fewer pages than that.': 'La liste ne compte pas autant de pages.',
  'There is no term with this id.': 'Aucun terme ne porte cet identifiant.',
  'The id of the image': 'L’identifiant de l’image',
  'The image: the whole body of the request, or a file of a multipart form':
    'L’image\u00a0: tout le corps de la requête, ou un fichier d’un formulaire multipart',
  'Only the terms with these slugs': 'Seulement les termes portant ces slugs',
  'What it is read for: view, edit or embed': 'L’usage de la lecture\u00a0: view, edit ou embed',
  'Only records with these words in their texts': 'Seulement les éléments avec ces mots dans leurs textes',
  'Only records published after this time': 'Seulement les éléments publiés après ce moment',
  'Only records published before this time': 'Seulement les éléments publiés avant ce moment',
  'Only records changed after this time': 'Seulement les éléments modifiés après ce moment',
  'Only records changed before this time': 'Seulement les éléments modifiés avant ce moment',
  'Only records of these authors, by id': 'Seulement les éléments de ces auteurs, par identifiant',
  'Leave out the records with these ids': 'Omettre les éléments portant ces identifiants',
  'Only the records with these ids': 'Seulement les éléments portant ces identifiants',
  'How many records to pass over before the first page':
    'Le nombre d’éléments à passer avant la première page',
  'What the records are ordered by: date, modified, id, title, slug, author, include or relevance':
    'Le critère de tri des éléments\u00a0: date, modified, id, title, slug, author, include ou relevance',
  'Only the records with these slugs': 'Seulement les éléments portant ces slugs',
  'Only records with one of these statuses; any stands for all but the trash':
    'Seulement les éléments dans l’un de ces états\u00a0; any les désigne tous sauf la corbeille',
  'Only events in any of these categories, by id':
    'Seulement les événements d’au moins une de ces catégories, par identifiant',
  'Only events with any of these tags, by id':
    'Seulement les événements avec au moins une de ces étiquettes, par identifiant',
  'The id of the featured image; 0 for none': 'L’identifiant de l’image mise en avant\u00a0; 0 pour aucune',
  'The title of the image; the name of its file unless sent':
    'Le titre de l’image\u00a0; le nom du fichier si aucun n’est envoyé',
  'What the image shows, for those who do not see it': 'Ce que montre l’image, pour qui ne la voit pas',
  'The caption of the image': 'La légende de l’image',
  'The description of the image': 'La description de l’image',
  'Only files of this kind: image, video, text, application or audio':
    'Seulement les fichiers de ce genre\u00a0: image, video, text, application ou audio',
  'Only files of this media type, such as image/png':
    'Seulement les fichiers de ce type de média, par exemple image/png',
  'Only events that are scheduled, canceled or postponed: any of these words':
    'Seulement les événements prévus, annulés ou reportés ' +
    '(scheduled, canceled, postponed) : un ou plusieurs de ces mots',
  'Whether the event takes place: scheduled, canceled or postponed':
    'Si l’événement a lieu : scheduled (comme prévu), canceled (annulé) ou postponed (reporté)',
  'Why the event is canceled or postponed': 'Pourquoi l’événement est annulé ou reporté',
  'This is no longer listed.': 'Ceci ne figure plus à l’agenda.',
  'This Idempotency-Key belongs to another request; take a new one.':
    'Cette Idempotency-Key appartient à une autre requête ; prenez-en une nouvelle.',
  'The record has changed since the version that If-Match names; read it again.':
    'La fiche a changé depuis la version que nomme If-Match\u00a0; relisez-la.',
  'Changes the record only if it still has the version that this ETag of it names':
    'Ne modifie la fiche que si elle a encore la version que nomme cet ETag',
  'The request with this Idempotency-Key is being answered; try again soon.':
    'La requête de cette Idempotency-Key est en cours ; réessayez dans un instant.',
  'For 24 hours the same request with the same key gets the same answer and creates nothing more':
    'Pendant 24 heures, la même requête avec la même clé reçoit la même réponse et ne crée rien de plus',
  'return=minimal asks for an answer without a body': 'return=minimal demande une réponse sans corps',
  'Says that the answer was given before to the same key':
    'Indique que la réponse a déjà été donnée à la même clé',
  'The preference that was followed': 'La préférence qui a été suivie',
  'The image has more than {limit} pixels, or too many frames, or takes too long to read.':
    'L’image a plus de {limit} pixels, ou trop de vues, ou demande trop de temps de lecture.',
  'The name of the format of the answer; without it Accept chooses':
    'Le nom du format de la réponse ; sans lui, Accept décide',
  'A recurrence is RRULE, RDATE and EXDATE lines as a text or list, or an object.':
    'Une récurrence est faite des lignes RRULE, RDATE et EXDATE, en texte ou en liste, ou d’un objet.',
  'The part {part} of a recurrence is not supported.':
    'La partie {part} d’une récurrence n’est pas prise en charge.',
  'The part {part} of a recurrence is given more than once.':
    'La partie {part} d’une récurrence est donnée plus d’une fois.',
  'The value of {part} is invalid.': 'La valeur de {part} n’est pas valable.',
  'The value of {part} has to lie between {from} and {to}.':
    'La valeur de {part} doit être comprise entre {from} et {to}.',
  'The value of {part} has more than {limit} entries.': 'La valeur de {part} a plus de {limit} entrées.',
  'A rule repeats daily, weekly, monthly or yearly.':
    'Une règle se répète chaque jour, semaine, mois ou année.',
  'A rule has either a count or an end.': 'Une règle a soit un nombre, soit une fin.',
  'The part {part} does not go with a rule that repeats like this.':
    'La partie {part} ne va pas avec une règle qui se répète ainsi.',
  'Positions need weekdays, days or months to choose from.':
    'Les positions ont besoin de jours de la semaine, de jours ou de mois parmi lesquels choisir.',
  'The rule combines more than {limit} days.': 'La règle combine plus de {limit} jours.',
  'The time zone of {part} does not exist.': 'Le fuseau horaire de {part} n’existe pas.',
  'The date of {part} lies before the start of the event.':
    'La date de {part} précède le début de l’événement.',
  'The date of {part} is not the start of the event.': 'La date de {part} n’est pas le début de l’événement.',
  'The rule has no date at all.': 'La règle n’a aucune date.',
  'The exceptions leave no date.': 'Les exceptions ne laissent aucune date.',
  'No rule without an end has the dates of the series there. Send a recurrence as well.':
    'Aucune règle sans fin ne donne là les dates de la série. Envoyez aussi une récurrence.',
  'Accessible parking': 'Stationnement accessible',
  'Assistance dogs welcome': 'Chiens d’assistance bienvenus',
  'Free ticket for a companion': 'Gratuité pour l’accompagnateur',
  'What else there is to know about access': 'Ce qu’il faut savoir d’autre sur l’accessibilité',
  'Whom to ask about access': 'À qui s’adresser pour l’accessibilité',
  'How people take part: in_person, online or mixed':
    'Comment on participe : in_person (sur place), online (en ligne) ou mixed (les deux)',
  'The link of the meeting': 'Le lien de la réunion',
  'What the link of the meeting is called': 'Le nom du lien de la réunion',
  'When everybody sees the link of the meeting: always, before:<minutes> or never':
    'Quand tout le monde voit le lien de la réunion : always (toujours), ' +
    'before:<minutes> (tant de minutes avant le début) ou never (jamais)',
  'Only events that have all of these facts of access, themselves or by their venue':
    'Seulement les événements qui offrent tout cela pour l’accessibilité, par eux-mêmes ou par leur lieu',
  'In person and online': 'Sur place et en ligne',
  'Whether the image only decorates the event, so that nothing is said of it there':
    'Si l’image ne fait que décorer l’événement, de sorte que rien n’en est dit',
  'It only decorates, and needs no text': 'Elle ne fait que décorer et n’a pas besoin de texte',
  'What the image shows at this event, where that is something else than the text of the image says':
    'Ce que l’image montre pour cet événement, si ce n’est pas ce que dit le texte de l’image',
  'A login is up to 60 letters, digits and . _ - @ and starts with a letter or digit.':
    'Un nom de connexion a jusqu’à 60 lettres, chiffres et . _ - @ et commence par une lettre ou un chiffre.',
  '{email} is not an e-mail address.': '{email} n’est pas une adresse e-mail.',
  'A name is one line of at most 250 characters.': 'Un nom tient sur une ligne de 250 caractères au plus.',
  'There already is a user with the login or e-mail address {name}.':
    'Quelqu’un a déjà le nom de connexion ou l’adresse e-mail {name}.',
  'Nobody has more than 100 passwords for programs; take one away first.':
    'Personne n’a plus de 100 mots de passe pour des programmes ; retirez-en un d’abord.',
  '{login} is the last administrator; make another user administrator first.':
    '{login} est le dernier administrateur ; nommez-en d’abord un autre.',
  'The records of {login} cannot go to {login}.': 'Les fiches de {login} ne peuvent pas aller à {login}.',
  '{login} owns records; name the user who takes them over.':
    '{login} possède des fiches ; dites qui les reprend.',
  'Its code, such as bfi, gsg or lsf.': 'Son code, par exemple fsl, bfi ou gsg.',
  'In degrees, such as 53.2707; together with the longitude.':
    'En degrés, par exemple 53.2707 ; avec la longitude.',
  'In degrees, such as -9.0568.': 'En degrés, par exemple -9.0568.',
  'Left empty, it is made from the name.': 'Laissée vide, elle est tirée du nom.',
  'From a quarter of an hour before the start': 'À partir d’un quart d’heure avant le début',
  'From an hour before the start': 'À partir d’une heure avant le début',
  'From a day before the start': 'À partir d’un jour avant le début',
  'One sentence for lists': 'Une phrase pour les listes',
  'Hide from lists': 'Masquer dans les listes',
  'First on its day in the month view': 'En tête de son jour dans la vue du mois',
  'More about access': 'Plus sur l’accessibilité',
  'When the link is shown': 'Quand le lien est montré',
}
