import { type Expression, type RawBuilder, sql } from 'kysely'

const BETWEEN_ROWS = '\u001e'

const TIME_LENGTH = 'YYYY-MM-DD HH:MM:SS'.length

export interface TimedRow {
  id: number
  time: string
  text: string
}

/** Joins rows into one string for `rowsIn`: passing rows one by one takes longer than finding them. */
export const asOneText = (columns: Record<keyof TimedRow, Expression<unknown>>): RawBuilder<string | null> =>
  sql`string_agg(${columns.id} || ' ' || ${columns.time} || ' ' ||
    replace(${columns.text}, ${BETWEEN_ROWS}, ' '), ${BETWEEN_ROWS})`

export const rowsIn = (rows: string | null): TimedRow[] =>
  (rows?.split(BETWEEN_ROWS) ?? []).map((row) => {
    const time = row.indexOf(' ') + 1
    const text = time + TIME_LENGTH
    return { id: Number(row.slice(0, time)), time: row.slice(time, text), text: row.slice(text + 1) }
  })
