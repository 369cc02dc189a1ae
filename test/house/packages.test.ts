import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { productionPackages } from '../../bench/packages.ts'

/** Bytes that the packages of an installation may take. */
const MOST = 42_000_000

test('the packages of an installation stay below 42 MB', async () => {
  const packages = await productionPackages()
  assert.ok(packages.length > 50)
  const bytes = packages.reduce((sum, [, own]) => sum + own, 0)
  assert.ok(bytes <= MOST, `${bytes} bytes; npm run packages shows which packages they are`)
})

test('the lock file names no registry, so that each installation takes its own', () => {
  const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  assert.doesNotMatch(lock, /"resolved": "\w+:/)
})
