import type { EventLinks } from '../events/event-store.ts'
import { findImages } from '../images/images.ts'
import { findLinkedByIds } from '../linked/linked-store.ts'
import { organizerRules } from '../organizers/organizer-rules.ts'
import type { Db } from '../storage/database.ts'
import type { OrganizerRow, SeriesRow, TermRow, VenueRow } from '../storage/schema.ts'
import { findTermsByIds } from '../terms/term-store.ts'
import { venueRules } from '../venues/venue-rules.ts'
import { readShared, type Shared } from './series-shared.ts'

/** The records that these series link to, in order, with one query for each kind; deleted records are left out. */
export async function findSeriesLinks(db: Db, rows: readonly SeriesRow[]): Promise<EventLinks[]> {
  const shared = rows.map(readShared)
  const all = (name: 'venues' | 'organizers' | 'terms') => [...new Set(shared.flatMap((one) => one[name]))]
  const [venues, organizers, terms] = await Promise.all([
    findLinkedByIds<VenueRow>(db, venueRules, all('venues')),
    findLinkedByIds<OrganizerRow>(db, organizerRules, all('organizers')),
    findTermsByIds(db, all('terms')),
  ])
  const pictured: readonly { image: number | null }[] = [...shared, ...venues.values(), ...organizers.values()]
  const images = await findImages(
    db,
    pictured.flatMap(({ image }) => image ?? []),
  )
  return shared.map((one) => ({
    venues: one.venues.flatMap((id) => venues.get(id) ?? []),
    organizers: one.organizers.flatMap((id) => organizers.get(id) ?? []),
    ...termsOf(one, terms),
    images,
    series: undefined,
  }))
}

/** Terms by name, as events show them. */
function termsOf(shared: Shared, terms: readonly TermRow[]): Pick<EventLinks, 'categories' | 'tags'> {
  const own = terms
    .filter(({ id }) => shared.terms.includes(id))
    .sort((a, b) => (a.folded === b.folded ? a.id - b.id : a.folded < b.folded ? -1 : 1))
  return {
    categories: own.filter(({ taxonomy }) => taxonomy === 'category'),
    tags: own.filter(({ taxonomy }) => taxonomy === 'tag'),
  }
}
