import { eventFields } from '../../base/fields/event-fields.ts'
import { eventFacts, venueFacts } from '../../base/fields/event-members.ts'
import type { FieldData } from '../../base/fields/field.ts'
import { venueFields } from '../../base/fields/linked-fields.ts'
import { plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { SharedColumns } from '../../calendar/series/series-store.ts'
import type { VenueRow } from '../../store/storage/schema.ts'
import { writtenNumber } from './page-dates.ts'
import { type Html, html, link, NOTHING } from './page-html.ts'
import { say } from './viewing.ts'

/** `isSo` is false if the fact is known not to hold. */
type Known = [name: string, isSo: boolean]

/** Known access facts of a venue, true ones first; `NOTHING` if none is known. */
export function venueAccess({ say: translate, site }: Context, venue: VenueRow): Html {
  return factList(
    site,
    venueFacts.flatMap((fact): Known[] =>
      venue[fact] === null ? [] : [[translate(venueFields[fact].about), venue[fact] === 1]],
    ),
  )
}

export function factInWords({ say: translate }: Context, name: string): string {
  const fact = [...venueFacts, ...eventFacts].find((known) => known === name)
  return fact === undefined ? name : translate({ ...venueFields, ...eventFields }[fact].about)
}

/** Access facts of an event or series and its venues, with access note and contact; `NOTHING` without any. */
export function accessFact(context: Context, row: SharedColumns, venues: readonly VenueRow[]): Html {
  const { site } = context
  const own = eventFacts.flatMap((fact): Known[] => {
    const value = row[fact]
    if (value === null || value === '') return []
    const name = context.say(eventFields[fact].about)
    return [
      typeof value === 'string'
        ? [`${name}: ${languageName(site.language, value)}`, true]
        : [name, value === 1],
    ]
  })
  const there = venues
    .map((venue) => ({ venue, list: venueAccess(context, venue) }))
    .filter(({ list }) => list !== NOTHING)
  const [note, contact] = [plainText(row.access_note), plainText(row.access_contact)]
  const parts = [
    own.length > 0 && html`<dd>${factList(site, own)}</dd>`,
    ...there.map(
      ({ venue, list }) =>
        html`<dd>${
          venues.length > 1 && html`<strong><bdi>${plainText(venue.venue)}</bdi></strong>`
        }${list}</dd>`,
    ),
    note !== '' && html`<dd><bdi>${note}</bdi></dd>`,
    contact !== '' &&
      html`<dd><bdi>${say(site, 'Questions about access: {contact}', { contact })}</bdi></dd>`,
  ].filter(Boolean)
  return parts.length === 0 ? NOTHING : html`<div><dt>${say(site, 'Accessibility')}</dt>${parts}</div>`
}

function factList(site: Context['site'], facts: readonly Known[]): Html {
  if (facts.length === 0) return NOTHING
  const inOrder = [...facts.filter(([, isSo]) => isSo), ...facts.filter(([, isSo]) => !isSo)]
  return html`<ul class="known">${inOrder.map(([name, isSo]) =>
    isSo ? html`<li>${name}</li>` : html`<li class="not">${say(site, '{fact}: no', { fact: name })}</li>`,
  )}</ul>`
}

/** Abbreviations by language tag, since `Intl` knows few sign languages. */
const SIGN_LANGUAGES: Readonly<Record<string, string>> = {
  ...{ ase: 'ASL', asf: 'Auslan', asq: 'ÖGS', aed: 'LSA', bfi: 'BSL', bzs: 'Libras', csc: 'LSC', csq: 'HZJ' },
  ...{
    dse: 'NGT',
    dsl: 'DTS',
    fsl: 'LSF',
    fse: 'SVK',
    gsg: 'DGS',
    ise: 'LIS',
    isg: 'ISL',
    jsl: 'JSL',
    kvk: 'KSL',
  },
  ...{ mfs: 'LSM', nsl: 'NTS', nzs: 'NZSL', pso: 'PJM', psr: 'LGP', sfb: 'LSFB', sgg: 'DSGS', ssp: 'LSE' },
  ...{ ssr: 'LSF-SR', slf: 'LIS-SI', swl: 'STS', vgt: 'VGT' },
}

function languageName(shownIn: string, tag: string): string {
  return SIGN_LANGUAGES[tag] ?? new Intl.DisplayNames(shownIn, { type: 'language' }).of(tag) ?? tag
}

/**
 * Labels and values of the fields that have a value.
 * @param shown values by field name, as in REST responses
 */
export function labelledFacts(
  context: Context,
  fields: Readonly<Record<string, FieldData>>,
  shown: Readonly<Record<string, unknown>> = {},
): Html[] {
  return Object.entries(shown).flatMap(([name, value]) => {
    const field = fields[name]
    if (!field || value === '' || value === null || value === false) return []
    const label = context.say(field.label ?? field.about)
    return [html`<div><dt>${label}</dt><dd>${valueInWords(context, field, value)}</dd></div>`]
  })
}

function valueInWords(
  { site, say: translate }: Context,
  { kind, input, words }: FieldData,
  value: unknown,
): Html {
  if (value === true) return html`${say(site, 'Yes')}`
  if (typeof value === 'number') return html`${writtenNumber(site, value)}`
  const text = plainText(String(value))
  const word = words?.[text]
  if (word !== undefined) return html`${translate(word)}`
  return (input ?? kind.input) === 'url'
    ? html`<a href="${link(String(value))}" rel="noopener"><bdi>${text}</bdi></a>`
    : html`<bdi>${text}</bdi>`
}
