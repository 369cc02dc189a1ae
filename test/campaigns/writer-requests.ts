import type { Random } from '../../bench/random.ts'
import type { Sent } from './exchange.ts'
import { type Change, type Entry, type Kind, type Ledger, nameOf, ownRecords, type State } from './ledger.ts'

// Chooses the requests of the writers of the crash campaign and computes their effects.

export interface Plan {
  kind: Kind
  sent: Omit<Sent, 'as'>
  changes: Change[]
}

export interface WriterGround {
  ledger: Ledger
  writer: number
  random: Random
  nextName: () => string
  shared: readonly string[]
  image: Uint8Array
  base: string
  root: string
}

type Planner = (ground: WriterGround) => Plan | undefined

const DAY = 86_400_000
const FIRST = Date.UTC(2031, 0, 1)
const stamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

const PLANNERS: readonly (readonly [weight: number, plan: Planner])[] = [
  [30, createEvent],
  [28, updateEvent],
  [8, trashEvent],
  [4, restoreEvent],
  [4, (ground) => createLinked(ground, 'venues')],
  [4, (ground) => createLinked(ground, 'organizers')],
  [5, (ground) => updateLinked(ground, ground.random.pick(['venues', 'organizers']))],
  [2, (ground) => trashLinked(ground, ground.random.pick(['venues', 'organizers']))],
  [4, (ground) => createTerm(ground, ground.random.pick(['categories', 'tags']))],
  [5, (ground) => renameTerm(ground, ground.random.pick(['categories', 'tags']))],
  [3, (ground) => deleteTerm(ground, ground.random.pick(['categories', 'tags']))],
  [3, uploadImage],
]

const BY_WEIGHT = PLANNERS.flatMap(([weight, plan]) => Array.from({ length: weight }, () => plan))

export function planRequest(ground: WriterGround): Plan {
  return ground.random.pick(BY_WEIGHT)(ground) ?? createEvent(ground)
}

const text = (name: string) => name.replaceAll('-', ' ')

const descriptionOf = ({ random }: WriterGround, name: string) =>
  Array.from({ length: random.chance(0.1) ? 400 : random.whole(1, 8) }, () => `About ${text(name)}`).join(' ')

function whenOf(random: Random) {
  const start = FIRST + random.whole(0, 700) * DAY + random.whole(8, 20) * 3_600_000
  return { start_date: stamp(start), end_date: stamp(start + 7_200_000) }
}

interface Links {
  sent: Record<string, unknown>
  state: Record<string, string | number | readonly string[]>
  made: Change[]
}

const NO_LINKS = { venues: [], organizers: [], categories: [], tags: [], image: 0 }

function linksOf(ground: WriterGround): Links {
  const { random } = ground
  const links: Links = { sent: {}, state: {}, made: [] }
  if (random.chance(0.6)) addLinked(ground, links, 'venues')
  if (random.chance(0.4)) addLinked(ground, links, 'organizers')
  if (random.chance(0.7)) addTerms(ground, links, 'categories')
  if (random.chance(0.5)) addTerms(ground, links, 'tags')
  const image = random.chance(0.2) ? pickOwn(ground, 'images') : undefined
  if (image) {
    links.sent.image = image.id
    links.state.image = image.id
  }
  return links
}

const LINKED = {
  venues: { one: 'venue', detail: 'city' },
  organizers: { one: 'organizer', detail: 'email' },
} as const

function addLinked(ground: WriterGround, links: Links, kind: 'venues' | 'organizers'): void {
  const { one, detail } = LINKED[kind]
  const known = ground.random.chance(0.4) ? pickShared(ground, kind) : undefined
  if (known) {
    links.sent[one] = [known.id]
    links.state[kind] = [nameOf(known)]
    return
  }
  const isShared = ground.random.chance(0.3)
  const name = isShared ? ground.random.pick(ground.shared) : ground.nextName()
  const after = {
    [one]: name,
    description: '',
    status: 'publish',
    [detail]: detail === 'email' ? 'a@example.org' : 'Town',
  }
  links.sent[one] = [{ [one]: name, [detail]: after[detail] }]
  links.state[kind] = [name]
  links.made.push({ kind, id: undefined, name, after, isShared })
}

function addTerms(ground: WriterGround, links: Links, kind: 'categories' | 'tags'): void {
  const { random } = ground
  const names = new Set<string>()
  const make = (name: string, isShared: boolean) => {
    if (names.has(name)) return
    names.add(name)
    links.made.push({ kind, id: undefined, name, after: { name, description: '' }, isShared })
  }
  if (random.chance(0.5)) make(ground.nextName(), false)
  if (random.chance(0.4)) make(random.pick(ground.shared), true)
  for (const known of [pickShared(ground, kind), pickOwn(ground, kind)])
    if (known && random.chance(0.5)) names.add(nameOf(known))
  links.sent[kind] = [...names]
  links.state[kind] = [...names].sort()
}

function pickOwn(ground: WriterGround, kind: Kind): Entry | undefined {
  return pickFrom(ground, ownRecords(ground.ledger, kind, ground.writer))
}

function pickShared(ground: WriterGround, kind: Kind): Entry | undefined {
  return pickFrom(ground, ownRecords(ground.ledger, kind, undefined))
}

function pickFrom({ random }: WriterGround, entries: readonly Entry[]): Entry | undefined {
  return entries.length === 0 ? undefined : random.pick(entries)
}

function pathTo({ base, random }: WriterGround, { kind, id, slug }: Entry): string {
  const hasSlug = kind !== 'categories' && kind !== 'tags' && slug !== ''
  return hasSlug && random.chance(0.5) ? `${base}/${kind}/by-slug/${slug}` : `${base}/${kind}/${id}`
}

const anyMethod = (random: Random) => random.pick(['PUT', 'POST', 'PATCH'])

function createEvent(ground: WriterGround): Plan {
  const name = ground.nextName()
  const links = linksOf(ground)
  const own = {
    title: name,
    description: descriptionOf(ground, name),
    status: ground.random.chance(0.1) ? 'draft' : 'publish',
    ...whenOf(ground.random),
  }
  const after = { ...own, ...NO_LINKS, ...links.state }
  const change: Change = { kind: 'events', id: undefined, name, after }
  const sent = { method: 'POST', path: `${ground.base}/events`, body: { ...own, ...links.sent } }
  return { kind: 'events', sent, changes: [change, ...links.made] }
}

function updateEvent(ground: WriterGround): Plan | undefined {
  const { random } = ground
  const entry = pickFrom(
    ground,
    ownEvents(ground, (status) => status !== 'trash'),
  )
  if (!entry) return undefined
  const links = linksOf(ground)
  const name = random.chance(0.5) ? ground.nextName() : nameOf(entry)
  const own = {
    title: name,
    ...(random.chance(0.6) ? { description: descriptionOf(ground, name) } : {}),
    ...(random.chance(0.5) ? whenOf(random) : {}),
    ...(entry.state.status === 'draft' && random.chance(0.5) ? { status: 'publish' } : {}),
  }
  const after = { ...entry.state, ...own, ...links.state }
  const sent = { method: anyMethod(random), path: pathTo(ground, entry), body: { ...own, ...links.sent } }
  return { kind: 'events', sent, changes: [{ kind: 'events', id: entry.id, name, after }, ...links.made] }
}

function ownEvents({ ledger, writer }: WriterGround, isWanted: (status: unknown) => boolean): Entry[] {
  return ownRecords(ledger, 'events', writer).filter(({ state }) => isWanted(state.status))
}

function changeOf(entry: Entry, more: State): Change {
  return { kind: entry.kind, id: entry.id, name: nameOf(entry), after: { ...entry.state, ...more } }
}

function trashEvent(ground: WriterGround): Plan | undefined {
  const entry = pickFrom(
    ground,
    ownEvents(ground, (status) => status === 'publish'),
  )
  return entry && trash(ground, entry)
}

function trash(ground: WriterGround, entry: Entry): Plan {
  const sent = { method: 'DELETE', path: pathTo(ground, entry) }
  return { kind: entry.kind, sent, changes: [changeOf(entry, { status: 'trash' })] }
}

function restoreEvent(ground: WriterGround): Plan | undefined {
  const entry = pickFrom(
    ground,
    ownEvents(ground, (status) => status === 'trash'),
  )
  if (!entry) return undefined
  const sent = { method: anyMethod(ground.random), path: pathTo(ground, entry), body: { status: 'publish' } }
  return { kind: 'events', sent, changes: [changeOf(entry, { status: 'publish' })] }
}

function createLinked(ground: WriterGround, kind: 'venues' | 'organizers'): Plan {
  const { one, detail } = LINKED[kind]
  const name = ground.nextName()
  const own = {
    [one]: name,
    description: descriptionOf(ground, name),
    status: 'publish',
    [detail]: detail === 'email' ? `${name}@example.org` : 'Springfield',
  }
  const sent = { method: 'POST', path: `${ground.base}/${kind}`, body: own }
  return { kind, sent, changes: [{ kind, id: undefined, name, after: own }] }
}

/** Renames a record. Every event that shows it must change with it, or none. */
function updateLinked(ground: WriterGround, kind: 'venues' | 'organizers'): Plan | undefined {
  const { one, detail } = LINKED[kind]
  const entry = pickFrom(ground, ownRecords(ground.ledger, kind, ground.writer).filter(isPublished))
  if (!entry) return undefined
  const name = ground.random.chance(0.5) ? ground.nextName() : nameOf(entry)
  const word = ground.nextName()
  const own = { [one]: name, [detail]: detail === 'email' ? `${word}@example.org` : word }
  const sent = { method: anyMethod(ground.random), path: pathTo(ground, entry), body: own }
  const change: Change = { kind, id: entry.id, name, after: { ...entry.state, ...own } }
  return { kind, sent, changes: [change, ...inEvents(ground, kind, nameOf(entry), name)] }
}

const isPublished = ({ state }: Entry) => state.status === 'publish'

/** Trashes a record that no event shows, since some readers see trashed records in events. */
function trashLinked(ground: WriterGround, kind: 'venues' | 'organizers'): Plan | undefined {
  const unused = ownRecords(ground.ledger, kind, ground.writer).filter(
    (entry) => isPublished(entry) && inEvents(ground, kind, nameOf(entry), undefined).length === 0,
  )
  const entry = pickFrom(ground, unused)
  return entry && trash(ground, entry)
}

function inEvents(ground: WriterGround, kind: Kind, from: string, to: string | undefined): Change[] {
  return ownEvents(ground, () => true).flatMap((entry) => {
    const names = entry.state[kind]
    if (!Array.isArray(names) || !names.includes(from)) return []
    const changed = names.flatMap((name) => (name === from ? (to ?? []) : name))
    return [changeOf(entry, { [kind]: kind === 'categories' || kind === 'tags' ? changed.sort() : changed })]
  })
}

function createTerm(ground: WriterGround, kind: 'categories' | 'tags'): Plan {
  const name = ground.nextName()
  const own = { name, description: `About ${text(name)}` }
  const sent = { method: 'POST', path: `${ground.base}/${kind}`, body: own }
  return { kind, sent, changes: [{ kind, id: undefined, name, after: own }] }
}

function renameTerm(ground: WriterGround, kind: 'categories' | 'tags'): Plan | undefined {
  const entry = pickOwn(ground, kind)
  if (!entry) return undefined
  const name = ground.nextName()
  const sent = { method: anyMethod(ground.random), path: pathTo(ground, entry), body: { name } }
  const change: Change = { kind, id: entry.id, name, after: { ...entry.state, name } }
  return { kind, sent, changes: [change, ...inEvents(ground, kind, nameOf(entry), name)] }
}

function deleteTerm(ground: WriterGround, kind: 'categories' | 'tags'): Plan | undefined {
  const entry = pickOwn(ground, kind)
  if (!entry) return undefined
  const change: Change = { kind, id: entry.id, name: nameOf(entry), after: undefined }
  const sent = { method: 'DELETE', path: pathTo(ground, entry) }
  return { kind, sent, changes: [change, ...inEvents(ground, kind, nameOf(entry), undefined)] }
}

function uploadImage(ground: WriterGround): Plan {
  const name = ground.nextName()
  const headers = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}.png"` }
  const sent = { method: 'POST', path: `${ground.root}/wp/v2/media`, body: ground.image, headers }
  return { kind: 'images', sent, changes: [{ kind: 'images', id: undefined, name, after: { title: name } }] }
}
