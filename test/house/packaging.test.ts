import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { unitFor } from '../../packaging/linux-folder.ts'
import { licenceOf } from '../../packaging/notices.ts'

const packaging = fileURLToPath(new URL('../../packaging', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'kalends-packaging-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const textOf = (path: string) => readFileSync(join(packaging, path), 'utf8')

test('install.sh says every step, and none leads out of its folders', () => {
  const said = execFileSync(join(packaging, 'folder/install.sh'), ['--print'], { encoding: 'utf8' })
  const steps = said.split('\n').filter((line) => line.startsWith('+ '))
  assert.ok(steps.length >= 8, said)
  const own = ['/opt/kalends', '/etc/kalends', '/var/lib/kalends', '/usr/local/bin/kalends']
  const taken = [...own, '/etc/systemd/system/kalends.service', '/usr/sbin/nologin', packaging]
  const paths = steps.flatMap((step) => step.match(/(?<=\s)\/\S+/g) ?? [])
  assert.deepEqual(
    paths.filter((path) => !taken.some((start) => path.startsWith(start))),
    [],
  )
  for (const path of own.slice(0, 3)) assert.ok(said.split('\n')[0]?.includes(path), path)
})

test('install.sh refuses what it does not know in one sentence', () => {
  const { status, stderr } = spawnSync(join(packaging, 'folder/install.sh'), ['--force'], { encoding: 'utf8' })
  assert.deepEqual(
    { status, stderr },
    { status: 1, stderr: 'install.sh takes --print, --remove or nothing, and not --force.\n' },
  )
})

test('scripts of the folder and of the Debian package are scripts of any shell, and end at the first failure', () => {
  const scripts = ['config', 'postinst', 'prerm', 'postrm'].map((name) => `debian/${name}`)
  for (const path of [...scripts, 'folder/install.sh', 'folder/kalends']) {
    assert.match(textOf(path), /^#!\/bin\/sh\n/, path)
    execFileSync('sh', ['-n', join(packaging, path)])
  }
  for (const path of scripts) assert.match(textOf(path), /^set -e$/m, path)
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
  const said = execFileSync(join(folder, 'linked'), ['--version'], { cwd: folder, env: { PATH: '/usr/bin:/bin' } })
  assert.equal(String(said).trim(), packageJson.version)
})

test('units of the packages start what is in their folder, with the settings that are installed', () => {
  for (const unit of readdirSync(join(packaging, '../deploy')).filter((name) => name.endsWith('.service'))) {
    const text = unitFor(unit, '/usr/lib/kalends')
    assert.match(text, /^ExecStart=\/usr\/lib\/kalends\/kalends (serve|backup )/m)
    assert.match(text, /^EnvironmentFile=-\/etc\/kalends\/kalends\.env$/m)
    assert.doesNotMatch(text, /\/opt\/|kalends\.js/)
  }
})

test('the settings that are installed keep the service to its machine', () => {
  assert.match(textOf('folder/kalends.env'), /^KALENDS_HOST=127\.0\.0\.1$/m)
})

test('a purge asks before it deletes the calendar, and keeps it without an answer', () => {
  assert.match(textOf('debian/templates'), /^Template: kalends\/delete_calendar\nType: boolean\nDefault: false\n/)
  assert.match(
    textOf('debian/postrm'),
    /\|\| RET=false\n *if \[ "\$RET" = true \]; then\n *rm -rf \/var\/lib\/kalends\n/,
  )
  assert.equal(textOf('debian/postrm').split('/var/lib/kalends').length, 2)
})

test('each package that the service needs has its licence, and those without a text have a README in its place', () => {
  for (const name of Object.keys(packageJson.dependencies)) {
    const { license, texts } = licenceOf(join(packaging, '../node_modules', name))
    assert.ok(license !== '' && texts.length > 0, name)
  }
})
