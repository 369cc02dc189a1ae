import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isTimezone } from '../text/zones.ts'
import { readZone } from './calendar-zones.ts'
import { type Component, componentsOf, propertyOf, textOf } from './component-reader.ts'
import { type CalendarFile, eventsOf, occurrenceName, timeOf } from './ics-events.ts'
import type { Source, SourceEntry } from './source-item.ts'

/** What a calendar file is read with. */
export interface IcsTask {
  file: string
  /** The zone of times without one. */
  zone: string
  /** ms since the epoch. */
  now: number
}

/** Occurrences told of by themselves that are kept in mind. */
const MOST_OVERRIDES = 500_000

/** An iCalendar file (RFC 5545), read twice: first its zones and the occurrences that it tells of by themselves, then its events. */
export async function icsSource(task: IcsTask, address: string): Promise<Source> {
  const { size } = await stat(task.file)
  let read = 0
  const bytes = async function* () {
    for await (const chunk of createReadStream(task.file, { highWaterMark: 1 << 18 })) {
      read += chunk.length
      yield chunk
    }
  }
  const entries = async function* (): AsyncGenerator<SourceEntry> {
    const file = await survey(bytes(), task)
    for await (const component of componentsOf(bytes())) {
      if ('reason' in component) yield { at: `line ${component.line}`, reason: component.reason }
      else if (component.name === 'VEVENT') yield* eventsOf(component, file)
    }
  }
  return { address, total: () => size * 2, progress: () => read, isWhole: () => true, entries }
}

/** @throws Error with one sentence when the file is no calendar */
async function survey(bytes: AsyncIterable<Uint8Array>, { zone, now }: IcsTask): Promise<CalendarFile> {
  const zones = new Map<string, ReturnType<typeof readZone>[1]>()
  const overrides = new Map<string, Set<string>>()
  const file = { zones, zone, overrides, isCancelled: false, now }
  let isCalendar = false
  let count = 0
  for await (const component of componentsOf(bytes)) {
    isCalendar = true
    if ('reason' in component) continue
    if (component.name === 'VCALENDAR') readHead(file, component)
    if (component.name === 'VTIMEZONE') {
      const [tzid, own] = readZone(component)
      zones.set(tzid, own)
    }
    if (component.name === 'VEVENT' && count < MOST_OVERRIDES && noteOverride(file, overrides, component)) count += 1
  }
  if (!isCalendar) throw new Error('The file is no iCalendar: it has no components.')
  return file
}

function readHead(file: { zone: string; isCancelled: boolean }, head: Component): void {
  const zone = textOf(head, 'X-WR-TIMEZONE')
  if (zone !== '' && isTimezone(zone)) file.zone = zone
  if (/^cancel$/i.test(textOf(head, 'METHOD'))) file.isCancelled = true
}

function noteOverride(file: CalendarFile, overrides: Map<string, Set<string>>, component: Component): boolean {
  const original = timeOf(propertyOf(component, 'RECURRENCE-ID'), file)
  if (!original) return false
  const uid = textOf(component, 'UID')
  overrides.set(uid, (overrides.get(uid) ?? new Set()).add(occurrenceName(original)))
  return true
}
