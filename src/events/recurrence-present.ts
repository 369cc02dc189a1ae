import type { Context } from '../context/context.ts'
import type { Recurrence, Start } from '../recurrence/recurrence.ts'
import { recurrenceText } from '../recurrence/recurrence-text.ts'
import { recurrenceObject, ruleText } from '../recurrence/write-recurrence.ts'
import type { Db } from '../storage/database.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { findSeriesByIds } from './event-store.ts'

/** The dates that a series has by its rule. */
export function recurrenceOf(series: Pick<SeriesRow, 'rules'>): Recurrence {
  return JSON.parse(series.rules)
}

/** The start that the rule of a series counts from. */
export function startOf(series: Pick<SeriesRow, 'start_date' | 'timezone' | 'all_day'>): Start {
  return { local: series.start_date, zone: series.timezone, allDay: series.all_day === 1 }
}

/** How a rule is shown: its line without the name, its plain object and its words. Empty for dates without a rule. */
export interface ShownRule {
  rrule: string
  rule: object | null
  text: string
}

/** Occurrences that are shown together share the row of their series. */
const shown = new WeakMap<SeriesRow, ShownRule>()

export function showRule({ site, say }: Pick<Context, 'site' | 'say'>, series: SeriesRow): ShownRule {
  const known = shown.get(series)
  if (known) return known
  const [recurrence, start] = [recurrenceOf(series), startOf(series)]
  const { rule } = recurrence
  const found: ShownRule = {
    rrule: rule ? ruleText(rule, start) : '',
    rule: rule ? recurrenceObject({ rule, added: [], left: [] }, start) : null,
    // Dates that are left out or added one by one are no matter of the others.
    text: recurrenceText(rule ? { rule, added: [], left: [] } : recurrence, start, site.language, say),
  }
  shown.set(series, found)
  return found
}

/** The names of the fields that an occurrence has changed for itself. */
export function ownFields({ own }: Pick<EventRow, 'own'>): string[] {
  return own === '' ? [] : own.split(',')
}

/** The members that only occurrences have, shown behind all others: how they repeat, and the series they belong to. */
export function presentRecurrence(
  context: Pick<Context, 'site' | 'say'>,
  row: Pick<EventRow, 'recurrence_id' | 'own'>,
  series: SeriesRow,
): { recurrence: object; post_parent: number } {
  const recurrence = {
    series: series.id,
    ...showRule(context, series),
    id: row.recurrence_id,
    overrides: ownFields(row),
  }
  return { recurrence, post_parent: series.id }
}

const selectOccurrences = statement<{ ids: readonly number[] }>()((db, value) =>
  db.selectFrom('events').select(['id', 'series', 'recurrence_id', 'own']).where('id', 'in', value('ids')),
)

/** The same members of those of these events that are occurrences, by id. */
export async function presentRecurrences(
  context: Pick<Context, 'site' | 'say'>,
  db: Db,
  ids: readonly number[],
): Promise<Map<number, object>> {
  if (ids.length === 0) return new Map()
  const rows = await selectOccurrences(db, { ids })
  const all = await findSeriesByIds(db, [...new Set(rows.flatMap(({ series }) => series ?? []))])
  return new Map(
    rows.flatMap((row) => {
      const series = all.get(row.series ?? 0)
      return series ? [[row.id, presentRecurrence(context, row, series)] as const] : []
    }),
  )
}
