import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { startApp } from '../../src/app.ts'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { insertUser } from '../../src/calendar/people/users.ts'
import { registerCopyCommand } from '../../src/features/transfer/copy.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { type CommandResult, kalends, runCommand } from '../support/commands.ts'
import { MAIN, programEnvironment } from '../support/environment.ts'
import { startProcess } from '../support/processes.ts'
import { testConfig } from '../support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const KALENDS = join(root, 'bin', 'kalends.js')

let home: string
before(() => {
  home = mkdtempSync(join(tmpdir(), 'kalends-home-'))
})
after(() => rmSync(home, { recursive: true, force: true }))

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-line-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function run(words: readonly string[], env: Record<string, string> = {}, program = KALENDS) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    env: programEnvironment({ HOME: home, ...env }),
  })
  return { status, stdout, stderr }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

async function startOnce(
  data: string,
  more: readonly string[] = [],
): Promise<{ lines: string[]; base: string; end: () => Promise<unknown> }> {
  const { lines, end } = startProcess(
    MAIN,
    ['--data', data, '--port', '0', '--log-level', 'silent', ...more, 'serve'],
    { HOME: home },
  )
  const said: string[] = []
  for await (const line of lines) {
    said.push(line)
    const [, base] = /^Kalends answers at (\S+)$/.exec(line) ?? []
    if (base !== undefined) return { lines: said, base, end }
  }
  throw new Error(`the service did not start: ${said.join(' ')}`)
}

const signIn = (base: string, login: string, password: string) =>
  fetch(new URL('/wp-json/wp/v2/users/me', base), {
    headers: { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` },
  }).then(({ status }) => status)

test('a service is not ready before its operator has been told the first password', async (t) => {
  const reserved = createServer().listen(0, '127.0.0.1')
  await once(reserved, 'listening')
  const address = reserved.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  reserved.close()
  await once(reserved, 'close')
  let told = ''
  const ready = async () => {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
      if (answer?.status === 200) return told
    }
  }
  const first = ready()
  const config = { ...testConfig(folderFor(t), { database: '' }), host: '127.0.0.1', port }
  const app = await startApp(config, {
    announce: ({ firstAdministrator }) => {
      told = firstAdministrator?.password ?? ''
    },
  })
  t.after(() => app.stop())
  match(await first, /^\w{4} /)
})

test('into a log, the first password of a new database is the name of a file of mode 0600', async (t) => {
  const data = join(folderFor(t), 'data')
  const file = join(data, 'first-password.txt')
  const first = await startOnce(data)
  const [login = '', password = '', link = ''] = readFileSync(file, 'utf8').split('\n')
  equal(login, 'admin')
  match(link, /^http:\/\/localhost:\d+\/desk\/set-up\/[\w-]{43}$/)
  ok(!first.lines.join('\n').includes(link.slice(-43)))
  match(password, /^\w{4}( \w{4}){5}$/)
  deepEqual([modeOf(data), modeOf(file)], ['700', '600'])
  ok(first.lines[0]?.includes(file), first.lines.join('\n'))
  ok(!first.lines.join('\n').includes(password))
  equal(await signIn(first.base, login, password), 200)
  await first.end()
  equal(modeOf(join(data, 'kalends.sqlite')), '600')

  const again = await startOnce(data)
  await again.end()
  match(
    again.lines[0] ?? '',
    /^The first application password is still in .*first-password\.txt; delete the file/,
  )
  rmSync(file)
  const third = await startOnce(data)
  await third.end()
  equal(
    third.lines[0],
    'Nobody has a password for the desk yet; kalends user link admin prints a link to it.',
  )
  equal(third.lines.length, 2)
  ok(!existsSync(file))
})

test('a first start that fails on a busy port takes no password with it', async (t) => {
  const data = join(folderFor(t), 'data')
  const busy = createServer().listen(0, '127.0.0.1')
  t.after(() => busy.close())
  await new Promise((resolve) => busy.once('listening', resolve))
  const address = busy.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  const failed = run(['--data', data, '--port', port, 'serve'], {}, MAIN)
  equal(failed.status, 1)
  equal(failed.stdout, '')
  match(failed.stderr, /is in use; choose another with --port\./)
  const { base, end } = await startOnce(data)
  const [login = '', password = ''] = readFileSync(join(data, 'first-password.txt'), 'utf8').split('\n')
  equal(await signIn(base, login, password), 200)
  await end()
})

test('--version prints the version and nothing else', () => {
  deepEqual(run(['--version']), { status: 0, stdout: `${packageJson.version}\n`, stderr: '' })
})

test('an unknown word or option is told in two lines, with the nearest known one', async () => {
  const hint = 'Add --help to see what it takes.\n'
  for (const [words, says] of [
    [['usr'], "error: unknown command 'usr'\n(Did you mean user?)\n"],
    [['serv', '--port', '0'], "error: unknown command 'serv'\n(Did you mean serve?)\n"],
    [
      ['imports', 'foo'],
      "error: unknown command 'foo': kalends imports takes " +
        'list, show, undo, schedules, pause, resume, remove.\n',
    ],
    [
      ['webhook', 'foo', '1'],
      "error: unknown command 'foo': kalends webhook takes add, list, " +
        'deliveries, remove, enable, disable, rotate, test, resend, resend-failed.\n',
    ],
    [['imports', 'list', 'foo'], "error: too many arguments for 'list': it takes none.\n"],
    [['--prt', '9'], "error: unknown option '--prt'\n(Did you mean --port?)\n"],
    [['user', 'add'], "error: required option '--role <role>' not specified\n"],
    [['backup', '--keep'], "error: option '--keep <number>' argument missing\n"],
  ] as const)
    deepEqual(await kalends(words), { code: 1, out: '', err: says + hint }, words.join(' '))
})

test('help fits a terminal of 80 columns, and settings are in that of serve alone', async () => {
  for (const words of [[], ['serve'], ['import'], ['user', 'add'], ['push']]) {
    const { code, out } = await kalends([...words, '--help'])
    equal(code, 0)
    const wide = out.split('\n').filter((line) => line.length > 80)
    deepEqual(wide, [], words.join(' '))
    equal(out.includes('--week-start'), words[0] === 'serve')
    equal(out.includes('kalends serve --help'), words[0] !== 'serve')
  }
})

test('a reader of the output who leaves is no error', async (t) => {
  const file = join(folderFor(t), 'kalends.sqlite')
  await calendarIn(file)
  const child = spawn(process.execPath, [KALENDS, 'user', 'list', '--database', `sqlite:${file}`], {
    env: programEnvironment({ HOME: home }),
  })
  child.stdout.destroy()
  let said = ''
  child.stderr.on('data', (some) => {
    said += some
  })
  const [code] = await once(child, 'close')
  deepEqual([code, said], [0, ''])
})

test('without the packages it needs, it says in one sentence what to do', (t) => {
  const folder = folderFor(t)
  for (const name of ['bin', 'src', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'bin', 'kalends.js'), 'serve'],
    { encoding: 'utf8', env: { HOME: home } },
  )
  deepEqual([status, stdout], [1, ''])
  match(
    stderr,
    /^The package [\w@/-]+, which Kalends needs, is not installed: run npm install in .* first\.\n$/,
  )
})

test('what was compiled is kept in a folder of the user, who alone may write there', (t) => {
  const cache = join(folderFor(t), 'cache')
  const startWith = (folder: string) =>
    spawnSync(process.execPath, [KALENDS, '--version'], { env: { HOME: home, XDG_CACHE_HOME: folder } })
      .status
  equal(startWith(cache), 0)
  equal(modeOf(join(cache, 'kalends')), '700')
  const shared = join(folderFor(t), 'shared')
  mkdirSync(join(shared, 'kalends'), { recursive: true })
  spawnSync('chmod', ['777', join(shared, 'kalends')])
  equal(startWith(shared), 0)
  const { stdout } = spawnSync('ls', ['-A', join(shared, 'kalends')], { encoding: 'utf8' })
  equal(stdout, '', 'a folder that others may write into is not used')
})

test('proxies are addresses, networks and the names of local ranges', async (t) => {
  const data = join(folderFor(t), 'data')
  for (const good of ['10.0.0.0/8,::1', 'loopback', 'fd00::/8,192.0.2.1', '10.0.0.0/255.0.0.0']) {
    const app = await startApp(testConfig(data, { trusted_proxy: good }))
    await app.stop()
  }
  const refusal = /^--trusted-proxy takes IP addresses and networks, not /
  match((await kalends(['--trusted-proxy', '10.0.0.0/33', 'serve'])).err, refusal)
  for (const bad of ['10.0.0.0/0', '1.2.3', '10.0.0.1/8/8', 'localhost', '::1/129'])
    throws(() => testConfig(data, { trusted_proxy: bad }), { message: refusal }, bad)
})

async function calendarIn(file: string): Promise<void> {
  const database = await openDatabase(`sqlite:${file}`)
  await migrate(database)
  await database.write(async (tx) => {
    const anna = await insertUser(tx, { login: 'anna', role: 'author' }, Date.now())
    await addCredential(tx, anna, 'password', 'x', Date.now())
  })
  await database.close()
}

async function copy(words: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  Object.assign(process.env, env)
  try {
    return await runCommand((program) => registerCopyCommand(program, []), ['copy', ...words])
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
  }
}

test('copy takes addresses from the environment and from files, where no other user sees them', async (t) => {
  const folder = folderFor(t)
  const [source, one, two, three] = ['source', 'one', 'two', 'three'].map((name) =>
    join(folder, `${name}.sqlite`),
  )
  await calendarIn(source ?? '')
  const file = join(folder, 'address')
  writeFileSync(file, `sqlite:${source}\n`)
  const [from, to] = [`sqlite:${source}`, `sqlite:${one}`]
  for (const [words, env] of [
    [[], { KALENDS_COPY_FROM: from, KALENDS_COPY_TO: to }],
    [['--from-file', file, `sqlite:${two}`], {}],
    [[`sqlite:${three}`], { KALENDS_COPY_FROM: from }],
    [[from], { KALENDS_COPY_TO: `sqlite:${three}` }],
  ] as const) {
    const { out, err, code } = await copy(words, env)
    deepEqual([code, err], [0, ''], words.join(' '))
    match(out, /^(Copied|The target held all) \d+ rows/m)
  }
  for (const name of [one, two, three]) ok(existsSync(name ?? ''))
})

test('copy says which database is named nowhere, and which file it cannot read', async (t) => {
  const folder = folderFor(t)
  const missing = join(folder, 'missing')
  match((await copy([])).err, /^Name the database to read: .*KALENDS_COPY_FROM.*--from-file\.\n$/)
  match(
    (await copy([`sqlite:${missing}`])).err,
    /^Name the database to fill: .*KALENDS_COPY_TO.*--to-file\.\n$/,
  )
  match(
    (await copy([missing, 'sqlite:x'])).err,
    /^No database can be opened at this address: sqlite:FILE and postgres:\/\/… are understood\.\n$/,
  )
  match((await copy(['--from-file', missing, 'sqlite:x'])).err, /^The file .*missing cannot be read: /)
})

test('a password on the command line is remarked on, not repeated, and in no list of processes', (t) => {
  const target = join(folderFor(t), 'target.sqlite')
  const { status, stdout, stderr } = run([
    'copy',
    'postgres://someone:hunter2@127.0.0.1:9/none',
    `sqlite:${target}`,
  ])
  equal(status, 1)
  match(
    stdout,
    new RegExp(
      '^Other users of this machine can see the password of ' +
        'postgres://someone@127\\.0\\.0\\.1:9/none on the command line;',
    ),
  )
  ok(!(stdout + stderr).includes('hunter2'), stdout + stderr)
})
