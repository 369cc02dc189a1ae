import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { writeNew } from '../../calendar/editing/save-record.ts'
import { findEvent } from '../../calendar/events/event-store.ts'
import { asSeenBy } from '../../calendar/events/online-link.ts'
import { withImages } from '../../calendar/images/images.ts'
import { anonymous, can } from '../../calendar/people/caller.ts'
import { events } from '../../calendar/resources.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { html } from '../pages/page-html.ts'
import { type DeskAnswer, type DeskPage, type DeskRequest, fieldOf, recordIdIn, sayAtDesk } from './desk-page.ts'
import { formAgain, getKnownEvent } from './event-form.ts'
import { allFaults, faultsAtControls, type ReadForm, readEventForm } from './event-form-values.ts'
import { keepPicture } from './event-picture.ts'
import { typedOf } from './typed-form.ts'

// Shows an event as visitors would see it, before it is saved.

/** Carries a page out of a transaction that is taken back. */
class TakenBack extends Error {
  readonly document: string
  constructor(document: string) {
    super('What was written for a preview is taken back.')
    this.name = 'TakenBack'
    this.document = document
  }
}

/**
 * Shows the page that a form would make. The form is written as a new event, shown by the code of the public pages, and taken back before anybody
 * could see it.
 */
async function preview(request: DeskRequest): Promise<DeskAnswer> {
  const { context, query, showPage } = request
  if (!showPage) throw new Problem('rest_no_route')
  const id = recordIdIn({ variables: { id: query.get('id') ?? '' } })
  const known = id === undefined ? undefined : await getKnownEvent(context, id)
  if (!known && !events.operations.rights.create(context)) throw new Problem('rest_forbidden')
  // A picture that is sent along is kept as saving would keep it, and is not sent again then.
  const [read, picture] = await Promise.all([
    readEventForm(context, typedOf(request), undefined),
    keepPicture(request, fieldOf(request, 'key')),
  ])
  if (picture && 'id' in picture) read.raw.image = picture.id
  const wrong = { ...read.faults, ...(picture && 'fault' in picture && { image: picture.fault }) }
  if (Object.keys(wrong).length > 0)
    return formAgain(request, known, await allFaults(context, { ...read, faults: wrong }))
  try {
    return { document: await withImages(context, () => writtenPage(request, read, showPage)) }
  } catch (error) {
    const faults = error instanceof Problem ? faultsAtControls(context, error) : undefined
    if (!faults) throw error
    return formAgain(request, known, faults)
  }
}

async function writtenPage(
  { context }: DeskRequest,
  { raw }: ReadForm,
  showPage: NonNullable<DeskRequest['showPage']>,
): Promise<string> {
  const { resource, operations } = events
  const { recurrence_scope: _scope, slug: _slug, author: _author, ...others } = raw
  // As the public would see it, whatever becomes of it.
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

/** The context of the page: it reads within the transaction, so the page shows drafts of venues that come with the event. */
const viewedIn = (context: Context, tx: Tx): Context => ({ ...context, db: tx })

function banner({ site }: Context) {
  return html`<p class="banner preview" role="status"><strong>${sayAtDesk(site, 'This is a preview.')}</strong> ${sayAtDesk(site, 'Nothing is saved yet, and nobody else sees it.')}</p>`
}

export const eventPreviewPages: readonly DeskPage[] = [{ at: '/events/preview', post: preview }]
