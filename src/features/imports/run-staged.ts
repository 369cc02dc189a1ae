import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { contextOn } from '../../calendar/ground.ts'
import { translatorFor } from '../../calendar/locales/translate.ts'
import { findUser, isActive } from '../../calendar/people/users.ts'
import type { RunningService, ServiceStart } from '../../feature.ts'
import type { Admission } from '../../http/admission.ts'
import { type Writer, writerBy } from '../../store/storage/recording.ts'
import { siteInLanguage } from '../desk/desk-page.ts'
import { lookAtAddress, mayKeepAddresses } from './desk-address.ts'
import {
  addressOf,
  findDeskImport,
  isAnyWaiting,
  leaseDeskImport,
  listRunsOf,
  updateDeskImport,
} from './desk-import-store.ts'
import { NOT_THE_SAME } from './hold-source.ts'
import { type Message, messageIn } from './import-messages.ts'
import { type Counts, noCounts, type Remark } from './import-run.ts'
import { importSource } from './import-source.ts'
import type { DeskImportColumns } from './import-tables.ts'
import { isStagedAddress, readChoices, readContent, stageRows } from './staged-import.ts'
import { adoptUpdated, stagedSource } from './staged-source.ts'
import { undoImport } from './undo-import.ts'

// Imports tables of the desk, giving way to requests, and takes them back, one at a time; looks at addresses.

type Said = Pick<Remark, 'at' | 'text'>

export interface StagedReport {
  counts: Counts
  total: number
  failed: readonly Said[]
  removed?: number
  restored?: number
  left?: readonly Message[]
  /** First events of an address, as pages would show them. */
  preview?: readonly string[]
}

/** Items of one kind per transaction. */
const AT_ONCE = 25
const MOST_TOLD = 100
const MOST_READERS = 10
const LEASE_MS = 60_000
const RENEWED_EVERY = 15_000

export interface StagedWork {
  look: () => Promise<void>
  begin: (service: RunningService) => void
  /** Runs one `read` at a time: of a file, or an undo. @throws Problem rest_unavailable if too many wait */
  inTurn: <Read>(read: () => Promise<Read>) => Promise<Read>
  stop: () => Promise<void>
}

const made = new WeakMap<ServiceStart, StagedWork>()

/** Returns the one object shared by the pages of the desk and the recurring work. */
export function stagedWorkOf(start: ServiceStart): StagedWork {
  const known = made.get(start) ?? makeWork(start)
  made.set(start, known)
  return known
}

function makeWork({ report }: ServiceStart): StagedWork {
  const stopping = new AbortController()
  let service: RunningService | undefined
  let working: Promise<void> | undefined
  let isAskedAgain = false
  const aside = new Set<Promise<boolean>>()
  let reading: Promise<unknown> = Promise.resolve()
  let readers = 0
  const work = async () => {
    do {
      isAskedAgain = false
      while (
        service &&
        !stopping.signal.aborted &&
        (await runNext(service, report, stopping.signal, aside))
      ) {
        // `runNext` does the work.
      }
    } while (isAskedAgain)
  }
  return {
    begin: (running) => {
      service = running
    },
    inTurn: async (read) => {
      if (readers >= MOST_READERS) throw new Problem('rest_unavailable', { retryAfter: 10 })
      readers += 1
      const own = reading.then(read).finally(() => {
        readers -= 1
      })
      reading = own.catch(() => undefined)
      return own
    },
    look: () => {
      isAskedAgain = true
      working ??= work()
        .catch(report)
        .finally(() => {
          working = undefined
        })
      return working
    },
    stop: async () => {
      stopping.abort()
      await working
      await Promise.allSettled(aside)
    },
  }
}

/** Thrown when the service stops; the import continues after the next start. */
class Stopped extends Error {}

async function runNext(
  service: RunningService,
  report: ServiceStart['report'],
  signal: AbortSignal,
  aside: Set<Promise<boolean>>,
): Promise<boolean> {
  const { database } = service
  const now = Date.now()
  if (!(await isAnyWaiting(database.read, formatUtc(now)))) return false
  const by = writerBy('import')
  const id = await database.write((tx) => leaseDeskImport(tx, formatUtc(now), formatUtc(now + LEASE_MS)), by)
  const row = id === undefined ? undefined : await findDeskImport(database.read, id)
  if (!row) return false
  const isAddress = isStagedAddress(readContent(row))
  const run = runLeased(service, row, report, signal)
  if (!isAddress) return run
  aside.add(run)
  void run.catch(report).finally(() => aside.delete(run))
  return true
}

async function runLeased(
  service: RunningService,
  row: DeskImportColumns,
  report: ServiceStart['report'],
  signal: AbortSignal,
): Promise<boolean> {
  const { database } = service
  const by = writerBy('import')
  const renew = () =>
    database.write(
      (tx) => updateDeskImport(tx, row.id, [row.state], { leased_utc: formatUtc(Date.now() + LEASE_MS) }),
      by,
    )
  const renewing = setInterval(() => void renew().catch(report), RENEWED_EVERY).unref()
  try {
    await runOne(service, row, by, signal)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    await database.write((tx) => updateDeskImport(tx, row.id, [row.state], { leased_utc: '' }), by)
    return false
  } finally {
    clearInterval(renewing)
  }
  return true
}

async function runOne(
  service: RunningService,
  row: DeskImportColumns,
  by: Writer,
  signal: AbortSignal,
): Promise<void> {
  const { database } = service
  const user = await findUser(database.read, row.user)
  const told: StagedReport = { counts: noCounts(), total: 0, failed: [] }
  const end = (
    report: StagedReport,
    state: 'open' | 'done' | 'undone',
    checked: Partial<Pick<DeskImportColumns, 'checked'>> = {},
  ) => {
    const ended = {
      state,
      report: JSON.stringify(report),
      changed_utc: formatUtc(Date.now()),
      leased_utc: '',
    }
    return database.write((tx) => updateDeskImport(tx, row.id, [row.state], { ...ended, ...checked }), by)
  }
  if (!user || !isActive(user)) {
    await end(told, 'done')
    return
  }
  const writer = { ...by, user: user.id, login: user.login }
  // Others wrote the texts: they are filtered whatever the role of the user.
  const caller = { id: user.id, login: user.login, role: user.role, isFiltered: true }
  const write: Context['write'] = (work) => database.write(work, writer)
  const context = contextOn(service, caller, { write })
  // Rows are checked again at the end of the run, not when somebody opens the page.
  const checkAgain = async () => {
    const { checked } = await stageRows(context, row, readChoices(row))
    return { checked: JSON.stringify(checked) }
  }
  const isUndo = row.state === 'leaving'
  const content = readContent(row)
  try {
    if (isStagedAddress(content)) {
      if (!mayKeepAddresses(context)) throw new Problem('rest_forbidden')
      const site = siteInLanguage(context.site, user)
      const reading = { ...context, site, say: translatorFor(site) }
      await end({ total: 0, ...(await lookAtAddress(reading, content)) }, 'open')
    } else if (isUndo) await end(await takeBack(context, row), 'undone', await checkAgain())
    else await end(await bringIn(context, row, service, told, signal), 'done', await checkAgain())
  } catch (error) {
    if (error instanceof Stopped) throw error
    const failed = [...told.failed, { at: row.name, text: messageIn(error) }]
    if (isStagedAddress(content)) await end({ ...told, failed }, 'open')
    else await end({ ...told, failed }, 'done', await checkAgain())
  }
}

async function bringIn(
  context: Context,
  row: DeskImportColumns,
  { admission }: RunningService,
  told: StagedReport,
  signal: AbortSignal,
): Promise<StagedReport> {
  const choices = readChoices(row)
  const { rows } = await stageRows(context, row, choices)
  const address = addressOf(row)
  await adoptUpdated(context, address, rows)
  const giveWay = async () => {
    if (signal.aborted) throw new Stopped()
    await givenWay(admission)
  }
  const source = await stagedSource(context, address, rows, choices, giveWay)
  const failed: Said[] = []
  const show = (counts: Counts): StagedReport => ({ counts, total: source.total(), failed })
  Object.assign(told, show(noCounts()))
  const { counts } = await importSource({
    source,
    options: { conflicts: 'overwrite', dryRun: false, mirror: false, private: true, images: true },
    context,
    by: writerBy('import'),
    remark: (remark) => {
      const isTold = remark.kind === 'failed' || remark.kind === 'note' || remark.kind === 'kept'
      const { at, text } = remark
      if (isTold && failed.length < MOST_TOLD) failed.push({ at, text })
    },
    restart: () => failed.splice(0),
    progress: (present) => {
      const report = JSON.stringify(show(present))
      void context.write((tx) => updateDeskImport(tx, row.id, [row.state], { report })).catch(() => undefined)
    },
    sameAs: NOT_THE_SAME,
    wait: () => undefined,
    atOnce: AT_ONCE,
  })
  return show(counts)
}

async function takeBack(context: Context, row: DeskImportColumns): Promise<StagedReport> {
  const told = { removed: 0, restored: 0, left: [] as Message[] }
  for (const run of await listRunsOf(context.db, addressOf(row))) {
    const { removed, restored, left } = await undoImport(context, run, () => undefined)
    told.removed += removed
    told.restored += restored
    for (const one of left.slice(0, MOST_TOLD - told.left.length)) told.left.push(one)
  }
  return { counts: noCounts(), total: 0, failed: [], ...told }
}

const PAUSE_MS = 20
const MOST_PAUSES = 25

async function givenWay({ queues }: Admission): Promise<void> {
  for (let pauses = 0; pauses < MOST_PAUSES; pauses += 1) {
    if (Object.values(queues).every(({ waiting }) => waiting.length === 0)) return
    await pause(PAUSE_MS)
  }
}
