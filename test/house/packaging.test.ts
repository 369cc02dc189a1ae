import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { UNITS, unitFor } from '../../packaging/linux-folder.ts'
import { licenceOf } from '../../packaging/notices.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertNone } from '../support/lists.ts'

const packaging = fileURLToPath(new URL('../../packaging', import.meta.url))
const folder = temporaryFolder()
const textOf = (path: string) => readFileSync(join(packaging, path), 'utf8')

test('install.sh says every step, and none leads out of its folders', () => {
  const said = execFileSync(join(packaging, 'folder/install.sh'), ['--print'], { encoding: 'utf8' })
  const steps = said.split('\n').filter((line) => line.startsWith('+ '))
  ok(steps.length >= 8, said)
  const own = ['/opt/kalends', '/etc/kalends', '/var/lib/kalends', '/usr/local/bin/kalends']
  const taken = [...own, '/etc/systemd/system/kalends.service', '/usr/sbin/nologin', packaging]
  const paths = steps.flatMap((step) => step.match(/(?<=\s)\/\S+/g) ?? [])
  assertNone(paths, (path) => !taken.some((start) => path.startsWith(start)))
  for (const path of own.slice(0, 3)) ok(said.split('\n')[0]?.includes(path), path)
})

test('install.sh refuses what it does not know in one sentence', () => {
  const { status, stderr } = spawnSync(join(packaging, 'folder/install.sh'), ['--force'], {
    encoding: 'utf8',
  })
  deepEqual(
    { status, stderr },
    { status: 1, stderr: 'install.sh takes --print, --remove or nothing, and not --force.\n' },
  )
})

test('kalends of the folder starts the Node beside it, through links and from everywhere', () => {
  const there = join(folder, 'a folder')
  mkdirSync(there)
  cpSync(join(packaging, 'folder/kalends'), join(there, 'kalends'))
  cpSync(join(packaging, '../bin'), join(there, 'bin'), { recursive: true })
  for (const path of ['src', 'node_modules', 'package.json'])
    symlinkSync(join(packaging, '..', path), join(there, path))
  symlinkSync(process.execPath, join(there, 'node'))
  symlinkSync(join(there, 'kalends'), join(folder, 'linked'))
  const said = execFileSync(join(folder, 'linked'), ['--version'], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
  })
  equal(String(said).trim(), packageJson.version)
})

// As root of a namespace with folders of its own; what stands in for systemd shows what it is to run, and
// fails as it does where a folder may not be entered.
const inNamespace = ['--user', '--map-root-user', '--mount']
const isAllowed = spawnSync('unshare', [...inNamespace, 'true']).status === 0

test('an installed kalends hands its caller’s variables over unseen by others, and says why nothing came', {
  skip: !isAllowed && 'needs unshare',
}, () => {
  const said = execFileSync('unshare', [...inNamespace, 'sh', '-euc', STAND_IN, join(packaging, 'folder')], {
    encoding: 'utf8',
    env: {
      ...{ PATH: process.env.PATH, NODE: process.execPath },
      ...{ KALENDS_COPY_TO: 'postgres://"$\\`', AWS_SECRET_ACCESS_KEY: 'hidden', OTHER: 'x' },
    },
  })
  match(said, /--property=WorkingDirectory=-\/home\/op\b/)
  match(said, / -- \S+\/node .*\/kalends\.js user add a\$\$b\n/)
  deepEqual(said.match(/^(KALENDS|AWS|OTHER).*/gm), [
    'KALENDS_COPY_TO="postgres://\\"\\$\\\\\\`"',
    'AWS_SECRET_ACCESS_KEY="hidden"',
  ])
  doesNotMatch(said.split('\n')[0] ?? '', /hidden/)
  match(said, /^The user kalends may not enter \/home\/op, so this ran in \/: /m)
  match(said, /^The command did not end by itself \(200\); journalctl/m)
  match(said, /^ended with 200, left: $/m)
})

const STAND_IN = `
  folder=$0
  for path in /opt /run /home; do mount -t tmpfs none $path; done
  mkdir -p /run/systemd/system /opt/kalends /opt/bin /home/op
  cp "$folder/kalends" /opt/kalends/
  ln -s "$NODE" /opt/kalends/node
  printf '#!/bin/sh\\nexit 1\\n' > /opt/bin/setpriv
  printf '#!/bin/sh\\necho "$*"; cat /run/kalends-command.*; exit 200\\n' > /opt/bin/systemd-run
  chmod +x /opt/bin/*
  cd /home/op
  code=0
  PATH=/opt/bin:$PATH /opt/kalends/kalends user add 'a$b' 2>&1 || code=$?
  echo "ended with $code, left: $(ls /run | grep kalends || true)"`

test('install.sh takes all that the folder has when it is made, and nothing else', () => {
  const [, names = ''] = /^shipped='([^']+)'$/m.exec(textOf('folder/install.sh')) ?? []
  const own = 'bin dist LICENSE node node_modules npm-shrinkwrap.json package.json README.md'.split(' ')
  const made = [...own, ...readdirSync(join(packaging, 'folder')), ...UNITS, 'THIRD-PARTY-NOTICES.txt']
  deepEqual(names.split(/\s+/).sort(), made.sort())
})

test('units of the packages start what is in their folder, with the settings that are installed', () => {
  for (const unit of UNITS.filter((name) => name.endsWith('.service'))) {
    const text = unitFor(unit, '/usr/lib/kalends')
    const words = unit.includes('@') ? 'serve --port %i$' : '(serve$|backup )'
    match(text, new RegExp(`^ExecStart=/usr/lib/kalends/kalends ${words}`, 'm'))
    match(text, /^EnvironmentFile=-\/etc\/kalends\/kalends\.env$/m)
    doesNotMatch(text, /\/opt\/|kalends\.js/)
  }
})

test('the settings that are installed keep the service to its machine', () => {
  match(textOf('folder/kalends.env'), /^KALENDS_HOST=127\.0\.0\.1$/m)
})

test('a purge asks before it deletes the calendar, and keeps it without an answer', () => {
  match(textOf('debian/templates'), /^Template: kalends\/delete_calendar\nType: boolean\nDefault: false\n/)
  match(
    textOf('debian/postrm'),
    /\|\| RET=false\n *if \[ "\$RET" = true \]; then\n *rm -rf \/var\/lib\/kalends\n/,
  )
  equal(textOf('debian/postrm').split('/var/lib/kalends').length, 2)
})

test('each package that is needed has its licence, and those without a text a README', () => {
  for (const name of Object.keys(packageJson.dependencies)) {
    const { license, texts } = licenceOf(join(packaging, '../node_modules', name))
    ok(license !== '' && texts.length > 0, name)
  }
})
