import { deepEqual, equal, fail } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Context } from '../../src/calendar/declare/context.ts'
import type { Caller, Role } from '../../src/calendar/people/caller.ts'
import { findNamed, type PickedKind, pickNames } from '../../src/features/desk/picked-names.ts'
import { findQuickLinks, readQuickLine } from '../../src/features/desk/spoken/quick-line.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests()
before(async () => {
  await service.ready
  for (const [name, more] of [
    ['Écluse', { city: 'Lyon' }],
    ['Eclipse Hall', {}],
    ["St Brigid's", {}],
    ["St Mary's", {}],
    ['Trashed hall', {}],
    ['Draft hall', { status: 'draft' }],
    ['100% Hall_1', {}],
  ] as const) {
    const { id } = await service.create('/venues', { venue: name, ...more })
    if (name === 'Trashed hall') await service.remove(`/venues/${id}`)
  }
  await service.create('/organizers', { organizer: 'Choir of St Brigid' })
  const arts = await service.create('/categories', { name: 'Arts' })
  await service.create('/categories', { name: 'Music', parent: arts.id })
  await service.create('/tags', { name: 'Free entry' })
  await service.create('/tags', { name: 'Music' })
})
const caller = (role: Role | undefined): Caller => ({
  id: role ? (service.userIds[role === 'administrator' ? 'admin' : role] ?? 0) : 0,
  login: role ?? '',
  role,
})

const asker = (role: Role | undefined = 'editor'): Pick<Context, 'db' | 'caller'> => ({
  db: service.app.database.read,
  caller: caller(role),
})

async function picked(kind: PickedKind, text: string, role?: Role, most = 8): Promise<string[]> {
  return (await pickNames(kind, text, asker(role), most)).map(({ name }) => name)
}

describe('names for pickers', () => {
  test('are those that begin with the text in any case, then those that have it elsewhere', async () => {
    deepEqual(await picked('venue', 'ecl'), ['Eclipse Hall', 'Écluse'])
    deepEqual(await picked('venue', 'ÉCL'), ['Eclipse Hall', 'Écluse'])
    deepEqual(await picked('venue', 'brigid’s'), ["St Brigid's"])
    deepEqual(await picked('organizer', 'choir'), ['Choir of St Brigid'])
    deepEqual(await picked('organizer', 'st b'), ['Choir of St Brigid'])
    deepEqual(await picked('tag', 'fr'), ['Free entry'])
  })

  test('of nothing typed are the first ones, and never more than asked for', async () => {
    deepEqual(await picked('venue', '', 'editor', 2), ['100% Hall_1', 'Draft hall'])
    deepEqual(await picked('venue', 'hall', 'editor', 2), ['100% Hall_1', 'Draft hall'])
  })

  test('leave out the trash, and what the caller may not see', async () => {
    deepEqual(await picked('venue', 'trashed'), [])
    deepEqual(await picked('venue', 'draft'), ['Draft hall'])
    deepEqual(await picked('venue', 'draft', 'author'), [])
    deepEqual(await picked('venue', 'draft', 'contributor'), [])
  })

  test('tell a venue by its city, and a category by the one it lies in', async () => {
    const [venue] = await pickNames('venue', 'éclu', asker(), 8)
    equal(venue?.about, 'Lyon')
    const [category] = await pickNames('category', 'music', asker(), 8)
    deepEqual([category?.name, category?.about], ['Music', 'Arts'])
  })

  test('take signs of patterns as they stand, and no text is too strange', async () => {
    deepEqual(await picked('venue', '100%'), ['100% Hall_1'])
    deepEqual(await picked('venue', '%'), ['100% Hall_1'])
    deepEqual(await picked('venue', '_'), ['100% Hall_1'])
    for (const text of ['\0', '\ud800', '\\', "'", '\u{10ffff}', 'a'.repeat(301), 'x'.repeat(1_000_000)])
      for (const kind of ['venue', 'organizer', 'category', 'tag'] as const) {
        await picked(kind, text)
        equal(await findNamed(kind, text, asker()), undefined)
      }
  })
})

describe('the names of a quick line', () => {
  const linksOf = async (text: string) => {
    const line = readQuickLine(text, { language: 'en', timezone: 'UTC', now: Date.UTC(2026, 10, 23) })
    const { venue, categories, tags, ...others } = await findQuickLinks(line ?? fail(), asker())
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)
    return { ...others, venue: venue?.name, categories: names(categories), tags: names(tags) }
  }
  const none = { title: 'Choir', venue: undefined, categories: [], tags: [], newTags: [] }

  test('are found by the whole name, or by a beginning that only one has', async () => {
    const links = await linksOf('Choir fri 19:00 @ st brigids’ #music #free-entry #arts')
    deepEqual(links, {
      ...none,
      newVenue: 'st brigids’',
      categories: ['Music', 'Arts'],
      tags: ['Free entry'],
    })
    deepEqual(await linksOf("Choir fri 19:00 @ ST BRIGID'S"), { ...none, venue: "St Brigid's" })
    deepEqual(await linksOf('Choir fri 19:00 @ st b'), { ...none, venue: "St Brigid's" })
    deepEqual(await linksOf('Choir fri 19:00, ecluse'), { ...none, venue: 'Écluse' })
  })

  test('stay as text where several begin so, or none does', async () => {
    deepEqual(await linksOf('Choir fri 19:00 @ St'), { ...none, newVenue: 'St' })
    deepEqual(await linksOf('Choir fri 19:00 @ Mill #new #new'), {
      ...none,
      newVenue: 'Mill',
      newTags: ['new'],
    })
  })

  test('are looked for behind the last comma of a title, by the whole name alone', async () => {
    deepEqual(await linksOf("Choir, St Mary's, fri 19:00"), { ...none, venue: "St Mary's" })
    deepEqual(await linksOf('Choir, St M, fri 19:00'), { ...none, title: 'Choir, St M' })
  })
})
