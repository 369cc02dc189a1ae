import type { TestService } from './service.ts'

export const HARD_TEXTS = [
  `</script><img src=x onerror="alert('1')">`,
  'Bread, wine; cheese: a\\b "quoted" \'single\' & ]]> &amp;lt;',
  'Two\r\nlines\tand a tab',
  '🎏👩‍👩‍👧 Ünïcode e\u0301 日本語の題名',
  'مرحبا بالعالم \u202eשלום\u202c',
  '\u2028line\u2029paragraph \ufeff mark',
  '=HYPERLINK("http://evil.example")',
  '@home +1 -2',
  '{count} %s {{y}} <%= z %>',
  'W'.repeat(500),
  '字'.repeat(500),
  `${'a b '.repeat(124)}end`,
] as const

const ZONES = [
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Europe/Dublin',
  'UTC+5:30',
  'Asia/Gaza',
  'Antarctica/Troll',
]

export async function writeHardRecords({ create }: TestService): Promise<void> {
  const from = Date.now() + 86_400_000
  const wall = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
  for (const [at, text] of HARD_TEXTS.entries()) {
    const start = from + at * 40 * 3_600_000
    const category = await create('/categories', { name: `${text.slice(0, 150)} ${at}`, description: text })
    await create('/events', {
      title: text,
      description: `<p>${text}</p><ul><li>${text}</li></ul>`,
      excerpt: text,
      cost: text.slice(0, 100),
      website: 'https://example.org/?a=1&b="2"',
      timezone: ZONES[at % ZONES.length],
      all_day: at % 4 === 3,
      start_date: wall(start),
      end_date: wall(start + (at % 3) * 30 * 3_600_000),
      categories: [category.id],
      tags: [`${text.slice(0, 150)} ${at}`],
      venue: {
        venue: text,
        address: text.slice(0, 200),
        city: text.slice(0, 100),
        geo_lat: -33.5 - at,
        geo_lng: 151.25,
      },
      organizer: [
        { organizer: text, email: `a${at}@example.org`, phone: text.slice(0, 50) },
        { organizer: `Other ${at}` },
      ],
      ...(at % 5 === 0 ? { event_status: 'canceled', event_status_reason: text } : {}),
    })
    await create('/events', { title: `Bare ${at}`, start_date: wall(start), end_date: wall(start) })
  }
  await create('/events', {
    title: HARD_TEXTS[0],
    start_date: wall(from),
    end_date: wall(from + 3_600_000),
    recurrence: 'RRULE:FREQ=WEEKLY;COUNT=5',
    venue: { venue: HARD_TEXTS[4] },
  })
}
