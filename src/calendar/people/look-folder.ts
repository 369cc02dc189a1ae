import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { dataOf, isLookFile, type LookFileSetting } from '../../base/look-files.ts'
import { MOST_LOOK, readTexts, readTextsFolder } from '../../base/look-settings.ts'
import {
  faultOfSetting,
  isOwnerSetting,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerTexts,
  type OwnerValues,
} from '../../store/storage/owner-settings.ts'

// A whole look as a folder: look.json, and the files that it names beside it.

const NAME = 'look.json'
/** The folder of the pages of text that are written. */
const TEXTS = 'texts'

/** The signs that part the entries of settings which may also be written as a list. */
const PARTED_BY: Readonly<Partial<Record<OwnerSetting, string>>> = { pages_links: '\n', pages_presses: ',' }

/** Reads the look of a folder, or of the `look.json` in it: what it does not name is taken back. @throws Error with one sentence */
export function readLookFolder(place: string): OwnerValues {
  const path = place.endsWith('.json') ? place : join(place, NAME)
  const named = readJson(path)
  const none: OwnerValues = Object.fromEntries(OWNER_SETTINGS.map((name) => [name, null]))
  const values = Object.entries(named).map(([name, value]) => {
    if (!isOwnerSetting(name))
      throw new Error(`${path}: ${name} is no part of a look; these are: ${OWNER_SETTINGS.join(', ')}.`)
    return [name, readValue(path, name, value)]
  })
  return { ...none, ...Object.fromEntries(values) }
}

function readJson(path: string): object {
  try {
    const read: unknown = JSON.parse(readText(path))
    if (read !== null && typeof read === 'object' && !Array.isArray(read)) return read
  } catch (error) {
    throw new Error(`${path} cannot be read as a look: ${messageOf(error)}.`)
  }
  throw new Error(`${path} is no look: it has to be an object of names and values.`)
}

function readText(path: string): string {
  return readBounded(path).toString('utf8')
}

function readBounded(path: string): Buffer {
  if (statSync(path).size > MOST_LOOK) throw new Error(`${path} is larger than a whole look may be`)
  return readFileSync(path)
}

function readValue(path: string, name: OwnerSetting, value: unknown): string | null {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isRight = entries.every((entry) => typeof entry === 'string') && (!Array.isArray(value) || name in PARTED_BY)
  if (!isRight) throw new Error(`${path}: ${name} has to be a text.`)
  const text = entries.join(PARTED_BY[name])
  if (text === '') return null
  return checkedValue(name, isLookFile(name) || name === 'pages_texts' ? join(dirname(path), text) : text)
}

/** The value of a setting as it is typed or stands in a look; of a file or a folder its path. @throws Error with one sentence */
export function checkedValue(name: OwnerSetting, text: string): string {
  const value = isLookFile(name) ? dataAt(name, text) : name === 'pages_texts' ? readTextsFolder(text) : text
  const fault = faultOfSetting(name, value)
  if (fault !== undefined) throw new Error(`${name} ${fault}.`)
  return value
}

function dataAt(name: LookFileSetting, path: string): string {
  try {
    return dataOf(readBounded(path))
  } catch (error) {
    throw new Error(`${name} cannot be read: ${messageOf(error)}.`)
  }
}

/** Writes a look into a folder, which `readLookFolder` reads. */
export function writeLookFolder(
  folder: string,
  set: OwnerTexts,
  files: Readonly<Partial<Record<LookFileSetting, Buffer>>>,
): void {
  mkdirSync(folder, { recursive: true })
  const named = Object.fromEntries(
    OWNER_SETTINGS.flatMap((name) => (set[name] === undefined ? [] : [[name, writtenValue(name, set[name])]])),
  )
  for (const [name, bytes] of Object.entries(files))
    writeFileSync(join(folder, set[name as LookFileSetting] ?? name), bytes)
  for (const { slug, text } of readTexts(set.pages_texts ?? '')) {
    mkdirSync(join(folder, TEXTS), { recursive: true })
    writeFileSync(join(folder, TEXTS, `${slug}.md`), text)
  }
  writeFileSync(join(folder, NAME), `${JSON.stringify(named, null, 2)}\n`)
}

function writtenValue(name: OwnerSetting, value: string): string | string[] {
  if (name === 'pages_texts') return TEXTS
  const mark = PARTED_BY[name]
  return mark === undefined ? value : value.split(mark)
}
