import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { makeRandom, type Random } from '../../bench/random.ts'
import { compareLists, compareSingles } from './crash-checks.ts'
import { type SettingName, startTarget, type Target } from './crash-targets.ts'
import { exchange } from './exchange.ts'
import { type Ledger, openLedger, settle } from './ledger.ts'
import { findContradictions, findMissingFiles, readStored } from './stored-records.ts'
import { startWriters, type WriterFigures, type WriterSettings } from './writers.ts'

export interface CrashFigures {
  setting: SettingName
  seed: number
  kills: Map<string, number>
  acknowledged: number
  unansweredDone: number
  unansweredUndone: number
  unavailable: number
  records: number
  checks: { quick: number; thorough: number }
  /** The longest time in ms from starting the killed processes until all answer with memory filled. */
  longestRestoreMs: number
  seconds: number
  problems: string[]
}

export interface CrashOptions {
  setting: SettingName
  kills: number
  seed: number
  progress?: (figures: CrashFigures) => void
}

const ROOT = '/wp-json'
const BASE = `${ROOT}/tribe/events/v1`

const LONGEST_ROUND_MS = 900
const SHORTEST_ROUND_MS = 5
const LATEST_WRITE = 40
const PATIENT_MS = 5000
const KILLED_AGAIN = 0.2
const LATEST_START_MS = 1500
const THOROUGH_EVERY = 10
/** The campaign ends after so many problems, since more would show nothing new. */
const MOST_PROBLEMS = 20

interface Campaign {
  target: Target
  known: Set<string>
  ledger: Ledger
  random: Random
  writers: WriterSettings
  figures: CrashFigures
}

export async function runCrashCampaign({
  setting,
  kills,
  seed,
  progress,
}: CrashOptions): Promise<CrashFigures> {
  const began = performance.now()
  const target = await startTarget(setting)
  const figures = emptyFigures(setting, seed)
  try {
    const campaign = await openCampaign(target, seed, figures)
    for (let round = 1; killed(figures) < kills && figures.problems.length < MOST_PROBLEMS; round++) {
      await runRound(campaign, round)
      const isLast = killed(figures) >= kills
      await check(campaign, isLast || round % THOROUGH_EVERY === 0)
      figures.seconds = (performance.now() - began) / 1000
      progress?.(figures)
    }
    return figures
  } finally {
    await target.close()
  }
}

export const killed = ({ kills }: CrashFigures) => [...kills.values()].reduce((sum, count) => sum + count, 0)

function emptyFigures(setting: SettingName, seed: number): CrashFigures {
  return {
    setting,
    seed,
    kills: new Map(),
    acknowledged: 0,
    unansweredDone: 0,
    unansweredUndone: 0,
    unavailable: 0,
    records: 0,
    checks: { quick: 0, thorough: 0 },
    longestRestoreMs: 0,
    seconds: 0,
    problems: [],
  }
}

async function openCampaign(target: Target, seed: number, figures: CrashFigures): Promise<Campaign> {
  await makeShared(target)
  const ledger = openLedger(await readStored(target.ask))
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  const image = await sharp({ create: { width: 400, height: 300, channels: 3, background: 'white', noise } })
    .png()
    .toBuffer()
  const met: WriterFigures = { broken: new Map(), unavailable: 0, problems: figures.problems }
  const writers = { ledger, seed, image, base: BASE, root: ROOT, figures: met }
  return { target, known: new Set(), ledger, random: makeRandom(seed), writers, figures }
}

async function makeShared({ ports: [port = 0] }: Target): Promise<void> {
  for (let number = 1; number <= 5; number++) {
    for (const [kind, body] of [
      ['venues', { venue: `Common hall ${number}`, city: 'Springfield' }],
      ['organizers', { organizer: `Common club ${number}`, email: 'club@example.org' }],
      ['categories', { name: `Common kind ${number}` }],
      ['tags', { name: `Common word ${number}` }],
    ] as const) {
      const { status } = await exchange(port, { as: 'admin', method: 'POST', path: `${BASE}/${kind}`, body })
      if (status !== 201) throw new Error(`POST ${kind} was answered ${status}`)
    }
  }
}

async function runRound(
  { target, ledger, random, writers, figures }: Campaign,
  round: number,
): Promise<void> {
  const enough = ledger.acknowledged + random.whole(0, LATEST_WRITE)
  const writing = startWriters(writers, round, target.ports)
  await sleep(random.whole(SHORTEST_ROUND_MS, LONGEST_ROUND_MS))
  const latest = performance.now() + PATIENT_MS
  while (ledger.acknowledged < enough && performance.now() < latest) await sleep(1)
  note(figures, await target.kill(random))
  // Writers to the remaining processes go on for a moment.
  await sleep(random.whole(0, 200))
  await writing.stop()
  if (random.chance(KILLED_AGAIN) && (await target.killStart(random.whole(0, LATEST_START_MS))))
    note(figures, 'starting process')
  const began = performance.now()
  await target.restore()
  figures.longestRestoreMs = Math.max(figures.longestRestoreMs, performance.now() - began)
}

function note({ kills }: CrashFigures, what: string): void {
  kills.set(what, (kills.get(what) ?? 0) + 1)
}

function noteProblem({ known, figures }: Campaign, problem: string): void {
  if (!known.has(problem)) figures.problems.push(`after kill ${killed(figures)}: ${problem}`)
  known.add(problem)
}

async function check(campaign: Campaign, isThorough: boolean): Promise<void> {
  const { target, ledger, writers, figures } = campaign
  const { ask } = target
  const stored = await readStored(ask)
  const { problems, done, undone } = settle(ledger, stored)
  const more = [
    ...problems,
    ...(await findContradictions(ask)),
    ...(await findMissingFiles(ask, target.mediaFolder)),
    ...(await target.findDamage()),
    ...(await compareSingles(target, BASE, stored, [...ledger.touched])),
    ...(await compareLists(target, BASE, stored, isThorough)),
  ]
  for (const problem of more) noteProblem(campaign, problem)
  ledger.touched.clear()
  figures.unansweredDone += done
  figures.unansweredUndone += undone
  figures.acknowledged = ledger.acknowledged
  figures.unavailable = writers.figures.unavailable
  figures.records = stored.size
  figures.checks[isThorough ? 'thorough' : 'quick'] += 1
}
