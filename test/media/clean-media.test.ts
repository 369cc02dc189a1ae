import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { listHistory } from '../../src/features/accounts/audit-command.ts'
import { registerMediaCommands } from '../../src/features/transfer/clean-media.ts'
import type { MediaStore } from '../../src/store/media/media-store.ts'
import { openMediaStore } from '../../src/store/media/open-media-store.ts'
import { runCommand } from '../support/commands.ts'
import { drawPng } from '../support/pictures.ts'
import { type S3Server, startS3 } from '../support/s3.ts'
import { startService, type TestService } from '../support/service.ts'

const LATER = 2 * 3_600_000
const LEFTOVER = '2026/11/.01234567-89ab-cdef-0123-456789abcdef'

let service: TestService
let store: MediaStore

const fileTime = () => performance.timeOrigin + performance.now()

async function clean(words: string[] = [], { from = store, after = LATER } = {}) {
  const database = { ...service.app.database, close: async () => undefined }
  const open = async () => ({ database, store: from, failure: () => undefined })
  return runCommand(
    (program) => registerMediaCommands(program, open, () => fileTime() + after),
    ['media', 'clean', ...words],
  )
}

async function upload(): Promise<{ id: number; source_url: string }> {
  const bytes = await drawPng(2700, 300, '#0a8')
  const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="kept.png"' }
  const { body } = await service.post('~/wp-json/wp/v2/media', new Uint8Array(bytes), 'admin', headers)
  return body
}

async function held(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key, size } of store.list()) if (size > 0) keys.push(key)
  return keys.sort()
}

const kinds = { 'a folder': false, 'an S3-compatible store': true }

for (const [kind, isS3] of Object.entries(kinds)) {
  describe(`kalends media clean, of ${kind}`, () => {
    let s3: S3Server | undefined
    before(async () => {
      s3 = isS3 ? await startS3() : undefined
      service = await startService(s3 ? { media: s3.place('town') } : {})
      store = await openMediaStore(
        s3?.place('town') ?? `file:${join(service.config.data, 'media')}`,
        (error) => {
          throw error
        },
      )
    })
    after(async () => {
      await service.close()
      await s3?.close()
    })

    test('finds nothing where every file has its image', async () => {
      deepEqual(await clean(), {
        out: 'Every file that is older than an hour belongs to an image.\n',
        err: '',
        code: 0,
      })
      await upload()
    })

    test('lists what no image names, and leaves it', async () => {
      const image = await upload()
      const gone = await upload()
      await service.remove(`~/wp-json/wp/v2/media/${gone.id}`)
      const before = await held()
      await store.put('2026/11/orphan.png', Buffer.from('orphan'), 'image/png')
      await store.put('2026/11/orphan-150x150.png', Buffer.from('small'), 'image/png')
      const { out, code } = await clean()
      equal(code, 0)
      deepEqual(out.split('\n'), [
        '2026/11/orphan-150x150.png  5',
        '2026/11/orphan.png  6',
        '2 files of 11 bytes that no image names; kalends media clean --yes removes them.',
        '',
      ])
      equal((await held()).length, before.length + 2)
      equal((await fetch(image.source_url)).status, 200)
    })

    test('leaves what was written within the last hour, whose image may be about to be noted', async () => {
      match((await clean(['--yes'], { after: 0 })).out, /^Every file/)
      ok((await held()).includes('2026/11/orphan.png'))
    })

    test('removes it with --yes, and nothing else, while the service runs', async () => {
      const kept = (await held()).filter((key) => !key.includes('orphan'))
      if (!isS3) await writeFile(join(service.config.data, 'media', LEFTOVER), 'half')
      if (!isS3) await writeFile(join(service.config.data, 'media', 'notes of somebody.txt'), 'mine')
      const { out } = await clean(['--yes'])
      match(out, isS3 ? /Removed 2 files of 11 bytes/ : /Removed 3 files of 15 bytes/)
      deepEqual(await held(), kept)
      match((await clean(['--yes'])).out, /^Every file/)
      const image = await upload()
      equal((await fetch(image.source_url)).status, 200)
      equal(await store.put('2026/11/orphan.png', Buffer.from('new'), 'image/png'), false)
    })

    test('tells the history of what it removes, and of nothing that it lists', async () => {
      await store.put('2026/11/another.png', Buffer.from('orphan'), 'image/png')
      const told = () =>
        listHistory(service.app.database.read, { kind: 'image', record: 0 }, 100).then((rows) =>
          rows.map(({ action, name, client }) => [action, name, client]),
        )
      const before = await told()
      await clean()
      deepEqual(await told(), before)
      await clean(['--yes'])
      deepEqual(await told(), [['delete', '2026/11/another.png', 'kalends media clean'], ...before])
      const changes = service.app.database.read.selectFrom('changes').selectAll().where('record', '=', 0)
      deepEqual(await changes.execute(), [])
    })

    test('refuses to touch a store of which the database names nothing', async () => {
      await using other = await startService()
      const bytes = Buffer.from('of another calendar')
      const foreign = await openMediaStore(`file:${join(other.config.data, 'media')}`, () => undefined)
      await foreign.put('2026/11/other.png', bytes, 'image/png')
      const { err, code } = await clean(['--yes'], { from: foreign })
      equal(code, 1)
      match(err, /belongs to another calendar/)
      ok(await foreign.read('2026/11/other.png').then((file) => file?.stream.destroy()))
    })
  })
}
