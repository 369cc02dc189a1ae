import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { windowsZone } from '../../src/features/imports/windows-zones.ts'

interface Mapped {
  mapZone: { _other: string; _type: string; _territory: string }
}

test('the zone of each name of Windows is the one that the table of CLDR has for it', () => {
  const file = fileURLToPath(import.meta.resolve('cldr-core/supplemental/windowsZones.json'))
  const table: Mapped[] = JSON.parse(readFileSync(file, 'utf8')).supplemental.windowsZones.mapTimezones
  const world = table.map(({ mapZone }) => mapZone).filter(({ _territory }) => _territory === '001')
  ok(world.length > 100)
  const differing = world.filter(
    ({ _other, _type }) => currentName(windowsZone(_other)) !== currentName(_type),
  )
  deepEqual(differing, [])
})

function currentName(zone: string | undefined): string | undefined {
  return zone && new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
}
