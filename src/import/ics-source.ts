import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { RULES } from './calendar-recurrence.ts'
import { calendarZone, define, noZones } from './calendar-zones.ts'
import { type Component, componentsOf, propertyOf, type ReadComponent, textOf } from './component-reader.ts'
import { type CalendarFile, eventsOf } from './ics-events.ts'
import type { Reading, Source, SourceEntry } from './source-item.ts'

/** Options for reading a calendar file. */
export interface IcsTask {
  file: string
  /** The zone of times without one. */
  zone: string
}

/** An iCalendar file (RFC 5545), read twice: first its zones and which events repeat, then its events. */
export async function icsSource(task: IcsTask, address: string): Promise<Source> {
  const { size } = await stat(task.file)
  let read = 0
  const bytes = async function* () {
    for await (const chunk of createReadStream(task.file, { highWaterMark: 1 << 18 })) {
      read += chunk.length
      yield chunk
    }
  }
  const entries = async function* ({ context: { now } }: Reading): AsyncGenerator<SourceEntry> {
    const file = await survey(bytes(), task.zone, now)
    const held: Component[] = []
    for await (const component of componentsOf(bytes())) {
      if ('reason' in component) yield faultOf(component)
      else if (component.name === 'VTIMEZONE') define(file.zones, component)
      else if (component.name !== 'VEVENT') continue
      else if (isAhead(component, file) && held.length < MOST_HELD) held.push(component)
      else yield* eventsOf(component, file)
    }
    for (const component of held) yield* eventsOf(component, file)
  }
  return { address, total: () => size * 2, progress: () => read, isWhole: () => true, entries }
}

function faultOf({ line, reason, isEnd }: Exclude<ReadComponent, Component>): SourceEntry {
  return isEnd ? { cutOff: `Line ${line}: ${reason}` } : { at: `line ${line}`, reason }
}

/** The most occurrences that are held until their series comes. */
const MOST_HELD = 50_000
/** The most series that occurrences wait for. */
const MOST_AWAITED = 500_000

/** Whether an occurrence comes before its series, so that it has to wait. */
function isAhead(component: Component, { awaited }: Survey): boolean {
  const uid = textOf(component, 'UID')
  if (propertyOf(component, 'RECURRENCE-ID')) return awaited.has(uid)
  awaited.delete(uid)
  return false
}

interface Survey extends CalendarFile {
  /** UIDs of series that come later in the file. */
  awaited: Set<string>
}

/** @throws Error with one sentence when the file is not a calendar */
async function survey(bytes: AsyncIterable<Uint8Array>, zone: string, now: number): Promise<Survey> {
  const awaited = new Set<string>()
  const file = { zones: noZones(zone, now), isCancelled: false, awaited }
  let name = ''
  let isCalendar = false
  for await (const component of componentsOf(bytes)) {
    isCalendar = true
    if ('reason' in component) continue
    if (component.name === 'VCALENDAR') {
      name = textOf(component, 'X-WR-TIMEZONE') || name
      if (/^cancel$/i.test(textOf(component, 'METHOD'))) file.isCancelled = true
    }
    if (component.name === 'VTIMEZONE') define(file.zones, component)
    const repeats = component.name === 'VEVENT' && component.properties.some(({ name }) => RULES.has(name))
    if (repeats && awaited.size < MOST_AWAITED) awaited.add(textOf(component, 'UID'))
  }
  if (!isCalendar) throw new Error('The file is not an iCalendar file: it has no components.')
  file.zones.zone = calendarZone(name, file.zones)
  return file
}
