import { doesNotMatch, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readDeskAssets } from '../../src/features/desk/desk-frame.ts'

test('scripts of all pages weigh less than 60 kB, their style less than 15 kB; a map comes later', () => {
  const files = [...readDeskAssets('#0b6e5f').byPath].filter(([path]) => !path.includes('/leaflet.'))
  const weightOf = (extension: string) =>
    files
      .filter(([path]) => path.endsWith(extension))
      .reduce((sum, [, { bytes }]) => sum + gzipSync(bytes).length, 0)
  ok(weightOf('.js') < 60_000, String(weightOf('.js')))
  ok(weightOf('/desk.css') < 15_000, String(weightOf('/desk.css')))
  const textOf = (name: string) => String(files.find(([path]) => path.endsWith(`/${name}`))?.[1].bytes)
  match(textOf('rich-text.js'), /await import\('.\/squire.js'\)/)
  match(textOf('position-map.js'), /await import\(script\)/)
  for (const name of ['desk.js', 'event-form.js']) doesNotMatch(textOf(name), /^import .*(rich-text|squire)/m)
})
