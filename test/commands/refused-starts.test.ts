import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CommandResult, kalends } from '../support/commands.ts'
import { programEnvironment } from '../support/environment.ts'
import { freePort } from '../support/postgres.ts'
import { isWhole } from '../support/rounds.ts'
import { PATIENCE_MS } from '../support/waiting.ts'

let folder: string
let runs = 0
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kalends-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const root = fileURLToPath(new URL('../..', import.meta.url))

function run(file: string, words: readonly string[]): CommandResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], {
    encoding: 'utf8',
    env: programEnvironment(),
    timeout: PATIENCE_MS,
  })
  return { code: status ?? -1, out: stdout, err: stderr }
}

const starting = (args: readonly string[]) => [
  ...['serve', '--port', '0', '--log-level', 'silent'],
  ...['--data', join(folder, String(++runs)), ...args],
]

function assertRefusal({ code, out, err }: CommandResult, says: RegExp, args: readonly string[]): void {
  equal(code, 1, `${args.join(' ')}: ${err}`)
  match(err, says)
  doesNotMatch(err, /\n {4}at |node:internal/)
  equal(err.trim().split('\n').length, 1, err)
  equal(out, '')
}

async function assertRefused(
  args: string[],
  environment: Record<string, string>,
  says: RegExp,
): Promise<void> {
  assertRefusal(await kalends(starting(args), environment), says, args)
}

test('a missing folder of texts, and a port that metrics have, are named in one sentence', async () => {
  const lost = join(folder, 'lost')
  await assertRefused(
    ['--pages-texts', lost],
    {},
    new RegExp(`^The pages of text in ${lost} are not taken: there is no such folder\\.`),
  )
  const port = String(await freePort())
  const both = ['--port', port, '--metrics', `127.0.0.1:${port}`]
  await assertRefused(
    both,
    {},
    /^Port \d+ of \S+ is in use by the setting metrics; choose another with --port or --metrics\./,
  )
})

test('a wrong value of a setting is named in one sentence', async () => {
  await Promise.all([
    assertRefused(['--timezone', 'Mars/Olympus'], {}, /timezone.*Mars\/Olympus/),
    assertRefused(['--media', 's3:'], {}, /--media takes .*\?endpoint=URL&region=NAME/),
    assertRefused([], { KALENDS_PAGE_SIZE_CAP: 'many' }, /page.size.cap.*many/i),
  ])
})

test('a setting of earlier versions is refused with advice, as a flag and in the environment', async () => {
  const says = (place: string) =>
    new RegExp(`^${place} is no setting any more: leave it out\\. .*docs/\\S+\\)\\.\\n$`)
  await Promise.all([
    assertRefused(['--workers', '4'], {}, says('--workers')),
    assertRefused(['--database-read', 'postgres://db-2/x'], {}, says('--database-read')),
    assertRefused([], { KALENDS_WORKERS: '4' }, says('KALENDS_WORKERS')),
  ])
  const { code, out } = await kalends(['doctor', '--data', folder], { KALENDS_WORKERS: '4' })
  equal(code, 1)
  match(out, /^error +configuration +KALENDS_WORKERS is no setting any more/)
})

test('a wrong or unknown setting is refused by every command', async () => {
  const commands = [
    ...'settings|resume|restored|audit|look|imports|copy sqlite:a sqlite:b|backup x|export'.split('|'),
    ...'restore x|user list|password list x|push x --login a|webhook list|media clean|import x'.split('|'),
  ]
  for (const command of commands) {
    const words = ['--data', join(folder, 'none'), ...command.split(' ')]
    const wrong = await kalends(words, { KALENDS_LOG_LEVEL: 'nonsense' })
    deepEqual([wrong.code, wrong.out], [1, ''], command)
    match(wrong.err, /^KALENDS_LOG_LEVEL takes one of .*, not "nonsense"\.\n$/, command)
    match(
      (await kalends(words, { KALENDS_COLOUR: 'red' })).err,
      /^There is no setting KALENDS_COLOUR; /,
      command,
    )
  }
})

test('an object store without its package is refused with the command that installs it', {
  skip: !isWhole && 'npm run test:rest does it',
}, async () => {
  const bare = join(folder, 'bare')
  const packages = join(bare, 'node_modules')
  await mkdir(packages, { recursive: true })
  for (const part of ['bin', 'src', 'package.json'])
    await cp(join(root, part), join(bare, part), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '@aws-sdk') await symlink(join(root, 'node_modules', name), join(packages, name), 'junction')
  const says = /need a package that is not installed here.* npm install .*@aws-sdk\/client-s3@3/
  const file = join(bare, 'bin', 'kalends.js')
  const args = ['--media', 's3://images']
  assertRefusal(run(file, starting(args)), says, args)
  const { out } = run(file, ['--data', join(folder, 'bare-data'), ...args, 'doctor'])
  match(out, says)
  match(out, /Do so, or name a folder with --media/)
  doesNotMatch(out, /AWS_/)
  // With that package installed, a package that it needs in turn is named by its own name.
  const client = join(packages, '@aws-sdk', 'client-s3')
  await mkdir(client, { recursive: true })
  await writeFile(join(client, 'package.json'), '{ "type": "module", "main": "index.js" }')
  await writeFile(join(client, 'index.js'), "import 'not-there'")
  const { err } = run(file, ['--data', join(folder, 'bare-data'), ...args, 'serve'])
  match(err, /Cannot find package 'not-there'/)
  doesNotMatch(err, /npm install/)
})

test('a database that can not be opened, and a port in use, are named in one sentence', async (t) => {
  const file = join(folder, 'no-database.txt')
  await writeFile(file, 'This is a text, and longer than the header of a database would be. '.repeat(20))
  const busy = createServer().listen(0, '127.0.0.1')
  t.after(() => busy.close())
  await once(busy, 'listening')
  const { port } = busy.address() as AddressInfo
  await Promise.all([
    assertRefused(['--database', `sqlite:${file}`], {}, /no-database\.txt/),
    assertRefused(['--database', `sqlite:${join(file, 'below.sqlite')}`], {}, /below\.sqlite/),
    assertRefused(['--database', 'postgres://127.0.0.1:1/none'], {}, /127\.0\.0\.1/),
    assertRefused(['--port', String(port)], {}, new RegExp(`${port}.*in use`)),
    assertRefused(['--host', '203.0.113.7'], {}, /^Cannot listen on 203\.0\.113\.7:0: listen /),
  ])
})

test('a file in place of a folder, and a folder nobody can make, are named in one sentence', async () => {
  const file = join(folder, 'file.txt')
  await writeFile(file, '')
  const ofFile = (data: string) => kalends(['serve', '--port', '0', '--data', data])
  const elsewhere = `sqlite:${join(folder, 'elsewhere.sqlite')}`
  const [plain, below, beside, system] = await Promise.all([
    ofFile(file),
    ofFile(join(file, 'below')),
    kalends(['serve', '--port', '0', '--database', elsewhere, '--data', file]),
    process.platform === 'linux' ? ofFile('/proc/kalends') : undefined,
  ])
  for (const { code, err } of [plain, below, beside])
    deepEqual([code, err], [1, `${file} is a file, and --data takes a folder.\n`])
  if (system)
    match(
      system.err,
      /^The database \S+ cannot be opened: the folder \/proc\/kalends cannot be made \(ENOENT.*\)\.\n$/,
    )
})

test('a place for metrics that is taken is told of before the service says that it listens', async (t) => {
  const busy = createServer().listen(0, '127.0.0.1')
  t.after(() => busy.close())
  await once(busy, 'listening')
  const { port } = busy.address() as AddressInfo
  await assertRefused(
    ['--metrics', `127.0.0.1:${port}`, '--log-level', 'info'],
    {},
    /^The place for metrics, \S+, is in use; choose another with --metrics\.\n$/,
  )
})

test('a command on a calendar that is not there says so, and makes none', async () => {
  const missing = join(folder, 'missing')
  const commands = [
    ['invalidate-etags'],
    ['restored'],
    ['audit'],
    ['user', 'list'],
    ['user', 'add', 'anna', '--role', 'editor'],
    ['password', 'add', 'admin'],
    ['import', 'calendar.ics'],
  ]
  for (const command of commands) {
    const { code, out, err } = await kalends(['--data', missing, ...command])
    const sentence =
      `There is no database ${join(missing, 'kalends.sqlite')}. ` +
      'Start the service once (kalends serve), which makes it.'
    deepEqual([code, out, err.split('\n')[0]], [1, '', sentence], command.join(' '))
    ok(!existsSync(missing))
  }
})
