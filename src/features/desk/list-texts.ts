import type { Texts } from '../../calendar/locales/texts.ts'

export const listTexts = {
  'Click a day to add an event, or “…” beside one to move it.': {
    de:
      'Klicken Sie auf einen Tag, um einen Termin anzulegen, ' +
      'oder auf „…“ neben einem Termin, um ihn zu verschieben.',
    fr:
      'Cliquez sur un jour pour ajouter un événement, ou sur ' +
      '«\u00a0…\u00a0» à côté d’un événement pour le déplacer.',
    es: 'Haga clic en un día para añadir un evento, o en «…» junto a uno para moverlo.',
  },
  'To change a date and all that follow it, open that date.': {
    de: 'Um einen Termin und alle folgenden zu ändern, öffnen Sie diesen Termin.',
    fr: 'Pour changer une date et toutes les suivantes, ouvrez cette date.',
    es: 'Para cambiar una fecha y todas las siguientes, abra esa fecha.',
  },
  'It is not in the trash.': {
    de: 'Sie ist nicht im Papierkorb.',
    fr: 'Il n’est pas dans la corbeille.',
    es: 'No está en la papelera.',
  },
  'An event in one line': {
    de: 'Ein Termin in einer Zeile',
    fr: 'Un événement en une ligne',
    es: 'Un evento en una línea',
  },
  'Choir Tue 19:00–21:00 @ St Brigid’s #music': {
    de: 'Chor Di 19:00–21:00 @ Pfarrsaal #musik',
    fr: 'Chorale mar 19h–21h @ Salle paroissiale #musique',
    es: 'Coro mar 19:00–21:00 @ Salón parroquial #música',
  },
  'Show event': { de: 'Termin anzeigen', fr: 'Afficher l’événement', es: 'Mostrar el evento' },
  'You see what was understood before anything is saved.': {
    de: 'Sie sehen, was verstanden wurde, bevor etwas gespeichert wird.',
    fr: 'Vous voyez ce qui a été compris avant tout enregistrement.',
    es: 'Verá lo que se ha entendido antes de guardar nada.',
  },
  'Add quickly': { de: 'Schnell hinzufügen', fr: 'Ajout rapide', es: 'Añadir rápido' },
  'One line in plain words': {
    de: 'Eine Zeile in einfachen Worten',
    fr: 'Une ligne en mots simples',
    es: 'Una línea en palabras sencillas',
  },
  'A line has up to {count} characters.': {
    de: 'Eine Zeile hat bis zu {count} Zeichen.',
    fr: 'Une ligne compte au plus {count} caractères.',
    es: 'Una línea tiene hasta {count} caracteres.',
  },
  'What was understood': {
    de: 'Was verstanden wurde',
    fr: 'Ce qui a été compris',
    es: 'Lo que se ha entendido',
  },
  'No day was found in the line.': {
    de: 'In der Zeile wurde kein Tag gefunden.',
    fr: 'Aucun jour n’a été trouvé dans la ligne.',
    es: 'No se encontró ningún día en la línea.',
  },
  'No time was found in the line.': {
    de: 'In der Zeile wurde keine Uhrzeit gefunden.',
    fr: 'Aucune heure n’a été trouvée dans la ligne.',
    es: 'No se encontró ninguna hora en la línea.',
  },
  'Save as a draft': {
    de: 'Als Entwurf speichern',
    fr: 'Enregistrer comme brouillon',
    es: 'Guardar como borrador',
  },
  'Open in the form': {
    de: 'Im Formular öffnen',
    fr: 'Ouvrir dans le formulaire',
    es: 'Abrir en el formulario',
  },
  'Found in the directory': {
    de: 'Im Verzeichnis gefunden',
    fr: 'Trouvé dans le répertoire',
    es: 'Encontrado en el directorio',
  },
  'Will be created': { de: 'Wird angelegt', fr: 'Sera créé', es: 'Se creará' },
  'Publish {count} events?': {
    en: { one: 'Publish', other: 'Publish {count} events?' },
    de: { one: 'Veröffentlichen', other: '{count} Termine veröffentlichen?' },
    fr: { one: 'Publier', other: 'Publier {count} événements ?' },
    es: { one: 'Publicar', other: '¿Publicar {count} eventos?' },
  },
  'Revert {count} events to drafts?': {
    en: { one: 'Revert to drafts', other: 'Revert {count} events to drafts?' },
    de: { one: 'Zu Entwürfen machen', other: '{count} Termine zu Entwürfen machen?' },
    fr: { one: 'Remettre en brouillon', other: 'Remettre {count} événements en brouillon ?' },
    es: { one: 'Convertir en borradores', other: '¿Convertir {count} eventos en borradores?' },
  },
  'Revert to drafts': {
    de: 'Zu Entwürfen machen',
    fr: 'Remettre en brouillon',
    es: 'Convertir en borradores',
  },
  'Move {count} events to the trash?': {
    en: { one: 'Move to the trash', other: 'Move {count} events to the trash?' },
    de: { one: 'In den Papierkorb', other: '{count} Termine in den Papierkorb legen?' },
    fr: { one: 'Mettre à la corbeille', other: 'Mettre {count} événements à la corbeille ?' },
    es: { one: 'Mover a la papelera', other: '¿Mover {count} eventos a la papelera?' },
  },
  'Restore {count} events?': {
    en: { one: 'Restore', other: 'Restore {count} events?' },
    de: { one: 'Zurückholen', other: '{count} Termine zurückholen?' },
    fr: { one: 'Restaurer', other: 'Restaurer {count} événements ?' },
    es: { one: 'Restaurar', other: '¿Restaurar {count} eventos?' },
  },
  'Delete {count} events permanently?': {
    en: { one: 'Delete permanently', other: 'Delete {count} events permanently?' },
    de: { one: 'Endgültig löschen', other: '{count} Termine endgültig löschen?' },
    fr: { one: 'Supprimer définitivement', other: 'Supprimer définitivement {count} événements ?' },
    es: { one: 'Eliminar definitivamente', other: '¿Eliminar {count} eventos definitivamente?' },
  },
  'Change the categories of {count} events': {
    en: { one: 'Change categories', other: 'Change the categories of {count} events' },
    de: { one: 'Kategorien ändern', other: 'Kategorien von {count} Terminen ändern' },
    fr: { one: 'Changer les catégories', other: 'Changer les catégories de {count} événements' },
    es: { one: 'Cambiar categorías', other: 'Cambiar las categorías de {count} eventos' },
  },
  'Change categories': { de: 'Kategorien ändern', fr: 'Changer les catégories', es: 'Cambiar categorías' },
  'Change the tags of {count} events': {
    en: { one: 'Change tags', other: 'Change the tags of {count} events' },
    de: { one: 'Schlagwörter ändern', other: 'Schlagwörter von {count} Terminen ändern' },
    fr: { one: 'Changer les mots-clés', other: 'Changer les mots-clés de {count} événements' },
    es: { one: 'Cambiar etiquetas', other: 'Cambiar las etiquetas de {count} eventos' },
  },
  'Change tags': { de: 'Schlagwörter ändern', fr: 'Changer les mots-clés', es: 'Cambiar etiquetas' },
  'Change the venues of {count} events': {
    en: { one: 'Change the venue', other: 'Change the venues of {count} events' },
    de: { one: 'Ort ändern', other: 'Veranstaltungsorte von {count} Terminen ändern' },
    fr: { one: 'Changer le lieu', other: 'Changer les lieux de {count} événements' },
    es: { one: 'Cambiar el lugar', other: 'Cambiar los lugares de {count} eventos' },
  },
  'Change the venue': { de: 'Ort ändern', fr: 'Changer le lieu', es: 'Cambiar el lugar' },
  'Change the organizers of {count} events': {
    en: { one: 'Change the organizer', other: 'Change the organizers of {count} events' },
    de: { one: 'Veranstalter ändern', other: 'Veranstalter von {count} Terminen ändern' },
    fr: { one: 'Changer l’organisateur', other: 'Changer les organisateurs de {count} événements' },
    es: { one: 'Cambiar el organizador', other: 'Cambiar los organizadores de {count} eventos' },
  },
  'Change the organizer': {
    de: 'Veranstalter ändern',
    fr: 'Changer l’organisateur',
    es: 'Cambiar el organizador',
  },
  'Set the picture of {count} events': {
    en: { one: 'Set the picture', other: 'Set the picture of {count} events' },
    de: { one: 'Bild geben', other: '{count} Terminen ein Bild geben' },
    fr: { one: 'Donner l’image', other: 'Donner une image à {count} événements' },
    es: { one: 'Dar la imagen', other: 'Dar una imagen a {count} eventos' },
  },
  'Set the picture': { de: 'Bild festlegen', fr: 'Définir l’image', es: 'Definir la imagen' },
  'Change the price of {count} events': {
    en: { one: 'Change the price', other: 'Change the price of {count} events' },
    de: { one: 'Preis ändern', other: 'Preis von {count} Terminen ändern' },
    fr: { one: 'Changer le prix', other: 'Changer le prix de {count} événements' },
    es: { one: 'Cambiar el precio', other: 'Cambiar el precio de {count} eventos' },
  },
  'Change the price': { de: 'Preis ändern', fr: 'Changer le prix', es: 'Cambiar el precio' },
  'Feature {count} events?': {
    en: { one: 'Feature', other: 'Feature {count} events?' },
    de: { one: 'Hervorheben', other: '{count} Termine hervorheben?' },
    fr: { one: 'Mettre en avant', other: 'Mettre en avant {count} événements ?' },
    es: { one: 'Destacar', other: '¿Destacar {count} eventos?' },
  },
  'Publish {count} events later': {
    en: { one: 'Publish later', other: 'Publish {count} events later' },
    de: { one: 'Später veröffentlichen', other: '{count} Termine später veröffentlichen' },
    fr: { one: 'Publier plus tard', other: 'Publier {count} événements plus tard' },
    es: { one: 'Publicar más tarde', other: 'Publicar {count} eventos más tarde' },
  },
  'Cancel or postpone {count} events': {
    en: { one: 'Cancel or postpone', other: 'Cancel or postpone {count} events' },
    de: { one: 'Absagen oder verschieben', other: '{count} Termine absagen oder verschieben' },
    fr: { one: 'Annuler ou reporter', other: 'Annuler ou reporter {count} événements' },
    es: { one: 'Cancelar o aplazar', other: 'Cancelar o aplazar {count} eventos' },
  },
  'Cancel or postpone': {
    de: 'Absagen oder verschieben',
    fr: 'Annuler ou reporter',
    es: 'Cancelar o aplazar',
  },
  'Move {count} events': {
    en: { one: 'Move', other: 'Move {count} events' },
    de: { one: 'Verschieben', other: '{count} Termine verlegen' },
    fr: { one: 'Déplacer', other: 'Déplacer {count} événements' },
    es: { one: 'Mover', other: 'Mover {count} eventos' },
  },
  'and {count} more': {
    en: { one: 'and {count} more', other: 'and {count} more' },
    de: { one: 'und ein weiterer', other: 'und {count} weitere' },
    fr: { one: 'et {count} autre', other: 'et {count} autres' },
    es: { one: 'y {count} más', other: 'y {count} más' },
  },
  '{count} dates chosen': {
    en: { one: '{count} date chosen', other: '{count} dates chosen' },
    de: { one: '{count} Termin ausgewählt', other: '{count} Termine ausgewählt' },
    fr: { one: '{count} date choisie', other: '{count} dates choisies' },
    es: { one: '{count} fecha elegida', other: '{count} fechas elegidas' },
  },
  'Series: {title}': { de: 'Serie: {title}', fr: 'Série : {title}', es: 'Serie: {title}' },
  'More events match; these are the first {count} of them.': {
    de: 'Es passen mehr Termine; dies sind die ersten {count}.',
    fr: 'D’autres événements correspondent ; voici les {count} premiers.',
    es: 'Coinciden más eventos; estos son los primeros {count}.',
  },
  'Nothing can bring them back.': {
    de: 'Nichts holt sie zurück.',
    fr: 'Rien ne pourra les ramener.',
    es: 'Nada podrá recuperarlos.',
  },
  'This can be undone for a day.': {
    de: 'Das lässt sich einen Tag lang rückgängig machen.',
    fr: 'Cela peut être annulé pendant un jour.',
    es: 'Esto se puede deshacer durante un día.',
  },
  'Of events that repeat': {
    de: 'Bei Terminen, die sich wiederholen',
    fr: 'Pour les événements qui se répètent',
    es: 'De los eventos que se repiten',
  },
  'The chosen dates': { de: 'Die ausgewählten Tage', fr: 'Les dates choisies', es: 'Las fechas elegidas' },
  'All dates of their series': {
    de: 'Alle Tage ihrer Serien',
    fr: 'Toutes les dates de leurs séries',
    es: 'Todas las fechas de sus series',
  },
  'Days later': { de: 'Tage später', fr: 'Jours plus tard', es: 'Días después' },
  'Hours later': { de: 'Stunden später', fr: 'Heures plus tard', es: 'Horas después' },
  'A minus sign moves to earlier. Eight o’clock stays eight o’clock.': {
    de: 'Ein Minus verlegt nach vorn. Acht Uhr bleibt acht Uhr.',
    fr: 'Un signe moins avance la date. Huit heures restent huit heures.',
    es: 'Un signo menos adelanta. Las ocho siguen siendo las ocho.',
  },
  'New day': { de: 'Neuer Tag', fr: 'Nouveau jour', es: 'Nuevo día' },
  'New time': { de: 'Neue Uhrzeit', fr: 'Nouvelle heure', es: 'Nueva hora' },
  'If it is known: fri, 4 Dec, tomorrow …': {
    de: 'Falls bekannt: Fr, 4. Dez, morgen …',
    fr: 'S’il est connu\u00a0: ven, 4 déc, demain…',
    es: 'Si se conoce: vie, 4 dic, mañana…',
  },
  'Leave it empty to keep the time.': {
    de: 'Leer lassen, wenn die Uhrzeit bleibt.',
    fr: 'Laissez vide pour garder l’heure.',
    es: 'Déjelo vacío para mantener la hora.',
  },
  'The event is made again on that day. The page of each leads to the other.': {
    de: 'Der Termin wird an diesem Tag neu angelegt. Die Seiten der beiden führen zueinander.',
    fr: 'L’événement est recréé ce jour-là. La page de chacun mène à l’autre.',
    es: 'El evento se crea de nuevo en ese día. La página de cada uno lleva al otro.',
  },
  'Only single dates get a new day: choose one date of the series.': {
    de: 'Nur einzelne Tage lassen sich verschieben: Wählen Sie einen Tag der Serie.',
    fr: 'Seules des dates isolées reçoivent un nouveau jour\u00a0: choisissez une date de la série.',
    es: 'Solo las fechas sueltas reciben un nuevo día: elija una fecha de la serie.',
  },
  'Leave it empty for none.': {
    de: 'Für keinen leer lassen.',
    fr: 'Laissez vide pour aucun.',
    es: 'Déjelo vacío para ninguno.',
  },
  'Names, separated by commas.': {
    de: 'Namen, durch Kommas getrennt.',
    fr: 'Des noms séparés par des virgules.',
    es: 'Nombres separados por comas.',
  },
  Add: { de: 'Hinzufügen', fr: 'Ajouter', es: 'Añadir' },
  Remove: { de: 'Entfernen', fr: 'Retirer', es: 'Quitar' },
  'Remove all others': {
    de: 'Alle anderen entfernen',
    fr: 'Retirer tous les autres',
    es: 'Quitar todos los demás',
  },
  'Say by how many days or hours.': {
    de: 'Sagen Sie, um wie viele Tage oder Stunden.',
    fr: 'Dites de combien de jours ou d’heures.',
    es: 'Diga cuántos días u horas.',
  },
  'Name at least one.': {
    de: 'Nennen Sie mindestens eines.',
    fr: 'Nommez-en au moins un.',
    es: 'Nombre al menos uno.',
  },
  'There is no “{name}”.': {
    de: '„{name}“ gibt es nicht.',
    fr: 'Il n’y a pas de « {name} ».',
    es: 'No existe «{name}».',
  },
  'In progress': { de: 'In Arbeit', fr: 'En cours', es: 'En curso' },
  'It has begun and goes on by itself; look at the list in a moment.': {
    de: 'Es hat begonnen und läuft von selbst weiter; sehen Sie gleich in die Liste.',
    fr: 'C’est commencé et cela continue tout seul ; regardez la liste dans un instant.',
    es: 'Ha empezado y sigue por sí solo; mire la lista en un momento.',
  },
  'Not done: {count}': { de: 'Nicht getan: {count}', fr: 'Non fait : {count}', es: 'Sin hacer: {count}' },
  'Done: {count}': { de: 'Getan: {count}', fr: 'Fait : {count}', es: 'Hecho: {count}' },
  '{count} were unchanged.': {
    en: { one: '{count} was unchanged.', other: '{count} were unchanged.' },
    de: { one: '{count} war unverändert.', other: '{count} waren unverändert.' },
    fr: { one: '{count} est inchangé.', other: '{count} sont inchangés.' },
    es: { one: '{count} no ha cambiado.', other: '{count} no han cambiado.' },
  },
  '{count} events changed': {
    en: { one: 'Done: {count}', other: '{count} events changed' },
    de: { one: 'Getan: {count}', other: '{count} Termine geändert' },
    fr: { one: 'Fait : {count}', other: '{count} événements modifiés' },
    es: { one: 'Hecho: {count}', other: '{count} eventos cambiados' },
  },
  '{count} events changed, {left} not': {
    en: { one: '{count} event changed, {left} not', other: '{count} events changed, {left} not' },
    de: { one: '{count} Termin geändert, {left} nicht', other: '{count} Termine geändert, {left} nicht' },
    fr: { one: '{count} événement modifié, {left} non', other: '{count} événements modifiés, {left} non' },
    es: { one: '{count} evento cambiado, {left} no', other: '{count} eventos cambiados, {left} no' },
  },
  'Undone for {count} events': {
    en: { one: 'Undone for {count} event', other: 'Undone for {count} events' },
    de: { one: 'Für {count} Termin rückgängig gemacht', other: 'Für {count} Termine rückgängig gemacht' },
    fr: { one: 'Annulé pour {count} événement', other: 'Annulé pour {count} événements' },
    es: { one: 'Deshecho en {count} evento', other: 'Deshecho en {count} eventos' },
  },
  'That was undone before, or is older than a day.': {
    de: 'Das wurde schon rückgängig gemacht oder ist älter als einen Tag.',
    fr: 'Cela a déjà été annulé, ou date de plus d’un jour.',
    es: 'Eso ya se deshizo o tiene más de un día.',
  },
  'Chosen events:': { de: 'Ausgewählte Termine:', fr: 'Événements choisis :', es: 'Eventos elegidos:' },
  'All {count} that match': {
    de: 'Alle {count} passenden',
    fr: 'Les {count} qui correspondent',
    es: 'Los {count} que coinciden',
  },
  'All that match, at most {count}': {
    de: 'Alle passenden, höchstens {count}',
    fr: 'Tous ceux qui correspondent, {count} au plus',
    es: 'Todos los que coinciden, {count} como mucho',
  },
  'Choose the events first.': {
    de: 'Wählen Sie zuerst die Termine aus.',
    fr: 'Choisissez d’abord les événements.',
    es: 'Elija primero los eventos.',
  },
  'Found for “{text}”': {
    de: 'Gefunden für „{text}“',
    fr: 'Trouvé pour « {text} »',
    es: 'Encontrado para «{text}»',
  },
  'Type a title, a venue, an organizer, a number or a UID.': {
    de: 'Tippen Sie einen Titel, einen Ort, einen Veranstalter, eine Nummer oder eine UID.',
    fr: 'Tapez un titre, un lieu, un organisateur, un numéro ou un UID.',
    es: 'Escriba un título, un lugar, un organizador, un número o un UID.',
  },
  'All events with these words': {
    de: 'Alle Termine mit diesen Wörtern',
    fr: 'Tous les événements avec ces mots',
    es: 'Todos los eventos con estas palabras',
  },
  '{count} found': {
    en: { one: '{count} found', other: '{count} found' },
    de: { one: '{count} gefunden', other: '{count} gefunden' },
    fr: { one: '{count} trouvé', other: '{count} trouvés' },
    es: { one: '{count} encontrado', other: '{count} encontrados' },
  },
  Coming: { de: 'Kommend', fr: 'À venir', es: 'Próximos' },
  Drafts: { de: 'Entwürfe', fr: 'Brouillons', es: 'Borradores' },
  Past: { de: 'Vergangen', fr: 'Passés', es: 'Pasados' },
  'By start': { de: 'Nach Beginn', fr: 'Par date', es: 'Por comienzo' },
  'By title': { de: 'Nach Titel', fr: 'Par titre', es: 'Por título' },
  'Last changed first': { de: 'Zuletzt geändert', fr: 'Modifiés récemment', es: 'Últimos cambios primero' },
  'Times are of {zone}.': { de: 'Zeiten in {zone}.', fr: 'Heures de {zone}.', es: 'Horas de {zone}.' },
  'More than {count} events match; narrow the list to sort it so.': {
    de: 'Mehr als {count} Termine passen; grenzen Sie die Liste ein, um sie so zu ordnen.',
    fr: 'Plus de {count} événements correspondent ; affinez la liste pour la trier ainsi.',
    es: 'Coinciden más de {count} eventos; acote la lista para ordenarla así.',
  },
  Everybody: { de: 'Alle Personen', fr: 'Tout le monde', es: 'Todo el mundo' },
  Mine: { de: 'Meine', fr: 'Les miens', es: 'Los míos' },
  'Words in events': { de: 'Wörter in Terminen', fr: 'Mots des événements', es: 'Palabras en los eventos' },
  By: { de: 'Von', fr: 'Par', es: 'De' },
  'Imported from': { de: 'Importiert aus', fr: 'Importé de', es: 'Importado de' },
  Order: { de: 'Reihenfolge', fr: 'Ordre', es: 'Orden' },
  'Remove this filter': {
    de: 'Diesen Filter entfernen',
    fr: 'Retirer ce filtre',
    es: 'Quitar este filtro',
  },
  Actions: { de: 'Aktionen', fr: 'Actions', es: 'Acciones' },
  'Hidden from lists': {
    de: 'In Listen verborgen',
    fr: 'Masqué dans les listes',
    es: 'Oculto en las listas',
  },
  Edit: { de: 'Bearbeiten', fr: 'Modifier', es: 'Editar' },
  'Cancel…': { de: 'Absagen …', fr: 'Annuler…', es: 'Cancelar…' },
  'Press a day to add an event; drag one to move it, or choose “…” beside it.': {
    de:
      'Drücken Sie auf einen Tag für einen neuen Termin; ziehen Sie ' +
      'einen Termin, um ihn zu verschieben, oder wählen Sie „…“ daneben.',
    fr:
      'Appuyez sur un jour pour ajouter un événement ; ' +
      'glissez-en un pour le déplacer, ou choisissez « … » à côté.',
    es: 'Pulse un día para añadir un evento; arrastre uno para moverlo o elija «…» a su lado.',
  },
  'Only the first {count} events are shown.': {
    de: 'Nur die ersten {count} Termine werden gezeigt.',
    fr: 'Seuls les {count} premiers événements sont montrés.',
    es: 'Solo se muestran los primeros {count} eventos.',
  },
  'New event on {date}': {
    de: 'Neuer Termin am {date}',
    fr: 'Nouvel événement le {date}',
    es: 'Nuevo evento el {date}',
  },
  'Move {title}': { de: '{title} verschieben', fr: 'Déplacer {title}', es: 'Mover {title}' },
  'Move to': { de: 'Verschieben auf', fr: 'Déplacer au', es: 'Mover al' },
  Move: { de: 'Verschieben', fr: 'Déplacer', es: 'Mover' },
  'A week earlier': { de: 'Eine Woche früher', fr: 'Une semaine plus tôt', es: 'Una semana antes' },
  'A day earlier': { de: 'Einen Tag früher', fr: 'Un jour plus tôt', es: 'Un día antes' },
  'A day later': { de: 'Einen Tag später', fr: 'Un jour plus tard', es: 'Un día después' },
  'A week later': { de: 'Eine Woche später', fr: 'Une semaine plus tard', es: 'Una semana después' },
  Close: { de: 'Schließen', fr: 'Fermer', es: 'Cerrar' },
  '{title} is on {date} now.': {
    de: '{title} ist jetzt am {date}.',
    fr: '{title} a lieu maintenant le {date}.',
    es: '{title} es ahora el {date}.',
  },
  'This is a date of a series. Which dates shall move with it to {date}?': {
    de: 'Dies ist ein Termin einer Serie. Welche Termine sollen mit auf den {date} rücken?',
    fr: 'C’est une date d’une série. Quelles dates doivent aller avec elle au {date} ?',
    es: 'Es una fecha de una serie. ¿Qué fechas deben pasar con ella al {date}?',
  },
  'All of them': { de: 'Alle', fr: 'Toutes', es: 'Todas' },
  'Waiting for you': { de: 'Wartet auf Sie', fr: 'Vous attend', es: 'Le espera' },
  'The coming days': { de: 'Die nächsten Tage', fr: 'Les prochains jours', es: 'Los próximos días' },
  'Good evening, {name}': { de: 'Guten Abend, {name}', fr: 'Bonsoir, {name}', es: 'Buenas noches, {name}' },
  'Good morning, {name}': { de: 'Guten Morgen, {name}', fr: 'Bonjour, {name}', es: 'Buenos días, {name}' },
  'Good day, {name}': { de: 'Guten Tag, {name}', fr: 'Bonjour à vous, {name}', es: 'Buenas tardes, {name}' },
  'Nothing is planned for the coming days.': {
    de: 'Für die nächsten Tage ist nichts geplant.',
    fr: 'Rien n’est prévu les prochains jours.',
    es: 'No hay nada previsto para los próximos días.',
  },
  'Unsaved changes': {
    de: 'Nicht gespeicherte Änderungen',
    fr: 'Modifications non enregistrées',
    es: 'Cambios sin guardar',
  },
  Stopped: { de: 'Angehalten', fr: 'Arrêté', es: 'Detenido' },
  Fails: { de: 'Scheitert', fr: 'Échoue', es: 'Falla' },
  Problems: { de: 'Probleme', fr: 'Problèmes', es: 'Problemas' },
  'Webhooks, e-mail and imports on a schedule are off until “kalends resume”, since this calendar is a copy \
of another.': {
    de:
      'Webhooks, E-Mail und geplante Importe ruhen bis „kalends ' +
      'resume“, denn dieser Kalender ist die Kopie eines anderen.',
    fr:
      'Les webhooks, l’e-mail et les imports planifiés sont arrêtés jusqu’à ' +
      '« kalends resume », car ce calendrier est la copie d’un autre.',
    es:
      'Los webhooks, el correo y las importaciones programadas están detenidos ' +
      'hasta «kalends resume», pues este calendario es una copia de otro.',
  },
  'Only {free} MB are free on the disk. Once it is full nothing can be saved.': {
    de: 'Auf der Platte sind nur noch {free} MB frei. Ist sie voll, lässt sich nichts mehr speichern.',
    fr: 'Il ne reste que {free} Mo sur le disque. Une fois plein, plus rien ne peut être enregistré.',
    es: 'Solo quedan {free} MB libres en el disco. Cuando se llene, no se podrá guardar nada.',
  },
  'Waiting for review': { de: 'Wartet auf Prüfung', fr: 'À relire', es: 'En espera de revisión' },
  Feature: { de: 'Hervorheben', fr: 'Mettre en avant', es: 'Destacar' },
} as const satisfies Texts
