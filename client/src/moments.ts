/** The times of an event in answers. */
export interface Timed {
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
}

/** The part of `Temporal` that is used, of the runtime or a polyfill. */
export interface TemporalLike<Zoned> {
  Instant: { from(text: string): { toZonedDateTimeISO(zone: string): Zoned } }
}

/** `Temporal.ZonedDateTime`, if the compiler knows it. */
export type ZonedDateTime = typeof globalThis extends {
  Temporal: { ZonedDateTime: { prototype: infer Zoned } }
}
  ? Zoned
  : unknown

/**
 * Returns the start and end. A zone unknown to `Temporal`, such as `UTC+2` or `CEST`, becomes an offset.
 * Throws without `Temporal`: pass a polyfill.
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
  return {
    start: moment(event.utc_start_date, event.start_date),
    end: moment(event.utc_end_date, event.end_date),
  }
}

const iso = (wall: string) => `${wall.replace(' ', 'T')}Z`
