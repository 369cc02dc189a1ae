import { deepEqual, equal } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { formats } from '../../src/features/feeds/formats.ts'

const folders = ['features/feeds', 'http'].map((name) =>
  fileURLToPath(new URL(`../../src/${name}`, import.meta.url)),
)

function declared(): string[] {
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return [...text.matchAll(/^export const \w+(?:: Format = | = feedFormat\()\{\s+name: '([^']+)'/gm)].map(
      ([, name = '']) => name,
    )
  })
}

test('every representation is a row of the table', () => {
  const rows: readonly string[] = formats.map(({ name }) => name)
  const lost = declared().filter((name) => !rows.includes(name))
  deepEqual(lost, [], `without a row in src/features/feeds/formats.ts: ${lost.join(', ')}`)
  deepEqual(declared().toSorted(), rows.toSorted())
})

test('representations differ in their names and media types, and JSON is the first', () => {
  equal(formats[0].name, 'json')
  for (const member of ['name', 'mediaType'] as const)
    equal(new Set(formats.map((format) => format[member].toLowerCase())).size, formats.length)
})
