import type { Locale } from './texts.ts'

/** French, in impersonal forms; a no-break space stands before a colon or semicolon. */
export const fr: Locale = {
  'The id of the event': 'L’identifiant de l’événement',
  'Accepted and ignored: events have no passwords': 'Accepté et ignoré\u00a0: les événements n’ont pas de mot de passe',
  'The slug of the event': 'Le slug de l’événement',
  'The id of the author': 'L’identifiant de l’auteur',
  'The publication date, in the time zone of the site': 'La date de publication, dans le fuseau horaire du site',
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
  'The tags of the event: ids, slugs or names': 'Les étiquettes de l’événement\u00a0: identifiants, slugs ou noms',
  'The venue of the event: its id or its fields': 'Le lieu de l’événement\u00a0: son identifiant ou ses champs',
  'The organizers of the event: their ids or their fields':
    'Les organisateurs de l’événement\u00a0: leurs identifiants ou leurs champs',
  'The page of the list to return': 'La page de la liste à renvoyer',
  'How many records a page holds': 'Le nombre d’éléments par page',
  'Only events that start on this day or later': 'Seulement les événements qui commencent ce jour-là ou plus tard',
  'Only events that start on this day or earlier': 'Seulement les événements qui commencent ce jour-là ou plus tôt',
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
  'Only events at any of these venues, by id': 'Seulement les événements dans l’un de ces lieux, par identifiant',
  'Only events of any of these organizers, by id':
    'Seulement les événements de l’un de ces organisateurs, par identifiant',
  'Only featured events, or only those that are not': 'Seulement les événements mis en avant, ou seulement les autres',
  'Only events with one of these statuses': 'Seulement les événements dans l’un de ces états',
  'Only events whose venue has coordinates, or only those whose venue has none':
    'Seulement les événements dont le lieu a des coordonnées, ou seulement ceux dont le lieu n’en a pas',
  'The latitude to look around; needs geoloc_lng':
    'La latitude autour de laquelle chercher\u00a0; nécessite geoloc_lng',
  'The longitude to look around; needs geoloc_lat':
    'La longitude autour de laquelle chercher\u00a0; nécessite geoloc_lat',
  'Only the events with these ids, whenever they are':
    'Seulement les événements portant ces identifiants, quelles que soient leurs dates',
  'Only occurrences of the event with this id': 'Seulement les occurrences de l’événement portant cet identifiant',
  'Only events that sell tickets, which this service does not':
    'Seulement les événements avec billetterie, que ce service ne propose pas',
  'How far to look around geoloc_lat and geoloc_lng, in kilometres':
    'La distance de recherche autour de geoloc_lat et geoloc_lng, en kilomètres',

  'The id of the venue': 'L’identifiant du lieu',
  'The slug of the venue': 'Le slug du lieu',
  'The name of the venue': 'Le nom du lieu',
  'The description of the venue': 'La description du lieu',
  'Whether events at the venue show a map': 'Indique si les événements dans ce lieu affichent une carte',
  'Whether events at the venue link to a map': 'Indique si les événements dans ce lieu renvoient vers une carte',
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
  'Only records linked to the event with this id': 'Seulement les éléments liés à l’événement portant cet identifiant',
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
  'The name of the term': 'Le nom du terme',
  'The description of the term': 'La description du terme',
  'The slug of the term': 'Le slug du terme',
  'The id of the parent category; 0 for none': 'L’identifiant de la catégorie parente\u00a0; 0 pour aucune',
  'How many terms a page holds': 'Le nombre de termes par page',
  'Only terms with this text in their name or slug': 'Seulement les termes avec ce texte dans leur nom ou leur slug',
  'Leave out the terms with these ids': 'Omettre les termes portant ces identifiants',
  'Only the terms with these ids': 'Seulement les termes portant ces identifiants',
  'The direction of the order: asc or desc': 'Le sens du tri\u00a0: asc ou desc',
  'What the terms are ordered by: name, id, slug, count, description, parent or include':
    'Le critère de tri des termes\u00a0: name, id, slug, count, description, parent ou include',
  'Leave out terms that no published event is assigned to':
    'Omettre les termes qui ne sont attribués à aucun événement publié',
  'Only the children of the category with this id; 0 for those at the top':
    'Seulement les sous-catégories de la catégorie portant cet identifiant\u00a0; 0 pour celles du premier niveau',
  'Only terms assigned to the event with this id':
    'Seulement les termes attribués à l’événement portant cet identifiant',
  'The same as post': 'Identique à post',
  'Only the term with this slug': 'Seulement le terme portant ce slug',

  'No route matches the address and method of the request.':
    'Aucune route ne correspond à l’adresse et à la méthode de la requête.',
  'The namespace asked for could not be found.': 'L’espace de noms demandé est introuvable.',
  'The body of the request is not valid JSON.': 'Le corps de la requête n’est pas du JSON valide.',
  'The form in the body of the request cannot be read.': 'Le formulaire dans le corps de la requête est illisible.',
  'The request is no HTTP that can be read.': 'La requête n’est pas du HTTP lisible.',
  'The head of the request is larger than 16 kB.': 'L’en-tête de la requête dépasse 16 ko.',
  'The request took too long to arrive.': 'La requête a mis trop de temps à arriver.',
  'Too many requests of one client; try again in a moment.':
    'Trop de requêtes d’un même client ; à réessayer dans un instant.',
  'Missing parameters: {names}': 'Paramètres manquants\u00a0: {names}',
  'Invalid parameters: {names}': 'Paramètres non valides\u00a0: {names}',
  'The value is invalid.': 'La valeur n’est pas valide.',
  'The value of {name} is not of the type {type}.': 'La valeur de {name} n’est pas du type {type}.',
  'This service sells no tickets.': 'Ce service ne vend pas de billets.',
  'The value of {name} is longer than {limit} characters.': 'La valeur de {name} dépasse {limit} caractères.',
  'The value of {name} is longer than {limit} bytes.': 'La valeur de {name} dépasse {limit} octets.',
  'The value of {name} has more than {limit} words.': 'La valeur de {name} compte plus de {limit} mots.',
  'The value of {name} has more than {limit} entries.': 'La valeur de {name} compte plus de {limit} éléments.',
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
  'The content type of the body is not supported.': 'Le type de contenu de la requête n’est pas pris en charge.',
  'The body of the request is larger than {bytes} bytes.': 'Le corps de la requête dépasse {bytes} octets.',
  'The address of the request is too long.': 'L’adresse de la requête est trop longue.',
  'The service cannot answer just now; try again soon.':
    'Le service ne peut pas répondre pour le moment\u00a0; merci de réessayer bientôt.',
  'The service can only be read just now; try again later.':
    'Le service ne peut qu’être lu pour le moment ; réessayez plus tard.',
  'The service has no room left to keep this; try again later.':
    'Le service n’a plus de place pour conserver ceci ; réessayez plus tard.',
  'Something went wrong here; it has been noted.': 'Une erreur s’est produite ici\u00a0; elle a été consignée.',
  'No file was sent.': 'Aucun fichier n’a été envoyé.',
  'The file is not an image of a kind this service keeps.':
    'Le fichier n’est pas une image d’un format accepté par ce service.',
  'There is no image or record with this id.': 'Aucune image ni aucun élément ne porte cet identifiant.',
  'The password does not belong to this user.': 'Le mot de passe ne correspond pas à ce compte.',
  'There is no such user.': 'Ce compte n’existe pas.',
  'This application password or token has expired.': 'Ce mot de passe d’application ou ce jeton a expiré.',
  'Too many attempts to sign in at once; try again soon.':
    'Trop de tentatives de connexion à la fois ; réessayez dans un instant.',
  'A term of this name exists already with this parent.': 'Un terme de ce nom existe déjà sous le même parent.',
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
  'List what matches, page by page': 'Lister page par page ce qui correspond',
  'Create one': 'En créer un',
  'Read one': 'En lire un',
  'Change what is sent and leave the rest': 'Modifier ce qui est envoyé et laisser le reste',
  'Move one to the trash': 'En mettre un à la corbeille',
  'Remove one for good': 'En supprimer un définitivement',
  'A page of what matches': 'Une page de ce qui correspond',
  'What was asked for': 'Ce qui a été demandé',
  'What was created': 'Ce qui a été créé',
  'What it is after the change': 'L’état après la modification',
  'What was removed': 'Ce qui a été supprimé',
  'Nothing has changed since the version that If-None-Match names':
    'Rien n’a changé depuis la version indiquée par If-None-Match',
  'How many records match in all': 'Le nombre total d’éléments qui correspondent',
  'How many pages they fill': 'Le nombre de pages qu’ils remplissent',
  'The address of the REST root, and of the next and the previous page of a list':
    'L’adresse de la racine REST, et celles des pages suivante et précédente d’une liste',
  'The version of the answer, for If-None-Match': 'La version de la réponse, pour If-None-Match',
  'The version of the answer that is known already, as its ETag named it':
    'La version déjà connue de la réponse, telle que son ETag l’indiquait',
  'The methods open to the caller': 'Les méthodes accessibles à l’appelant',
  'The address of what was created': 'L’adresse de ce qui a été créé',
  'Seconds to wait before trying again': 'Nombre de secondes à attendre avant de réessayer',
  'The name of the request in the log of the service': 'Le nom de la requête dans le journal du service',
  'A user name or e-mail address with an application password':
    'Un identifiant de connexion ou une adresse e-mail avec un mot de passe d’application',
  'An access token': 'Un jeton d’accès',
  'The description of this interface': 'La description de cette interface',
  'Events: what takes place and when': 'Événements\u00a0: ce qui a lieu et quand',
  'Venues: where events take place': 'Lieux\u00a0: où les événements se déroulent',
  'Organizers: who holds events': 'Organisateurs\u00a0: qui organise les événements',
  'Categories: the tree that events are sorted into':
    'Catégories\u00a0: l’arbre dans lequel les événements sont classés',
  'Tags: the words that events are marked with': 'Étiquettes\u00a0: les mots dont les événements sont marqués',
  'Every operation also takes _fields to pick members of the answer, _envelope to put status and headers into the body, and _pretty to indent it.':
    'Chaque opération accepte aussi _fields pour choisir des éléments de la réponse, _envelope pour placer le statut et les en-têtes dans le corps, et _pretty pour l’indenter.',
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
  'How many records to pass over before the first page': 'Le nombre d’éléments à passer avant la première page',
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
  'The slug of the image': 'Le slug de l’image',
  'What the image shows, for those who do not see it': 'Ce que montre l’image, pour qui ne la voit pas',
  'The caption of the image': 'La légende de l’image',
  'The description of the image': 'La description de l’image',
  'Only files of this kind: image, video, text, application or audio':
    'Seulement les fichiers de ce genre\u00a0: image, video, text, application ou audio',
  'Only files of this media type, such as image/png':
    'Seulement les fichiers de ce type de média, par exemple image/png',
  Media: 'Médias',
  Events: 'Événements',
  Venues: 'Lieux',
  Organizers: 'Organisateurs',
  'The image has more than {limit} pixels, or too many frames, or takes too long to read.':
    'L’image a plus de {limit} pixels, ou trop de vues, ou demande trop de temps de lecture.',
  'The name of the format of the answer; without it Accept chooses':
    'Le nom du format de la réponse ; sans lui, Accept décide',
}
