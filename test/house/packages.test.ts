import { deepEqual, doesNotMatch, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { productionPackages } from '../../bench/packages.ts'

/** The most bytes of the packages of an installation. */
const MOST = 45_000_000

test('the packages of an installation stay below 45 MB', async () => {
  const packages = await productionPackages()
  ok(packages.length > 50)
  const bytes = packages.reduce((sum, [, own]) => sum + own, 0)
  ok(bytes <= MOST, `${bytes} bytes; npm run packages shows which packages they are`)
})

const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')

test('the lock file names no registry, so that each installation takes its own', () => {
  doesNotMatch(lock, /"resolved": "\w+:/)
})

test('the lock file has what packages need on every platform, without which npm ci refuses it', () => {
  const { packages }: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } =
    JSON.parse(lock)
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  )
  deepEqual(missing, [])
})
