import type { KalendsProblem } from '../../client/src/problem.ts'
import type { verifyWebhook } from '../../client/src/webhook.ts'
import type { Client } from './client-shapes.ts'

export interface ClientPackage {
  createKalends: (options: { url: string; token?: string }) => Client
  etagOf: (record: object) => string
  verifyWebhook: typeof verifyWebhook
}

export interface Ground {
  url: string
  token: string
  secret: string
  message: { headers: Record<string, string>; body: string }
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const times = { start_date: '2027-06-01 10:00:00', end_date: '2027-06-01 12:00:00' }
const in2027 = { start_date: '2027-01-01', end_date: '2027-12-31' }

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (problem: KalendsProblem) => `${problem.name} ${problem.status} ${problem.code}`,
  )

async function listAll<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const record of records) all.push(record)
  return all
}

export async function goRound(
  { createKalends, etagOf, verifyWebhook }: ClientPackage,
  ground: Ground,
): Promise<object> {
  const { url, token, secret, message } = ground
  const calendar = createKalends({ url, token })
  const stranger = createKalends({ url })
  const signed = (own: string) =>
    verifyWebhook({ headers: new Headers(message.headers), text: async () => message.body }, own)
  return {
    events: await useEvents(calendar, etagOf),
    names: {
      venues: await useNames(calendar, 'venues', 'venue'),
      organizers: await useNames(calendar, 'organizers', 'organizer'),
      categories: await useNames(calendar, 'categories', 'name'),
      tags: await useNames(calendar, 'tags', 'name'),
    },
    changes: await followChanges(calendar),
    batch: await writeMany(calendar),
    image: await usePicture(calendar),
    strangers: [
      await codeOf(stranger.venues.create({ venue: 'Not mine' })),
      await codeOf(stranger.events.get(987654321)),
      await stranger.events.list({}, { signal: AbortSignal.abort() }).catch(({ name }) => name),
    ],
    webhook: [(await signed(secret)).type, await codeOf(signed(`whsec_${btoa('another')}`))],
  }
}

async function useEvents({ events }: Client, etagOf: ClientPackage['etagOf']): Promise<object> {
  const made = await events.create({
    title: 'Fish & <em>Chips</em> &amp;lt;',
    ...times,
    venue: { venue: 'Jack & Jill’s' },
    tags: ['Salt & Vinegar'],
  })
  const key = `round-${made.id}`
  const [once, twice] = [
    await events.create({ title: 'Once', ...times }, { key }),
    await events.create({ title: 'Once', ...times }, { key }),
  ]
  const read = await events.get(made.id)
  const ifMatch = etagOf(read)
  const changed = await events.update(made.id, { title: 'Peas' }, { ifMatch })
  const result = {
    title: [read.title, read.titleHtml],
    linked: [read.venue.venue, read.tags.map(({ name }) => name)],
    bySlug: (await events.get(read.slug)).id === made.id,
    keyed: once.id === twice.id,
    changed: changed.title,
    stale: await codeOf(events.update(made.id, { title: 'Late' }, { ifMatch })),
    page: (await events.list({ ...in2027, per_page: 1 })).events.length,
    stream: (await listAll(events.all(in2027))).map(({ title }) => title).sort(),
    pages: (await listAll(events.all({ ...in2027, per_page: 1 }))).map(({ title }) => title).sort(),
    removed: [(await events.remove(made.id)).status, (await events.remove(once.id)).status],
    again: await codeOf(events.remove(made.id)),
  }
  return result
}

async function useNames(
  calendar: Client,
  resource: 'venues' | 'organizers' | 'categories' | 'tags',
  member: string,
) {
  const records = calendar[resource]
  const nameOf = (record: Record<string, unknown>) => [record[member], record[`${member}Html`]]
  const made = await records.create({ [member]: `Round & <b>${resource}` })
  const changed = await records.update(made.id, { [member]: 'B &amp;amp; C' })
  const all = await listAll(records.all({ hide_empty: false, search: 'C' }))
  return {
    made: nameOf(made),
    changed: nameOf(changed),
    read: nameOf(await records.get(made.id)),
    listed: all.filter(({ id }) => id === made.id).length,
    removed: Object.keys(await records.remove(made.id)).length > 0,
  }
}

async function followChanges({ changes, venues }: Client): Promise<string[]> {
  let token = ''
  for await (const change of changes()) if (change.action === 'token') token = change.token
  const { id } = await venues.create({ venue: 'Told of' })
  await venues.remove(id)
  const { id: other } = await venues.create({ venue: 'Jazz & Co' })
  const told: string[] = []
  for await (const change of changes(token)) {
    if (change.action === 'upsert' && change.kind === 'venue') told.push(`upsert ${change.record.venue}`)
    else told.push(change.action)
  }
  await venues.remove(other)
  return told
}

async function writeMany({ batch }: Client): Promise<unknown[]> {
  const writes = [
    { path: 'venues', body: { venue: 'In & out' } },
    { path: 'venues', body: { venue: 'x', geo_lat: 1 } },
  ]
  const some = await batch(writes)
  const none = await batch(writes, { isAllOrNone: true })
  const [made] = some
  const { id, venue } = Object(made?.body)
  await batch([{ method: 'DELETE', path: `venues/${id}` }])
  const summary = (one: (typeof some)[number]) => one && [one.status, one.problem?.code ?? null]
  return [venue, some.map(summary), none.map(summary)]
}

async function usePicture({ events, media }: Client): Promise<unknown[]> {
  const bytes = Uint8Array.from(atob(PIXEL), (sign) => sign.charCodeAt(0))
  const file = new Blob([bytes], { type: 'image/png' })
  const image = await media.upload(file, { filename: 'dot.png', alt_text: 'A dot & no more' })
  const shown = await events.create({ title: 'With a picture', ...times, image: image.id })
  await events.remove(shown.id)
  return [image.mime_type, image.alt_text, shown.image.id === image.id]
}
