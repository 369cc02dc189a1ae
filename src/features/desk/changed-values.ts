import { plainText } from '../../base/text/html.ts'
import { hasWallForm, utcToMs } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Fields } from '../../calendar/declare/resource.ts'
import { event } from '../../calendar/events/event.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import { findTermsByIds } from '../../calendar/terms/term-store.ts'
import { written } from '../feeds/date-forms.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type FormFaults, labelOf, statusName } from './desk-inputs.ts'
import { deskPath, lastTyped, sayAtDesk, type TypedForm, typedOf } from './desk-page.ts'
import { controlLabel } from './event-form/event-form-controls.ts'
import { linkedNames } from './event-form/event-form-values.ts'
import { TIME_CONTROLS } from './event-form/event-times.ts'
import type { UnsavedText } from './review/unsaved-texts.ts'

/** `end` is appended to both values: an ellipsis if their texts are cut. */
export interface ChangedValue {
  member: string
  values: readonly [unknown, unknown]
  end?: string
}

export async function changesTable(
  context: Context,
  fields: Fields,
  [one, other]: readonly [Content, Content],
  changes: readonly ChangedValue[],
  actionOf?: (member: string, label: string) => Content,
): Promise<Html> {
  const rows = await Promise.all(
    changes.map(async ({ member, values: [former, now], end }) => {
      const [before, after] = [
        await valueInWords(context, member, former),
        await valueInWords(context, member, now),
      ]
      const field = fields[member]
      const label = field ? labelOf(context.site, field) : member
      return html`<tr><th scope="row">${label}</th><td class="former" dir="auto">${before}${end}${actionOf?.(
        member,
        label,
      )}</td><td dir="auto">${after}${end}</td></tr>`
    }),
  )
  return html`<table class="changes"><thead><tr><th scope="col">${sayAtDesk(
    context.site,
    'Field',
  )}</th><th scope="col">${one}</th><th scope="col">${other}</th></tr></thead><tbody>${rows}</tbody></table>`
}

async function valueInWords(context: Context, member: string, value: unknown): Promise<string> {
  const { site } = context
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? '✓' : '–'
  if (member === 'status') return statusName(site, String(value))
  if (hasWallForm(value)) return `${written(site, 'dayMonthYear', value)}, ${written(site, 'time', value)}`
  const entries = Array.isArray(value) ? value : [value]
  const nameOf = await namesAt(context, member, entries)
  return entries.map(nameOf).join(', ') || '–'
}

async function namesAt(
  context: Context,
  member: string,
  entries: readonly unknown[],
): Promise<(entry: unknown) => string> {
  const ids = entries.map(String).filter((entry) => /^\d+$/.test(entry))
  const isTerms = member === 'categories' || member === 'tags'
  const isLink = member === 'venue' || member === 'organizer'
  const { venues, organizers } = await linkedNames(context, isLink ? { [member]: ids } : {})
  const terms = isTerms ? await findTermsByIds(context.db, ids.map(Number)) : []
  return (entry) => {
    if (entry !== null && typeof entry === 'object') return plainText(String(Object.values(entry)[0] ?? ''))
    const id = Number(entry)
    const name =
      venues.get(id)?.venue ?? organizers.get(id)?.organizer ?? terms.find((term) => term.id === id)?.name
    return name === undefined ? String(entry) : plainText(name)
  }
}

export interface FormConflict {
  conflicts: readonly { member: string; sent: unknown; now: unknown }[]
  taken: readonly string[]
  version: number
}

export async function conflictNotes(
  context: Context,
  { conflicts, taken }: FormConflict,
): Promise<{ notes: Html; faults: FormFaults }> {
  const { site } = context
  const rows = await Promise.all(
    conflicts.map(async ({ member, sent, now }) => {
      const [mine, theirs] = [
        await valueInWords(context, member, sent),
        await valueInWords(context, member, now),
      ]
      return { member, mine: plainText(mine), theirs: plainText(theirs) }
    }),
  )
  const lines = rows.map(
    ({ member, mine, theirs }) =>
      html`<tr><th scope="row">${labelAt(
        context,
        member,
      )}</th><td dir="auto">${mine}</td><td dir="auto">${theirs}</td></tr>`,
  )
  const others =
    taken.length > 0 &&
    html`<p>${sayAtDesk(site, 'Meanwhile somebody else has changed: {names}. That stays.', {
      names: taken.map((name) => labelAt(context, name)).join(', '),
    })}</p>`
  const notes = html`<div class="both-sides"><table><thead><tr><th scope="col">\
<span class="hidden">${sayAtDesk(
    site,
    'Field',
  )}</span></th><th scope="col">${sayAtDesk(site, 'What you typed')}</th><th scope="col">${sayAtDesk(
    site,
    'What stands there now',
  )}</th></tr></thead><tbody>${lines}</tbody></table>${others}</div>`
  const told = rows.map(({ member, theirs }): [string, string] => [
    CONTROLS[member]?.[0] ?? member,
    sayAtDesk(site, 'Somebody else has written: {value}', { value: theirs }),
  ])
  return { notes, faults: Object.fromEntries(told) }
}

function labelAt({ site }: Context, member: string): string {
  const field = Object.hasOwn(event.fields, member)
    ? event.fields[member as keyof typeof event.fields]
    : undefined
  return field ? labelOf(site, field) : member
}

/** The controls of each field; a field's fault is shown at the first control. */
const CONTROLS: Readonly<Record<string, readonly string[]>> = {
  start_date: TIME_CONTROLS,
  end_date: ['end_time', ...TIME_CONTROLS],
  timezone: ['timezone', ...TIME_CONTROLS],
  all_day: ['all_day', ...TIME_CONTROLS],
  venue: ['venue_name', 'venue'],
  organizer: ['organizer_name', 'organizer'],
  tags: ['new_tags', 'tags'],
  categories: ['categories', 'new_categories'],
}

export function takenOver(typed: TypedForm, now: TypedForm, taken: readonly string[]): TypedForm {
  const names = taken.flatMap((member) => CONTROLS[member] ?? [member])
  const present = names.flatMap((name) => (now[name] ? [[name, now[name]] as const] : []))
  const without = Object.entries(typed).filter(([name]) => !names.includes(name))
  return { ...Object.fromEntries(without), ...Object.fromEntries(present) }
}

export function typedIn({ values }: UnsavedText): TypedForm {
  return typedOf({ form: values })
}

/** Returns a note that offers the unsaved text, or nothing if that text equals the stored values. */
export function unsavedNote(
  context: Context,
  unsaved: UnsavedText | undefined,
  known: { id: number; version: number; typed: TypedForm } | undefined,
): Content {
  if (!unsaved) return ''
  const { site, now } = context
  const kept = typedIn(unsaved)
  const shown = known?.typed ?? {}
  const names = Object.keys(kept).filter((name) => known === undefined || name in shown)
  const different = names.filter((name) => sameTexts(kept[name]) !== sameTexts(shown[name]))
  if (different.length === 0) return ''
  const minutes = Math.round((now - utcToMs(unsaved.saved_utc)) / 60_000)
  const place = deskPath(site, `/events/${known ? known.id : 'new'}`)
  const isOld = known !== undefined && unsaved.version !== known.version
  const title = lastTyped(kept, 'title')
  const rows = different
    .slice(0, MOST_COMPARED)
    .map(
      (name) =>
        html`<tr><th scope="row">${controlLabel(site, name)}</th><td dir="auto">${sameTexts(
          kept[name],
        )}</td><td dir="auto">${sameTexts(shown[name])}</td></tr>`,
    )
  return html`<div class="note unsaved"><p>${sayAtDesk(
    site,
    'You typed something here that was not saved, {time}.',
    { time: agoInWords(site, minutes) },
  )}${known === undefined && title && html` <b dir="auto">${title}</b>`}${
    isOld && html` ${sayAtDesk(site, 'Somebody has changed the event since.')}`
  }</p><a class="button" href="${place}?unsaved=${encodeURIComponent(unsaved.form)}">${sayAtDesk(
    site,
    'Restore it',
  )}</a><form method="post" action="${deskPath(
    site,
    `/events/${known?.id ?? 0}/discard`,
  )}"><input type="hidden" name="form" value="${unsaved.form}"><button type="submit" class="button \
quiet">${sayAtDesk(site, 'Discard')}</button></form>
<details class="inline"><summary>${sayAtDesk(
    site,
    'What is different',
  )}</summary><div class="both-sides"><table><thead><tr><th scope="col"><span class="hidden">${sayAtDesk(
    site,
    'Field',
  )}</span></th><th scope="col">${sayAtDesk(site, 'What you typed')}</th><th scope="col">${sayAtDesk(
    site,
    'What stands there now',
  )}</th></tr></thead><tbody>${rows}</tbody></table></div></details></div>`
}

const MOST_COMPARED = 30

const sameTexts = (texts: readonly string[] | undefined) =>
  (texts ?? []).filter((text) => text !== '' && text !== '0').join(', ')

function agoInWords(site: Context['site'], minutes: number): string {
  const format = new Intl.RelativeTimeFormat(localeOf(site), { numeric: 'auto' })
  if (minutes < 60) return format.format(-minutes, 'minute')
  return minutes < 2 * 1440
    ? format.format(-Math.round(minutes / 60), 'hour')
    : format.format(-Math.round(minutes / 1440), 'day')
}
