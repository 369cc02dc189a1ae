/** The times of an event, as the interface tells them. */
export interface Timed {
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
}

/** What is needed of `Temporal`, of the runtime or of a polyfill. */
export interface TemporalLike<Zoned> {
  Instant: { from(text: string): { toZonedDateTimeISO(zone: string): Zoned } }
}

/** `Temporal.ZonedDateTime` where the compiler knows it. */
export type ZonedDateTime = typeof globalThis extends { Temporal: { ZonedDateTime: { prototype: infer Zoned } } }
  ? Zoned
  : unknown

/**
 * When an event starts and ends. A zone that `Temporal` does not know, such as `UTC+2` or `CEST`, is an offset. Throws where there is no `Temporal`: pass that of a
 * polyfill then.
 */
export function moments<Zoned = ZonedDateTime>(
  event: Timed,
  temporal: TemporalLike<Zoned> | undefined = Object(globalThis).Temporal,
): { start: Zoned; end: Zoned } {
  if (!temporal) throw new TypeError('There is no Temporal: pass that of a polyfill')
  const moment = (utc: string, local: string) => {
    const instant = temporal.Instant.from(iso(utc))
    try {
      return instant.toZonedDateTimeISO(event.timezone)
    } catch {
      const ahead = Date.parse(iso(local)) - Date.parse(iso(utc))
      const clock = new Date(Math.abs(ahead)).toISOString().slice(11, 16)
      return instant.toZonedDateTimeISO((ahead < 0 ? '-' : '+') + clock)
    }
  }
  return { start: moment(event.utc_start_date, event.start_date), end: moment(event.utc_end_date, event.end_date) }
}

const iso = (wall: string) => `${wall.replace(' ', 'T')}Z`
