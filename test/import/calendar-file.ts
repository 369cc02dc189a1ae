export const vevent = (uid: string, ...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  ...lines,
  'END:VEVENT',
]

export const ics = (...components: readonly (readonly string[])[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...components.flat(), 'END:VCALENDAR', ''].join('\r\n')

export const icsOf = (...events: readonly (readonly [uid: string, ...lines: string[]])[]) =>
  ics(...events.map((event) => vevent(...event)))
