import { eventFields } from './event-fields.ts'
import { factOfAccess, someOf } from './kinds.ts'
import { venueFields } from './linked-fields.ts'
import { namesWith } from './member.ts'

// The facts of access of events and venues, by their names.

/** The facts of access of a venue. */
export const venueFacts = namesWith(venueFields, 'kind', factOfAccess)

/** The facts of access of an event. */
export const eventFacts = [...namesWith(eventFields, 'kind', factOfAccess), 'sign_language'] as const

/** All of them. The index knows each by its place. */
export const accessFacts: readonly string[] = [...venueFacts, ...eventFacts]

/** A list of such facts. */
export const accessList = someOf(accessFacts)

/** Returns the facts, among `facts`, that a record has. It does not have those that are not known. */
export function factsIn<Fact extends string>(
  record: Readonly<Partial<Record<Fact, unknown>>>,
  facts: readonly Fact[],
): Fact[] {
  return facts.filter((fact) => Boolean(record[fact]))
}
