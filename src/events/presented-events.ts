import { createHash } from 'node:crypto'
import sanitizer from 'sanitize-html/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import type { PresentedRecord, Presenter } from '../common/presented-records.ts'
import type { Presenting } from '../declare/asking.ts'
import { presentOrganizer } from '../organizers/organizer-present.ts'
import { heldIfFree } from '../storage/locks.ts'
import type { OrganizerRow, VenueRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { presentVenue } from '../venues/venue-present.ts'
import { OWN_COLUMNS, type OwnRow, writeOwn } from './event-present.ts'

/** How events, and what they show of venues and organizers, are kept presented. */
export const presenters: {
  events: Presenter<OwnRow>
  venues: Presenter<VenueRow>
  organizers: Presenter<OrganizerRow>
} = {
  events: {
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      heldIfFree(db, db.selectFrom('events').select(OWN_COLUMNS).where('id', 'in', value('ids'))),
    ),
    present: presentOwn,
  },
  venues: {
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      heldIfFree(db, db.selectFrom('venues').selectAll().where('id', 'in', value('ids'))),
    ),
    present: (presenting, row) => presentLinked(row, () => presentVenue(presenting, row, undefined)),
  },
  organizers: {
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      heldIfFree(db, db.selectFrom('organizers').selectAll().where('id', 'in', value('ids'))),
    ),
    present: (presenting, row) => presentLinked(row, () => presentOrganizer(presenting, row, undefined)),
  },
}

/** A public event presented from its row. */
export function presentOwn(presenting: Presenting, row: OwnRow): PresentedRecord | undefined {
  if (row.status !== 'publish') return undefined
  return { record: row.id, image: row.image, own: writeOwn(presenting, row, undefined) }
}

/** One with an image is not kept: where the image stands, others have nothing. */
function presentLinked(row: VenueRow | OrganizerRow, present: () => object): PresentedRecord | undefined {
  if (row.status !== 'publish' || row.image !== null) return undefined
  return { record: row.id, image: null, own: JSON.stringify(present()) }
}

const forms = new WeakMap<Presenting['site'], { url: string; form: string }>()

/**
 * Names how records are presented: with this site, this version of the program and of what it cleans HTML and names zones with. What was kept
 * in another form is not used.
 */
export function formOf(presenting: Presenting): string {
  const { site } = presenting
  const known = forms.get(site)
  if (known?.url === site.url) return known.form
  const { icu, tz } = process.versions
  const probes = [
    writeOwn(presenting, EVENT, undefined),
    presentVenue(presenting, VENUE, undefined),
    presentOrganizer(presenting, ORGANIZER, undefined),
  ]
  const parts = [site, packageJson.version, sanitizer.version, icu, tz, probes]
  const form = createHash('sha1').update(JSON.stringify(parts)).digest('base64url').slice(0, 10)
  forms.set(site, { url: site.url, form })
  return form
}

const TEXTS = {
  description:
    'A paragraph.\nAnother line\n\n<p onclick="x()">A <a href="javascript:x">link</a></p>\n<ul><li>a</li></ul>',
  excerpt: 'Less than < more',
}

const RECORD = {
  id: 1,
  author: 1,
  status: 'publish',
  slug: 'probe',
  date: '2026-01-02 03:04:05',
  date_utc: '2026-01-02 02:04:05',
  modified: '2026-02-03 04:05:06',
  modified_utc: '2026-02-03 03:05:06',
  image: null,
  trusted: 0,
  ...TEXTS,
}

const NAME = 'One & <b>“two”</b> — <script>three</script>'
const WEBSITE = 'https://example.org/?a=1&b=2'

// Records by which a change of how they are presented shows, during development above all.
const EVENT: OwnRow = {
  ...RECORD,
  title: NAME,
  start_date: '2026-07-01 20:00:00',
  end_date: '2026-07-02 01:30:00',
  utc_start_date: '2026-07-01 18:00:00',
  utc_end_date: '2026-07-01 23:30:00',
  timezone: 'Europe/Berlin',
  all_day: 0,
  cost: '["5","10 EUR","free"]',
  website: WEBSITE,
  show_map: 1,
  show_map_link: 0,
  hide_from_listings: 0,
  sticky: 0,
  featured: 1,
}
const VENUE: VenueRow = {
  ...RECORD,
  venue: NAME,
  folded: '',
  search: '',
  show_map: 1,
  show_map_link: 0,
  address: 'Street 1',
  city: 'Town',
  country: 'Germany',
  province: 'Province',
  state: 'State',
  zip: '01234',
  phone: '1',
  stateprovince: 'Province',
  website: WEBSITE,
  geo_lat: 0,
  geo_lng: 7.25,
}
const ORGANIZER: OrganizerRow = {
  ...RECORD,
  organizer: NAME,
  folded: '',
  search: '',
  phone: '1',
  website: WEBSITE,
  email: 'who@example.org',
}
