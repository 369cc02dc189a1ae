import { invalidParam, Problem } from '../../base/problems.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { readStates } from '../../calendar/history/record-states.ts'
import { can, mayEdit } from '../../calendar/people/caller.ts'
import { events } from '../../calendar/resources.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { written } from '../feeds/date-forms.ts'
import { findPostponed, linkPostponed } from '../feeds/postponed-store.ts'
import { writtenDay } from '../pages/page-dates.ts'
import { type Content, html } from '../pages/page-html.ts'
import type { FormFaults } from './desk-inputs.ts'
import { deskPath, lastTyped, sayAtDesk, type TypedForm } from './desk-page.ts'
import { readEventForm, typedEvent } from './event-form/event-form-values.ts'
import { readTimes, typedTimes } from './event-form/event-times.ts'
import { movedEnd } from './event-lengths.ts'
import { eventLink } from './record-links.ts'

// A postponed event gets a copy on its new day; the two are linked in both directions.

export interface NewDay {
  day: string
  /** `HH:MM:SS`, or empty if each event keeps its time of day. */
  time: string
}

export const ONE_DATE_ALONE = 'Only single dates get a new day: choose one date of the series.'

/** Reads the new day; `later` is missing if none was typed, since it may not be known yet. */
export function readNewDay(context: Context, typed: TypedForm): { later?: NewDay; faults: FormFaults } {
  const [date, time] = [lastTyped(typed, 'later_date').trim(), lastTyped(typed, 'later_time').trim()]
  if (date === '' && time === '') return { faults: {} }
  const { site } = context
  const read = (isAllDay: boolean) =>
    readTimes(context, {
      start_date: [date],
      start_time: [time],
      all_day: [isAllDay ? '1' : '0'],
      timezone: [site.timezone],
    })
  const timed = read(false)
  const isTimed = time !== '' || timed.start !== undefined
  const { start, faults } = isTimed ? timed : read(true)
  const { start_date, start_time } = faults
  if (start === undefined || start_time !== undefined)
    return {
      faults: {
        ...(start_date !== undefined && { later_date: start_date }),
        ...(start_time !== undefined && { later_time: start_time }),
      },
    }
  const day = dayOf(start)
  if (day < dayOf(wallNow(site.timezone, context.now)))
    return { faults: { later_date: sayAtDesk(site, 'That is in the past.') } }
  return { later: { day, time: isTimed ? start.slice(11) : '' }, faults: {} }
}

export function newDayOf(context: Context, typed: TypedForm, row: EventRow): ReturnType<typeof readNewDay> {
  if (lastTyped(typed, 'event_status') !== 'postponed' || !mayEdit(context.caller, row)) return { faults: {} }
  const read = readNewDay(context, typed)
  const isOfMany = row.series !== null && lastTyped(typed, 'recurrence_scope') !== 'this'
  return read.later && isOfMany ? { faults: { later_date: sayAtDesk(context.site, ONE_DATE_ALONE) } } : read
}

export function undoPostponing(site: Context['site'], token: string): Content {
  if (!/^[\w-]{36}$/.test(token)) return false
  return html` · <form method="post" action="${deskPath(
    site,
    '/events/undo',
  )}"><button type="submit" class="link" name="undo" value="${token}">${sayAtDesk(site, 'Undo')}</button>\
</form>`
}

/** Shows links between a postponed event and its copy. */
export async function postponedNote(context: Context, row: EventRow): Promise<Content> {
  const { site } = context
  const { former, later } = await findPostponed(context, row)
  const link = (other: EventRow, text: 'New date: {date}' | 'Postponed from {date}') => {
    const day = writtenDay(site, dayOf(other.start_date), '')
    const date = other.all_day === 1 ? day : `${day}, ${written(site, 'time', other.start_date)}`
    return eventLink(context, other, sayAtDesk(site, text, { date }))
  }
  if (!former && !later) return ''
  const links = html`${later && link(later, 'New date: {date}')} ${
    former && link(former, 'Postponed from {date}')
  }`
  return html`<div class="note"><p>${links}</p></div>`
}

/**
 * Prepares a copy on the new day, linked with the original. The returned function creates it and returns its
 * id, or undefined if a form sent twice has already created it.
 * @throws Problem rest_forbidden if the caller may not create events; rest_invalid_param
 */
export async function prepareLater(
  context: Context,
  row: EventRow,
  { day, time }: NewDay,
): Promise<(tx: Tx) => Promise<number | undefined>> {
  const { resource, operations } = events
  if (!operations.rights.create(context)) throw new Problem('rest_forbidden')
  const { site, db, caller } = context
  const state = (await readStates(db, 'event', [row.id])).get(row.id) ?? {}
  const { start_date: before, end_date, timezone } = row
  const isAllDay = row.all_day === 1
  const start = `${day} ${isAllDay || time === '' ? before.slice(11) : time}`
  const end = movedEnd(before, end_date, start) ?? start
  const { author, ...copied } = typedEvent(site, state, row)
  const typed: TypedForm = {
    ...copied,
    ...(can(caller, 'edit_others') && { author }),
    slug: [''],
    event_status: ['scheduled'],
    event_status_reason: [''],
    ...typedTimes(site, { start_date: start, end_date: end, all_day: isAllDay, timezone }),
  }
  const { raw, faults } = await readEventForm(context, typed, undefined)
  if (Object.keys(faults).length > 0) throw invalidParam('start_date')
  const values = await parseFields(resource.fields, raw, context, { extent: 'whole', mayAsk: true })
  const prepared = await operations.create.prepare(context, values)
  return async (tx) => {
    const known = await findPostponed({ db: tx }, { ...row, event_status: 'postponed' })
    if (known.later?.start_date === start) return undefined
    const { id } = await operations.create.write(tx, prepared, context)
    await linkPostponed(tx, row.id, id)
    return id
  }
}
