import type { Random } from '../../bench/random.ts'
import type { Verbatim } from './planned-request.ts'

const listed = (text: string) => text.split(' ')

const UNITS = [
  ...listed(
    '\u0301 \u0315 \u0316 \u0344 \u1161 \u200d \ufdfa \u0130 \u1e9e ' +
      '\ufe0f \u202e \u05d0 e\u0301 \ud83d \ude00 ß İ 寺 😀 👩‍👩‍👧 🇩🇪',
  ),
  ...listed(
    '<b> <br> <br/> <p> </p> < > <!-- --> <![CDATA[ <b <li><ul> </script> & &amp &amp; &# &#x &#38; &lt;',
  ),
  ...listed(
    '9 0 1. 1, . , 1- - -- " \' \\ / // % %0 %00 %25 [ ] [] [a] { ( ) * _ | + ? ^ a x@ http:// = ; :',
  ),
  ...[' ', '\t', '\n', '\r\n', '\n\n', ' \n', 'a ', 'a\n', '\u00a0', '\u2028', '\u0000', '\u0007'],
  ...['<a href="', ', ', '$1 ', '- ', 'Ab ', 'ab ', '-a ', '"a '],
]

/** Pairs of parts that cost more together than alone, such as marks that normalisation must sort. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['\u0315', '\u0316'],
  ['<b>', '<br>'],
  ['<br>', '\n'],
  [' ', 'b\nc'],
  ['\t', '\n'],
  ['<p>', '<b>'],
  ['"', ' '],
  ['&', ';'],
]

const EDGES = [
  '',
  '',
  '',
  'a',
  '<b>',
  '"',
  ' ',
  '<p>',
  'b\nc',
  '1',
  '-',
  'http://',
  '<a href="',
  '$',
  '\n',
  '&',
  'é',
]

const TEXTS = [
  ...listed(
    '0 -1 1.5 1e309 -0 0x10 1_000 ٣ NaN Infinity null undefined ' +
      'true yes 1e21 99999999999999999999999 9007199254740993',
  ),
  ...listed(
    '9223372036854775807 9223372036854775808 2147483648 ' +
      '12345678901234567890 @1e15 @-1 24:00 now 0000-00-00 0001-01-01',
  ),
  ...listed(
    '__proto__ constructor prototype toString hasOwnProperty ' +
      'length valueOf toJSON then %zz %s%n \\u0000 {{7*7}}',
  ),
  ...listed(
    '../../etc/passwd ..%2f..%2fx -271821-04-20 +275760-09-13 ' +
      '275761-01-01 2027-02-30 10000-01-01 2026/11/21T05:00',
  ),
  ...listed(
    '2026-11-01T01:30:00-05:00 2027-01-01T00:00:00+99:99 ' +
      'Mars/Phobos UTC+99 UTC+14:60 UTC- +25:00 utc+0.5 EST5EDT GMT',
  ),
  ...listed(
    'america/new_york Etc/GMT-14 http://[::1 http://a:99999 ' +
      'javascript:alert(1) http://127.0.0.1:1/x.png file:///etc/passwd',
  ),
  ...listed(
    'data:image/png;base64,xx http:// //x publish,future any ' +
      'trash inherit PUBLISH , ,,, 1,,2 1,x 0,0 -1,-2 a,b,c * near(',
  ),
  ...listed(
    '\ud800 \udc00x \ufffe \u0000 a\u0000b \ufeff \u200b <script>alert(1)</script> </title> ]]> -a -- a*',
  ),
  ...listed('%_ C++ """ :x a:b ^a AND NOT "a\u00a0b'),
  ...[
    '',
    ' ',
    "' or 1=1 --",
    '";drop table events;',
    '9999-12-31 23:59:59',
    '0000-00-00 00:00:00',
    '2027-03-14 02:30:00',
    '1 2 3',
  ],
  ...(
    '+999999999 days|-1000000 years|+99999999999999999999 weeks|last day of|<svg onload=x>|' +
    '-5 degrees|!!! ???'
  ).split('|'),
  ...['"a b', 'a OR b'],
]

const NUMBERS: unknown[] = [
  ...[0, -1, 1.5, -0.0001, 1e21, 1e308, 2 ** 31, 2 ** 53, -(2 ** 53) - 2, 2 ** 63, 4294967296],
  ...['1e999', '-1e999', '1e-400', '123456789012345678901234567890', '-0', '0.1e1'].map(verbatim),
]

const RECORDS = [
  ...listed(
    '{} [] [[]] [{}] [null] {"id":1} {"id":"1"} {"id":1e30} ' +
      '{"id":{}} {"id":null} {"slug":""} {"slug":5} {"name":""}',
  ),
  ...listed(
    '{"name":{"a":1}} {"toString":1} {"valueOf":"x"} ' +
      '{"toJSON":1} {"length":1000000000} {"then":"x"} {"0":1,"1":2}',
  ),
  ...listed(
    '{"url":"x"} {"venue":"Inner","website":"x"} {"venue":""} {"venue":{}} {"organizer":"Inner","email":"x"}',
  ),
  ...listed(
    '{"id":1,"venue":"x"} {"__proto__":{"polluted":1}} ' +
      '[1,{"__proto__":null}] {"constructor":{"prototype":{"polluted":1}}}',
  ),
  ...listed(
    'true false null [1,"a",null,{},[]] [true] ["",""] [0] [-1] ' +
      '[1,1,1] [[[[[[[[[[1]]]]]]]]]] {"a":{"a":{"a":{"a":{"a":1}}}}}',
  ),
]

export function verbatim(text: string): Verbatim {
  return { verbatim: text }
}

function runLength(random: Random, most: number): number {
  const steps = [20, 20, 20, 20, 500, 500, 500, 4000, 4000, 20_000, 130_000, 400_000]
  return random.whole(1, Math.min(random.pick(steps), most))
}

export function runText(random: Random, most: number): string {
  const [first, second] = random.chance(0.2) ? random.pick(PAIRS) : [random.pick(UNITS), random.pick(UNITS)]
  const count = runLength(random, Math.max(1, Math.floor(most / (first.length + second.length))))
  const core = random.pick([
    () => first.repeat(count),
    () => (first + second).repeat(count),
    () => first.repeat(count) + second.repeat(count),
    () => first + second.repeat(count),
    () => first.repeat(count) + second,
  ])()
  return random.pick(EDGES) + core + random.pick(EDGES)
}

const TRAPS: readonly ((count: number) => string)[] = [
  (count) => `a${'\u0315'.repeat(count)}${'\u0316'.repeat(count)}`,
  (count) => `<b>${'<br>'.repeat(count)}`,
  (count) => `a${' '.repeat(count)}b\nc`,
  (count) => '<b>'.repeat(count),
  (count) => Array.from({ length: Math.min(count, 100_000) }, (_, i) => `w${i}`).join(' '),
  (count) => `1${'&;'.repeat(count)}`,
  (count) => `${'9'.repeat(count)}.5`,
]

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

export const FIELD_TRAPS: readonly (readonly [field: string, value: () => unknown])[] = [
  ['parent', () => `a${'\u0315'.repeat(100_000)}${'\u0316'.repeat(100_000)}`],
  ['cost', () => numbers(150_000)],
  ['description', () => `<b>${'<br>'.repeat(150_000)}`],
  ['description', () => `a${' '.repeat(80_000)}b\nc`],
  ['categories', () => numbers(8000).map((i) => `c${i}`)],
  ['tags', () => `${'a,'.repeat(20_000)}b`],
  [
    'recurrence',
    () => `RRULE:FREQ=YEARLY;BYMONTH=${numbers(12)};BYMONTHDAY=${numbers(31)};BYSETPOS=${numbers(366)}`,
  ],
  [
    'recurrence',
    () => ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', `EXDATE:${'20270504T193000,'.repeat(749)}`],
  ],
  ['recurrence', () => `RDATE:${'20270504T193000,'.repeat(100_000)}`],
  [
    'recurrence',
    () => ({ frequency: 'daily', weekdays: numbers(8000), until: '9999-12-31', interval: 1e308 }),
  ],
]

function trap(random: Random, most: number): string {
  const text = random.pick(TRAPS)(random.pick([100, 4000, 20_000, 100_000, 150_000]))
  return text.length > most ? text.slice(0, most / 2) + text.slice(-most / 2) : text
}

export function hostileText(random: Random, most = MOST_CHARACTERS): string {
  const roll = random.next()
  if (roll < 0.45) return random.pick(TEXTS)
  return roll < 0.9 ? runText(random, most) : trap(random, most)
}

export interface Room {
  characters?: number
  entries?: number
}

const MOST_CHARACTERS = 1_900_000
const MOST_ENTRIES = 200_000

export function hostileValue(random: Random, room: Room = {}): unknown {
  const roll = random.next()
  if (roll < 0.55) return hostileText(random, room.characters)
  if (roll < 0.7) return random.pick(NUMBERS)
  if (roll < 0.85) return JSON.parse(random.pick(RECORDS))
  return large(random, room.entries ?? MOST_ENTRIES)
}

function large(random: Random, most: number): unknown {
  const count = runLength(random, most)
  const depth = Math.min(count * 4, 100_000)
  return random.pick<() => unknown>([
    () => Array.from({ length: count }, (_, i) => i + 1),
    () => Array.from({ length: count }, () => random.whole(0, 9)),
    () => Array.from({ length: Math.min(count, 50_000) }, (_, i) => `a${i}`),
    () => Array.from({ length: count }, (_, i) => i + 1).join(','),
    () => Array.from({ length: Math.min(count, 100_000) }, (_, i) => `s${i}`).join(','),
    () => Array.from({ length: Math.min(count, 100_000) }, (_, i) => `s${i}`).join(' '),
    () => Array.from({ length: Math.min(count, 50_000) }, (_, i) => ({ id: i + 1 })),
    () =>
      Array.from({ length: Math.min(count, 5000) }, (_, i) => ({
        venue: `v${i}`,
        organizer: `o${i}`,
        name: `n${i}`,
      })),
    () => Object.fromEntries(Array.from({ length: Math.min(count, 50_000) }, (_, i) => [`k${i}`, i])),
    () => verbatim('['.repeat(depth) + ']'.repeat(depth)),
    () => verbatim(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  ])()
}
