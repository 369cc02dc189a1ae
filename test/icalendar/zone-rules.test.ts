import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import ICAL from 'ical.js'
import { formatUtc, utcToWall } from '../../src/base/text/zones.ts'
import { isReadRight, writeZone, zoneRulesOf } from '../../src/features/feeds/zone-rules.ts'
import { isWhole } from '../support/rounds.ts'

const NOW = Date.UTC(2026, 10, 21)
const ZONES = isWhole
  ? Intl.supportedValuesOf('timeZone')
  : 'Europe/Berlin America/New_York Australia/Lord_Howe America/Santiago Asia/Kathmandu Asia/Tokyo'.split(' ')

function readerOf(zoneText: string): (wall: string) => number {
  const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(zoneText)))
  return (wall) => {
    const time = ICAL.Time.fromDateTimeString(wall.replace(' ', 'T'))
    time.zone = zone
    return time.toUnixTime() * 1000
  }
}

function differentZones(): string[] {
  const byText = new Map<string, string>()
  for (const zone of ZONES) {
    const rules = zoneRulesOf(zone, NOW)
    if (rules) byText.set(JSON.stringify({ ...rules, id: '' }), zone)
  }
  return [...byText.values()]
}

function momentsOf(zone: string): string[] {
  const moments: string[] = []
  for (let year = 2021; year <= 2031; year++)
    for (const month of [0, 6]) moments.push(formatUtc(Date.UTC(year, month, 15, 12)))
  const rules = zoneRulesOf(zone, NOW)
  if (!rules?.daylight) return moments
  for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2028, 0, 1); day += 86_400_000) {
    const [before, after] = [formatUtc(day), formatUtc(day + 86_400_000)]
    const hasChanged = utcToWall(before, zone).slice(11) !== utcToWall(after, zone).slice(11)
    if (hasChanged) for (let at = 0; at < 86_400_000; at += 900_000) moments.push(formatUtc(day + at))
  }
  return moments
}

describe('a zone as it is written', () => {
  test('is read by others at every moment that it is used for', () => {
    const wrong: string[] = []
    let used = 0
    for (const zone of differentZones()) {
      const rules = zoneRulesOf(zone, NOW)
      if (!rules) continue
      const read = readerOf(writeZone(rules))
      for (const utc of momentsOf(zone)) {
        const wall = utcToWall(utc, zone)
        if (!isReadRight(rules, wall, utc)) continue
        used++
        if (read(wall) !== Date.parse(`${utc.replace(' ', 'T')}Z`)) wrong.push(`${zone} ${utc}`)
      }
    }
    deepEqual(wrong.slice(0, 10), [])
    ok(used > 1000, `${used} moments`)
  })

  test('has at most one offset a season, the lower one as standard time, so that Outlook reads it', () => {
    for (const zone of ZONES) {
      const rules = zoneRulesOf(zone, NOW)
      if (!rules) continue
      const text = writeZone(rules)
      equal(text.split('BEGIN:STANDARD').length, 2, zone)
      ok(text.split('BEGIN:DAYLIGHT').length <= 2, zone)
      if (rules.daylight) ok(rules.daylight.offset > rules.standard, zone)
    }
  })

  test('is not used for times it does not know: history, the repeated hour, irregular zones', () => {
    const berlin = zoneRulesOf('Europe/Berlin', NOW)
    ok(berlin)
    equal(isReadRight(berlin, '2026-10-25 03:30:00', '2026-10-25 02:30:00'), true)
    equal(isReadRight(berlin, '2026-10-25 02:30:00', '2026-10-25 00:30:00'), false)
    equal(isReadRight(berlin, '2026-10-25 02:30:00', '2026-10-25 01:30:00'), false)
    equal(isReadRight(berlin, '1975-07-01 12:00:00', '1975-07-01 11:00:00'), false)
    for (const zone of ['UTC', 'Etc/UTC', 'UTC+2', '+05:30', 'EST5', 'Asia/Gaza', 'Africa/Cairo'])
      equal(zoneRulesOf(zone, NOW), undefined, zone)
  })
})
