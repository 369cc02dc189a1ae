import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { commandVariables, environmentName, settingTable } from '../../src/base/config.ts'
import { features } from '../../src/features.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertNone } from '../support/lists.ts'
import { isWhole } from '../support/rounds.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = readdirSync(join(root, 'deploy')).map((name) => `deploy/${name}`)
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

test('deployments set no variable that is no setting', () => {
  const known = new Set<string>([
    ...Object.keys(settingTable(features)).map(environmentName),
    ...commandVariables(features),
  ])
  const named = [...files, 'docs/production.md', 'docs/production-details.md'].flatMap((path) =>
    [...textOf(path).matchAll(/\bKALENDS_[A-Z_]*[A-Z]\b/g)].map(([name]) => `${path}: ${name}`),
  )
  ok(named.length > 10)
  assertNone(named, (entry) => !known.has(entry.split(': ')[1] ?? ''))
})

test('every setting reaches the service of compose, but for those of the container itself', () => {
  const [passed = ''] =
    textOf('deploy/compose.yaml').match(/(?<=^ {4}environment: &settings\n)( {6}\w+:\n)+/m) ?? []
  deepEqual(
    new Set(passed.match(/KALENDS_\w+/g)),
    new Set(Object.keys(settingTable(features)).map(environmentName)).difference(
      new Set(['KALENDS_HOST', 'KALENDS_PORT', 'KALENDS_DATA']),
    ),
  )
})

test('the proxy of two nodes has the directives that the documents explain', () => {
  const explained = new Set(textOf('docs/production.md').split('\n'))
  const directives = textOf('deploy/nodes.conf').match(/^ +(?:proxy|client|keepalive)\w* .+;$/gm) ?? []
  ok(directives.length > 8)
  assertNone(directives, (line) => !explained.has(line))
  match(textOf('deploy/compose.yaml'), /- \.\/nodes\.conf:\/etc\/nginx\/conf\.d\/default\.conf:ro$/m)
})

test('folders for backups of containers belong to the user of the image', () => {
  const [, user] = textOf('deploy/Containerfile').match(/^USER (\d+):\d+$/m) ?? []
  const [, ...owners] = textOf('docs/production.md').match(/-o (\d+) -g (\d+) /) ?? []
  deepEqual(owners, [user, user])
})

const copied = [...textOf('deploy/Containerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
  ([, names = '']) => names.split(' '),
)

test('what the container file copies is let into its context, and nothing else', () => {
  const rules = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  equal(rules.shift(), '*')
  deepEqual(rules.sort(), [...new Set(copied)].map((name) => `!${name}`).sort())
})

test('the service and the container start the program that is there', () => {
  match(textOf('deploy/kalends.service'), /^ExecStart=\/opt\/kalends\/bin\/kalends\.js serve$/m)
  match(textOf('deploy/Containerfile'), /^ENTRYPOINT \["bin\/kalends\.js"\]\nCMD \["serve"\]$/m)
  // The container and the unit run the file directly; its first line has the flags of Node, which `npm start`
  // must repeat.
  ok(statSync(join(root, 'bin/kalends.js')).mode & 0o100)
  const [, flags] = textOf('bin/kalends.js').match(/^#!\/usr\/bin\/env -S node (\S+)\n/) ?? []
  equal(JSON.parse(textOf('package.json')).scripts.start, `node ${flags} bin/kalends.js serve`)
})

test('the health check of the container asks on the port that the service has', async (t) => {
  const [, program = '', words = ''] =
    textOf('deploy/Containerfile').match(/^HEALTHCHECK .*\\\n +CMD \["(node)", (.+)\]$/m) ?? []
  equal(program, 'node')
  const server = createServer(({ url }, response) => response.writeHead(url === '/readyz' ? 200 : 404).end())
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const check = async () => {
    const env = { ...process.env, KALENDS_PORT: String(port) }
    const [code] = await once(
      spawn(process.execPath, JSON.parse(`[${words}]`), { env, stdio: 'ignore' }),
      'exit',
    )
    return code
  }
  equal(await check(), 0)
  server.close()
  equal(await check(), 1)
})

function directivesOf(path: string, section: string): string[] {
  const [, text = ''] = textOf(path).split(`[${section}]\n`)
  return (text.split(/^\[/m)[0] ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

const BACKUP = 'deploy/kalends-backup.service'

test('the units wait for a database of this machine, and never give the service up for one', () => {
  const service = directivesOf('deploy/kalends.service', 'Unit')
  ok(service.includes('StartLimitIntervalSec=0'), service.join())
  for (const unit of [service, directivesOf(BACKUP, 'Unit')])
    ok(
      unit.some((line) => line.startsWith('After=') && line.includes('postgresql.service')),
      unit.join(),
    )
})

test('the unit for backups has the settings of the service, and is shut in as it is', () => {
  const service = directivesOf('deploy/kalends.service', 'Service')
  const backup = new Set(directivesOf(BACKUP, 'Service'))
  const shut =
    /^(User|UMask|EnvironmentFile|NoNew|Capability|Protect|Private|Lock|RemoveIPC|Restrict|SystemCall)\w*=/
  const wanted = service.filter((line) => shut.test(line))
  ok(wanted.length > 20)
  assertNone(wanted, (line) => !backup.has(line))
  const [, data] = /KALENDS_DATA=(\S+)/.exec(service.join('\n')) ?? []
  match([...backup].join('\n'), new RegExp(`KALENDS_DATA=${data}( |$)`, 'm'))
  match(textOf('deploy/kalends-backup.timer'), /^OnCalendar=.*\n(.*\n)*Persistent=yes$/m)
})

test('the folder of backups has to be there, may be written, and keeps a number of them', () => {
  const unit = directivesOf(BACKUP, 'Unit').join('\n')
  const service = directivesOf(BACKUP, 'Service').join('\n')
  const [, folder = ''] =
    /^ExecStart=\/opt\/kalends\/bin\/kalends\.js backup (\/\S+) --keep \d+$/m.exec(service) ?? []
  ok(unit.split('\n').includes(`AssertPathIsDirectory=${folder}`), unit)
  ok(service.split('\n').includes(`ReadWritePaths=/var/lib/kalends ${folder}`), service)
  ok(textOf('docs/production.md').includes(`install -d -o kalends -g kalends -m 0700 ${folder}\n`))
})

const canAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

test('systemd finds the unit for backups as well shut in as the service', {
  skip: !canAnalyze && 'needs systemd-analyze',
}, () => {
  const [service, backup] = ['deploy/kalends.service', BACKUP].map((path) => {
    const { stdout } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--no-pager', join(root, path)],
      { encoding: 'utf8' },
    )
    return /exposure level for \S+: (\S+)/.exec(stdout)?.[1]
  })
  ok(service !== undefined)
  equal(backup, service)
})

const inNamespace = ['--user', '--pid', '--fork', '--kill-child']
const isAllowed = spawnSync('unshare', [...inNamespace, 'true']).status === 0

test('a container that is told to end while it starts ends at once', {
  skip: isWhole ? !isAllowed && 'needs unshare' : 'npm run test:rest does it',
}, async () => {
  const data = temporaryFolder()
  const flags = ['--data', data, '--port', '0', '--log-level', 'silent']
  const parent = spawn('unshare', [
    ...inNamespace,
    process.execPath,
    join(root, 'bin/kalends.js'),
    ...flags,
    'serve',
  ])
  let printed = ''
  parent.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const ended = once(parent, 'exit')
  // Sends SIGTERM repeatedly from the start of Node on: a signal that comes before Node listens is lost.
  while (parent.exitCode === null && parent.signalCode === null) {
    try {
      const first = Number(readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8'))
      if (first) process.kill(first, 'SIGTERM')
    } catch {
      // The process has ended already.
    }
    await setTimeout(5)
  }
  // The result depends on how far the start has come. A shell reports both as 143.
  const [code, signal] = await ended
  ok(code === 143 || signal === 'SIGTERM', `it ended with ${code ?? signal}`)
  equal(printed, '')
})
