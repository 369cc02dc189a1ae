import { deepEqual, doesNotMatch, rejects, throws } from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/base/config.ts'
import { withoutPassword } from '../../src/store/storage/database-address.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'

test('an address that is shown never has the password in it, whatever the password is', () => {
  for (const sign of `abc:/?#[]@!$&'()*+,;=%" \\`) {
    for (const secret of [`${sign}s3cret`, `s3cret${sign}`, `s3c${sign}ret`, `${sign}s3cret${sign}`]) {
      const form = `postgres://anna:${secret}@host/name`
      for (const shown of [form, `${form}?connections=1`])
        doesNotMatch(withoutPassword(shown), /s3c|ret/, shown)
    }
  }
})

test('a misspelt address is refused without being repeated', async () => {
  for (const address of ['postgre://anna:secret@host/name', 'host=h password=secret', 'secret']) {
    throws(
      () => readConfig({ database: address }, {}, []),
      (error: Error) =>
        !error.message.includes('secret') && /takes sqlite:FILE or postgres/.test(error.message),
    )
    await rejects(
      openDatabase(address),
      (error: Error) => !error.message.includes('secret') && /sqlite:FILE and postgres/.test(error.message),
    )
  }
})

test('the files of a new database, and its folder, are for its user alone', async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'kalends-modes-'))
  t.after(() => rm(parent, { recursive: true }))
  const file = join(parent, 'new', 'kalends.sqlite')
  const database = await openDatabase(`sqlite:${file}`)
  await migrate(database)
  const modes = await Promise.all(
    [dirname(file), file, `${file}-wal`, `${file}-shm`].map(async (path) => (await stat(path)).mode & 0o777),
  )
  deepEqual(modes, [0o700, 0o600, 0o600, 0o600])
  await database.close()
})
