import type { Texts } from '../../calendar/locales/texts.ts'

export const senderTexts = {
  '(needed)': { de: '(nötig)', fr: '(obligatoire)', es: '(obligatorio)' },
  'A picture has 10 MB at the most.': {
    de: 'Ein Bild hat höchstens 10 MB.',
    fr: 'Une image fait 10 Mo au plus.',
    es: 'Una imagen tiene 10 MB como máximo.',
  },
  'A message is on its way to this address already. Try again in a while.': {
    de: 'An diese Adresse ist schon eine Nachricht unterwegs. Bitte etwas später noch einmal.',
    fr: 'Un message est déjà en route vers cette adresse. Réessayez un peu plus tard.',
    es: 'Ya va un mensaje en camino a esta dirección. Inténtelo dentro de un rato.',
  },
  'About the event': { de: 'Zur Veranstaltung', fr: 'À propos de l’événement', es: 'Sobre el evento' },
  'About you': { de: 'Zu Ihnen', fr: 'À propos de vous', es: 'Sobre usted' },
  'Change it': { de: 'Ändern', fr: 'La modifier', es: 'Cambiarla' },
  'Choose a known venue, or type its name and address.': {
    de: 'Einen bekannten Ort wählen, oder Name und Adresse eintippen.',
    fr: 'Choisissez un lieu connu, ou tapez son nom et son adresse.',
    es: 'Elija un lugar conocido, o escriba su nombre y dirección.',
  },
  'Choose the picture again, please.': {
    de: 'Bitte das Bild noch einmal wählen.',
    fr: 'Veuillez choisir l’image à nouveau.',
    es: 'Elija la imagen otra vez, por favor.',
  },
  'Confirm the suggestion': {
    de: 'Vorschlag bestätigen',
    fr: 'Confirmer la proposition',
    es: 'Confirmar la propuesta',
  },
  Day: { de: 'Tag', fr: 'Jour', es: 'Día' },
  'Delete my data': { de: 'Meine Daten löschen', fr: 'Supprimer mes données', es: 'Borrar mis datos' },
  'Editors of this calendar look at every suggestion before it is published.': {
    de: 'Die Redaktion dieses Kalenders sieht jeden Vorschlag an, bevor er erscheint.',
    fr: 'La rédaction de ce calendrier lit chaque proposition avant sa publication.',
    es: 'La redacción de este calendario mira cada propuesta antes de publicarla.',
  },
  'Every month on that weekday': {
    de: 'Jeden Monat an diesem Wochentag',
    fr: 'Chaque mois, ce jour de la semaine',
    es: 'Cada mes en ese día de la semana',
  },
  'For questions of the editors. No message is sent to it automatically.': {
    de: 'Für Rückfragen der Redaktion. Es geht keine automatische Nachricht dorthin.',
    fr: 'Pour les questions de la rédaction. Aucun message automatique n’y est envoyé.',
    es: 'Para preguntas de la redacción. No se envía ningún mensaje automático.',
  },
  'For the editors': { de: 'Für die Redaktion', fr: 'Pour la rédaction', es: 'Para la redacción' },
  'From this address there were enough suggestions today. Try again tomorrow.': {
    de: 'Von dieser Adresse kamen heute genug Vorschläge. Morgen geht es wieder.',
    fr: 'Cette adresse a envoyé assez de propositions aujourd’hui. Réessayez demain.',
    es: 'Desde esta dirección llegaron hoy bastantes propuestas. Inténtelo mañana.',
  },
  'From your network there were enough suggestions just now. Try again in an hour.': {
    de: 'Aus diesem Netz kamen gerade genug Vorschläge. In einer Stunde geht es wieder.',
    fr: 'Votre réseau a envoyé assez de propositions. Réessayez dans une heure.',
    es: 'Desde su red llegaron bastantes propuestas. Inténtelo en una hora.',
  },
  'Get a link to your suggestions': {
    de: 'Einen Link zu den eigenen Vorschlägen bekommen',
    fr: 'Recevoir un lien vers vos propositions',
    es: 'Recibir un enlace a sus propuestas',
  },
  'I agree to the terms.': {
    de: 'Ich stimme den Bedingungen zu.',
    fr: 'J’accepte les conditions.',
    es: 'Acepto las condiciones.',
  },
  'If it does not come within some minutes, look among the unwanted messages, and check the address.': {
    de:
      'Kommt sie nicht in einigen Minuten, bitte unter den ' +
      'unerwünschten Nachrichten nachsehen und die Adresse prüfen.',
    fr: 'S’il n’arrive pas en quelques minutes, regardez parmi les indésirables et vérifiez l’adresse.',
    es: 'Si no llega en unos minutos, mire entre los mensajes no deseados y revise la dirección.',
  },
  'If it was not you, do nothing: it is deleted after 48 hours.': {
    de: 'Falls nicht, ist nichts zu tun: Nach 48 Stunden wird er gelöscht.',
    fr: 'Sinon, ne faites rien\u00a0: elle est supprimée après 48 heures.',
    es: 'Si no fue usted, no haga nada: se borra a las 48 horas.',
  },
  'If there are suggestions with this address, a message with their links is on its way. It is sent once an \
hour at most.': {
    de:
      'Gibt es Vorschläge mit dieser Adresse, ist eine Nachricht ' +
      'mit ihren Links unterwegs, höchstens eine in der Stunde.',
    fr:
      'S’il y a des propositions avec cette adresse, un message ' +
      'avec leurs liens est en route, au plus un par heure.',
    es:
      'Si hay propuestas con esta dirección, va en camino ' +
      'un mensaje con sus enlaces, uno por hora como máximo.',
  },
  'Is it this one?': { de: 'Ist es diese hier?', fr: 'Est-ce celui-ci\u00a0?', es: '¿Es este?' },
  'It has been used, or is older than 48 hours.': {
    de: 'Er ist benutzt worden oder älter als 48 Stunden.',
    fr: 'Il a été utilisé, ou a plus de 48 heures.',
    es: 'Se ha usado ya, o tiene más de 48 horas.',
  },
  'It is another event: send mine': {
    de: 'Es ist eine andere: meine senden',
    fr: 'C’est un autre\u00a0: envoyer le mien',
    es: 'Es otro: enviar el mío',
  },
  'It is not published any more.': {
    de: 'Sie ist nicht mehr veröffentlicht.',
    fr: 'Il n’est plus publié.',
    es: 'Ya no está publicado.',
  },
  'It is published.': { de: 'Sie ist veröffentlicht.', fr: 'Il est publié.', es: 'Está publicado.' },
  'It waits for the editors since {date}.': {
    de: 'Der Vorschlag wartet seit {date} auf die Redaktion.',
    fr: 'La proposition attend la rédaction depuis le {date}.',
    es: 'La propuesta espera a la redacción desde el {date}.',
  },
  'It waits for you to confirm it.': {
    de: 'Der Vorschlag wartet auf die Bestätigung.',
    fr: 'La proposition attend votre confirmation.',
    es: 'La propuesta espera su confirmación.',
  },
  'It was not taken into the calendar.': {
    de: 'Der Vorschlag wurde nicht in den Kalender aufgenommen.',
    fr: 'La proposition n’a pas été retenue.',
    es: 'La propuesta no se aceptó.',
  },
  'JPEG, PNG, WebP, GIF or AVIF up to 10 MB. Only editors see it before it is published.': {
    de: 'JPEG, PNG, WebP, GIF oder AVIF bis 10 MB. Vor der Veröffentlichung sieht es nur die Redaktion.',
    fr: 'JPEG, PNG, WebP, GIF ou AVIF jusqu’à 10 Mo. Avant la publication, seule la rédaction la voit.',
    es: 'JPEG, PNG, WebP, GIF o AVIF de hasta 10 MB. Antes de publicarse solo la ve la redacción.',
  },
  'Keep the address of this page: it is the only way back to your suggestion, and nobody else has it.': {
    de: 'Die Adresse dieser Seite aufheben: Nur sie führt zum Vorschlag zurück, und niemand sonst hat sie.',
    fr:
      'Gardez l’adresse de cette page\u00a0: elle seule ' +
      'ramène à votre proposition, et personne d’autre ne l’a.',
    es: 'Guarde la dirección de esta página: solo ella lleva a su propuesta, y nadie más la tiene.',
  },
  'Keep this message: with its link you can change or withdraw the suggestion.': {
    de: 'Diese Nachricht aufheben: Mit ihrem Link lässt sich der Vorschlag ändern oder zurückziehen.',
    fr: 'Gardez ce message\u00a0: son lien permet de modifier ou de retirer la proposition.',
    es: 'Guarde este mensaje: con su enlace puede cambiar o retirar la propuesta.',
  },
  'Last day, if it lasts several': {
    de: 'Letzter Tag, falls sie mehrere dauert',
    fr: 'Dernier jour, s’il en dure plusieurs',
    es: 'Último día, si dura varios',
  },
  'Leave it out': { de: 'Weglassen', fr: 'La retirer', es: 'Quitarla' },
  'Leave this empty': { de: 'Dies leer lassen', fr: 'Laissez ceci vide', es: 'Deje esto vacío' },
  'Links end 30 days after the event, and when an editor or you have ended them.': {
    de: 'Links enden 30 Tage nach der Veranstaltung, und wenn die Redaktion oder Sie sie beendet haben.',
    fr: 'Les liens prennent fin 30 jours après l’événement, ou quand la rédaction ou vous y avez mis fin.',
    es: 'Los enlaces terminan 30 días después del evento, y cuando la redacción o usted los han anulado.',
  },
  'Look into your mail': {
    de: 'Bitte in die E-Mail sehen',
    fr: 'Regardez votre messagerie',
    es: 'Mire su correo',
  },
  'Name, address and note are deleted {months} months after the last decision, or at once by your link.': {
    de:
      'Name, Adresse und Notiz werden {months} Monate nach der ' +
      'letzten Entscheidung gelöscht, oder sofort über den Link.',
    fr:
      'Nom, adresse et note sont supprimés {months} mois ' +
      'après la dernière décision, ou aussitôt par votre lien.',
    es:
      'Nombre, dirección y nota se borran {months} meses ' +
      'después de la última decisión, o enseguida con su enlace.',
  },
  'No more pictures are taken just now: send it without.': {
    de: 'Gerade werden keine Bilder mehr angenommen: bitte ohne senden.',
    fr: 'Plus aucune image n’est acceptée pour l’instant\u00a0: envoyez-la sans.',
    es: 'Ahora no se aceptan más imágenes: envíela sin ella.',
  },
  'Declined: {title}': {
    de: 'Nicht aufgenommen: {title}',
    fr: 'Non retenue\u00a0: {title}',
    es: 'No aceptada: {title}',
  },
  'Nothing of you is kept with this suggestion any more.': {
    de: 'Zu diesem Vorschlag ist nichts mehr von Ihnen gespeichert.',
    fr: 'Plus rien de vous n’est conservé avec cette proposition.',
    es: 'Ya no se guarda nada de usted con esta propuesta.',
  },
  'Only the editors see your name and address; nothing of it is published.': {
    de: 'Name und Adresse sieht nur die Redaktion; nichts davon wird veröffentlicht.',
    fr: 'Seule la rédaction voit votre nom et votre adresse\u00a0; rien n’en est publié.',
    es: 'Solo la redacción ve su nombre y dirección; no se publica nada de ello.',
  },
  'Please confirm: {title}': {
    de: 'Bitte bestätigen: {title}',
    fr: 'À confirmer\u00a0: {title}',
    es: 'Por favor, confirme: {title}',
  },
  'Please look at it again: {title}': {
    de: 'Bitte noch einmal ansehen: {title}',
    fr: 'À revoir\u00a0: {title}',
    es: 'Mírela otra vez: {title}',
  },
  'Propose a change': {
    de: 'Eine Änderung vorschlagen',
    fr: 'Proposer une modification',
    es: 'Proponer un cambio',
  },
  'Published: {title}': {
    de: 'Veröffentlicht: {title}',
    fr: 'Publié\u00a0: {title}',
    es: 'Publicado: {title}',
  },
  'Read the terms': { de: 'Bedingungen lesen', fr: 'Lire les conditions', es: 'Leer las condiciones' },
  'Received: {title}': {
    de: 'Angekommen: {title}',
    fr: 'Bien reçue\u00a0: {title}',
    es: 'Recibida: {title}',
  },
  'Repeats until': { de: 'Wiederholt sich bis', fr: 'Se répète jusqu’au', es: 'Se repite hasta' },
  'Save the change': { de: 'Änderung speichern', fr: 'Enregistrer la modification', es: 'Guardar el cambio' },
  'See it': { de: 'Ansehen', fr: 'Voir', es: 'Ver' },
  'See what became of it': {
    de: 'Sehen, was daraus wurde',
    fr: 'Voir ce qu’il en est',
    es: 'Ver qué fue de ella',
  },
  'See what became of it, change it or withdraw it: {link}': {
    de: 'Sehen, was daraus wurde, ändern oder zurückziehen: {link}',
    fr: 'Voir ce qu’il en est, la modifier ou la retirer\u00a0: {link}',
    es: 'Ver qué fue de ella, cambiarla o retirarla: {link}',
  },
  'Send the change to the editors': {
    de: 'Änderung an die Redaktion senden',
    fr: 'Envoyer la modification à la rédaction',
    es: 'Enviar el cambio a la redacción',
  },
  'Send the link': { de: 'Link senden', fr: 'Envoyer le lien', es: 'Enviar el enlace' },
  'Send the suggestion': { de: 'Vorschlag senden', fr: 'Envoyer la proposition', es: 'Enviar la propuesta' },
  'Somebody has suggested this event with your address. If it was you, confirm it.': {
    de:
      'Jemand hat mit dieser Adresse eine Veranstaltung ' +
      'vorgeschlagen. Waren Sie es, bestätigen Sie den Vorschlag.',
    fr: 'Quelqu’un a proposé cet événement avec votre adresse. Si c’est vous, confirmez.',
    es: 'Alguien ha propuesto este evento con su dirección. Si fue usted, confírmelo.',
  },
  'Suggest an event': {
    de: 'Veranstaltung vorschlagen',
    fr: 'Proposer un événement',
    es: 'Proponer un evento',
  },
  'Suggest another event': {
    de: 'Noch eine Veranstaltung vorschlagen',
    fr: 'Proposer un autre événement',
    es: 'Proponer otro evento',
  },
  'Thank you. The editors look at your suggestion.': {
    de: 'Danke. Die Redaktion sieht den Vorschlag an.',
    fr: 'Merci. La rédaction va lire votre proposition.',
    es: 'Gracias. La redacción mira su propuesta.',
  },
  'That is more than 52 dates: choose an earlier end.': {
    de: 'Das sind mehr als 52 Termine: bitte ein früheres Ende wählen.',
    fr: 'Cela fait plus de 52 dates\u00a0: choisissez une fin plus proche.',
    es: 'Son más de 52 fechas: elija un final anterior.',
  },
  'The editors do not see it any more.': {
    de: 'Die Redaktion sieht ihn nicht mehr.',
    fr: 'La rédaction ne la voit plus.',
    es: 'La redacción ya no la ve.',
  },
  'The editors have changed this:': {
    de: 'Die Redaktion hat dies geändert:',
    fr: 'La rédaction a modifié ceci\u00a0:',
    es: 'La redacción ha cambiado esto:',
  },
  'The editors have sent it back. Change it, and it waits for them again.': {
    de: 'Die Redaktion hat den Vorschlag zurückgesendet. Nach einer Änderung wartet er wieder auf sie.',
    fr: 'La rédaction l’a renvoyée. Modifiez-la, et elle attendra de nouveau.',
    es: 'La redacción la ha devuelto. Cámbiela, y esperará otra vez.',
  },
  'The editors have sent your suggestion back, with this note:': {
    de: 'Die Redaktion hat den Vorschlag mit dieser Notiz zurückgesendet:',
    fr: 'La rédaction a renvoyé votre proposition avec cette note\u00a0:',
    es: 'La redacción ha devuelto su propuesta con esta nota:',
  },
  'The editors of this calendar see your name, your address and your note.': {
    de: 'Die Redaktion dieses Kalenders sieht Name, Adresse und Notiz.',
    fr: 'La rédaction de ce calendrier voit votre nom, votre adresse et votre note.',
    es: 'La redacción de este calendario ve su nombre, dirección y nota.',
  },
  'The event is changed as you proposed.': {
    de: 'Die Veranstaltung ist so geändert wie vorgeschlagen.',
    fr: 'L’événement est modifié comme vous l’avez proposé.',
    es: 'El evento está cambiado como usted propuso.',
  },
  'The event leaves the calendar at once.': {
    de: 'Die Veranstaltung verlässt den Kalender sofort.',
    fr: 'L’événement quitte aussitôt le calendrier.',
    es: 'El evento sale del calendario enseguida.',
  },
  'The event stays as it is. The editors say:': {
    de: 'Die Veranstaltung bleibt, wie sie ist. Die Redaktion schreibt:',
    fr: 'L’événement reste tel quel. La rédaction écrit\u00a0:',
    es: 'El evento queda como está. La redacción dice:',
  },
  'There were enough suggestions just now. Try again in an hour.': {
    de: 'Gerade kamen genug Vorschläge. In einer Stunde geht es wieder.',
    fr: 'Il y a eu assez de propositions. Réessayez dans une heure.',
    es: 'Han llegado bastantes propuestas. Inténtelo en una hora.',
  },
  'These are the links that you have asked for.': {
    de: 'Das sind die angeforderten Links.',
    fr: 'Voici les liens que vous avez demandés.',
    es: 'Estos son los enlaces que pidió.',
  },
  Terms: { de: 'Bedingungen', fr: 'Conditions', es: 'Condiciones' },
  'This is no e-mail address.': {
    de: 'Das ist keine E-Mail-Adresse.',
    fr: 'Ce n’est pas une adresse e-mail.',
    es: 'No es una dirección de correo.',
  },
  'This link leads nowhere any more.': {
    de: 'Dieser Link führt nirgends mehr hin.',
    fr: 'Ce lien ne mène plus nulle part.',
    es: 'Este enlace ya no lleva a ninguna parte.',
  },
  'This may be in the calendar already. If it is, you need not send anything.': {
    de: 'Vielleicht steht sie schon im Kalender. Dann ist nichts mehr zu tun.',
    fr: 'Il est peut-être déjà dans le calendrier. Si oui, n’envoyez rien.',
    es: 'Quizá ya está en el calendario. Si es así, no hace falta enviar nada.',
  },
  'This page was open for more than a day. What you typed is here: look at it, and send it again.': {
    de:
      'Diese Seite war länger als einen Tag offen. Die ' +
      'Eingaben stehen noch hier; ansehen und erneut senden.',
    fr:
      'Cette page était ouverte depuis plus d’un jour. ' +
      'Votre saisie est là\u00a0: relisez-la et renvoyez-la.',
    es: 'Esta página estuvo abierta más de un día. Lo escrito sigue aquí: mírelo y envíelo otra vez.',
  },
  'This picture cannot be read: send it as JPEG or PNG, or leave it out.': {
    de: 'Dieses Bild ist nicht lesbar: bitte als JPEG oder PNG senden oder weglassen.',
    fr: 'Cette image est illisible\u00a0: envoyez-la en JPEG ou PNG, ou retirez-la.',
    es: 'Esta imagen no se puede leer: envíela como JPEG o PNG, o quítela.',
  },
  'Times are in {zone}. Say anything else about dates in the note below.': {
    de: 'Zeiten gelten in {zone}. Alles andere zu Terminen bitte unten in die Notiz.',
    fr:
      'Les heures sont celles de {zone}. Pour toute autre ' +
      'précision sur les dates, utilisez la note ci-dessous.',
    es: 'Las horas son de {zone}. Cualquier otra cosa sobre fechas, en la nota de abajo.',
  },
  'Too many suggestions wait just now. Try again tomorrow.': {
    de: 'Gerade warten zu viele Vorschläge. Morgen geht es wieder.',
    fr: 'Trop de propositions attendent. Réessayez demain.',
    es: 'Ahora esperan demasiadas propuestas. Inténtelo mañana.',
  },
  'We have sent you a message. Open the link in it and confirm: only then the editors see your suggestion.': {
    de:
      'Wir haben eine Nachricht geschickt. Bitte den Link darin öffnen ' +
      'und bestätigen: Erst dann sieht die Redaktion den Vorschlag.',
    fr:
      'Nous vous avons envoyé un message. Ouvrez son lien et ' +
      'confirmez\u00a0: alors seulement la rédaction voit votre proposition.',
    es: 'Le hemos enviado un mensaje. Abra su enlace y confirme: solo entonces la redacción ve su propuesta.',
  },
  'We send it to the address that you gave with your suggestion.': {
    de: 'Er geht an die Adresse, die beim Vorschlag angegeben war.',
    fr: 'Nous l’envoyons à l’adresse donnée avec votre proposition.',
    es: 'Lo enviamos a la dirección que dio con su propuesta.',
  },
  'What is kept of you, and how long': {
    de: 'Was von Ihnen gespeichert wird, und wie lange',
    fr: 'Ce qui est conservé de vous, et combien de temps',
    es: 'Qué se guarda de usted, y cuánto tiempo',
  },
  'What, when, where': { de: 'Was, wann, wo', fr: 'Quoi, quand, où', es: 'Qué, cuándo, dónde' },
  'What you do not confirm is deleted after 48 hours.': {
    de: 'Was nicht bestätigt wird, wird nach 48 Stunden gelöscht.',
    fr: 'Ce que vous ne confirmez pas est supprimé après 48 heures.',
    es: 'Lo que no confirma se borra a las 48 horas.',
  },
  'What you typed is still here.': {
    de: 'Die Eingaben stehen noch hier.',
    fr: 'Votre saisie est toujours là.',
    es: 'Lo escrito sigue aquí.',
  },
  'Yes, I have suggested this event': {
    de: 'Ja, ich habe diese Veranstaltung vorgeschlagen',
    fr: 'Oui, j’ai proposé cet événement',
    es: 'Sí, he propuesto este evento',
  },
  'You get a message with a link; your suggestion is read once you confirm it there.': {
    de: 'Es kommt eine Nachricht mit einem Link; der Vorschlag wird gelesen, sobald er dort bestätigt ist.',
    fr: 'Vous recevez un message avec un lien\u00a0; la proposition est lue une fois confirmée.',
    es: 'Recibe un mensaje con un enlace; la propuesta se lee cuando la confirma allí.',
  },
  'You have withdrawn it.': {
    de: 'Sie haben ihn zurückgezogen.',
    fr: 'Vous l’avez retirée.',
    es: 'Usted la ha retirado.',
  },
  'Your change is published: {title}': {
    de: 'Die Änderung ist veröffentlicht: {title}',
    fr: 'Votre modification est publiée\u00a0: {title}',
    es: 'Su cambio está publicado: {title}',
  },
  'Your change is saved.': {
    de: 'Die Änderung ist gespeichert.',
    fr: 'Votre modification est enregistrée.',
    es: 'Su cambio está guardado.',
  },
  'Your change waits for the editors.': {
    de: 'Die Änderung wartet auf die Redaktion.',
    fr: 'Votre modification attend la rédaction.',
    es: 'Su cambio espera a la redacción.',
  },
  'Your change was declined: {title}': {
    de: 'Die Änderung wurde nicht übernommen: {title}',
    fr: 'Votre modification n’a pas été retenue\u00a0: {title}',
    es: 'Su cambio no se aceptó: {title}',
  },
  'Your data are deleted.': {
    de: 'Ihre Daten sind gelöscht.',
    fr: 'Vos données sont supprimées.',
    es: 'Sus datos están borrados.',
  },
  'Your e-mail address': { de: 'E-Mail-Adresse', fr: 'Votre adresse e-mail', es: 'Su correo electrónico' },
  'Your links': { de: 'Ihre Links', fr: 'Vos liens', es: 'Sus enlaces' },
  'Your name, address and note are deleted at once, and this link ends. A published event stays.': {
    de:
      'Name, Adresse und Notiz werden sofort gelöscht, und dieser ' +
      'Link endet. Eine veröffentlichte Veranstaltung bleibt.',
    fr:
      'Votre nom, votre adresse et votre note sont supprimés ' +
      'aussitôt, et ce lien prend fin. Un événement publié reste.',
    es:
      'Su nombre, dirección y nota se borran enseguida, y ' +
      'este enlace termina. Un evento publicado se queda.',
  },
  'Your network address is kept for a day, against abuse.': {
    de: 'Das Netz der IP-Adresse wird gegen Missbrauch einen Tag gespeichert.',
    fr: 'Le réseau de votre adresse IP est conservé un jour, contre les abus.',
    es: 'La red de su dirección IP se guarda un día, contra abusos.',
  },
  'Your picture is kept.': {
    de: 'Das Bild ist gespeichert.',
    fr: 'Votre image est conservée.',
    es: 'Su imagen está guardada.',
  },
  'Your suggestion is in the calendar.': {
    de: 'Der Vorschlag steht im Kalender.',
    fr: 'Votre proposition est dans le calendrier.',
    es: 'Su propuesta está en el calendario.',
  },
  'Your suggestion was not taken into the calendar. The editors say:': {
    de: 'Der Vorschlag wurde nicht in den Kalender aufgenommen. Die Redaktion schreibt:',
    fr: 'Votre proposition n’a pas été retenue. La rédaction écrit\u00a0:',
    es: 'Su propuesta no se aceptó. La redacción dice:',
  },
} as const satisfies Texts
