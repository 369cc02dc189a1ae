import type { Kind, Shown, State } from './ledger.ts'

// Converts records in answers to states of the ledger.

type Body = Readonly<Record<string, unknown>>

const members: Readonly<Record<Kind, readonly string[]>> = {
  events: ['title', 'description', 'status', 'start_date', 'end_date'],
  venues: ['venue', 'description', 'status', 'city'],
  organizers: ['organizer', 'description', 'status', 'email'],
  categories: ['name', 'description'],
  tags: ['name', 'description'],
  images: ['title'],
}

export function entryOf(kind: Kind, body: Body): { kind: Kind; id: number; slug: string; state: State } {
  const slug = kind === 'images' ? '' : text(body.slug)
  return { kind, id: Number(body.id), slug, state: stateOf(kind, body) }
}

export function stateOf(kind: Kind, body: Body): State {
  const own = members[kind].map((name): [string, string] => [name, plain(text(body[name]))])
  return kind === 'events' ? { ...Object.fromEntries(own), ...linksOf(body) } : Object.fromEntries(own)
}

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

export function shownIn(kind: Kind, body: Body): Map<string, Shown> {
  const shown = new Map<string, Shown>()
  const note = (of: Kind, record: Body, name: unknown) =>
    shown.set(`${of}:${text(name)}`, {
      id: Number(record.id),
      slug: of === 'images' ? '' : text(record.slug),
    })
  const [first = ''] = members[kind]
  note(kind, body, text(body[first]))
  if (kind !== 'events') return shown
  for (const venue of bodies(body.venue)) note('venues', venue, venue.venue)
  for (const organizer of bodies(body.organizer)) note('organizers', organizer, organizer.organizer)
  for (const category of bodies(body.categories)) note('categories', category, category.name)
  for (const tag of bodies(body.tags)) note('tags', tag, tag.name)
  return shown
}

function bodies(value: unknown): Body[] {
  if (Array.isArray(value)) return value
  return value !== null && typeof value === 'object' ? [value as Body] : []
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  return value !== null && typeof value === 'object' && 'rendered' in value ? String(value.rendered) : ''
}

const plain = (html: string) => html.replace(/<[^>]*>/g, '').trim()
