import { hash } from 'node:crypto'
import { eventFields } from '../../base/fields/event-fields.ts'
import { Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Field } from '../../calendar/declare/resource.ts'
import { writeNew } from '../../calendar/editing/save-record.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { insertUpload, prepareUpload, withImages } from '../../calendar/images/images.ts'
import { findUser, isActive } from '../../calendar/people/users.ts'
import { events } from '../../calendar/resources.ts'
import { inMemory } from '../../store/media/image-sizes.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { FormFaults } from '../desk/desk-inputs.ts'
import { lastTyped, type TypedForm } from '../desk/desk-page.ts'
import { mayReview } from '../desk/review/linked-drafts.ts'
import { updateRecord } from '../desk/save-form.ts'
import { queueLetter } from './submission-letters.ts'
import {
  dropLinks,
  dropPicture,
  findPicture,
  findSubmission,
  findTrust,
  holdSubmission,
  updateSubmission,
} from './submission-store.ts'
import type { Submission } from './submission-tables.ts'
import { EVENT_CONTROLS, readSuggestion } from './suggest-form.ts'

// Editors' decisions about suggestions, each in one transaction with any message to the sender.

export type Verdict =
  | { event: number }
  | { done: true }
  /** Another editor or the sender decided first, or the suggestion or event is gone. */
  | { decided: Submission | undefined }
  /** The sender has changed the text since the editor saw it. */
  | { changed: true }
  | { faults: FormFaults; typed: TypedForm }

function requireReviewer(context: Context): void {
  if (!mayReview(context)) throw new Problem('rest_forbidden')
}

/** HTML of a suggestion is sanitised, even if the editor may write any HTML. */
const writingFor = (context: Context): Context => ({
  ...context,
  caller: { ...context.caller, isFiltered: true },
})

/**
 * Publishes a suggestion, or the proposed change. Missing venues and organizers are created.
 * @param look `edited`: the controls as changed by the editor; `seen`: hash (`wordingOf`) of the text seen
 * @throws Problem rest_forbidden for a caller who may not review
 */
export async function publishSubmission(
  context: Context,
  id: number,
  { edited, seen }: { edited?: TypedForm | undefined; seen: string },
): Promise<Verdict> {
  requireReviewer(context)
  const found = await findSubmission(context.db, id)
  if (!found || !isUndecided(found)) return { decided: found }
  if (seen !== wordingOf(found)) return { changed: true }
  if (found.state === 'published') return publishChange(context, found)
  const sent: TypedForm = JSON.parse(found.typed)
  const { raw, faults, typed, title, draft } = await readSuggestion(context, edited ?? sent)
  if (Object.keys(faults).length > 0) return { faults, typed }
  return withImages(context, async () => {
    const image = found.image > 0 ? found.image : await makePicture(context, found)
    const values = { ...raw, status: 'publish', ...(image > 0 && { image }) }
    const asked = { fields: events.resource.fields, raw: values, isAllowed: true }
    return writeNew<Verdict>(writingFor(context), events.operations, asked, async (tx, write) => {
      const held = await holdSubmission(tx, id)
      if (held?.state !== 'waiting') return { decided: held }
      if (held.typed !== found.typed) return { changed: true }
      const written = await write()
      const changes = differences(sent, typed)
      await updateSubmission(tx, id, {
        ...decidedBy(context),
        state: 'published',
        event: written.id,
        title,
        typed: JSON.stringify(typed),
        ...(draft && { start_utc: draft.utc_start_date, end_utc: draft.utc_end_date }),
      })
      await queueLetter(tx, context, held, { kind: 'published', event: written.id, changes })
      return { event: written.id }
    })
  })
}

const isUndecided = ({ state, proposed }: Submission): boolean =>
  state === 'waiting' || (state === 'published' && proposed !== '')

/** A hash of what the sender wrote, by which a later change is noticed. */
export const wordingOf = ({ typed, proposed }: Pick<Submission, 'typed' | 'proposed'>): string =>
  hash('sha256', `${typed}\n${proposed}`, 'base64url').slice(0, 22)

function decidedBy({ caller, now }: Context) {
  const utc = formatUtc(now)
  return { reviewer: Math.max(caller.id, 0), decided_utc: utc, changed_utc: utc }
}

function differences(sent: TypedForm, published: TypedForm): [control: string, text: string][] {
  return EVENT_CONTROLS.flatMap((name): [string, string][] => {
    const [before, after] = [lastTyped(sent, name).trim(), lastTyped(published, name).trim()]
    return before === after ? [] : [[name, after]]
  })
}

async function makePicture(context: Context, submission: Submission): Promise<number> {
  const picture = await findPicture(context.db, submission.form)
  if (!picture) return 0
  const file = { ...inMemory(Buffer.from(picture.content, 'base64')), fileName: `${submission.title}.webp` }
  const prepared = await prepareUpload(file, context)
  if (!prepared) return 0
  return context.write(async (tx) => {
    const held = await holdSubmission(tx, submission.id)
    // Rejected or changed meanwhile: nothing is uploaded.
    if (held?.state !== 'waiting' || held.typed !== submission.typed) return 0
    if (held.image > 0) return held.image
    const { id } = await insertUpload(tx, prepared, context)
    await updateSubmission(tx, submission.id, { image: id })
    await dropPicture(tx, submission.form)
    return id
  })
}

/** Publishes a proposed change: writes only the values that the sender changed. */
async function publishChange(context: Context, found: Submission): Promise<Verdict> {
  const event = await findEvent(context.db, found.event)
  if (!event || event.status === 'trash') return { decided: found }
  const [before, after] = await Promise.all([
    readSuggestion(context, JSON.parse(found.typed)),
    readSuggestion(context, JSON.parse(found.proposed)),
  ])
  if (Object.keys(after.faults).length > 0) return { faults: after.faults, typed: after.typed }
  const values = changedValues(before.raw, after.raw)
  const { title, typed, draft } = after
  const beside = async (tx: Tx) => {
    const held = await holdSubmission(tx, found.id)
    if (held?.proposed !== found.proposed) throw new Problem('rest_precondition_failed')
    await updateSubmission(tx, found.id, {
      ...decidedBy(context),
      title,
      typed: JSON.stringify(typed),
      proposed: '',
      ...(draft && { start_utc: draft.utc_start_date, end_utc: draft.utc_end_date }),
    })
    await queueLetter(tx, context, held, { kind: 'changed', event: event.id })
  }
  if (Object.keys(values).length === 0) await context.write(beside)
  else {
    const scope = event.series === null ? {} : { recurrence_scope: 'all' }
    const { recurrence: _rule, ...others } = values
    const sent = event.series === null ? others : { ...values, ...scope }
    await updateRecord(writingFor(context), events, event.id, sent, undefined, { beside })
  }
  return { event: event.id }
}

/** If one of these fields has changed, all are written. */
const TIMES = ['start_date', 'end_date', 'all_day']

export function changedValues(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const differ = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const changed = names.filter((name) => differ(name) || (TIMES.includes(name) && TIMES.some(differ)))
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? blankOf(name)]))
}

function blankOf(name: string): unknown {
  const field = (eventFields as Readonly<Record<string, Field>>)[name]
  return field?.kind.list || name === 'venue' || name === 'organizer' ? [] : ''
}

export function sendBackSubmission(context: Context, id: number, note: string): Promise<Verdict> {
  return decide(context, id, async (tx, held) => {
    if (held.state === 'published') {
      await updateSubmission(tx, id, { ...decidedBy(context), proposed: '', reply: note })
      await queueLetter(tx, context, held, { kind: 'change refused', note })
      return
    }
    await updateSubmission(tx, id, { ...decidedBy(context), state: 'sent back', reply: note })
    await queueLetter(tx, context, held, { kind: 'sent back', note })
  })
}

export function rejectSubmission(context: Context, id: number, note: string): Promise<Verdict> {
  return decide(context, id, async (tx, held) => {
    if (held.state === 'published') throw new Problem('rest_precondition_failed')
    await dropPicture(tx, held.form)
    await updateSubmission(tx, id, { ...decidedBy(context), state: 'rejected', reply: note })
    await queueLetter(tx, context, held, { kind: 'rejected', note })
  })
}

function decide(
  context: Context,
  id: number,
  work: (tx: Tx, held: Submission) => Promise<void>,
): Promise<Verdict> {
  requireReviewer(context)
  return context.write(async (tx): Promise<Verdict> => {
    const held = await holdSubmission(tx, id)
    if (!held || !isUndecided(held)) return { decided: held }
    await work(tx, held)
    return { done: true }
  })
}

/** Marks suggestions as spam, and returns their number. To their senders they still seem to wait. */
export function markSpam(context: Context, ids: readonly number[]): Promise<number> {
  return moveAll(context, ids, 'waiting', 'spam')
}

export function unmarkSpam(context: Context, ids: readonly number[]): Promise<number> {
  return moveAll(context, ids, 'spam', 'waiting')
}

const AT_ONCE = 500

async function moveAll(
  context: Context,
  ids: readonly number[],
  from: 'waiting' | 'spam',
  to: 'waiting' | 'spam',
): Promise<number> {
  requireReviewer(context)
  let moved = 0
  for (let at = 0; at < ids.length; at += AT_ONCE)
    moved += await context.write((tx) => move(tx, context, ids.slice(at, at + AT_ONCE), { from, to }))
  return moved
}

async function move(
  tx: Tx,
  context: Context,
  ids: readonly number[],
  { from, to }: { from: 'waiting' | 'spam'; to: 'waiting' | 'spam' },
): Promise<number> {
  const rows = await tx
    .updateTable('submissions')
    .set({ ...decidedBy(context), state: to, aside: '' })
    .where('id', 'in', ids)
    .where('state', '=', from)
    .returning('form')
    .execute()
  if (to === 'spam' && rows.length > 0) {
    const forms = rows.map(({ form }) => form)
    await tx.deleteFrom('submission_pictures').where('form', 'in', forms).execute()
  }
  return rows.length
}

export function revokeLinks(context: Context, id: number): Promise<void> {
  requireReviewer(context)
  return context.write((tx) => dropLinks(tx, id))
}

/**
 * Publishes a suggestion in the name of the user who trusts its address, if that user may publish. A
 * suggestion with a reason in `aside` still waits.
 */
export async function publishTrusted(context: Context, confirmed: Submission): Promise<void> {
  const { id, address, aside } = confirmed
  const trusting = aside === '' && address !== '' ? await findTrust(context.db, address) : undefined
  const user = trusting === undefined ? undefined : await findUser(context.db, trusting)
  if (!user || !isActive(user)) return
  const asUser: Context = { ...context, memory: undefined, caller: { ...user } }
  if (mayReview(asUser)) await publishSubmission(asUser, id, { seen: wordingOf(confirmed) })
}
