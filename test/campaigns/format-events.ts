import { makeRandom } from '../../bench/random.ts'

export interface WrittenEvent {
  title: string
  description: string
  timezone: string
  all_day: boolean
  start_date: string
  end_date: string
}

const ZONES = (
  'Europe/Berlin America/New_York Australia/Lord_Howe Africa/Casablanca Europe/Dublin Asia/Gaza ' +
  'America/Santiago Asia/Kathmandu Pacific/Chatham America/St_Johns Antarctica/Troll UTC UTC+5:30 ' +
  'UTC-9'
).split(' ')

/** Parts of texts that formats must escape, fold or leave alone. */
const PIECES = [
  'Concert',
  'a, b; c\\n d:e',
  '"quoted"',
  "'single'",
  '=SUM(A1)',
  '+1',
  '-2',
  '@home',
  'Fish & Chips',
  '1 < 2 > 0',
  ']]>',
  '&amp;amp;',
  'Überraschung',
  '🎏👩‍👩‍👧',
  'שלום עולם',
  'مرحبا',
  'e\u0301',
  '\u2028line',
  'tab\there',
  '%41%',
  'BEGIN:VEVENT',
  'x'.repeat(90),
  '日本語の題名'.repeat(8),
]

export function* formatEvents(count: number, seed: number): Generator<WrittenEvent> {
  const { pick, whole, chance } = makeRandom(seed)
  const text = (most: number) => Array.from({ length: whole(1, most) }, () => pick(PIECES)).join(' ')
  const first = Date.now() - 20 * 86_400_000
  for (let i = 0; i < count; i++) {
    const start = first + whole(0, 700 * 1440) * 60_000
    const minutes = pick([0, 30, 90, 1440, 4000])
    const wall = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
    yield {
      title: `${text(4)} ${i}`,
      description: Array.from({ length: whole(0, 3) }, () => text(6)).join('\n\n'),
      timezone: pick(ZONES),
      all_day: chance(0.2),
      start_date: wall(start),
      end_date: wall(start + minutes * 60_000),
    }
  }
}
