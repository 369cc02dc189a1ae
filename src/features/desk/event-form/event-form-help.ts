import { Problem } from '../../../base/problems.ts'
import { plainText } from '../../../base/text/html.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { writeNew } from '../../../calendar/editing/save-record.ts'
import { findEvent } from '../../../calendar/events/event-store.ts'
import { asSeenBy } from '../../../calendar/events/event-when.ts'
import { withImages } from '../../../calendar/images/images.ts'
import { anonymous, can } from '../../../calendar/people/caller.ts'
import { events } from '../../../calendar/resources.ts'
import type { Tx } from '../../../store/storage/recording.ts'
import { html } from '../../pages/page-html.ts'
import type { FormFaults } from '../desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  lastTyped,
  recordIdIn,
  sayAtDesk,
  typedOf,
  versionSent,
} from '../desk-page.ts'
import { type PickedKind, pickNames } from '../picked-names.ts'
import { discardUnsavedText, keepUnsavedText } from '../review/unsaved-texts.ts'
import { formAgain, formInWords, getKnownEvent, mayUseForm, readSentForm } from './event-form.ts'
import { allFaults, faultsAtControls, type ReadForm } from './event-form-values.ts'
import { againTicks, clashLines, nextDatesList } from './event-form-view.ts'
import { withMovedEnd } from './event-times.ts'

// Endpoints that only the form's script requests; the form works without them.

const KINDS: readonly PickedKind[] = ['venue', 'organizer', 'category', 'tag']
const MOST_NAMES = 8

/** Lists names that contain the typed text; offers to create a record if none of them equals it. */
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
      : sayAtDesk(context.site, 'Create “{name}”', { name: text })
  return { data: { names, ...(create !== undefined && { create }) } }
}

/** Explains the typed times in words, with faults, clashes and possible duplicates. */
async function sayWhen(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  mayUseForm(context)
  const typed = typedOf(request)
  const id = recordIdIn({ variables: { id: lastTyped(typed, 'id') } })
  const known = id === undefined ? undefined : await getKnownEvent(context, id)
  // The times typed before the user changed the start.
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

async function keepTyped(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  mayUseForm(context)
  const typed = typedOf(request)
  const record = recordIdIn({ variables: { id: lastTyped(typed, 'id') } })
  if (record !== undefined) await getKnownEvent(context, record)
  const { id: _id, key: _key, form: _form, picture_search: _search, is_last, ...values } = typed
  const version = versionSent(request) ?? 0
  const place = { kind: 'event', record: record ?? 0, form: fieldOf(request, 'form') }
  const state = await keepUnsavedText(context, { ...place, version, values }, is_last !== undefined)
  const text = state === 'too large' ? 'Too long to be kept before it is saved' : 'Kept, but not saved yet'
  return { data: { state, text: sayAtDesk(context.site, text) } }
}

async function discardTyped(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const id = recordIdIn(request) ?? 0
  await discardUnsavedText(context, 'event', id, fieldOf(request, 'form'))
  return { seeOther: deskPath(context.site, `/events/${id === 0 ? 'new' : id}`) }
}

export const eventHelpPages: readonly DeskPage[] = [
  { at: '/names', get: listNames },
  { at: '/events/words', post: sayWhen },
  { at: '/events/unsaved', post: keepTyped },
  { at: '/events/:id/discard', post: discardTyped },
]

// The preview shows an event as visitors would see it, before it is saved.

class TakenBack extends Error {
  readonly document: string
  constructor(document: string) {
    super('What was written for a preview is taken back.')
    this.name = 'TakenBack'
    this.document = document
  }
}

/** Shows the typed event's public page: the event is saved in a transaction that is rolled back. */
async function preview(request: DeskRequest): Promise<DeskAnswer> {
  const { context, query, showPage } = request
  if (!showPage) throw new Problem('rest_no_route')
  const id = recordIdIn({ variables: { id: query.get('id') ?? '' } })
  const known = id === undefined ? undefined : await getKnownEvent(context, id)
  if (!known && !events.operations.rights.create(context)) throw new Problem('rest_forbidden')
  return withImages(context, async () => {
    const read = await readSentForm(request, known, undefined)
    const again = (faults: FormFaults) => formAgain(request, known, read.typed, faults)
    if (Object.keys(read.faults).length > 0) return again(await allFaults(context, read))
    try {
      return { document: await writtenPage(request, read, showPage) }
    } catch (error) {
      const faults = error instanceof Problem && faultsAtControls(context, error)
      if (!faults) throw error
      return again(faults)
    }
  })
}

async function writtenPage(
  { context }: DeskRequest,
  { raw }: ReadForm,
  showPage: NonNullable<DeskRequest['showPage']>,
): Promise<string> {
  const { resource, operations } = events
  const { recurrence_scope: _scope, slug: _slug, author: _author, ...others } = raw
  // Callers who may publish see the event as the public would, whatever its status.
  const values = { ...others, ...(can(context.caller, 'publish') && { status: 'publish' }) }
  const sent = { fields: resource.fields, raw: values, isAllowed: true }
  const show = async (tx: Tx, id: number) => {
    const row = await findEvent(tx, id)
    if (!row) throw new Problem('rest_no_route')
    return showPage(viewedIn(context, tx), asSeenBy(anonymous, row), banner(context))
  }
  try {
    return await writeNew(context, operations, sent, async (tx, write) => {
      const { id } = await write()
      throw new TakenBack(await show(tx, id))
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.document
    throw error
  }
}

const viewedIn = (context: Context, tx: Tx): Context => ({ ...context, db: tx })

function banner({ site }: Context) {
  return html`<p class="banner preview" role="status"><strong>${sayAtDesk(
    site,
    'This is a preview.',
  )}</strong> ${sayAtDesk(site, 'Nothing is saved yet, and nobody else sees it.')}</p>`
}

export const eventPreviewPages: readonly DeskPage[] = [{ at: '/events/preview', post: preview }]
