import { deepEqual, match, ok } from 'node:assert/strict'
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSource } from '../../src/features/imports/open-source.ts'
import { restore } from '../../src/features/transfer/restore.ts'
import { localMediaStore } from '../../src/store/media/media-store.ts'
import { openStorage } from '../../src/store/storage/open-database.ts'
import { kalends } from '../support/commands.ts'
import { testConfig } from '../support/service.ts'

const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0

async function asOrdinary<T>(work: () => Promise<T>): Promise<T> {
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

test('a file that may not be read is named by import and restore, with who may not', {
  skip: process.platform === 'win32',
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-unreadable-'))
  t.after(async () => {
    await chmod(closed, 0o700)
    await rm(folder, { recursive: true, force: true })
  })
  await chmod(folder, 0o755)
  const closed = await mkdtemp(join(folder, 'closed-'))
  const [file, within] = [join(folder, 'page.json'), join(closed, 'page.json')]
  for (const path of [file, within]) await writeFile(path, '[]')
  await chmod(file, 0o000)
  await chmod(closed, 0o000)
  const target = {
    database: `sqlite:${join(folder, 'none.sqlite')}`,
    tables: [],
    media: localMediaStore(folder),
    mediaPlace: folder,
  }
  const progress = { start: () => undefined, advance: () => undefined, finish: () => undefined }
  for (const path of [file, within])
    for (const read of [
      () => openSource(path, {}, { zone: 'UTC', backOffMs: 1 }),
      () => restore(path, target, { now: 0, tell: () => undefined }, progress),
    ]) {
      const said = await asOrdinary(() => read().then(String, ({ message }: Error) => message))
      match(said, /^The user \S+ may not read \S+\.$/)
      ok(said.includes(path), said)
    }
})

test('a file that cannot be made is named by backup and export, with the folder perhaps meant', {
  skip: process.platform === 'win32',
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-unwritable-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const settings = ['--data', folder, '--database', `sqlite:${join(folder, 'a.sqlite')}`]
  await (
    await openStorage(testConfig(folder, { database: `sqlite:${join(folder, 'a.sqlite')}` }), [])
  ).close()
  if (isRoot)
    for (const name of ['', ...(await readdir(folder))]) await chown(join(folder, name), NOBODY, NOBODY)
  const closed = await mkdtemp(join(folder, 'closed-'))
  await chmod(closed, 0o555)
  if (isRoot) await chown(closed, 0, 0)
  const [file, missing] = [join(closed, 'kalends'), `${join(closed, 'none')}/`]
  for (const command of ['backup', 'export']) {
    const words = (place: string) => [
      ...settings,
      command,
      ...(command === 'export' ? ['--output', place] : [place]),
    ]
    const said = await asOrdinary(() => kalends(words(file)))
    const sentence =
      `This user may make no file in ${closed} (EACCES). If ${file} ` +
      'is to be a folder, make it first, and give it to this user.\n'
    deepEqual([said.code, said.err], [1, sentence])
    const none = await asOrdinary(() => kalends(words(missing)))
    deepEqual([none.code, none.err], [1, `There is no folder ${missing}: make it first.\n`])
  }
})
