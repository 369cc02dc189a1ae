import { deepEqual, equal, ifError, ok, rejects } from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import sharp from 'sharp'
import { readConfig, siteOf } from '../../src/base/config.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import {
  deleteImage,
  filesOf,
  findImage,
  insertUpload,
  isImageReference,
  linkImage,
  prepareUpload,
  presentImage,
  resolveImage,
  withImages,
} from '../../src/calendar/images/images.ts'
import type { Role } from '../../src/calendar/people/caller.ts'
import { inMemory } from '../../src/store/media/image-sizes.ts'
import { localMediaStore } from '../../src/store/media/media-store.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { nextRecordId } from '../../src/store/storage/history.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import type { ImageRow } from '../../src/store/storage/schema.ts'
import { drawPng } from '../support/pictures.ts'
import { startServer } from '../support/server.ts'

const NOW = Date.UTC(2026, 10, 20, 15, 11, 35)
const MEDIA = 'https://example.org/media'

const small = await drawPng(120, 90)
const large = await drawPng(400, 300)
const told = await sharp(await drawPng(40, 30))
  .withExif({ IFD0: { Artist: 'Anna Private' }, IFD3: { GPSLatitude: '51/1 30/1 11/1' } })
  .jpeg()
  .toBuffer()
const visits: string[] = []
const sendPicture: RequestListener = (request, response) => {
  const path = request.url ?? ''
  visits.push(path)
  const bytes = path.startsWith('/large')
    ? large
    : path.startsWith('/lying')
      ? Buffer.from('<html></html>')
      : path.startsWith('/told')
        ? told
        : small
  if (path.endsWith('.png')) response.writeHead(200, { 'content-type': 'image/png' }).end(bytes)
  else response.writeHead(404).end()
}
let pictures = ''
let close: () => void
let folder = ''
let database: Database

before(async () => {
  const server = await startServer(sendPicture)
  pictures = server.origin
  close = server.close
})
after(() => close())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kalends-'))
  database = await openDatabase(`sqlite:${join(folder, 'kalends.sqlite')}`)
  await migrate(database)
  visits.length = 0
})

afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

function asks(role: Role = 'author', id = 7): Context {
  return {
    db: database.read,
    readInLane: database.readInLane,
    write: database.write,
    findMatching: database.findMatching,
    say: (text) => text,
    report: ifError,
    images: {
      store: localMediaStore(join(folder, 'media')),
      hosts: ['127.0.0.1'],
      maxBytes: 1_000_000,
      mediaUrl: MEDIA,
    },
    site: siteOf(readConfig({ site_url: 'https://example.org' }, {}, []), 80),
    caller: { id, login: role, role },
    now: NOW,
  }
}

function upload(file: Parameters<typeof prepareUpload>[0], context: Context): Promise<ImageRow | undefined> {
  return withImages(context, async () => {
    const prepared = await prepareUpload(file, context)
    return prepared && database.write((tx) => insertUpload(tx, prepared, context))
  })
}

function remove(row: ImageRow, context = asks()): Promise<void> {
  return withImages(context, () => database.write((tx) => deleteImage(tx, row, context)))
}

function link(reference: string | number, context = asks()): Promise<number | null | undefined> {
  return withImages(context, async () => {
    const resolved = await resolveImage(reference, context)
    return resolved && database.write((tx) => linkImage(tx, resolved, context))
  })
}

async function linked(reference: string | number, context = asks()): Promise<number> {
  const id = await link(reference, context)
  ok(id)
  return id
}

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(join(folder, 'media'), { recursive: true }).catch(() => [])
  const stats = await Promise.all(
    entries.map(async (name) => ({ name, info: await stat(join(folder, 'media', name)) })),
  )
  return stats
    .filter(({ info }) => info.isFile() && info.size > 0)
    .map(({ name }) => name)
    .sort()
}

const countImages = async () => (await database.read.selectFrom('images').select('id').execute()).length

async function changes(): Promise<string[]> {
  const rows = await database.read.selectFrom('changes').select(['kind', 'record', 'deleted']).execute()
  return rows.map(({ kind, record, deleted }) => `${kind} ${record}${deleted === 1 ? ' is gone' : ''}`)
}

describe('an address of an image', () => {
  test('gives a new image with an id of the sequence of records, and its change is noted', async () => {
    const event = await database.write((tx) => nextRecordId(tx, 'event'))
    const id = await linked(`${pictures}/poster.png`)
    equal(id, event + 1)
    deepEqual(
      { ...(await findImage(database.read, id)) },
      {
        id,
        author: 7,
        title: 'poster',
        slug: 'poster',
        alt_text: '',
        caption: '',
        description: '',
        search: 'poster\nposter',
        modified_utc: '2026-11-20 15:11:35',
        date_utc: '2026-11-20 15:11:35',
        file: '2026/11/poster.png',
        mime_type: 'image/png',
        width: 120,
        height: 90,
        filesize: small.length,
        sizes: '{}',
        focal_x: null,
        focal_y: null,
        source_url: `${pictures}/poster.png`,
        original_image: '',
      },
    )
    deepEqual(await changes(), [`image ${id}`])
    deepEqual(await readFile(join(folder, 'media', '2026/11/poster.png')), small)
  })

  test('is fetched once by a request that validates it, even several times, and then writes', async () => {
    const context = asks()
    const url = `${pictures}/poster.png`
    const valid = await Promise.all([isImageReference(url, context), isImageReference(url, context)])
    deepEqual(valid, [true, true])
    equal(await countImages(), 0)
    ok(await link(url, context))
    deepEqual(visits, ['/poster.png'])
  })

  test('gives a file without what its camera noted in it, and so does an upload', async () => {
    ok(told.includes('Anna Private'))
    const fetched = await findImage(database.read, await linked(`${pictures}/told.png`))
    const uploaded = await upload({ ...inMemory(told), fileName: 'told.jpg' }, asks())
    for (const row of [fetched, uploaded]) {
      const bytes = await readFile(join(folder, 'media', row?.file ?? ''))
      ok(!bytes.includes('Anna Private'))
      equal((await sharp(bytes).metadata()).exif, undefined)
      equal(row?.filesize, bytes.length)
    }
  })

  test('that was fetched before gives the same image again, to anybody who may upload', async () => {
    const id = await linked(`${pictures}/poster.png`)
    equal(await link(`${pictures}/poster.png`, asks('editor', 9)), id)
    deepEqual(visits, ['/poster.png'])
    deepEqual(await storedFiles(), ['2026/11/poster.png'])
  })

  test('that two requests bring at once gives one image and leaves one set of files', async () => {
    const ids = await Promise.all([link(`${pictures}/large.png`), link(`${pictures}/large.png`)])
    equal(ids[0], ids[1])
    equal(await countImages(), 1)
    equal((await storedFiles()).length, 3)
  })

  test('gives files of other names when theirs are taken', async () => {
    for (const path of ['a/poster.png', 'b/poster.png', 'c/poster.png']) ok(await link(`${pictures}/${path}`))
    deepEqual(await storedFiles(), ['2026/11/poster-1.png', '2026/11/poster-2.png', '2026/11/poster.png'])
  })

  test('is given a free name among very many of the same', async () => {
    for (let i = 0; i < 23; i++) ok(await upload({ ...inMemory(small), fileName: 'image.png' }, asks()))
    const names = await storedFiles()
    equal(names.length, 23)
    ok(names.includes('2026/11/image-20.png') && !names.includes('2026/11/image-21.png'))
  })

  test('gives files of other names when only that of a size is taken', async () => {
    const first = await upload({ ...inMemory(small), fileName: 'large-150x150.png' }, asks())
    const row = await findImage(database.read, await linked(`${pictures}/large.png`))
    equal(row?.file, '2026/11/large-1.png')
    deepEqual(await readFile(join(folder, 'media', first?.file ?? '')), small)
  })

  test('gives files of other names when an image has theirs and has lost them', async () => {
    const first = (await findImage(database.read, await linked(`${pictures}/large/poster.png`))) as ImageRow
    await rm(join(folder, 'media'), { recursive: true })
    for (const name of ['poster.png', 'poster-300x225.png']) {
      const id = await linked(`${pictures}/${name}`)
      const row = (await findImage(database.read, id)) as ImageRow
      ok(!filesOf(first).some((file) => filesOf(row).includes(file)), row.file)
    }
    const uploaded = await upload({ ...inMemory(small), fileName: 'poster.png' }, asks())
    equal(uploaded?.file, '2026/11/poster-2.png')
    const there = await readdir(join(folder, 'media'), { recursive: true })
    ok(!there.some((path) => path.endsWith('/poster.png')), there.join())
  })

  test('of a write that fails leaves no file under the name of another image', async () => {
    ok(await upload({ ...inMemory(small), fileName: 'poster.png' }, asks()))
    await rm(join(folder, 'media'), { recursive: true })
    const context = asks()
    await withImages(context, async () => {
      const prepared = await prepareUpload({ ...inMemory(large), fileName: 'other.png' }, context)
      ok(prepared)
      await database.write((tx) => tx.updateTable('images').set({ file: prepared.stored.file }).execute())
      await rejects(database.write((tx) => insertUpload(tx, prepared, context)))
    })
    deepEqual(await storedFiles(), [])
  })

  test('gives nothing to those who may not upload, known or not', async () => {
    await link(`${pictures}/poster.png`)
    for (const role of ['contributor', 'subscriber'] as const) {
      for (const path of ['poster.png', 'other.png']) {
        equal(await isImageReference(`${pictures}/${path}`, asks(role)), false)
        equal(await link(`${pictures}/${path}`, asks(role)), undefined)
      }
    }
    deepEqual(visits, ['/poster.png'])
  })

  test('is not fetched after ten others in one request', async () => {
    const context = asks()
    const valid: boolean[] = []
    for (let i = 0; i < 11; i++) valid.push(await isImageReference(`${pictures}/${i}.png`, context))
    deepEqual([valid.filter(Boolean).length, valid.at(-1), visits.length], [10, false, 10])
  })
})

describe('the id of an image', () => {
  test('is taken as a number or as text, from anybody', async () => {
    const id = await linked(`${pictures}/poster.png`)
    const context = asks('contributor')
    for (const value of [
      id,
      String(id),
      { id },
      { id: String(id), url: 'https://elsewhere.example/x.png' },
    ]) {
      equal(await isImageReference(value, context), true)
    }
    equal(await link(id, context), id)
  })

  test('links nothing when the image is removed before the write', async () => {
    const context = asks()
    const row = await upload({ ...inMemory(small), fileName: 'poster.png' }, context)
    ok(row)
    const resolved = await resolveImage(row.id, context)
    await remove(row, context)
    ok(resolved)
    equal(await database.write((tx) => linkImage(tx, resolved, context)), null)
  })
})

test('an empty value is a reference to no image, and anything else is no reference', async () => {
  for (const value of ['', 0, '0', false, []]) equal(await isImageReference(value, asks('contributor')), true)
  for (const value of [true, ['1'], {}, { id: 'x' }, { url: `${pictures}/poster.png` }])
    equal(await isImageReference(value, asks()), false)
  equal(await link('', asks('contributor')), null)
})

describe('the files of an image', () => {
  test('are removed again when the transaction fails', async () => {
    const context = asks()
    const failing = withImages(context, async () => {
      const resolved = await resolveImage(`${pictures}/large.png`, context)
      ok(resolved)
      equal((await storedFiles()).length, 3)
      return database.write(async (tx) => {
        await linkImage(tx, resolved, context)
        throw new Error('refused by a rule')
      })
    })
    await rejects(failing, /refused by a rule/)
    deepEqual([await storedFiles(), await countImages()], [[], 0])
  })

  test('are removed again when the request ends before its transaction', async () => {
    const context = asks()
    const failing = withImages(context, async () => {
      await resolveImage(`${pictures}/poster.png`, context)
      throw new Error('another field is wrong')
    })
    await rejects(failing, /another field is wrong/)
    deepEqual(await storedFiles(), [])
  })

  test('go with the image, and its names are not given to another', async () => {
    const row = await upload({ ...inMemory(large), fileName: 'poster.png' }, asks())
    ok(row)
    equal((await storedFiles()).length, 3)
    await remove(row)
    deepEqual([await storedFiles(), await findImage(database.read, row.id)], [[], undefined])
    deepEqual(await changes(), [`image ${row.id} is gone`])
    equal(
      (await upload({ ...inMemory(large), fileName: 'poster.png' }, asks()))?.file,
      '2026/11/poster-1.png',
    )
  })
})

describe('an image is shown', () => {
  test('with its sizes in the order of their making (rule 8.2)', async () => {
    const row = await upload({ ...inMemory(large), fileName: 'poster.png' }, asks())
    ok(row)
    const shown = presentImage(row, MEDIA)
    const filesize = async (name: string) => (await stat(join(folder, 'media/2026/11', name))).size
    const expected = {
      url: `${MEDIA}/2026/11/poster.png`,
      id: row.id,
      extension: 'png',
      width: 400,
      height: 300,
      filesize: large.length,
      sizes: {
        medium: {
          width: 300,
          height: 225,
          'mime-type': 'image/png',
          filesize: await filesize('poster-300x225.png'),
          url: `${MEDIA}/2026/11/poster-300x225.png`,
        },
        thumbnail: {
          width: 150,
          height: 150,
          'mime-type': 'image/png',
          filesize: await filesize('poster-150x150.png'),
          url: `${MEDIA}/2026/11/poster-150x150.png`,
        },
      },
    }
    equal(JSON.stringify(shown), JSON.stringify(expected))
  })

  test('as a scaled copy that names its original when it is very large', async () => {
    const row = await upload({ ...inMemory(await drawPng(2600, 40)), fileName: 'wide.png' }, asks())
    ok(row)
    const shown = presentImage(row, MEDIA)
    deepEqual([shown.url, shown.width, shown.height], [`${MEDIA}/2026/11/wide-scaled.png`, 2560, 39])
    deepEqual(Object.entries(shown).at(-1), ['original_image', 'wide.png'])
    ok((await storedFiles()).includes('2026/11/wide.png'))
    await remove(row)
    deepEqual(await storedFiles(), [], 'its original goes with it')
  })
})
