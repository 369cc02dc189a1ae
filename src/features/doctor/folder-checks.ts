import { type Stats, statSync } from 'node:fs'
import { access, constants, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Config, databaseAddress, mediaAddress } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { freeBytesOf, LOW_FREE_BYTES } from '../../base/files.ts'
import { type Finding, failing, ok, warning } from '../../base/finding.ts'
import { filesOf } from '../../calendar/images/images.ts'
import { lookForFiles } from '../../calendar/images/lost-files.ts'
import { openMediaStore } from '../../store/media/open-media-store.ts'
import { databaseFile } from '../../store/storage/database-address.ts'
import type { ExaminedImages } from './examine.ts'

const TOO_LITTLE_BYTES = 100_000_000
const OPEN_TO_OTHERS = 0o077

export async function checkFolders(
  config: Config,
  images: ExaminedImages | undefined,
  ofFeatures: readonly Finding[],
): Promise<Finding[]> {
  const media = await checkMedia(config)
  return [
    ...(await checkData(config)),
    ...(await checkPermissions(config)),
    await checkDisk('disk', resolve(config.data)),
    ...(await checkMediaDisk(config)),
    ...ofFeatures,
    media,
    ...(media.state === 'ok' && images ? await checkImages(mediaAddress(config), images) : []),
  ]
}

async function checkData({ data }: Config): Promise<Finding[]> {
  const folder = resolve(data)
  const found = statOf(folder)
  if (!found)
    return [
      warning(
        'data folder',
        `${folder} is not there.`,
        'kalends serve makes it; if there should be one, look at --data.',
      ),
    ]
  if (!found.isDirectory())
    return [failing('data folder', `${folder} is no folder.`, 'Name another with --data.')]
  const todo = 'Run as the user of the service, or give the folder to it (chown -R).'
  const findings = [await checkAccess('data folder', folder, todo)]
  if (statOf(join(folder, 'first-password.txt')))
    findings.push(
      warning(
        'first password',
        `It is still in ${join(folder, 'first-password.txt')}.`,
        'Keep the password elsewhere and delete the file.',
      ),
    )
  return findings
}

async function checkAccess(about: string, folder: string, todo: string): Promise<Finding> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok(about, `${resolve(folder)} can be read and written.`)
  } catch {
    return failing(about, `${folder} cannot be written by this user.`, todo)
  }
}

/** Finds files that other users may access or own. */
async function checkPermissions(config: Config): Promise<Finding[]> {
  if (process.platform === 'win32') return []
  const folder = resolve(config.data)
  const file = databaseFile(databaseAddress(config))
  const beside = file === undefined ? [] : ['', '-wal', '-shm'].map((end) => resolve(`${file}${end}`))
  const inside = (await readdir(folder).catch(() => []))
    .filter((name) => name !== 'media')
    .map((name) => join(folder, name))
  const paths = new Set([folder, ...inside, ...beside])
  const found = [...paths].flatMap((path) => {
    const stats = statOf(path)
    return stats ? [{ path, stats }] : []
  })
  const open = found.filter(({ stats }) => (stats.mode & OPEN_TO_OTHERS) !== 0)
  const foreign = found.filter(({ stats }) => process.getuid !== undefined && stats.uid !== process.getuid())
  const findings: Finding[] = []
  for (const { path, stats } of open)
    findings.push(
      warning(
        'permissions',
        `Others may get at ${path} (${modeOf(stats)}).`,
        `chmod ${stats.isDirectory() ? '700' : '600'} ${path}`,
      ),
    )
  for (const { path } of foreign)
    findings.push(
      warning(
        'permissions',
        `${path} belongs to another user.`,
        'Run as the user of the service, or give the file to it (chown).',
      ),
    )
  return findings.length > 0 || found.length === 0
    ? findings
    : [ok('permissions', 'Nobody else can read the data folder and the database.')]
}

const modeOf = ({ mode }: Stats) => (mode & 0o777).toString(8).padStart(4, '0')

async function checkDisk(about: string, path: string): Promise<Finding> {
  const folder = existing(path)
  try {
    const free = await freeBytesOf(folder)
    const shown = `${Math.floor(free / 1_000_000)} MB are free for ${folder}.`
    const todo = 'Make room: without it writes are refused with 507, while reads go on.'
    if (free < TOO_LITTLE_BYTES) return failing(about, shown, todo)
    return free < LOW_FREE_BYTES ? warning(about, shown, todo) : ok(about, shown)
  } catch (error) {
    return warning(about, `The free space of ${folder} is not known: ${messageOf(error)}.`, 'Look with df.')
  }
}

/** Skips a bucket, which has no disk, and the disk of the data folder, which is checked already. */
async function checkMediaDisk(config: Config): Promise<Finding[]> {
  const address = mediaAddress(config)
  if (!address.startsWith('file:')) return []
  const folder = resolve(address.slice('file:'.length))
  const device = (path: string) => statOf(existing(path))?.dev
  return device(folder) === device(resolve(config.data)) ? [] : [await checkDisk('media disk', folder)]
}

function existing(folder: string): string {
  let path = folder
  while (!statOf(path) && dirname(path) !== path) path = dirname(path)
  return path
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

async function checkMedia(config: Config): Promise<Finding> {
  const address = mediaAddress(config)
  return address.startsWith('file:') ? checkMediaFolder(address.slice('file:'.length)) : checkBucket(address)
}

async function checkMediaFolder(folder: string): Promise<Finding> {
  const todo = 'Give the folder to the user of the service, or name another with --media.'
  const found = statOf(folder)
  if (!found) return ok('media', `${resolve(folder)} is made with the first image.`)
  return found.isDirectory()
    ? checkAccess('media', folder, todo)
    : failing('media', `${folder} is no folder.`, todo)
}

/** Asks for an object that does not exist: the answer shows that the bucket can be read. */
async function checkBucket(address: string): Promise<Finding> {
  const told: string[] = []
  let todo = 'Do so, or name a folder with --media.'
  try {
    const store = await openMediaStore(address, (error) => told.push(error.message))
    todo =
      'Look at --media and at the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, or the role of ' +
      'the machine).'
    const found = await store.read('doctor/absent.png')
    found?.stream.destroy()
    return ok('media', 'The bucket answers.')
  } catch (error) {
    return failing('media', told[0] ?? messageOf(error), todo)
  }
}

const NAMED = 5
const named = (keys: readonly string[]) =>
  `${keys.slice(0, NAMED).join(', ')}${keys.length > NAMED ? ' …' : ''}`

/** Looks for the files of images; only of a sample if there are many, or the store is slow. */
async function checkImages(address: string, { total, sample }: ExaminedImages): Promise<Finding[]> {
  if (total === 0) return []
  const todo =
    'Look at --media; restore a backup for them (it puts its files back), or give those images new files.'
  try {
    const { looked, missing, others } = await lookForFiles(
      sample,
      await openMediaStore(address, () => undefined),
    )
    const isSample = sample.length < total || looked < new Set(sample.flatMap(filesOf)).size
    const whence = isSample ? `, in a sample from ${total} images` : ''
    if (others.length > 0)
      return [
        failing(
          'images',
          `${others.length} of ${looked} files are of another picture than their image${whence}: ${named(
            others,
          )}`,
          todo,
        ),
      ]
    if (missing.length === 0) return [ok('images', `All ${looked} files of images${whence} are there.`)]
    const says = `${missing.length} of ${looked} files of images are missing${whence}: ${named(missing)}`
    return [missing.length === looked ? failing('images', says, todo) : warning('images', says, todo)]
  } catch (error) {
    return [failing('images', `The files cannot be looked for: ${messageOf(error)}`, todo)]
  }
}
