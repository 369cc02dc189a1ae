import { isUtc } from '../icalendar/zone-rules.ts'
import { clockChanges, isTimezone } from '../text/zones.ts'
import { decodeText } from './component-reader.ts'
import { windowsZone } from './windows-zones.ts'

/** Far longer than any name of a zone; longer ones are not looked at. */
const LONGEST = 200

/** The name of a zone as one program writes it `Kuala Lumpur\, Singapore`, and another `"Kuala Lumpur, Singapore"`. */
export function zoneName(tzid: string): string {
  return decodeText(tzid.slice(0, LONGEST)).replaceAll('"', '').trim()
}

/** The zone that a name stands for: a name of the tz database, perhaps behind a path, or one of Windows. */
export function zoneNamed(name: string): string | undefined {
  if (name === '') return undefined
  const tail = name.split('/')
  const spellings = [name, ...[3, 2].map((last) => tail.slice(-last).join('/')), name.replace(/[-\\]/, '/')]
  const found = spellings.map((one) => one.replaceAll(' ', '_')).find(isTimezone)
  if (found !== undefined) return isUtc(found) ? 'UTC' : (clockChanges(found, 0, 0)?.id ?? found.toUpperCase())
  return windowsZone(name) ?? (UTC.test(name) ? 'UTC' : undefined)
}

/** UTC as calendars of Microsoft call it (`tzone://Microsoft/Utc`), or by a letter. */
const UTC = /^(?:tzone:\/\/microsoft\/utc|\(?(?:utc|gmt)\)?(?:[+-]00:?00)?|z|zulu)$/i

/** Whether a name is that of a place in the tz database, whose clocks are the same for everybody; others (`EST`, `Eastern`) may mean several. */
export function isPlace(zone: string, name: string): boolean {
  const isLast = name.replaceAll(' ', '_').toLowerCase().endsWith(zone.toLowerCase())
  return isLast && zone.includes('/') && !/^etc\//i.test(zone)
}

/** The offsets in minutes that a name states: `(UTC+01:00) Somewhere`, `GMT +0100 (Standard) / GMT +0200 (Daylight)`. */
export function offsetsNamed(name: string): number[] {
  const found = [...name.matchAll(/(?:UTC|GMT)\s*([+-])(\d{1,2})(?:[:.]?(\d\d))?/gi)]
  return found.map(([, sign, hours, minutes = '0']) => (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)))
}

/** The zone that always has an offset, in minutes; undefined for one that no zone has. */
export function fixedZone(minutes: number): string | undefined {
  if (!Number.isInteger(minutes) || Math.abs(minutes) > 14 * 60) return undefined
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const part = rest === 0 ? '' : rest % 15 === 0 ? String(rest / 60).slice(1) : `:${String(rest).padStart(2, '0')}`
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${part}`
}
