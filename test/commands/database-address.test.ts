import { deepEqual, doesNotMatch, equal, rejects, throws } from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/base/config.ts'
import { withoutPassword } from '../../src/store/storage/database-address.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'

const shown: [address: string, shown: string][] = [
  ['sqlite:/srv/a:b@c/kalends.sqlite', 'sqlite:/srv/a:b@c/kalends.sqlite'],
  ['postgres://host/name', 'postgres://host/name'],
  ['postgres://anna@host:5432/name', 'postgres://anna@host:5432/name'],
  ['postgres://anna:secret@host:5432/name', 'postgres://anna@host:5432/name'],
  ['postgres://anna:@host/name', 'postgres://anna@host/name'],
  ['postgres://:secret@host/name', 'postgres://@host/name'],
  ['postgres://anna:sec@ret@host/name', 'postgres://anna@host/name'],
  ['postgres://anna:sec:ret/x@host/name', 'postgres://anna@host/name'],
  ['postgres://anna:sec?ret@host/name', 'postgres://anna@host/name'],
  ['postgres://anna:sec@r?et#@host/name', 'postgres://anna@host/name'],
  ['postgre://anna:secret@host/name', 'postgre://anna@host/name'],
  ['my-scheme+x://anna:secret@host/name', 'my-scheme+x://anna@host/name'],
  ['postgres://anna:secret@[::1]:5432/name', 'postgres://anna@[::1]:5432/name'],
  ['postgres://host/name?user=anna&password=secret', 'postgres://host/name?user=anna&password=***'],
  [
    'postgres://host/name?sslpassword=secret&connections=3',
    'postgres://host/name?sslpassword=***&connections=3',
  ],
  ['postgres://host/name?p%61ssword=secret', 'postgres://host/name?p%61ssword=***'],
  ['postgres://host/name?PGPASSWORD=secret', 'postgres://host/name?PGPASSWORD=***'],
  ['postgres://host/name?secret', 'postgres://host/name?***'],
  ['host=h dbname=d password=secret', 'host=h dbname=d ***'],
  [`host=h password='sec ret' user=anna`, 'host=h ***'],
  ['secret', '***'],
  ['postgres:anna:secret@host', '***'],
]

for (const [address, expected] of shown) {
  test(`an address is shown without its password: ${address}`, () => {
    equal(withoutPassword(address), expected)
  })
}

test('an address that is shown never has the password in it, whatever the password is', () => {
  for (const sign of `abc:/?#[]@!$&'()*+,;=%" \\`) {
    for (const secret of [`${sign}s3cret`, `s3cret${sign}`, `s3c${sign}ret`, `${sign}s3cret${sign}`]) {
      const forms = [
        `postgres://anna:${secret}@host/name`,
        `postgres://anna:${secret}@host/name?connections=1`,
      ]
      for (const form of forms) doesNotMatch(withoutPassword(form), /s3c|ret/, form)
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
