import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Command, CommanderError } from 'commander'
import { getUserByLogin, listUsers } from '../../src/calendar/people/users.ts'
import { registerUserCommands } from '../../src/features/accounts/user-commands.ts'
import { startSession } from '../../src/features/desk/sign-in/session-store.ts'
import { findSignInLink } from '../../src/features/desk/sign-in/sign-in-links.ts'
import { findTokenUser, isPasswordOf, NOON, scratchDatabase } from './scratch-database.ts'

function programInto(answer: { out: string; err: string }): Command {
  return new Command('kalends')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        answer.out += text
      },
      writeErr: (text) => {
        answer.err += text
      },
    })
}

async function commandLine(t: TestContext) {
  const { database } = await scratchDatabase(t)
  const state = { open: 0 }
  const open = async () => {
    state.open += 1
    const close = async () => {
      state.open -= 1
    }
    return { ...database, close }
  }
  const kalends = async (...words: string[]) => {
    const answer = { out: '', err: '', code: 0 }
    const program = programInto(answer)
    registerUserCommands(
      program,
      open,
      () => 'https://example.org',
      () => NOON,
    )
    await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof CommanderError)) throw error
      answer.code = error.exitCode
    })
    equal(state.open, 0, 'the database is closed whatever happened')
    return answer
  }
  return { database, kalends }
}

const refused = (sentence: string) => ({ out: '', err: `${sentence}\n`, code: 1 })

test('user add prints an application password that signs in', async (t) => {
  const { database, kalends } = await commandLine(t)
  const { out, err, code } = await kalends(
    'user',
    'add',
    'anna',
    '--role',
    'editor',
    '--email',
    'a@example.org',
    '--name',
    'Anna B',
  )
  deepEqual({ err, code }, { err: '', code: 0 })
  const [, password = ''] = out.match(/^Added anna as editor\. .*: (\w{4}( \w{4}){5})\n/) ?? []
  const anna = await getUserByLogin(database.read, 'anna')
  equal(await isPasswordOf(database.read, anna, password), true)
  deepEqual([anna.role, anna.email, anna.name], ['editor', 'a@example.org', 'Anna B'])
})

test('user add and user link print a link to the desk, and a new one voids the one before', async (t) => {
  const { database, kalends } = await commandLine(t)
  const tokenIn = (out: string) => /https:\/\/example\.org\/desk\/set-up\/([\w-]{43})\n$/.exec(out)?.[1] ?? ''
  const first = tokenIn((await kalends('user', 'add', 'anna', '--role', 'editor')).out)
  const find = async (token: string) => (await findSignInLink(database.read, token, NOON))?.user.login
  equal(await find(first), 'anna')
  const second = await kalends('user', 'link', 'ANNA')
  match(second.out, /^A link for ANNA to choose a password for the desk, good once and for 30 minutes: /)
  deepEqual([await find(first), await find(tokenIn(second.out))], [undefined, 'anna'])
  deepEqual(await kalends('user', 'link', 'bob'), refused('There is no user bob.'))
})

test('a user is deactivated and let in again, and their sessions are listed and ended', async (t) => {
  const { database, kalends } = await commandLine(t)
  await kalends('user', 'add', 'admin', '--role', 'administrator')
  await kalends('user', 'add', 'anna', '--role', 'editor')
  const anna = await getUserByLogin(database.read, 'anna')
  const signIn = () =>
    database.write((tx) => startSession(tx, anna, NOON, { client: 'Firefox', address: '192.0.2.1' }))
  await signIn()
  equal(
    (await kalends('user', 'sessions', 'anna')).out,
    'SIGNED IN (UTC)      LAST USED (UTC)      ADDRESS    ' +
      'BROWSER\n2026-11-20 12:00:00  2026-11-20 12:00:00  192.0.2.1  Firefox\n',
  )
  doesNotMatch((await kalends('user', 'sessions', 'anna', '--end')).out, /192/)
  await signIn()
  equal((await kalends('user', 'deactivate', 'anna')).out, 'anna signs in nowhere from now on.\n')
  doesNotMatch((await kalends('user', 'sessions', 'anna')).out, /192/)
  match((await kalends('user', 'list')).out, /anna +editor +no +anna/)
  deepEqual(await kalends('user', 'link', 'anna'), refused('anna was deactivated and signs in nowhere.'))
  equal((await kalends('user', 'reactivate', 'anna')).out, 'anna may sign in again.\n')
  deepEqual(
    await kalends('user', 'deactivate', 'admin'),
    refused('admin is the last administrator; make another user administrator first.'),
  )
})

test('user add wants a role, one that there is', async (t) => {
  const { database, kalends } = await commandLine(t)
  const missing = await kalends('user', 'add', 'anna')
  equal(missing.code, 1)
  match(missing.err, /--role/)
  const strange = await kalends('user', 'add', 'anna', '--role', 'overlord')
  equal(strange.code, 1)
  match(strange.err, /administrator, editor, author, contributor, subscriber/)
  deepEqual(await listUsers(database.read), [])
})

test('user add that fails leaves neither user nor password behind', async (t) => {
  const { database, kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'author')
  deepEqual(
    await kalends('user', 'add', 'ANNA', '--role', 'author'),
    refused('There already is a user with the login or e-mail address anna.'),
  )
  deepEqual(
    await kalends('user', 'add', 'bob', '--role', 'author', '--email', 'nowhere'),
    refused('nowhere is not an e-mail address.'),
  )
  equal((await listUsers(database.read)).length, 1)
})

test('user list shows who there is in columns', async (t) => {
  const { kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'administrator', '--email', 'a@example.org')
  await kalends('user', 'add', 'bob', '--role', 'author', '--name', 'Bob B')
  deepEqual(await kalends('user', 'list'), {
    out: [
      'ID  LOGIN  ROLE           E-MAIL         ACTIVE  NAME',
      '1   anna   administrator  a@example.org  yes     anna',
      '2   bob    author                        yes     Bob B',
      '',
    ].join('\n'),
    err: '',
    code: 0,
  })
})

test('user role changes a role, but not that of the last administrator', async (t) => {
  const { database, kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'administrator')
  await kalends('user', 'add', 'bob', '--role', 'author')
  deepEqual(await kalends('user', 'role', 'bob', 'editor'), { out: 'bob is now editor.\n', err: '', code: 0 })
  equal((await getUserByLogin(database.read, 'bob')).role, 'editor')
  deepEqual(
    await kalends('user', 'role', 'anna', 'editor'),
    refused('anna is the last administrator; make another user administrator first.'),
  )
  deepEqual(await kalends('user', 'role', 'carl', 'editor'), refused('There is no user carl.'))
  equal((await kalends('user', 'role', 'bob', 'overlord')).code, 1)
})

test('user remove hands records over when told to whom', async (t) => {
  const { database, kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'administrator')
  await kalends('user', 'add', 'bob', '--role', 'author')
  const bob = await getUserByLogin(database.read, 'bob')
  const texts = { slug: '', alt_text: '', caption: '', description: '', search: '', modified_utc: '' }
  const picture = {
    title: '',
    date_utc: '',
    file: '',
    mime_type: '',
    width: 1,
    height: 1,
    filesize: 1,
    sizes: '{}',
  }
  await database.write(async (tx) => {
    const { id } = await tx
      .insertInto('records')
      .values({ kind: 'image' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('images')
      .values({ id, author: bob.id, ...texts, ...picture, source_url: '', original_image: '' })
      .execute()
  })
  deepEqual(
    await kalends('user', 'remove', 'bob'),
    refused('bob owns records; name the user who takes them over with --reassign LOGIN.'),
  )
  deepEqual(await kalends('user', 'remove', 'bob', '--reassign', 'carl'), refused('There is no user carl.'))
  deepEqual(await kalends('user', 'remove', 'bob', '--reassign', 'anna'), {
    out: 'Removed bob.\n',
    err: '',
    code: 0,
  })
  const [image] = await database.read.selectFrom('images').select('author').execute()
  equal(image?.author, 1)
  equal((await listUsers(database.read)).length, 1)
})

test('password add prints a password or token that signs in, and password list neither', async (t) => {
  const { database, kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'author')
  const anna = await getUserByLogin(database.read, 'anna')
  const [, password = ''] =
    (await kalends('password', 'add', 'anna')).out.match(/^Application password.*: (.*)\n$/) ?? []
  equal(await isPasswordOf(database.read, anna, password), true)
  const [, token = ''] =
    (await kalends('password', 'add', 'anna', '--token', '--name', 'Importer')).out.match(
      /^Token.*: (.*)\n$/,
    ) ?? []
  equal(await findTokenUser(database.read, token), anna.id)
  deepEqual(await kalends('password', 'list', 'anna'), {
    out: [
      'ID  KIND      CREATED (UTC)        SCOPE  EXPIRES (UTC)  LAST USED (UTC)  NAME',
      '1   password  2026-11-20 12:00:00  all    never          never            First password',
      '2   password  2026-11-20 12:00:00  all    never          never            Command line',
      '3   token     2026-11-20 12:00:00  all    never          never            Importer',
      '',
    ].join('\n'),
    err: '',
    code: 0,
  })
  deepEqual(await kalends('password', 'add', 'bob'), refused('There is no user bob.'))
  deepEqual(await kalends('password', 'list', 'bob'), refused('There is no user bob.'))
})

test('password revoke takes one credential or all, and asks which when told neither or both', async (t) => {
  const { kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'author')
  await kalends('password', 'add', 'anna')
  await kalends('password', 'add', 'anna', '--token')
  for (const words of [[], ['1', '--all'], ['one']]) {
    const answer = await kalends('password', 'revoke', 'anna', ...words)
    deepEqual(answer, refused('Give either the id that `password list` shows or --all.'), words.join(' '))
  }
  deepEqual(
    await kalends('password', 'revoke', 'anna', '9'),
    refused('anna has no credential with the id 9.'),
  )
  equal((await kalends('password', 'revoke', 'anna', '2')).out, 'Revoked 1 credential of anna.\n')
  equal((await kalends('password', 'revoke', 'anna', '--all')).out, 'Revoked 2 credentials of anna.\n')
  equal(
    (await kalends('password', 'list', 'anna')).out,
    'ID  KIND  CREATED (UTC)  SCOPE  EXPIRES (UTC)  LAST USED (UTC)  NAME\n',
  )
})

test('a token is limited by scope and time as it was asked for, and the list shows it', async (t) => {
  const { kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'editor')
  await kalends('password', 'revoke', 'anna', '--all')
  const given = [
    ['--scope', 'read-drafts,media', '--expires', '90d'],
    ['--scope', 'write-own', '--expires', '12h'],
    ['--expires', '2027-12-31'],
  ]
  for (const words of given) equal((await kalends('password', 'add', 'anna', '--token', ...words)).code, 0)
  const lines = (await kalends('password', 'list', 'anna')).out.split('\n').map((line) => line.split(/ {2,}/))
  deepEqual(lines.slice(0, 4), [
    ['ID', 'KIND', 'CREATED (UTC)', 'SCOPE', 'EXPIRES (UTC)', 'LAST USED (UTC)', 'NAME'],
    '2; token; 2026-11-20 12:00:00; read-drafts,media; 2027-02-18 12:00:00; never; Command line'.split('; '),
    ['3', 'token', '2026-11-20 12:00:00', 'write-own', '2026-11-21 00:00:00', 'never', 'Command line'],
    ['4', 'token', '2026-11-20 12:00:00', 'all', '2027-12-31 00:00:00', 'never', 'Command line'],
  ])
})

test('a scope or an expiry that means nothing is refused by name, and nothing is made', async (t) => {
  const { kalends } = await commandLine(t)
  await kalends('user', 'add', 'anna', '--role', 'editor')
  const listed = (await kalends('password', 'list', 'anna')).out
  const wrong = [
    [
      '--scope',
      'everything',
      'A scope is one of read-drafts, write-own, write-all, media, not "everything".',
    ],
    ['--scope', '', 'A scope is one of read-drafts, write-own, write-all, media, not "".'],
    ['--expires', 'soon', 'An expiry is such as 12h, 90d, 4w or 2027-12-31, not "soon".'],
    ['--expires', '2027-13-41', 'An expiry is such as 12h, 90d, 4w or 2027-12-31, not "2027-13-41".'],
    ['--expires', '0d', 'A credential expires in the future.'],
    ['--expires', '2020-01-01', 'A credential expires in the future.'],
  ] as const
  for (const [option, value, sentence] of wrong)
    deepEqual(await kalends('password', 'add', 'anna', '--token', option, value), refused(sentence), value)
  equal((await kalends('password', 'list', 'anna')).out, listed)
})
