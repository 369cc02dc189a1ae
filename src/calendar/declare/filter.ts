import type { Kind } from '../../base/fields/kinds.ts'
import { parameter } from '../../base/text/urls.ts'
import type { Field } from './resource.ts'

// Turns query parameters that filter a list into database conditions, and into the query string of links to
// other pages.

/**
 * How links to other pages repeat a parameter (rule 11.4): not at all (`'none'`), computed from the sent
 * value (`ofSent`) or for every list (`ofList`). By default, the sent value is repeated.
 */
type InLinks<Value, Ground> = 'none' | { ofSent(sent: Value): unknown } | { ofList(ground: Ground): unknown }

/** `Ground` has what all filters of a list share, such as caller and window. */
export interface SqlNarrowing<Value, Ground, Condition> {
  sql(value: Value, ground: Ground): Condition | Promise<Condition>
}

/**
 * Without `part`, a filter yields a condition of its own; filters with the same `part` yield one condition
 * together (see `PartNarrowing`); `'none'` yields none.
 */
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
 * Makes a function that writes the parameters of a list as the rest of a query string, those in `order` first
 * (rule 11.4).
 * @throws Error if `order` has a parameter twice, or one that links leave out
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
    // Most requests send few parameters, so only those are visited.
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
