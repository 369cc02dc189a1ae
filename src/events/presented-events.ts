import { createHash } from 'node:crypto'
import sanitizer from 'sanitize-html/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import type { Presenting } from '../declare/context.ts'
import { blankColumns } from '../fields/field.ts'
import { organizer, presentOrganizer } from '../linked/organizer.ts'
import { presentVenue, venue } from '../linked/venue.ts'
import { keepPresented, type PresentedRecord, type Unkept } from '../memory/presented-records.ts'
import { textsOfRecord } from '../records/record-texts.ts'
import type { Db } from '../storage/database.ts'
import { heldIfFree } from '../storage/locks.ts'
import type { OrganizerRow, RecordKind, VenueRow } from '../storage/schema.ts'
import { statement } from '../storage/statement.ts'
import { showOrLeaveOut } from '../storage/unshowable.ts'
import { areTextsPrepared } from '../text/long-texts.ts'
import type { WantedText } from '../text/text-work.ts'
import { event } from './event.ts'
import { CORE_COLUMNS, type CoreRow, writeCore } from './event-present.ts'

/** How events, and the venues and organizers they show, are stored presented. */
export const presenters: {
  events: Presenter<CoreRow>
  venues: Presenter<VenueRow>
  organizers: Presenter<OrganizerRow>
} = {
  events: {
    kind: 'event',
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      heldIfFree(db, db.selectFrom('events').select(CORE_COLUMNS).where('id', 'in', value('ids'))),
    ),
    texts: (row) => textsOfRecord(row, 'listed'),
    present: presentCore,
  },
  venues: {
    kind: 'venue',
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      heldIfFree(db, db.selectFrom('venues').selectAll().where('id', 'in', value('ids'))),
    ),
    texts: (row) => textsOfRecord(row, 'listed'),
    present: (presenting, row) => presentLinked(row, () => presentVenue(presenting, row, undefined)),
  },
  organizers: {
    kind: 'organizer',
    hold: statement<{ ids: readonly number[] }>()((db, value) =>
      heldIfFree(db, db.selectFrom('organizers').selectAll().where('id', 'in', value('ids'))),
    ),
    texts: (row) => textsOfRecord(row, 'listed'),
    present: (presenting, row) => presentLinked(row, () => presentOrganizer(presenting, row, undefined)),
  },
}

/** A public event presented from its row. */
export function presentCore(presenting: Presenting, row: CoreRow): PresentedRecord | undefined {
  if (row.status !== 'publish') return undefined
  return { record: row.id, image: row.image, ...writeCore(presenting, row) }
}

/** One with an image is not kept: where the image stands, others have nothing. */
function presentLinked(row: VenueRow | OrganizerRow, present: () => object): PresentedRecord | undefined {
  if (row.status !== 'publish' || row.image !== null) return undefined
  return { record: row.id, image: null, members: JSON.stringify(present()), imageAt: 0, rare: '' }
}

const forms = new WeakMap<Presenting['site'], { url: string; form: string }>()

/**
 * The form of presented records: the site, the version of the program, of the sanitiser and of the time zone names. Texts of another form are not
 * used.
 */
export function formOf(presenting: Presenting): string {
  const { site } = presenting
  const known = forms.get(site)
  if (known?.url === site.url) return known.form
  const { icu, tz } = process.versions
  const probes = [
    writeCore(presenting, EVENT),
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
  dated: 0,
  modified: '2026-02-03 04:05:06',
  modified_utc: '2026-02-03 03:05:06',
  image: null,
  trusted: 0,
  ...TEXTS,
}

const NAME = 'One & <b>“two”</b> — <script>three</script>'
const WEBSITE = 'https://example.org/?a=1&b=2'

// Records by which a change of how they are presented shows, during development above all.
const EVENT: CoreRow = {
  ...blankColumns(event.fields, NAME),
  ...RECORD,
  start_date: '2026-07-01 20:00:00',
  end_date: '2026-07-02 01:30:00',
  utc_start_date: '2026-07-01 18:00:00',
  utc_end_date: '2026-07-01 23:30:00',
  timezone: 'Europe/Berlin',
  cost: '["5","10 EUR","free"]',
  website: WEBSITE,
  show_map: 1,
  show_map_link: 0,
  featured: 1,
}
// Their members come from the declarations, so a new field is included.
const VENUE: VenueRow = {
  ...blankColumns(venue.fields, NAME),
  ...RECORD,
  folded: '',
  search: '',
  show_map: 1,
  website: WEBSITE,
  geo_lat: 0,
  geo_lng: 7.25,
}
const ORGANIZER: OrganizerRow = {
  ...blankColumns(organizer.fields, NAME),
  ...RECORD,
  folded: '',
  search: '',
  website: WEBSITE,
}

/** How records of a kind are presented and stored. */
export interface Presenter<Row> {
  kind: RecordKind
  /** Holds and returns the rows of these records until the end of the transaction; rows that another transaction is changing are left out. */
  hold: (tx: Db, values: { ids: readonly number[] }) => Promise<Row[]>
  /** The texts that take long to present; a record whose texts are not prepared is stored another time. */
  texts: (row: Row) => readonly WantedText[]
  /** Undefined for a record that is not stored presented: it is not public. */
  present: (presenting: Presenting, row: Row) => PresentedRecord | undefined
}

/** Records that are stored with one write, which takes a few milliseconds. */
const KEPT_AT_ONCE = 64
const MOST_UNKEPT = 4096

/** Queues a record to be stored presented. */
export function keepLater<Row extends { id: number }>(
  unkept: Unkept,
  presenter: Presenter<Row>,
  presenting: Presenting,
  form: string,
  id: number,
) {
  const { ids } = unkept
  if (ids.size < MOST_UNKEPT) ids.add(id)
  if (ids.size < KEPT_AT_ONCE || unkept.isKeeping) return
  const some = [...ids].slice(0, KEPT_AT_ONCE)
  for (const taken of some) ids.delete(taken)
  unkept.isKeeping = true
  unkept
    .write(async (tx) => {
      const held = await presenter.hold(tx, { ids: some })
      const rows = held.filter((row) => areTextsPrepared(presenter.texts(row)))
      await keepPresented(
        tx,
        form,
        rows.flatMap(
          (row) => showOrLeaveOut(presenting, presenter.kind, row.id, () => presenter.present(presenting, row)) ?? [],
        ),
      )
    })
    // They are presented from their rows the next time as well.
    .catch(() => undefined)
    .finally(() => {
      unkept.isKeeping = false
    })
}
