import type { Kind } from '../../base/fields/kinds.ts'
import { parameter } from '../../base/text/urls.ts'
import type { Field } from './resource.ts'

// Declares what a filter of a list consists of, and makes from filters the conditions and the links of a
// list.

/**
 * How links of a list name a parameter (rule 11.4): `'none'` leaves it out, `ofSent` makes its value from the
 * sent one, and `ofList` gives it a value in the links of every list. Without `links` it is named as it was
 * sent. A value of `undefined` leaves it out.
 */
type InLinks<Value, Ground> = 'none' | { ofSent(sent: Value): unknown } | { ofList(ground: Ground): unknown }

/**
 * How a filter narrows a query of the database. `Ground` are facts that all filters of a list share, such as
 * its caller and its window.
 */
export interface SqlNarrowing<Value, Ground, Condition> {
  sql(value: Value, ground: Ground): Condition | Promise<Condition>
}

/**
 * One parameter of a list: how it is read, narrows the list and is named in links. It narrows the list by
 * itself, or together with the other parameters of the part that it names. With the part `'none'` it narrows
 * nothing.
 */
export type Filter<Value, Part extends string, Ground, Narrows> = Field & {
  // biome-ignore lint/suspicious/noExplicitAny: filters have no column, so any type of stored value will do.
  kind: Kind<Value, any>
  links?: InLinks<NoInfer<Value>, Ground>
} & ({ part: Part | 'none' } | (Narrows & { part?: never }))

type Filters<Ground, Condition> = Readonly<
  Record<string, Partial<SqlNarrowing<unknown, Ground, Condition>> & { links?: InLinks<unknown, Ground> }>
>

/**
 * Returns the condition by which a part of a list narrows a query of the database; undefined where it narrows
 * nothing.
 */
export type PartNarrowing<Query, Ground, Condition> = (
  query: Query,
  ground: Ground,
) => Condition | undefined | Promise<Condition | undefined>

/** Makes the conditions of a list: those of its parts, and those of each filter that was sent. */
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
 * Returns a function that writes the parameters of links as the rest of a query string: each that has a
 * value, first those in `order`, then the others in the order of their declaration (rule 11.4).
 * @throws Error where `order` names a filter twice, or one that links leave out
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
    // The sent parameters are walked, and not all declared ones: most lists are narrowed by a few of many.
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
