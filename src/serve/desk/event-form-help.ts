import { plainText } from '../../base/text/html.ts'
import { discardUnsavedText, keepUnsavedText } from '../../calendar/editing/unsaved-texts.ts'
import { type PickedKind, pickNames } from '../../calendar/events/picked-names.ts'
import { can } from '../../calendar/people/caller.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  recordIdIn,
  sayAtDesk,
} from './desk-page.ts'
import { formInWords, getKnownEvent, mayUseForm } from './event-form.ts'
import { againTicks, clashLines, nextDatesList } from './event-form-view.ts'
import { withMovedEnd } from './event-times.ts'
import { lastTyped, typedOf } from './typed-form.ts'

// Answers the script of the form of an event while somebody types: names, dates in words, clashes. The form works without it.

const KINDS: readonly PickedKind[] = ['venue', 'organizer', 'category', 'tag']
const MOST_NAMES = 8

/** Lists names to pick from that the typed text may mean. */
async function listNames({ context, query }: DeskRequest): Promise<DeskAnswer> {
  mayUseForm(context)
  const kind = KINDS.find((known) => known === query.get('kind'))
  const text = (query.get('starts') ?? '').trim()
  const found = kind ? await pickNames(kind, text, context, MOST_NAMES) : []
  const names = found.map(({ id, name, about }) => ({ id, name: plainText(name), about: plainText(about) }))
  const isKnown = names.some(({ name }) => name.toLowerCase() === text.toLowerCase())
  const create =
    text === '' || isKnown || !can(context.caller, 'edit')
      ? undefined
      : sayAtDesk(context.site, 'Make “{name}”', { name: text })
  return { data: { names, ...(create !== undefined && { create }) } }
}

/** Says the typed values in words: times and dates, faults, clashes, and events that may be the same. */
async function sayWhen(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  mayUseForm(context)
  const typed = typedOf(request)
  const id = recordIdIn({ variables: { id: lastTyped(typed, 'id') } })
  const known = id === undefined ? undefined : await getKnownEvent(context, id)
  // The start and the end before the start moved.
  const [start = '', end = ''] = lastTyped(typed, 'moved_from').split('|')
  const said = await formInWords(context, withMovedEnd(context, typed, { start, end }), known)
  return {
    data: {
      text: said.times.text,
      warnings: said.times.warnings,
      again: againTicks({ typed, times: said.times }).markup,
      faults: said.timeFaults,
      typed: said.understood,
      start: said.start,
      end: said.end,
      rule: said.ruleInWords,
      dates: nextDatesList({ context, typed, ...said }).markup,
      ...clashLines(context, said.near),
    },
  }
}

/** Keeps the typed values as an unsaved text. */
async function keepTyped(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  mayUseForm(context)
  const typed = typedOf(request)
  const record = recordIdIn({ variables: { id: lastTyped(typed, 'id') } })
  if (record !== undefined) await getKnownEvent(context, record)
  const { id: _id, key: _key, ...values } = typed
  const version = Number(fieldOf(request, 'version')) || 0
  const state = await keepUnsavedText(context, { kind: 'event', record: record ?? 0, version, values })
  return { data: { state, text: sayAtDesk(context.site, 'Kept, but not saved yet') } }
}

async function discardTyped(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const id = recordIdIn(request) ?? 0
  await discardUnsavedText(context, 'event', id)
  return { seeOther: deskPath(context.site, `/events/${id === 0 ? 'new' : id}`) }
}

export const eventHelpPages: readonly DeskPage[] = [
  { at: '/names', get: listNames },
  { at: '/events/words', post: sayWhen },
  { at: '/events/unsaved', post: keepTyped },
  { at: '/events/:id/discard', post: discardTyped },
]
