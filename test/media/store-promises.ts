import { deepEqual, equal } from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { MediaStore } from '../../src/store/media/media-store.ts'

const bytes = Buffer.from('an image')

export async function contentOf(store: MediaStore, key: string): Promise<string | undefined> {
  const file = await store.read(key)
  return file && (await buffer(file.stream)).toString()
}

export function keepsPromises(storeOf: () => MediaStore): void {
  test('gives back what was put, with its type and size', async () => {
    const store = storeOf()
    equal(await store.put('2026/11/poster.png', bytes, 'image/png'), true)
    const file = await store.read('2026/11/poster.png')
    deepEqual([file?.mimeType, file?.size], ['image/png', bytes.length])
    equal(await contentOf(store, '2026/11/poster.png'), 'an image')
  })

  test('never overwrites a file', async () => {
    const store = storeOf()
    equal(await store.put('2026/11/poster.png', Buffer.from('another'), 'image/png'), false)
    equal(await contentOf(store, '2026/11/poster.png'), 'an image')
  })

  test('lets one of many writers have a name', async () => {
    const writers = Array.from({ length: 20 }, (_, i) =>
      storeOf().put('2026/11/wanted.png', Buffer.from(`writer ${i}`), 'image/png'),
    )
    const won = await Promise.all(writers)
    equal(won.filter(Boolean).length, 1)
    equal(await contentOf(storeOf(), '2026/11/wanted.png'), `writer ${won.indexOf(true)}`)
  })

  test('removes a file but keeps its name taken, and does not mind one that is gone', async () => {
    const store = storeOf()
    await store.put('2026/11/gone.png', bytes, 'image/png')
    await store.remove('2026/11/gone.png')
    await store.remove('2026/11/gone.png')
    await store.remove('2026/11/never.png')
    equal(await store.read('2026/11/gone.png'), undefined)
    equal(await store.put('2026/11/gone.png', bytes, 'image/png'), false)
    equal(await store.put('2026/11/never.png', bytes, 'image/png'), true)
  })
}
