import { formatUtc } from '../../base/text/moments.ts'
import { removeUnsaved } from '../../store/storage/desk-rows.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Taxonomy } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import { type RawValues, refuseOversized } from '../declare/parse.ts'
import { findEvent } from '../events/event-store.ts'
import { can } from '../people/caller.ts'
import type { Served } from '../resources.ts'
import { mayManageTerms, termEntries } from '../terms/term-rules.ts'
import { findTermsByTexts } from '../terms/term-store.ts'
import { findOpenProposals, writeProposal } from './proposal-store.ts'

// Users who may not make categories or tags may name new ones: the names wait beside the event for somebody who may make them. Over REST they are
// left out (rule 22.4).

/** Names of terms that are not there and that the caller may not make, for the fields that were sent. */
export type UnmadeTerms = Readonly<Partial<Record<'categories' | 'tags', readonly string[]>>>

const FIELDS: readonly [name: 'categories' | 'tags', taxonomy: Taxonomy][] = [
  ['categories', 'category'],
  ['tags', 'tag'],
]

/**
 * The names among the sent terms that wait for somebody who may make them.
 * @throws Problem rest_invalid_param for values over a limit
 */
export async function findUnmadeTerms(context: Context, { resource }: Served, raw: RawValues): Promise<UnmadeTerms> {
  const { db, caller } = context
  const unmade: { -readonly [Name in keyof UnmadeTerms]: UnmadeTerms[Name] } = {}
  if (resource.name !== 'event' || !can(caller, 'edit')) return unmade
  refuseOversized(resource.fields, raw, context)
  for (const [name, taxonomy] of FIELDS) {
    if (raw[name] === undefined || raw[name] === null || mayManageTerms(caller, taxonomy)) continue
    const texts = textsIn(raw[name])
    const known = await findTermsByTexts(db, taxonomy, texts)
    unmade[name] = texts.filter((_text, at) => known[at] === undefined)
  }
  return unmade
}

const textsIn = (value: unknown) => (termEntries(value) ?? []).filter((entry) => typeof entry === 'string')

/** The sent values without these names. */
export function withoutUnmade(raw: RawValues, unmade: UnmadeTerms): RawValues {
  const values: Record<string, unknown> = { ...raw }
  for (const [name] of FIELDS) {
    const names = unmade[name]
    if (names?.length)
      values[name] = (termEntries(raw[name]) ?? []).filter((entry) => !names.some((one) => one === entry))
  }
  return values
}

/**
 * Does in the transaction of a save what belongs to it beside the record: removes the unsaved text, keeps the names of terms that wait, and lets an
 * event that was sent back wait again once its author sends it for review.
 */
export async function keepBeside(
  tx: Tx,
  { caller, now }: Context,
  { resource }: Served,
  place: { formOf: number; record: number },
  unmade: UnmadeTerms = {},
): Promise<void> {
  await removeUnsaved(tx, { user: caller.id, kind: resource.name, record: place.formOf })
  if (resource.name !== 'event' || can(caller, 'publish')) return
  const [known] = await findOpenProposals(tx, 'event', place.record, caller.id)
  const isPending = (await findEvent(tx, place.record))?.status === 'pending'
  const values = { ...known?.values, ...unmade }
  const isWorth = known ? known.version === 0 : FIELDS.some(([name]) => unmade[name]?.length)
  if (!isWorth) return
  const state = isPending ? ({ state: 'waiting' } as const) : {}
  await writeProposal(
    tx,
    { kind: 'event', record: place.record, author: caller.id },
    { values, ...state },
    formatUtc(now),
  )
}
