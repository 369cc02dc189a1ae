import type { Kind } from '../../base/fields/kinds.ts'
import { parameter } from '../../base/text/urls.ts'
import type { Field } from './resource.ts'

// Turns filters of a list into conditions for the database, and into links.

/**
 * How links name a parameter (rule 11.4): `'none'` leaves it out, `ofSent` computes its value from the sent
 * one, `ofList` gives it a value in every list. The sent value is the default.
 */
type InLinks<Value, Ground> = 'none' | { ofSent(sent: Value): unknown } | { ofList(ground: Ground): unknown }

/** `Ground` has facts that all filters of a list share, such as caller and window. */
export interface SqlNarrowing<Value, Ground, Condition> {
  sql(value: Value, ground: Ground): Condition | Promise<Condition>
}

/** A filter narrows by itself, or with the other parameters of its part; `'none'` narrows nothing. */
export type Filter<Value, Part extends string, Ground, Narrows> = Field & {
  // biome-ignore lint/suspicious/noExplicitAny: filters have no column, so any type of stored value will do.
  kind: Kind<Value, any>
  links?: InLinks<NoInfer<Value>, Ground>
} & ({ part: Part | 'none' } | (Narrows & { part?: never }))

type Filters<Ground, Condition> = Readonly<
  Record<string, Partial<SqlNarrowing<unknown, Ground, Condition>> & { links?: InLinks<unknown, Ground> }>
>

export type PartNarrowing<Query, Ground, Condition> = (
  query: Query,
  ground: Ground,
) => Condition | undefined | Promise<Condition | undefined>

export async function conditionsOf<Query extends object, Ground, Condition>(
  filters: Filters<Ground, Condition>,
  parts: readonly PartNarrowing<Query, Ground, Condition>[],
  query: Query,
  ground: Ground,
): Promise<Condition[]> {
  const made = parts.map((part) => part(query, ground))
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) made.push(filters[name]?.sql?.(value, ground))
  return (await Promise.all(made)).filter((condition) => condition !== undefined)
}

const AS_SENT = { ofSent: (sent: unknown) => sent }

/**
 * Writes parameters as the rest of a query string, those in `order` first (rule 11.4).
 * @throws Error if `order` is wrong
 */
export function linkWriter<Ground, Own extends Filters<Ground, unknown>>(
  filters: Own & Filters<Ground, unknown>,
  order: readonly (keyof Own & string)[],
): (query: object, ground: Ground) => string {
  const linked = Object.keys(filters).filter((name) => filters[name]?.links !== 'none')
  const wrong = order.filter((name, at) => !linked.includes(name) || order.indexOf(name) !== at)
  if (wrong.length > 0)
    throw new Error(`Named twice in the order of links, or left out of them: ${wrong.join(', ')}`)
  const rows = [...new Set([...order, ...linked])].map((name, rank) => ({
    name,
    rank,
    links: filters[name]?.links ?? AS_SENT,
  }))
  const ofLists = rows.flatMap(({ links, ...row }) =>
    typeof links === 'object' && 'ofList' in links ? [{ ...row, links }] : [],
  )
  const ofSent = new Map(
    rows.flatMap(({ links, ...row }) =>
      typeof links === 'object' && 'ofSent' in links ? [[row.name, { ...row, links }]] : [],
    ),
  )
  const none = rows.map(() => '')
  return (query, ground) => {
    const texts = none.slice()
    for (const { name, rank, links } of ofLists) texts[rank] = parameter(name, links.ofList(ground))
    // Most lists are narrowed by a few of many parameters.
    for (const name in query) {
      const value: unknown = query[name as keyof typeof query]
      const row = value === undefined ? undefined : ofSent.get(name)
      if (row) texts[row.rank] = parameter(name, row.links.ofSent(value))
    }
    let joined = ''
    for (const text of texts) joined += text
    return joined
  }
}
