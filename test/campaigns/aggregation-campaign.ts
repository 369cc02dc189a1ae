import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { makeRandom, type Random } from '../../bench/random.ts'
import { type Calendar, startCalendar } from '../import/calendar-command.ts'
import { allEvents, comparable } from '../import/compared-events.ts'
import { MAIN } from '../support/environment.ts'
import { startProcess } from '../support/processes.ts'

export interface Aggregation {
  events: number
  changes: number
  kills: number
  seed: number
  progress: (sentence: string) => void
}

const RUNS = [
  ['keep', false],
  ['overwrite', false],
  ['skip', false],
  ['keep', true],
  ['overwrite', true],
] as const

type Policy = (typeof RUNS)[number][0]

const FIELDS = ['title', 'excerpt', 'featured'] as const
type Seen = Readonly<Record<(typeof FIELDS)[number], unknown>>

type State = ReadonlyMap<string, Seen>

export async function runAggregation({ events, changes, kills, seed, progress }: Aggregation): Promise<void> {
  const random = makeRandom(seed)
  const other = await startCalendar({ timezone: 'Europe/Berlin' })
  try {
    await fill(other, events)
    for (const [policy, mirror] of RUNS) {
      progress(`${policy}${mirror ? ' and mirror' : ''}: ${events} events, ${changes} changes`)
      await withCalendar((calendar) => tryPolicy({ other, calendar, random, changes, policy, mirror }))
    }
    await withCalendar((calendar) => killImports({ other, calendar, random, kills, progress }))
  } finally {
    await other.close()
  }
}

async function withCalendar(work: (calendar: Calendar) => Promise<void>): Promise<void> {
  const calendar = await startCalendar({ timezone: 'Europe/Berlin' })
  await work(calendar).finally(calendar.close)
}

const HALLS = 20
const SERIES_EVERY = 100

async function fill(other: Calendar, events: number): Promise<void> {
  const lines = Array.from({ length: events }, (_, i) => {
    const day = new Date(Date.UTC(2027, 0, 1 + (i % 365))).toISOString().slice(0, 10)
    const venue = { id: 1 + (i % HALLS), venue: `Hall ${i % HALLS}`, city: 'Kilvara' }
    const categories = [
      { id: 100 + (i % 5), name: `Kind ${i % 5}`, slug: `kind-${i % 5}`, taxonomy: 'cat', parent: 0 },
    ]
    const times = { start_date: `${day} 19:00:00`, end_date: `${day} 21:30:00`, timezone: 'Europe/Berlin' }
    const texts = {
      title: `Evening ${i}`,
      slug: `evening-${i}`,
      description: `<p>Text ${i}.</p>`,
      cost: `€${1 + (i % 40)}`,
    }
    return `${JSON.stringify({ id: 1000 + i, ...texts, ...times, venue, categories })}\n`
  })
  const { code, out } = await other.kalends('import', await other.file('fill.ndjson', lines.join('')))
  assert.equal(code, 0, out)
  for (let i = 0; i < events; i += SERIES_EVERY)
    await other.service.create('/events', {
      title: `Weekly ${i}`,
      start_date: '2027-03-01 10:00:00',
      end_date: '2027-03-01 11:00:00',
      recurrence: 'RRULE:FREQ=WEEKLY;COUNT=5',
    })
}

interface Pair {
  other: Calendar
  calendar: Calendar
  random: Random
}

async function tryPolicy({
  other,
  calendar,
  random,
  changes,
  policy,
  mirror,
}: Pair & { changes: number; policy: Policy; mirror: boolean }): Promise<void> {
  const words = [
    'import',
    '--conflicts',
    policy,
    ...(mirror ? ['--mirror', '--allow-mass-removal'] : []),
    other.service.origin,
  ]
  const first = await calendar.kalends(...words)
  assert.equal(first.code, 0, first.out)
  assert.deepEqual(await comparable(calendar), await comparable(other))
  const before = await stateOf(other)
  const touched = [new Set<string>(), new Set<string>()] as const
  for (let i = 0; i < changes; i += 1) {
    const [side, own] = i % 2 === 0 ? [other, touched[0]] : [calendar, touched[1]]
    await change(side, `${policy} ${mirror} ${i}`, random, own)
  }
  const [theirs, ours] = [await stateOf(other), await stateOf(calendar)]
  const { code, out } = await calendar.kalends(...words)
  assert.equal(code, 0, out)
  assert.deepEqual(sorted(await stateOf(calendar)), sorted(merged(before, theirs, ours, policy, mirror)))
  const rows = await calendar.rows()
  assert.equal((await calendar.kalends(...words)).code, 0)
  refuseDifference(rows, await calendar.rows())
  const undone = await calendar.kalends('imports', 'undo', '2')
  assert.equal(undone.code, 0, undone.err)
  assert.deepEqual(sorted(await stateOf(calendar)), sorted(ours))
}

const SHOWN = 300

function refuseDifference(before: string, after: string): void {
  if (before === after) return
  let at = 0
  while (before[at] === after[at]) at += 1
  const shown = (rows: string) => rows.slice(Math.max(0, at - SHOWN), at + SHOWN)
  assert.fail(`a run without changes has written something:\n${shown(before)}\n${shown(after)}`)
}

async function stateOf(calendar: Calendar): Promise<State> {
  const seen = (event: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(FIELDS.map((field) => [field, event[field]])) as Seen
  return new Map((await allEvents(calendar)).map((event) => [String(event.slug), seen(event)]))
}

const sorted = (state: State) => [...state].sort(([a], [b]) => (a < b ? -1 : 1))

/** Changes go to few events, so that both sides often change the same one. */
const CHANGED = 60

/**
 * Changes, creates or removes an event. It never removes a changed event, whose former values would be
 * unknown when it is restored.
 */
async function change(
  { service }: Calendar,
  mark: string,
  random: Random,
  touched: Set<string>,
): Promise<void> {
  const { events } = (
    await service.get(
      `/events?start_date=2027-01-01&end_date=2100-01-01&per_page=50&page=${random.whole(1, 2)}`,
    )
  ).body
  const {
    id,
    slug: known,
    recurrence,
  } = random.pick(events.slice(0, CHANGED) as { id: number; slug: string; recurrence?: object }[])
  const kind = random.whole(1, 10)
  if (kind === 1 && !recurrence && !touched.has(known))
    return void (await service.remove(`/events/${id}`, 'admin'))
  if (kind === 2) {
    const slug = `new-${mark.replaceAll(' ', '-')}-${random.whole(1, 1e9)}`
    const times = { start_date: '2027-12-01 10:00:00', end_date: '2027-12-01 11:00:00' }
    return void (await service.create('/events', { title: `New ${mark}`, slug, ...times }))
  }
  touched.add(known)
  if (kind <= 6) return void (await service.update(`/events/${id}`, { title: `Changed ${mark}` }))
  if (kind <= 8) return void (await service.update(`/events/${id}`, { featured: true }))
  await service.update(`/events/${id}`, { excerpt: `Excerpt ${mark}` })
}

/** Computes the state that an import must leave. */
function merged(before: State, theirs: State, ours: State, policy: Policy, mirror: boolean): State {
  const result = new Map(ours)
  for (const slug of new Set([...before.keys(), ...theirs.keys()])) {
    const [was, there, here] = [before.get(slug), theirs.get(slug), ours.get(slug)]
    if (!there) {
      const isTouched = was && here && FIELDS.some((field) => here[field] !== was[field])
      if (mirror && (!isTouched || policy === 'overwrite')) result.delete(slug)
    } else if (!was) result.set(slug, there)
    else {
      const settled = settledFields(was, there, here, policy)
      if (settled) result.set(slug, settled)
    }
  }
  return result
}

function settledFields(was: Seen, there: Seen, here: Seen | undefined, policy: Policy): Seen | undefined {
  const changed = FIELDS.filter((field) => there[field] !== was[field])
  // An event that was trashed here is restored only if the source wins and has changed it.
  if (!here) return policy === 'overwrite' && changed.length > 0 ? there : undefined
  const conflicts = changed.filter((field) => here[field] !== was[field] && here[field] !== there[field])
  if (policy === 'skip' && conflicts.length > 0) return here
  const taken = policy === 'overwrite' ? changed : changed.filter((field) => !conflicts.includes(field))
  return { ...here, ...Object.fromEntries(taken.map((field) => [field, there[field]])) }
}

const LONGEST_LIFE = 4000

async function killImports({
  other,
  calendar,
  random,
  kills,
  progress,
}: Pair & Pick<Aggregation, 'kills' | 'progress'>): Promise<void> {
  const { config } = calendar.service
  const flags = ['--database', config.database, '--data', config.data, '--timezone', config.timezone]
  for (let i = 0; i < kills; i++) {
    const { child, ended } = startProcess(MAIN, [...flags, 'import', '--user', 'admin', other.service.origin])
    await Promise.race([ended, pause(random.whole(500, LONGEST_LIFE))])
    child.kill('SIGKILL')
    await ended
    progress(`killed ${i + 1} times`)
  }
  const { code, out } = await calendar.kalends('import', '--user', 'admin', other.service.origin)
  assert.equal(code, 0, out)
  assert.deepEqual(await comparable(calendar), await comparable(other))
}
