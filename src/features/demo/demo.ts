import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields, type RawValues } from '../../calendar/declare/parse.ts'
import { type CalendarGround, contextOn } from '../../calendar/ground.ts'
import { insertUpload, type PreparedUpload, prepareUpload, withImages } from '../../calendar/images/images.ts'
import type { Caller } from '../../calendar/people/caller.ts'
import { listUsers } from '../../calendar/people/users.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import { TermExists } from '../../calendar/terms/term-rules.ts'
import { inMemory } from '../../store/media/image-sizes.ts'
import type { Db } from '../../store/storage/database.ts'
import { type Tx, writerBy } from '../../store/storage/recording.ts'
import type { Taxonomy } from '../../store/storage/schema.ts'
import { drawPosters } from './posters.ts'
import { season } from './season.ts'
import {
  type Branch,
  categories,
  DAYS,
  type Occasion,
  organizers,
  posters,
  type SentFields,
  TOWN,
  tags,
  venues,
} from './town.ts'

export interface DemoGround extends CalendarGround {
  /** In milliseconds since the epoch. The season begins a week or two before. */
  now: number
}

type Ids<Key extends string> = Readonly<Record<Key, number>>

interface Made {
  images: Ids<keyof typeof posters>
  venues: Ids<keyof typeof venues>
  organizers: Ids<keyof typeof organizers>
}

/**
 * Creates the demo in one transaction, in the name of the first administrator; changes nothing if there are
 * events. Returns a sentence on what was done.
 * @throws Error if there is no administrator
 */
export async function fillDemo({ now, ...ground }: DemoGround): Promise<string> {
  const { database } = ground
  const untouched = 'This database already has events; the demo leaves it alone.'
  if (await hasEvents(database.read)) return untouched
  const caller = await getAdministrator(database.read)
  const context = contextOn(ground, caller, { now })
  const by = { ...writerBy('kalends serve --demo'), user: caller.id, login: caller.login }
  const count = await withImages(context, async () => {
    const uploads = await prepareImages(context)
    return database.write(async (tx) => {
      if (await hasEvents(tx)) return 0
      const images = await forEachKey(uploads, async (upload) => (await insertUpload(tx, upload, context)).id)
      return createSeason({ ...context, db: tx, tx }, images)
    }, by)
  })
  return count === 0 ? untouched : `${TOWN}, a town that is on no map, has moved in with ${count} events.`
}

async function hasEvents(db: Db): Promise<boolean> {
  return (await db.selectFrom('events').select('id').limit(1).executeTakeFirst()) !== undefined
}

async function getAdministrator(db: Db): Promise<Caller> {
  const administrator = (await listUsers(db)).find((user) => user.role === 'administrator')
  if (!administrator) throw new Error('The demo is filled in by an administrator, and there is none.')
  return administrator
}

type Creating = Context & { tx: Tx }

async function prepareImages(
  context: Context,
): Promise<Readonly<Record<keyof typeof posters, PreparedUpload>>> {
  const drawn = await drawPosters(Object.values(posters))
  return forEachKey(posters, async (poster) => {
    const file = { fileName: poster.file, ...inMemory(drawn.get(poster) ?? Buffer.alloc(0)) }
    const upload = await prepareUpload(file, context)
    if (!upload) throw new Error(`${poster.file} has become no image.`)
    return upload
  })
}

async function createSeason(context: Creating, images: Made['images']): Promise<number> {
  for (const branch of categories) await createBranch(context, branch, 0)
  for (const name of tags) await createTerm(context, 'tag', { name })
  const send = (kind: string) => (record: SentFields) => {
    const { poster, ...sent } = record
    return create(context, kind, poster ? { ...sent, image: images[poster] } : sent)
  }
  const made = {
    images,
    venues: await forEachKey(venues, send('venue')),
    organizers: await forEachKey(organizers, send('organizer')),
  }
  const today = dayOf(wallNow(context.site.timezone, context.now))
  const events = season.flatMap((occasion) =>
    occasion.weeks.map((week) => eventOf(occasion, week, today, made)),
  )
  for (const event of events) await create(context, 'event', event)
  const { total } = await context.tx
    .selectFrom('events')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

async function createBranch(
  context: Creating,
  { below = [], ...sent }: Branch,
  parent: number,
): Promise<void> {
  const id = await createTerm(context, 'category', { ...sent, parent })
  for (const branch of below) await createBranch(context, branch, id)
}

async function createTerm(context: Creating, taxonomy: Taxonomy, sent: RawValues): Promise<number> {
  try {
    return await create(context, taxonomy, sent)
  } catch (error) {
    if (error instanceof TermExists) return error.term
    throw error
  }
}

async function create(context: Creating, name: string, sent: RawValues): Promise<number> {
  const { resource, operations } = resourceNamed(name)
  const values = await parseFields(resource.fields, sent, context)
  const { prepare, write } = operations.create
  return (await write(context.tx, await prepare(context, values), context)).id
}

async function forEachKey<Key extends string, Value, Result>(
  entries: Readonly<Record<Key, Value>>,
  make: (entry: Value) => Promise<Result>,
): Promise<Readonly<Record<Key, Result>>> {
  const made: [string, Result][] = []
  for (const [key, entry] of Object.entries<Value>(entries)) made.push([key, await make(entry)])
  return Object.fromEntries(made) as Record<Key, Result>
}

function eventOf(occasion: Occasion, week: number, today: string, made: Made): RawValues {
  const { title, excerpt, description, categories, tags = [], again, sent } = occasion
  const first = addDays(firstMonday(today), week * 7 + DAYS.indexOf(occasion.day))
  return {
    title,
    excerpt,
    description,
    categories,
    tags,
    ...timesOf(occasion, first),
    date:
      occasion.appears === undefined
        ? announced(first, today)
        : `${addDays(today, occasion.appears)} 08:00:00`,
    image: occasion.poster && made.images[occasion.poster],
    venue: occasion.venue && made.venues[occasion.venue],
    organizer: occasion.organizers.map((key) => made.organizers[key]),
    show_map: true,
    show_map_link: true,
    ...(again === undefined ? {} : { recurrence: `RRULE:${again}` }),
    ...sent,
  }
}

function timesOf({ hours, days = 1 }: Occasion, first: string): RawValues {
  const last = addDays(first, days - 1)
  if (!hours) return { all_day: true, start_date: first, end_date: last }
  const [from, to] = hours
  return { start_date: `${first} ${from}:00`, end_date: `${to < from ? addDays(last, 1) : last} ${to}:00` }
}

/** The Monday 8 to 14 days before today. */
function firstMonday(today: string): string {
  const sinceMonday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7
  return addDays(today, sinceMonday === 0 ? -14 : -7 - sinceMonday)
}

/** Returns when events are published: four weeks before the first day, at the latest yesterday. */
function announced(first: string, today: string): string {
  const [day] = [addDays(first, -28), addDays(today, -1)].sort()
  return `${day} 10:00:00`
}
