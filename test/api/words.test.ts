import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { stemSome } from '../../src/store/storage/search/search-index.ts'
import { onPostgres } from '../support/database.ts'
import { type Answer, onDay, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests()
const ids = new Map<string, number>()

const VENUES = {
  brigid: ['St Brigid’s Hall', 'Galway'],
  park: ['Phoenix Park', 'Dublin'],
  boerse: ['Alte Börse', 'Köln'],
  grains: ['Halle aux Grains', 'Toulouse'],
  teatro: ['Teatro Principal', 'Sevilla'],
} as const
const ORGANIZERS = { trust: 'Galway Arts Trust', amis: 'Les Amis du Jazz', pena: 'Peña Flamenca' } as const
const CATEGORIES = { concerts: 'Concerts', families: 'Families', kino: 'Kino', talleres: 'Talleres' } as const

interface Planned {
  title: string
  text?: string
  start: string
  venue?: keyof typeof VENUES
  organizer?: keyof typeof ORGANIZERS
  category?: keyof typeof CATEGORIES | 'jazz'
  tag?: string
}

const EVENTS: Record<string, Planned> = {
  gala: { title: 'Opening Gala Concert', start: '2050-01-10', venue: 'brigid', organizer: 'trust' },
  quartet: {
    title: 'String Quartet Evening',
    text: 'A concert of chamber music by candlelight.',
    start: '2050-01-12',
    venue: 'brigid',
    category: 'concerts',
  },
  bees: { title: 'Workshop: Keeping Bees', start: '2050-01-14', venue: 'park', tag: 'Free entry' },
  dance: {
    title: 'Barn Dance',
    text: 'Dancing for beginners, with posture.',
    start: '2050-01-15',
    venue: 'brigid',
  },
  market: { title: 'Christmas Market', start: '2050-01-16', venue: 'park' },
  puppets: { title: 'Children’s Puppet Theatre', start: '2050-01-17', venue: 'brigid', category: 'families' },
  walk: { title: 'Guided Walk through the Botanic Gardens', start: '2050-01-18', venue: 'park' },
  cities: { title: 'Cities of the Future', text: 'A lecture, and a party afterwards.', start: '2050-01-19' },
  poster: { title: 'Poster Exhibition', start: '2050-01-20' },
  post: { title: 'History of the Post Office', start: '2050-01-21' },
  konzerte: { title: 'Konzerte im Dom', start: '2050-01-22', venue: 'boerse' },
  lesung: { title: 'Lesung mit Büchern aus Köln', start: '2050-01-23' },
  maerkte: { title: 'Märkte und Straßenfeste', start: '2050-01-24', venue: 'boerse' },
  kinder: { title: 'Theater für Kinder', start: '2050-01-26', venue: 'boerse', category: 'families' },
  zuege: { title: 'Züge und Kurse', start: '2050-01-25' },
  fuehrung: { title: 'Führungen durch das Rathaus', start: '2050-01-27' },
  haeuser: { title: 'Ausstellung: Häuser am Fluss', start: '2050-01-28' },
  chor: { title: 'Chorprobe', text: 'Wir singen Lieder von Schubert.', start: '2050-01-29', venue: 'boerse' },
  ete: { title: 'Concert d’été', start: '2050-02-01', venue: 'grains', organizer: 'amis' },
  expo: { title: 'Expositions d’art contemporain', start: '2050-02-02', venue: 'grains' },
  chateaux: { title: 'Visites guidées des châteaux', start: '2050-02-03' },
  journal: { title: 'Atelier : créer un journal', start: '2050-02-04', venue: 'grains' },
  enfants: { title: 'Spectacle pour enfants', start: '2050-02-05', category: 'families' },
  fete: { title: 'Fête de la musique', start: '2050-02-06' },
  cine: { title: 'Les quatre cents coups', start: '2050-02-07', category: 'kino' },
  conciertos: { title: 'Conciertos en el parque', start: '2050-02-08', venue: 'teatro' },
  taller: {
    title: 'Barro y torno',
    start: '2050-02-09',
    venue: 'teatro',
    category: 'talleres',
    tag: 'Cerámica',
  },
  ninos: { title: 'Cuentos para niños', start: '2050-02-10', venue: 'teatro' },
  flamenco: { title: 'Noche de flamenco', start: '2050-02-11', organizer: 'pena' },
  fotos: { title: 'Exposición de fotografías', start: '2050-02-12' },
  clasica: { title: 'Música clásica al aire libre', start: '2050-02-13' },
  matsuri: { title: '東京夏祭り', start: '2050-02-15' },
  seoul: { title: '서울 콘서트를 열다', start: '2050-02-16' },
  arabic: { title: 'مهرجان الموسيقى العربية', start: '2050-02-17' },
  sax: { title: 'Sax 🎷 Night', start: '2050-02-18', category: 'jazz' },
  vinyl: { title: '100% Vinyl', start: '2050-02-19' },
  athens: { title: 'Συναυλία στην Αθήνα', start: '2050-02-20' },
  yolka: { title: 'Ёлка для детей', start: '2050-02-21' },
  past: { title: 'Gala Concert of last year', start: '2020-01-10', venue: 'brigid' },
}

const QUERIES: [typed: string, first: string][] = [
  ['concert', 'gala ete past'],
  ['concerts', 'gala ete past'],
  ['CONCERT ', 'gala ete past'],
  ['conzert', 'gala ete past'],
  ['concret', 'gala ete past'],
  ['brigid', 'gala quartet dance'],
  ['St Brigid’s', 'gala quartet dance'],
  ['st brigids', 'gala quartet dance'],
  ['st. brigid hall', 'gala quartet dance'],
  ['concerts near St Brigid’s', 'gala quartet past'],
  ['Galway', 'gala quartet dance'],
  ['galway arts', 'gala'],
  ['chamber music', 'quartet'],
  ['dances', 'dance'],
  ['dancer', 'dance'],
  ['the dance', 'dance'],
  ['children theatre', 'puppets'],
  ['theater', 'puppets kinder'],
  ['christmas markets', 'market'],
  ['market dublin', 'market'],
  ['guided walks', 'walk'],
  ['phoenix park', 'bees market walk'],
  ['city', 'cities'],
  ['parties', 'cities'],
  ['lectures', 'cities'],
  ['post', 'post'],
  ['posters', 'poster'],
  ['wrokshop', 'bees'],
  ['kepping bees', 'bees'],
  ['free entry', 'bees'],
  ['families', 'puppets kinder enfants'],
  ['family', 'puppets kinder enfants'],
  ['Konzert', 'konzerte'],
  ['Konzerten', 'konzerte'],
  ['Buch', 'lesung'],
  ['Lesungen Köln', 'lesung'],
  ['koln', 'lesung konzerte maerkte'],
  ['Markt', 'maerkte'],
  ['Zügen', 'zuege'],
  ['Kurs', 'zuege'],
  ['Strassenfest', 'maerkte'],
  ['alte börse', 'konzerte maerkte kinder'],
  ['Theater für die Kinder', 'kinder'],
  ['Führung', 'fuehrung'],
  ['Fürhung', 'fuehrung'],
  ['Haus', 'haeuser'],
  ['Lied', 'chor'],
  ['Ausstelung', 'haeuser'],
  ['exposition d’art', 'expo'],
  ['château', 'chateaux'],
  ['visite guidée', 'chateaux'],
  ['journaux', 'journal'],
  ['enfant', 'enfants'],
  ['spectacles', 'enfants'],
  ['la musique', 'fete'],
  ['ete', 'ete'],
  ['kino', 'cine'],
  ['halle toulouse', 'ete expo journal'],
  ['amis du jazz', 'ete'],
  ['jazz', 'ete sax'],
  ['concierto', 'conciertos'],
  ['cerámicas', 'taller'],
  ['taller', 'taller'],
  ['niño', 'ninos'],
  ['niña', 'ninos'],
  ['flamneco', 'flamenco'],
  ['peña', 'flamenco'],
  ['fotografía', 'fotos'],
  ['clásico', 'clasica'],
  ['teatro principal', 'conciertos taller ninos'],
  ['夏祭', 'matsuri'],
  ['콘서트', 'seoul'],
  ['موسيقى', 'arabic'],
  ['مُوسِيقَى', 'arabic'],
  ['🎷', 'sax'],
  ['100%', 'vinyl'],
  ['αθηνα', 'athens'],
  ['елка', 'yolka'],
  ['xylophone', ''],
  ['concert xylophone', ''],
  ['botanical', 'walk'],
]

before(async () => {
  await service.ready
  const [venues, organizers, categories] = [
    await made('/venues', VENUES, ([venue, city]) => ({ venue, city })),
    await made('/organizers', ORGANIZERS, (organizer) => ({ organizer })),
    await made('/categories', CATEGORIES, (name) => ({ name })),
  ]
  categories.set(
    'jazz',
    (await service.post('/categories', { name: 'Jazz', parent: categories.get('concerts') })).body.id,
  )
  await service.post('/tags', { name: 'Free entry' })
  await service.post('/tags', { name: 'Cerámica' })
  for (const [key, { title, text, start, venue, organizer, category, tag }] of Object.entries(EVENTS)) {
    const { status, body } = await service.post('/events', {
      title,
      description: text ?? '',
      ...onDay(start, '20:00:00', '22:00:00'),
      ...(venue && { venue: venues.get(venue) }),
      ...(organizer && { organizer: organizers.get(organizer) }),
      ...(category && { categories: [categories.get(category)] }),
      ...(tag && { tags: [tag] }),
    })
    equal(status, 201, JSON.stringify(body))
    ids.set(key, body.id)
  }
})
async function untilStemmed(): Promise<void> {
  const waiting = sql`select doc from unstemmed limit 1`
  const isStemmed = async () => (await waiting.execute(service.app.database.read)).rows.length === 0
  await until(isStemmed, 'the stems of texts are not stored')
}

async function made<Value>(
  path: string,
  all: Readonly<Record<string, Value>>,
  fields: (value: Value) => object,
) {
  const found = new Map<string, number>()
  for (const [key, value] of Object.entries(all))
    found.set(key, (await service.post(path, fields(value))).body.id)
  return found
}

const EVER = 'start_date=1900-01-01&end_date=2200-01-01'
const addressOf = (words: string, more = '') => `/events?${EVER}&words=${encodeURIComponent(words)}${more}`

const keyOf = new Map<number, string>()
function keysIn({ status, body }: Answer): string[] {
  equal(status, 200, JSON.stringify(body))
  for (const [key, id] of ids) keyOf.set(id, key)
  return body.events.map(({ id }: { id: number }) => keyOf.get(id))
}

async function askDatabase(path: string): Promise<Answer> {
  const { database } = service.app
  const { look } = database
  database.look = () => true
  try {
    return await service.get(path)
  } finally {
    database.look = look
  }
}

describe('words', () => {
  for (const [typed, first] of QUERIES)
    test(`“${typed}” finds ${first || 'nothing'}, from memory and from the database`, async () => {
      const address = addressOf(typed, '&per_page=3')
      const shown = keysIn(await service.get(address))
      deepEqual(shown.join(' '), first)
      deepEqual(keysIn(await askDatabase(address)), shown)
    })
})

describe('a list of words', () => {
  const HARD = [
    'a'.repeat(200),
    '音'.repeat(400),
    'مهرجان'.repeat(60),
    '("concert" AND *) OR {b} ^c NEAR/2',
    '.*+?[a-z]{1,9}|(x+x+)+y',
    '%_%\\',
    "'; drop table events; --",
    '=concert @concert :*',
    'a\0b',
    '👩‍👩‍👧 🎉🎉',
    '   ',
  ]
  for (const hard of HARD)
    test(`takes ${JSON.stringify(hard.slice(0, 30))} for words, in memory as in the database`, async () => {
      const answer = await service.get(addressOf(hard, '&per_page=50'))
      deepEqual(keysIn(await askDatabase(addressOf(hard, '&per_page=50'))), keysIn(answer))
    })

  test('takes bytes that are no text for signs that nothing has', async () => {
    deepEqual(keysIn(await service.get(`/events?${EVER}&words=%ED%A0%80%FF`)), [])
  })

  test('has a limit of its words and of its characters', async () => {
    for (const long of ['word '.repeat(21), 'x'.repeat(501)]) {
      const { status, body } = await service.get(addressOf(long))
      equal(status, 400)
      ok(body.data.params.words)
    }
  })

  test('goes on from page to page in the order of the best, and its total counts all', async () => {
    const keys: string[] = []
    for (const page of [1, 2, 3]) {
      const answer = await service.get(addressOf('concert', `&per_page=2&page=${page}`))
      deepEqual([answer.body.total, answer.body.total_pages], [5, 3])
      keys.push(...keysIn(answer))
    }
    deepEqual(keys, ['gala', 'ete', 'past', 'quartet', 'sax'])
  })

  test('is narrowed by other filters, and keeps the order of dates as NDJSON', async () => {
    const { body } = await service.get(addressOf('concert', '&format=ndjson'))
    const lines = String(body).trim().split('\n')
    const shown = lines.map((line) => keyOf.get(JSON.parse(line).id))
    deepEqual(shown, ['past', 'gala', 'quartet', 'ete', 'sax'])
    const narrowed = await service.get(addressOf('concert', '&search=contains nothing'))
    deepEqual(keysIn(narrowed), [])
    deepEqual(keysIn(await service.get(addressOf('concert', '&search=gala'))), ['gala', 'past'])
  })

  test('follows what is renamed, withdrawn and written at once', async () => {
    const { body: venue } = await service.post('/venues', { venue: 'Marmalade Loft' })
    const times = { start_date: '2050-05-01 20:00:00', end_date: '2050-05-01 22:00:00' }
    const { body: event } = await service.post('/events', { title: 'Gathering', ...times, venue: venue.id })
    ids.set('gathering', event.id)
    deepEqual(keysIn(await service.get(addressOf('marmalade gatherings'))), ['gathering'])
    await service.update(`/venues/${venue.id}`, { venue: 'Treacle Loft' })
    deepEqual(keysIn(await service.get(addressOf('marmalade'))), [])
    deepEqual(keysIn(await service.get(addressOf('treacle'))), ['gathering'])
    await service.update(`/events/${event.id}`, { title: 'Assembly' })
    deepEqual(keysIn(await service.get(addressOf('gathering'))), [])
    deepEqual(keysIn(await service.get(addressOf('assemblies'))), ['gathering'])
    await service.update(`/venues/${venue.id}`, { status: 'draft' })
    deepEqual(keysIn(await service.get(addressOf('treacle'))), [])
    await service.remove(`/events/${event.id}`)
    deepEqual(keysIn(await service.get(addressOf('assembly'))), [])
  })

  test('finds an event whose stems are stored meanwhile', onPostgres, async () => {
    const { read } = service.app.database
    const times = { start_date: '2050-05-01 20:00:00', end_date: '2050-05-01 22:00:00' }
    const { id } = await service.event({ title: 'Zithers', ...times })
    ids.set('zithers', id)
    await untilStemmed()
    await sql`with gone as (delete from stems where doc = ${id}) insert into unstemmed
      values (${id})`.execute(read)
    let asked: Promise<Answer> | undefined
    await read.transaction().execute(async (tx) => {
      await sql`lock table unstemmed in access exclusive mode`.execute(tx)
      asked = service.get(addressOf('zither'))
      const held = sql`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%as waiting%'`
      await until(async () => (await held.execute(read)).rows.length > 0, 'nobody reads which events wait')
      await stemSome(tx, 1)
    })
    deepEqual(asked && keysIn(await asked), ['zithers'])
  })

  test('tells nobody by its corrections which words drafts have', async () => {
    const times = { start_date: '2050-05-01 20:00:00', end_date: '2050-05-01 22:00:00' }
    await service.post('/events', { title: 'Conzert', ...times, status: 'draft' })
    deepEqual(keysIn(await service.get(addressOf('conzert', '&per_page=3'))), ['gala', 'ete', 'past'])
  })
})

describe('what is suggested', () => {
  const suggested = async (search: string): Promise<string[]> => {
    const answer = await fetch(`${service.origin}/events/suggest?search=${encodeURIComponent(search)}`)
    const told = (await answer.json()) as { suggestions: { kind: string; name: string }[] }
    return told.suggestions.map(({ kind, name }) => `${kind} ${name}`)
  }

  const CASES: [typed: string, suggestions: string[]][] = [
    ['brig', ['venue St Brigid’s Hall']],
    ['gala', ['event Opening Gala Concert']],
    ['jazz', ['organizer Les Amis du Jazz', 'category Jazz']],
    ['fam', ['category Families']],
    ['夏祭', ['event 東京夏祭り']],
    ['tea', ['venue Teatro Principal']],
    ['(*', []],
    ['postt', ['event History of the Post Office']],
    ['postu', []],
  ]
  for (const [typed, suggestions] of CASES)
    test(`for “${typed}” is ${suggestions.join(', ') || 'nothing'}`, async () => {
      await until(
        async () => String(await suggested(typed)) === String(suggestions),
        `other than ${suggestions}`,
        20,
      )
    })
})
