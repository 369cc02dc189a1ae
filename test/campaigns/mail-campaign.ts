import { equal } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { queueMessage } from '../../src/features/mail/outbox.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { patient, scratchDatabase } from '../support/database.ts'
import { startServiceProcess } from '../support/processes.ts'
import { startRelay } from '../support/relay.ts'
import { makeCalendar } from '../support/service.ts'
import { until } from '../support/waiting.ts'

export interface MailFigures {
  queued: number
  lost: number
  /** To somebody whom the message was not for. */
  astray: number
  /** Taken more than once: the service was killed between DATA and its commit. */
  doubled: number
  /** Taken more often than kills explain, or under another Message-ID. */
  unexplained: number
}

const A_KILL = 4
const addressOf = (number: number) => `reader-${number}@example.com`

/**
 * Kills a service while it sends, `kills` times, every other time between DATA and the answer of the
 * relay.
 */
export async function killWhileSending(kills: number): Promise<MailFigures> {
  const scratch = await scratchDatabase('users')
  const folder = await mkdtemp(join(tmpdir(), 'kalends-mail-'))
  const relay = await startRelay()
  await makeCalendar(scratch.address)
  const database = await openDatabase(scratch.address)
  const start = () =>
    startServiceProcess({
      database: patient(scratch.address),
      data: folder,
      mail: relay.address,
      mail_from: 'calendar@example.org',
      mail_per_hour: '100000',
    })
  const queued = kills * A_KILL
  try {
    for (let number = 0; number < queued; number++) await queueOne(database, number)
    for (let kill = 0; kill < kills; kill++) {
      const before = relay.received.length
      relay.fault = () =>
        kill % 2 === 0 && relay.received.length > before ? { at: 'unanswered' } : undefined
      const service = await start()
      await until(() => relay.received.length >= before + 2, 'nothing is sent')
      await service.end('SIGKILL')
      // What the killed process has claimed is left to it for three minutes. Here it is due at once.
      const due = { next_utc: '2020-01-01 00:00:00' }
      await database.write((tx) =>
        tx.updateTable('mail_messages').set(due).where('state', '=', 'sending').execute(),
      )
    }
    relay.fault = () => undefined
    const last = await start()
    await until(async () => (await countUnsent(database)) === 0, 'not all are sent')
    await last.end()
    return countFigures(relay.received, queued, kills)
  } finally {
    await database.close()
    await relay.close()
    await scratch.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

async function queueOne(database: Database, number: number): Promise<void> {
  const letter = { subject: `Number ${number}`, blocks: [{ kind: 'text', text: addressOf(number) }] } as const
  const message = {
    to: addressOf(number),
    language: 'en',
    topic: 'test',
    letter,
    once: `one ${number}`,
  } as const
  equal(await database.write((tx) => queueMessage(tx, message, Date.now())), true)
}

async function countUnsent({ read }: Database): Promise<number> {
  const rows = await read.selectFrom('mail_messages').select('id').where('state', '<>', 'sent').execute()
  return rows.length
}

type Received = Awaited<ReturnType<typeof startRelay>>['received']

function countFigures(received: Received, queued: number, kills: number): MailFigures {
  const bySubject = Map.groupBy(received, ({ mail }) => mail.subject ?? '')
  const figures = { queued, lost: 0, astray: 0, doubled: 0, unexplained: 0 }
  let more = 0
  for (let number = 0; number < queued; number++) {
    const all = bySubject.get(`Number ${number}`) ?? []
    if (all.length === 0) figures.lost += 1
    if (all.length > 1) figures.doubled += 1
    more += Math.max(0, all.length - 1)
    figures.astray += all.filter(
      ({ to, mail }) => to !== addressOf(number) || !mail.text?.includes(to),
    ).length
    if (new Set(all.map(({ mail }) => mail.messageId)).size > 1) figures.unexplained += 1
  }
  figures.unexplained += Math.max(0, more - kills)
  return figures
}
