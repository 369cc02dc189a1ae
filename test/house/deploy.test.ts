import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { environmentName, settings } from '../../src/config.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = readdirSync(join(root, 'deploy')).map((name) => `deploy/${name}`)
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

test('deployments set no variable that is no setting', () => {
  const known = new Set(Object.keys(settings).map(environmentName))
  const named = [...files, 'docs/deploying.md', 'docs/capacity.md'].flatMap((path) =>
    [...textOf(path).matchAll(/\bKALENDS_[A-Z_]*[A-Z]\b/g)].map(([name]) => `${path}: ${name}`),
  )
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter((entry) => !known.has(entry.split(': ')[1] ?? '')),
    [],
  )
})

test('the container file copies what is there, and everything that is run', () => {
  const copied = [...textOf('deploy/Containerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  assert.deepEqual(
    copied.filter((name) => !existsSync(join(root, name))),
    [],
  )
  for (const needed of ['package.json', 'package-lock.json', 'bin', 'src']) assert.ok(copied.includes(needed), needed)
})

test('the service and the container start the program that is there', () => {
  assert.match(textOf('deploy/kalends.service'), /^ExecStart=\/opt\/kalends\/bin\/kalends\.js serve$/m)
  assert.match(textOf('deploy/Containerfile'), /^ENTRYPOINT \["bin\/kalends\.js"\]\nCMD \["serve"\]$/m)
  // Both run the file itself, which says how Node is to be started; npm start has to say the same.
  assert.ok(statSync(join(root, 'bin/kalends.js')).mode & 0o100)
  const [, flags] = textOf('bin/kalends.js').match(/^#!\/usr\/bin\/env -S node (\S+)\n/) ?? []
  assert.equal(JSON.parse(textOf('package.json')).scripts.start, `node ${flags} bin/kalends.js serve`)
})
