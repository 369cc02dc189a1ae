import { deepEqual, equal, rejects } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { localMediaStore } from '../../src/store/media/media-store.ts'
import { keepsPromises } from './store-promises.ts'

const bytes = Buffer.from('an image')
let parent = ''
let folder = ''

before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'kalends-'))
  folder = join(parent, 'data', 'media')
  await writeFile(join(parent, 'secret.png'), 'secret')
})

after(() => rm(parent, { recursive: true }))

describe('the local store', () => {
  keepsPromises(() => localMediaStore(folder))

  test('keeps its files below its folder, and nothing beside them', async () => {
    deepEqual((await readdir(folder, { recursive: true })).sort(), [
      '2026',
      ...['', '/gone.png', '/never.png', '/poster.png', '/wanted.png'].map((file) => `2026/11${file}`),
    ])
    deepEqual(await readFile(join(folder, '2026', '11', 'poster.png')), bytes)
  })

  test('has no file of a name that is still being written', async () => {
    const store = localMediaStore(folder)
    await writeFile(join(folder, '2026', '11', 'claimed.png'), '')
    equal(await store.read('2026/11/claimed.png'), undefined)
  })

  test('leaves nothing behind when a file cannot be written', async () => {
    const store = localMediaStore(folder)
    const unwritable = Symbol('no bytes') as unknown as Uint8Array
    await rejects(store.put('2026/12/failed.png', unwritable, 'image/png'))
    equal(existsSync(join(folder, '2026', '12', 'failed.png')), false)
  })

  test('takes no file while its folder is on another disk than before', async () => {
    const [disk, mounted] = [await mkdtemp(join(parent, 'disk-')), join(parent, 'mounted')]
    const mount = async (at: string) => {
      await rm(mounted, { force: true })
      await symlink(at, mounted)
    }
    await mount(disk)
    const store = localMediaStore(mounted)
    equal(await store.put('2026/11/a.png', bytes, 'image/png'), true)
    await mount('/proc')
    await rejects(store.put('2026/11/b.png', bytes, 'image/png'), { code: 'rest_unavailable' })
    await rejects(store.check(), { code: 'rest_unavailable' })
    await mount(disk)
    await store.check()
    equal(await store.put('2026/11/b.png', bytes, 'image/png'), true)
    for (const path of [mounted, disk]) await rm(path, { recursive: true })
  })

  test('reads nothing outside its folder, nor folders, nor names no image has', async () => {
    const store = localMediaStore(folder)
    await writeFile(join(folder, '2026', '11', '.hidden.png'), 'hidden')
    const outside = [
      '../../secret.png',
      '2026/../../../secret.png',
      join(parent, 'secret.png'),
      '..\\..\\secret.png',
      '2026/11/../11/poster.png',
    ]
    const odd = [
      '',
      '/',
      '2026',
      '2026/11',
      '2026/11/',
      '2026/11/.hidden.png',
      '2026//11/poster.png',
      '2026/11/poster.png\0',
      '2026/11/poster.png\n',
    ]
    const missing = ['2026/11/none.png', '2026/11/poster.png/x.png', `${'a'.repeat(199)}/`.repeat(30)]
    for (const key of [...outside, ...odd, ...missing, `${'abc/'.repeat(2000)}x`])
      equal(await store.read(key), undefined, key.slice(0, 60))
  })

  test('writes and removes nothing outside its folder', async () => {
    const store = localMediaStore(folder)
    for (const key of '../../written.png|/tmp/written.png|2026/11/.written.png||a/../../b.png'.split('|')) {
      await rejects(store.put(key, bytes, 'image/png'), /no key of a media file/)
    }
    await rejects(store.remove('../../secret.png'), /no key of a media file/)
    deepEqual((await readdir(parent)).sort(), ['data', 'secret.png'])
  })
})
