import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { localMediaStore } from '../../src/store/media/media-store.ts'

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
  test('gives back what was put, with its type and size', async () => {
    const store = localMediaStore(folder)
    assert.equal(await store.put('2026/11/poster.png', bytes, 'image/png'), true)
    const file = await store.read('2026/11/poster.png')
    assert.deepEqual([file?.mimeType, file?.size], ['image/png', bytes.length])
    assert.ok(file)
    assert.deepEqual(await buffer(file.stream), bytes)
  })

  test('keeps its files below its folder, and nothing beside them', async () => {
    assert.deepEqual(await readdir(join(folder, '2026', '11')), ['poster.png'])
    assert.deepEqual(await readFile(join(folder, '2026', '11', 'poster.png')), bytes)
  })

  test('never overwrites a file', async () => {
    const store = localMediaStore(folder)
    assert.equal(await store.put('2026/11/poster.png', Buffer.from('another'), 'image/png'), false)
    assert.deepEqual(await readFile(join(folder, '2026', '11', 'poster.png')), bytes)
  })

  test('lets one of many writers have a name', async () => {
    const writers = Array.from({ length: 20 }, (_, i) =>
      localMediaStore(folder).put('2026/11/wanted.png', Buffer.from(`writer ${i}`), 'image/png'),
    )
    const won = await Promise.all(writers)
    assert.equal(won.filter(Boolean).length, 1)
    assert.equal(await readFile(join(folder, '2026', '11', 'wanted.png'), 'utf8'), `writer ${won.indexOf(true)}`)
  })

  test('removes a file but keeps its name taken, and does not mind one that is gone', async () => {
    const store = localMediaStore(folder)
    await store.put('2026/12/gone.png', bytes, 'image/png')
    await store.remove('2026/12/gone.png')
    await store.remove('2026/12/gone.png')
    await store.remove('2026/12/never.png')
    assert.equal(await store.read('2026/12/gone.png'), undefined)
    assert.equal(await store.put('2026/12/gone.png', bytes, 'image/png'), false)
    assert.equal(await store.put('2026/12/never.png', bytes, 'image/png'), true)
  })

  test('has no file of a name that is still being written', async () => {
    const store = localMediaStore(folder)
    await writeFile(join(folder, '2026', '11', 'claimed.png'), '')
    assert.equal(await store.read('2026/11/claimed.png'), undefined)
  })

  test('leaves nothing behind when a file cannot be written', async () => {
    const store = localMediaStore(folder)
    const unwritable = Symbol('no bytes') as unknown as Uint8Array
    await assert.rejects(store.put('2026/12/failed.png', unwritable, 'image/png'))
    assert.deepEqual((await readdir(join(folder, '2026', '12'))).sort(), ['gone.png', 'never.png'])
  })

  test('takes no file while its folder is on another disk than before', async () => {
    const [disk, mounted] = [await mkdtemp(join(parent, 'disk-')), join(parent, 'mounted')]
    const mount = async (at: string) => {
      await rm(mounted, { force: true })
      await symlink(at, mounted)
    }
    await mount(disk)
    const store = localMediaStore(mounted)
    assert.equal(await store.put('2026/11/a.png', bytes, 'image/png'), true)
    await mount('/proc')
    await assert.rejects(store.put('2026/11/b.png', bytes, 'image/png'), { code: 'rest_unavailable' })
    await assert.rejects(store.check(), { code: 'rest_unavailable' })
    await mount(disk)
    await store.check()
    assert.equal(await store.put('2026/11/b.png', bytes, 'image/png'), true)
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
      assert.equal(await store.read(key), undefined, key.slice(0, 60))
  })

  test('writes and removes nothing outside its folder', async () => {
    const store = localMediaStore(folder)
    for (const key of ['../../written.png', '/tmp/written.png', '2026/11/.written.png', '', 'a/../../b.png']) {
      await assert.rejects(store.put(key, bytes, 'image/png'), /no key of a media file/)
    }
    await assert.rejects(store.remove('../../secret.png'), /no key of a media file/)
    assert.deepEqual((await readdir(parent)).sort(), ['data', 'secret.png'])
  })
})
