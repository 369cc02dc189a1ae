/** Returns the lines of an event in a calendar file. */
export const vevent = (uid: string, ...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  ...lines,
  'END:VEVENT',
]

/** Returns a calendar file with these components. */
export const ics = (...components: readonly (readonly string[])[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...components.flat(), 'END:VCALENDAR', ''].join('\r\n')

/** Returns a calendar file with events, each given by its UID and its lines. */
export const icsOf = (...events: readonly (readonly [uid: string, ...lines: string[]])[]) =>
  ics(...events.map((event) => vevent(...event)))
