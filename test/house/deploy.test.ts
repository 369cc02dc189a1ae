import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
  assert.match(textOf('deploy/kalends.service'), /^ExecStart=\/usr\/bin\/node \/opt\/kalends\/bin\/kalends\.js serve$/m)
  assert.match(textOf('deploy/Containerfile'), /^ENTRYPOINT \["node", "bin\/kalends\.js"\]\nCMD \["serve"\]$/m)
  assert.ok(existsSync(join(root, 'bin/kalends.js')))
})
