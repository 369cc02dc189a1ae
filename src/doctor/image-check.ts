import { filesOf } from '../images/images.ts'
import type { MediaStore } from '../media/media-store.ts'
import { openMediaStore } from '../media/open-media-store.ts'
import type { ExaminedImages } from '../storage/examine.ts'
import { type Finding, failing, messageOf, ok, warning } from './finding.ts'

/** Files that are looked for at the same time, and milliseconds after which no more are. */
const FILES_AT_ONCE = 8
const WITHIN_MS = 5000

/** Missing files that are named. */
const NAMED = 5

/** Looks for the files of images in their store: of all, or of a sample where there are many or the store is slow. None without images. */
export async function checkImages(address: string, { total, sample }: ExaminedImages): Promise<Finding[]> {
  if (total === 0) return []
  const todo = 'Look at --media; restore a backup for them (it adds what is missing), or give those images new files.'
  try {
    const keys = [...new Set(sample.flatMap(filesOf))]
    const { looked, missing } = await lookFor(keys, await openMediaStore(address, () => undefined))
    const isSample = sample.length < total || looked < keys.length
    const whence = isSample ? `, in a sample from ${total} images` : ''
    if (missing.length === 0) return [ok('images', `All ${looked} files of images${whence} are there.`)]
    const named = `${missing.slice(0, NAMED).join(', ')}${missing.length > NAMED ? ' …' : ''}`
    const says = `${missing.length} of ${looked} files of images are missing${whence}: ${named}`
    return [missing.length === looked ? failing('images', says, todo) : warning('images', says, todo)]
  } catch (error) {
    return [failing('images', `The files cannot be looked for: ${messageOf(error)}`, todo)]
  }
}

async function lookFor(keys: readonly string[], store: MediaStore): Promise<{ looked: number; missing: string[] }> {
  const until = performance.now() + WITHIN_MS
  const missing: string[] = []
  let looked = 0
  while (looked < keys.length && performance.now() < until) {
    const some = keys.slice(looked, looked + FILES_AT_ONCE)
    const found = await Promise.all(some.map((key) => isThere(store, key)))
    for (const [at, key] of some.entries()) if (!found[at]) missing.push(key)
    looked += some.length
  }
  return { looked, missing }
}

async function isThere(store: MediaStore, key: string): Promise<boolean> {
  const file = await store.read(key)
  file?.stream.destroy()
  return file !== undefined
}
