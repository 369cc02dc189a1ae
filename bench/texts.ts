import type { Random } from './random.ts'

/** Splits a list written as text. */
const listed = (text: string) => text.trim().split(/,\s+/)

/**
 * The topics of events. Each is in about one event of a hundred, so their words are of medium frequency in
 * searches.
 */
export const TOPICS = listed(`
  Accordion, Acrobatics, Allotment, Archery, Astronomy, Badminton, Baking, Ballet, Beekeeping, Birdwatching,
  Bookbinding, Bouldering, Brass, Breakdance, Bridge, Cabaret, Calligraphy, Canoeing, Capoeira, Carpentry,
  Ceramics, Chess, Choir, Cinema, Circus, Clarinet, Climate, Clowning, Coding, Comics, Composting, Crochet,
  Cycling, Darkroom, Debate, Drawing, Drumming, Embroidery, Esperanto, Fado, Fencing, Fermenting, Flamenco,
  Flea Market, Folk Dance, Forestry, Gardening, Genealogy, Glassblowing, Gospel, Guitar, Gymnastics,
  Handball, Harmonica, Harpsichord, Herbalism, Hiking, History, Illustration, Improv, Jazz, Joinery, Judo,
  Juggling, Kayaking, Klezmer, Knitting, Lacemaking, Letterpress, Linocut, Literature, Lutherie, Magic,
  Mandolin, Mathematics, Meditation, Mime, Mosaic, Mushroom, Mycology, Needlework, Oboe, Operetta, Origami,
  Ornithology, Painting, Pantomime, Percussion, Philosophy, Photography, Pilates, Poetry, Pottery,
  Printmaking, Puppetry, Quilting, Recorder, Robotics, Rowing, Rugby, Salsa, Samba, Saxophone, Sculpture,
  Skating, Slam Poetry, Soapmaking, Spinning, Storytelling, Swing, Tango, Tapestry, Theatre, Trombone,
  Ukulele, Upcycling, Viola, Volleyball, Weaving, Woodcarving`)

/** Words of a handful of events, whatever the size of the data set. */
export const RARE_WORDS = listed(`
  abseiling, aeolian, anamorphosis, astrolabe, bandoneon, barcarole, basketmaking, bioluminescence, bodhran,
  caravanserai, carillon, cartography, celestial, charango, clavichord, counterpoint, cyanotype,
  daguerreotype, didgeridoo, dulcimer, falconry, filigree, gamelan, glockenspiel, gyotaku, heliograph,
  hurdygurdy, ikebana, intarsia, kaleidoscope, kintsugi, lithophone, marquetry, nyckelharpa, ocarina,
  oubliette, palimpsest, paleography, planetarium, psaltery, quadrille, raku, sackbut, scrimshaw, serinette,
  shadowplay, sgraffito, spelunking, stereoscope, taiko, terrazzo, theremin, topiary, triptych, vielle,
  wayang, xylography, yodelling, zarzuela, zoetrope`)

/** Words of 30 to 45 % of all events. */
export const COMMON_WORDS = ['evening', 'tickets', 'people', 'everyone', 'music', 'bring', 'house'] as const

/** The forms of titles. */
export const FORMS = listed(`
  {} Workshop, {} for Beginners, {} Night, Open {} Evening, An Afternoon of {}, {} in the Park, {} & Coffee,
  {} Festival, Summer School: {}, The {} Lecture, {} Meet-up, Long Night of {}, {} – Öffentliche Führung,
  Sunday {}, {} à la carte, {} Open Day`)

const FIRST_NAMES = listed(`
  Ada, Aïcha, Amélie, Anders, Beatriz, Björn, Camille, Chiara, Dmitri, Elif, Emeka, Esther, Farid, Freya,
  Giulia, Hana, Ines, Ivo, Jakob, Jürgen, Katarzyna, Kenji, Lucía, Magda, Malik, Nadia, Nikolaj, Olga,
  Pavel, Rania, Siobhán, Zoë`)
const LAST_NAMES = listed(`
  Andersson, Baptiste, Brückner, Castellano, Diallo, Dubois, Eriksen, Fischer, García, Haddad, Ivanova,
  Jansen, Kowalska, Lefèvre, Lindholm, MacLeod, Moreau, Müller, Nakamura, Novák, Okafor, Petrović, Quist,
  Rossi, Schneider, Silva, Tanaka, Ueda, Varga, Weiss, Yıldız, Zimmermann`)

/** Sentences with `{topic}` and `{person}` to fill in. They are few, so that results for each can be kept. */
const SENTENCES = [
  'Everyone is welcome, whether you have done this before or not.',
  'Doors open half an hour before the start, and the bar stays open until midnight.',
  'Tickets are available at the door and in advance from the box office.',
  'Children under twelve come in free when they bring an adult along.',
  'We look forward to an evening of {topic} with old friends and new faces.',
  'This time {person} is our guest and brings along a few surprises.',
  'Please bring comfortable clothes and something to write with.',
  'The house is accessible by wheelchair; a lift takes you to the upper floors.',
  'Afterwards there is time for questions, soup and live music in the foyer.',
  'An introduction to {topic} for people who always wanted to try it.',
  'Led by {person}, who has taught in more than twenty countries.',
  'Seats are limited, so please let us know in advance if you plan to come.',
  'Tea, coffee &amp; home-made cake are on the house.',
  'The programme ranges from baroque music to the songs of today.',
  'In co-operation with the public library and the association for {topic}.',
  'The evening is held in English and German, with translation where needed.',
  'Since 1987 this has been the place where people of all ages meet.',
  'Rain or shine: if the weather turns, we move everything inside.',
  'The exhibition can be visited during the opening hours of the house.',
  'All proceeds go to the youth club around the corner.',
  'Take the tram to the old town and walk down along the river from there.',
  'A practical afternoon about {topic}, with tools and material for everyone.',
  '“Not to be missed”, wrote the local paper about the last evening with {person}.',
  'Members pay half; students and pensioners get reduced tickets.',
]

const RARE_SENTENCE = 'There will also be a short demonstration of {}, which is seldom seen these days.'

/** A text in sentences, which can be processed one by one. */
export interface Prose {
  paragraphs: string[][]
  isHtml: boolean
}

export function personName(random: Random): string {
  return `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`
}

/**
 * Makes a description: mostly 100 to 500 characters, one in eight up to 1,500; a little more than half are
 * HTML.
 */
export function eventProse(random: Random, topic: string, rareWord: string | undefined): Prose {
  const length = random.chance(0.12) ? random.whole(3, 6) : random.whole(1, 2)
  const paragraphs = Array.from({ length }, () =>
    Array.from({ length: random.whole(2, 3) }, () => sentence(random, topic)),
  )
  if (rareWord) paragraphs.push([RARE_SENTENCE.replace('{}', rareWord)])
  return { paragraphs, isHtml: random.chance(0.6) }
}

/** Writes a text as clients send it: HTML paragraphs, or plain text with blank lines. */
export function writtenProse({ paragraphs, isHtml }: Prose): string {
  const texts = paragraphs.map((sentences) => sentences.join(' '))
  return isHtml ? texts.map((text) => `<p>${text}</p>`).join('\n') : texts.join('\n\n')
}

function sentence(random: Random, topic: string): string {
  const template = random.pick(SENTENCES)
  if (template.includes('{topic}')) return template.replace('{topic}', topic.toLowerCase())
  return template.includes('{person}') ? template.replace('{person}', personName(random)) : template
}
