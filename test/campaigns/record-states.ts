import type { Kind, Shown, State } from './ledger.ts'

// The states of records as answers of the service show them.

/** A record as an answer shows it. */
type Body = Readonly<Record<string, unknown>>

const members: Readonly<Record<Kind, readonly string[]>> = {
  events: ['title', 'description', 'status', 'start_date', 'end_date'],
  venues: ['venue', 'description', 'status', 'city'],
  organizers: ['organizer', 'description', 'status', 'email'],
  categories: ['name', 'description'],
  tags: ['name', 'description'],
  images: ['title'],
}

/** The record of an answer as the ledger has it. */
export function entryOf(kind: Kind, body: Body): { kind: Kind; id: number; slug: string; state: State } {
  const slug = kind === 'images' ? '' : text(body.slug)
  return { kind, id: Number(body.id), slug, state: stateOf(kind, body) }
}

export function stateOf(kind: Kind, body: Body): State {
  const own = members[kind].map((name): [string, string] => [name, plain(text(body[name]))])
  return kind === 'events' ? { ...Object.fromEntries(own), ...linksOf(body) } : Object.fromEntries(own)
}

/** The members of an event that show other records. */
function linksOf(body: Body) {
  return {
    venues: bodies(body.venue).map((venue) => text(venue.venue)),
    organizers: bodies(body.organizer).map((organizer) => text(organizer.organizer)),
    categories: namesOf(body.categories),
    tags: namesOf(body.tags),
    image: Number(bodies(body.image)[0]?.id ?? 0),
  }
}

const namesOf = (terms: unknown) =>
  bodies(terms)
    .map((term) => text(term.name))
    .sort()

/** Every record that an answer shows, by kind and name: the one asked for and those embedded in it. */
export function shownIn(kind: Kind, body: Body): Map<string, Shown> {
  const shown = new Map<string, Shown>()
  const note = (of: Kind, record: Body, name: unknown) =>
    shown.set(`${of}:${text(name)}`, { id: Number(record.id), slug: of === 'images' ? '' : text(record.slug) })
  const [first = ''] = members[kind]
  note(kind, body, text(body[first]))
  if (kind !== 'events') return shown
  for (const venue of bodies(body.venue)) note('venues', venue, venue.venue)
  for (const organizer of bodies(body.organizer)) note('organizers', organizer, organizer.organizer)
  for (const category of bodies(body.categories)) note('categories', category, category.name)
  for (const tag of bodies(body.tags)) note('tags', tag, tag.name)
  return shown
}

/** One object, several or none (rule 21.1). */
function bodies(value: unknown): Body[] {
  if (Array.isArray(value)) return value
  return value !== null && typeof value === 'object' ? [value as Body] : []
}

/** Titles of images are objects, and what is empty is left out. */
function text(value: unknown): string {
  if (typeof value === 'string') return value
  return value !== null && typeof value === 'object' && 'rendered' in value ? String(value.rendered) : ''
}

/** Text without the paragraph around it: writers send letters, digits and blanks alone. */
const plain = (html: string) => html.replace(/<[^>]*>/g, '').trim()
