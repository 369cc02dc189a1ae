import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { type Config, environmentName } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { isRecord } from '../../base/foreign-json.ts'
import { table } from '../../base/run-command.ts'
import { beginningOf } from '../../base/text/characters.ts'
import type { Database } from '../../store/storage/database.ts'
import { runOnDatabase } from '../../store/storage/open-database.ts'
import { isGiven } from '../../store/storage/stored-settings.ts'
import { dataOf } from './look.ts'
import { isLookFile, type LookFileSetting, MOST_LOOK, readTexts, readTextsFolder } from './look-settings.ts'
import {
  faultOfSetting,
  isOwnerSetting,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerTexts,
  type OwnerValues,
  readOwnerFiles,
  readOwnerSettings,
  setOwnerSettings,
} from './owner-settings.ts'

export function registerLookCommand(
  program: Command,
  open: () => Promise<Database>,
  configure: () => Config,
): void {
  program
    .command('look')
    .alias('set')
    .description(
      'Set the name or the look of the calendar while the service runs; without a name, list all values.',
    )
    .argument('[name]', OWNER_SETTINGS.join(', '))
    .argument('[value]', 'the value from now on')
    .option('--reset', 'take back what was set: of one name, or the whole look without a name')
    .option('--from <folder>', 'take a whole look from a folder with look.json and its files')
    .option('--to <folder>', 'write the look that is set into a folder')
    .action((name: string | undefined, value: string | undefined, asked: Asked, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const changes = changesAsked(name, value, asked)
        if (Object.keys(changes).length > 0) await database.write((tx) => setOwnerSettings(tx, changes), by)
        if (asked.to !== undefined) await writeLook(database, asked.to)
        const start = configure()
        print(table([['NAME', 'VALUE', 'FROM'], ...rowsOf(start, await readOwnerSettings(database.read))]))
      }),
    )
}

interface Asked {
  reset?: true
  from?: string
  to?: string
}

/**
 * Returns the settings to change, with null for those to reset.
 * @throws Error with one sentence if the arguments do not fit together
 */
function changesAsked(
  name: string | undefined,
  value: string | undefined,
  { reset, from, to }: Asked,
): OwnerValues {
  if ((from ?? to) !== undefined && (reset || name !== undefined || (from ?? to) !== (to ?? from)))
    throw new Error('--from and --to stand alone.')
  if (from !== undefined) return readLookFolder(from)
  if (reset && value !== undefined) throw new Error('--reset takes no value.')
  if (name === undefined) return reset ? Object.fromEntries(OWNER_SETTINGS.map((known) => [known, null])) : {}
  const known = settingCalled(name)
  if (reset) return { [known]: null }
  if (value === undefined) throw new Error(`${known} needs a value, or --reset.`)
  return { [known]: checkedValue(known, value) }
}

/**
 * Finds a setting; the name may lack its prefix `pages_`.
 * @throws Error with one sentence for an unknown name
 */
function settingCalled(name: string): OwnerSetting {
  const known = [name, `pages_${name}`].find(isOwnerSetting)
  if (known === undefined)
    throw new Error(`${name} is not set while the service runs; these are: ${OWNER_SETTINGS.join(', ')}.`)
  return known
}

function rowsOf(start: Config, set: OwnerTexts): string[][] {
  return OWNER_SETTINGS.map((name) => {
    const isSet = name in set && !isGiven(start, name)
    const value = isSet ? (set[name] ?? '') : start[name]
    return [
      name,
      inShort(name, value),
      isSet ? 'set' : isGiven(start, name) ? environmentName(name) : 'default',
    ]
  })
}

function inShort(name: OwnerSetting, value: string): string {
  const pages =
    name === 'pages_texts' && value.startsWith('[')
      ? readTexts(value).map(({ slug }) => `/${slug}/`)
      : undefined
  const line = pages?.join(' ') ?? value.replaceAll('\n', ' / ')
  return line.length > 80 ? `${beginningOf(line, 79)}…` : line
}

async function writeLook({ read }: Database, folder: string): Promise<void> {
  writeLookFolder(folder, await readOwnerSettings(read), await readOwnerFiles(read))
}

const NAME = 'look.json'
const TEXTS = 'texts'

/** Settings that `look.json` may give as lists, with their separator. */
const PARTED_BY: Readonly<Partial<Record<OwnerSetting, string>>> = { pages_links: '\n', pages_presses: ',' }

/**
 * Reads a folder or its `look.json`. Settings that the file lacks are reset.
 * @throws Error with one sentence if it cannot be read
 */
function readLookFolder(place: string): OwnerValues {
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
    if (isRecord(read)) return read
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
  const isRight =
    entries.every((entry) => typeof entry === 'string') && (!Array.isArray(value) || name in PARTED_BY)
  if (!isRight) throw new Error(`${path}: ${name} has to be a text.`)
  const text = entries.join(PARTED_BY[name])
  if (text === '') return null
  return checkedValue(name, isLookFile(name) || name === 'pages_texts' ? join(dirname(path), text) : text)
}

/**
 * Returns the text to store; for a file or folder, `text` is its path.
 * @throws Error with one sentence if the value is not valid
 */
function checkedValue(name: OwnerSetting, text: string): string {
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

/** Writes a folder that `readLookFolder` can read. */
function writeLookFolder(
  folder: string,
  set: OwnerTexts,
  files: Readonly<Partial<Record<LookFileSetting, Buffer>>>,
): void {
  mkdirSync(folder, { recursive: true })
  const named = Object.fromEntries(
    OWNER_SETTINGS.flatMap((name) =>
      set[name] === undefined ? [] : [[name, writtenValue(name, set[name])]],
    ),
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
