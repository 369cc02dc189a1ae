import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../src/base/config.ts'
import { findUserByLogin, insertUser } from '../src/calendar/people/users.ts'
import { startSession } from '../src/features/desk/sign-in/session-store.ts'
import { openStorage } from '../src/store/storage/open-database.ts'
import { AUTHORIZATION, type BenchRun, readFrom, type Throughput } from './bench-run.ts'
import { CATEGORY_SLUGS, LAST_DAY, MIDDLE, type Plan } from './data-set.ts'
import type { Named, Scenario } from './read-scenarios.ts'
import { median, type Result, resultOf } from './results.ts'
import { BASE, type RunningService } from './service.ts'
import { WRITER } from './write-data-set.ts'

const DAY = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Returns an event in the middle of the data set. */
const eventOf = ({ first, events }: Plan) => first.event + Math.floor(events / 2)

interface PageOfDesk extends Named {
  path: (plan: Plan) => string
}

const PAGES: readonly PageOfDesk[] = [
  { id: 'desk-today', title: 'desk: Today', path: () => '/desk/' },
  { id: 'desk-list', title: 'desk: list of events', path: () => '/desk/events' },
  {
    id: 'desk-deep',
    title: 'desk: list of events, deep',
    path: () => `/desk/events?after=${dayOf(LAST_DAY - 60 * DAY)}T12:00:00_1`,
  },
  {
    id: 'desk-common',
    title: 'desk: list of a common category',
    path: () => `/desk/events?categories=${CATEGORY_SLUGS[0]}`,
  },
  {
    id: 'desk-rare',
    title: 'desk: list of one venue',
    path: ({ first }) => `/desk/events?venue=${first.venue}`,
  },
  { id: 'desk-words', title: 'desk: list of two words', path: () => '/desk/events?search=jazz+evening' },
  { id: 'desk-month', title: 'desk: month', path: () => `/desk/month/${dayOf(MIDDLE).slice(0, 7)}` },
  { id: 'desk-form', title: 'desk: form of an event', path: (plan) => `/desk/events/${eventOf(plan)}` },
  { id: 'desk-typed', title: 'desk: search as one types', path: () => '/desk/search/as-typed?search=jazz' },
  { id: 'desk-inbox', title: 'desk: inbox', path: () => '/desk/inbox' },
  { id: 'desk-venues', title: 'desk: list of venues', path: () => '/desk/venues' },
]

/** Pages of the desk and a save, measured in processor time of all threads of the service. */
export const deskScenarios: readonly Scenario[] = [
  ...PAGES.map(
    (page): Scenario => ({ id: page.id, title: page.title, measure: (run) => measurePage(run, page) }),
  ),
  { id: 'desk-save', title: 'desk: a save, beyond a write over REST', measure: measureSave },
  { id: 'desk-beside', title: 'same list beside fifty editors at the desk', measure: measureBeside },
]

/**
 * Starts the service on the copy of the data set and signs in the writer, or so many editors. Returns the
 * cookies.
 */
async function sitDown(run: BenchRun, editors = 0): Promise<{ service: RunningService; cookies: string[] }> {
  const service = await run.writer()
  const database = await openStorage(readConfig({ database: (await run.written()).address }, {}, []), [])
  try {
    const cookies = await database.write(async (tx) => {
      const ids: string[] = []
      for (const login of editors === 0
        ? [WRITER.login]
        : Array.from({ length: editors }, (_, n) => `editor-${n}`)) {
        const known = await findUserByLogin(tx, login)
        const editor = { login, email: `${login}@example.org`, name: login, role: 'editor' } as const
        const user = known ?? (await insertUser(tx, editor, Date.now()))
        ids.push(await startSession(tx, user, Date.now(), { client: 'bench', address: '127.0.0.1' }))
      }
      return ids.map((id) => `kalends=${id}`)
    })
    return { service, cookies }
  } finally {
    await database.close()
  }
}

async function measurePage(run: BenchRun, page: PageOfDesk): Promise<Result[]> {
  const { service, cookies } = await sitDown(run)
  const [cookie = ''] = cookies
  const load = { requests: [`GET\t${page.path(run.store.plan)}`], headers: { cookie }, connections: 1 }
  await readFrom(run, service, { ...load, seconds: 1 })
  const rounds: number[] = []
  for (let round = 0; round < run.rounds; round++)
    rounds.push((await readFrom(run, service, load)).processorMicros / 1000)
  return [resultOf(page, 'ms', rounds, { note: 'processor time of one answer' })]
}

const SAVES = 60

/**
 * Makes the same change over REST and by the form in turn, and compares the median times of their durable
 * answers.
 */
async function measureSave(run: BenchRun, named: Named): Promise<Result[]> {
  const { service, cookies } = await sitDown(run)
  const [cookie = ''] = cookies
  const origin = `http://127.0.0.1:${service.port}`
  const { first } = run.store.plan
  const rounds: { rest: number; desk: number }[] = []
  for (let round = 0; round < run.rounds; round++) {
    const rest: number[] = []
    const desk: number[] = []
    for (let i = 0; i < SAVES; i++) {
      const id = first.event + round * SAVES + i
      rest.push(await timeOf(saveOverRest(origin, id, `Over REST ${round}`)))
      const version = await versionShown(origin, cookie, id)
      desk.push(await timeOf(saveAtDesk(origin, cookie, id, { title: `At the desk ${round}`, version })))
    }
    rounds.push({ rest: median(rest), desk: median(desk) })
  }
  const beyond = rounds.map(({ rest, desk }) => desk - rest)
  const both = {
    service: median(rounds.map(({ desk }) => desk)),
    baseline: median(rounds.map(({ rest }) => rest)),
  }
  return [
    resultOf(named, 'ms', beyond, { figures: 'ms', ...both, note: 'time of one answer; compared with REST' }),
  ]
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const saveOverRest = (origin: string, id: number, title: string) => async () => {
  const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json' }
  const answer = await fetch(`${origin}${BASE}/events/${id}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title }),
  })
  await expectStatus(answer, 200)
}

const saveAtDesk = (origin: string, cookie: string, id: number, form: Record<string, string>) => async () => {
  const body = new URLSearchParams(form)
  const answer = await fetch(`${origin}/desk/events/${id}`, {
    method: 'POST',
    headers: { cookie },
    body,
    redirect: 'manual',
  })
  await expectStatus(answer, 303)
}

const EDITORS = 50
/** The ms between two texts of a user, a little more than the service waits to keep the next. */
const PAUSE_MS = 5100

/**
 * Reads the same list alone, then beside fifty people whose typed texts are kept as often as the service does
 * that, then alone again. Compares answers per second of processor time, since the rate itself depends on
 * other programs of the machine.
 */
async function measureBeside(run: BenchRun, named: Named): Promise<Result[]> {
  const { service, cookies } = await sitDown(run, EDITORS)
  const read = () => readFrom(run, service, { requests: [`GET\t${BASE}/events`] })
  await read()
  const rounds: { alone: Throughput; beside: Throughput; again: Throughput; kept: number }[] = []
  for (let round = 0; round < run.rounds; round++) {
    const alone = await read()
    const typing = startTyping(`http://127.0.0.1:${service.port}`, cookies, run.store.plan)
    const beside = await read()
    rounds.push({ alone, beside, kept: await typing.stop(), again: await read() })
  }
  const noise = rounds.map(({ alone, again }) => Math.abs(again.processorMicros / alone.processorMicros - 1))
  const kept = median(rounds.map((round) => round.kept))
  const ratios = rounds.map(
    ({ alone, beside, again }) =>
      (alone.processorMicros + again.processorMicros) / 2 / beside.processorMicros,
  )
  const result = resultOf(named, 'times', ratios, {
    figures: 'requests/s',
    service: median(rounds.map(({ beside }) => beside.perSecond)),
    baseline: median(rounds.map(({ alone }) => alone.perSecond)),
    note:
      `by processor time; ${kept} texts kept a round; alone, before ` +
      `and after differ by ${Math.round(100 * median(noise))} %`,
  })
  return [result]
}

/** Keeps the text of each editor every five seconds. `stop` returns the number of texts kept. */
function startTyping(
  origin: string,
  cookies: readonly string[],
  { first }: Plan,
): { stop: () => Promise<number> } {
  let kept = 0
  let isOver = false
  const type = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      const began = performance.now()
      const at = turn % cookies.length
      const body = new URLSearchParams({
        id: String(first.event + at),
        version: '1',
        title: `Typed ${turn}`,
        description: '<p>Some sentences that somebody has typed so far.</p>'.repeat(20),
      })
      const answer = await fetch(`${origin}/desk/events/unsaved`, {
        method: 'POST',
        headers: { cookie: cookies[at] ?? '' },
        body,
      })
      if ((await answer.text()).includes('"kept"')) kept++
      await sleep(Math.max(0, PAUSE_MS / cookies.length - (performance.now() - began)))
    }
  }
  const typing = type()
  const stop = async () => {
    isOver = true
    await typing
    return kept
  }
  return { stop }
}

async function versionShown(origin: string, cookie: string, id: number): Promise<string> {
  const answer = await fetch(`${origin}/desk/events/${id}`, { headers: { cookie } })
  return /name="version" value="(\d+)"/.exec(await answer.text())?.[1] ?? ''
}

async function expectStatus(answer: Response, status: number): Promise<void> {
  const text = await answer.text()
  if (answer.status !== status)
    throw new Error(`${answer.url} was answered ${answer.status}: ${text.slice(0, 300)}`)
}
