import type { Random } from '../../bench/random.ts'
import { hostileText, runText } from './hostile-values.ts'
import { type Body, wireOf } from './planned-request.ts'

type Breaking = (body: Buffer, random: Random) => Body

const bytes = (type: string | undefined, content: string | Buffer): Body => ({
  kind: 'bytes',
  type,
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
})

const JSON_TEXTS = [
  ...[
    '',
    '{',
    '[',
    '"',
    'null',
    '1',
    '"text"',
    '[]',
    '[1,2]',
    '{"a":1,}',
    "{'a':1}",
    '{"a":NaN}',
    '\ufeff{}',
    '{}{}',
    '{"title":"x"',
  ],
  ...[
    '{"__proto__":{"polluted":1},"title":"x"}',
    '{"title":"a","title":"b"}',
    '{"":1}',
    '{"\\u0000":1}',
    '{"title":"\\ud800"}',
  ],
]

const PART = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`
const FIELD = (name: string, content: string) =>
  PART(`Content-Disposition: form-data; name="${name}"`, content)
const FILE = (name: string, type: string, content: string) =>
  PART(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}`, content)
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

const MULTIPART_TEXTS: readonly ((random: Random) => string)[] = [
  () => '',
  () => '--b--',
  () => '--b',
  () => `${FIELD('title', 'x')}`,
  () => `${FIELD('title', 'x')}--b-`,
  () => `${FIELD('__proto__[polluted]', '1')}--b--`,
  () => `${PART('X: y', 'z')}--b--`,
  () => `${PART('Content-Disposition: form-data', 'z')}--b--`,
  () => `${PART(`Content-Disposition: form-data; name="${'n'.repeat(5000)}"`, 'z')}--b--`,
  () => `${PART(`X: ${'y'.repeat(100_000)}`, 'z')}--b--`,
  () => `--b\r\n${'\r\n'.repeat(5000)}--b--`,
  () => `${FIELD('a', '1').repeat(3000)}--b--`,
  () => `${FIELD('title', 'x').repeat(300)}--b--`,
  () => `${FILE('x.png', 'image/png', 'no image').repeat(30)}--b--`,
  () => `${FILE('../../x.png', 'image/png', 'no image')}--b--`,
  () => `${FILE('x.svg', 'image/svg+xml', SVG)}--b--`,
  () => `${FILE('', '', '')}--b--`,
  () => `${FILE('x', 'text/html', '<script>')}${FIELD('title', 'x')}--b--`,
  (random) =>
    `${FIELD(hostileText(random, 500).replaceAll(/[\r\n"]/g, ''), hostileText(random, 100_000))}--b--`,
  (random) => `${FILE(runText(random, 500).replaceAll(/[\r\n"]/g, ''), 'image/png', 'x')}--b--`,
]

const BREAKINGS: readonly Breaking[] = [
  (body, random) => bytes('application/json', body.subarray(0, random.whole(0, body.length))),
  (body) => bytes('application/x-www-form-urlencoded', body),
  (body) => bytes('application/json', Buffer.from(body.toString(), 'utf16le')),
  (body) => bytes('text/plain', body),
  (body) => bytes(undefined, body),
  (_body, random) => bytes('application/json', random.pick(JSON_TEXTS)),
  (_body, random) => bytes('application/json', Buffer.from([0xff, 0xfe, random.whole(0, 255), 0x00])),
  (_body, random) =>
    bytes('application/x-www-form-urlencoded', Buffer.from([0x25, 0xff, random.whole(0, 255), 0x3d])),
  (_body, random) => bytes('application/x-www-form-urlencoded', runText(random, 1_900_000)),
  (_body, random) => bytes('application/json', runText(random, 1_900_000)),
  (_body, random) =>
    bytes('application/json', `{"title":"${runText(random, 500_000).replaceAll(/["\\\n\r\t]/g, '')}"`),
  ...Array.from(
    { length: 4 },
    (): Breaking => (_body, random) =>
      bytes('multipart/form-data; boundary=b', random.pick(MULTIPART_TEXTS)(random)),
  ),
  (_body, random) => bytes('multipart/form-data; boundary=b', runText(random, 1_000_000)),
  (_body, random) =>
    bytes('image/png', random.pick([PNG, PNG.subarray(0, 40), Buffer.concat([PNG, PNG]), damaged(random)])),
  (_body, random) =>
    bytes(
      random.pick(['image/gif', 'image/jpeg', 'image/webp', 'image/avif']),
      random.pick([PNG, Buffer.from('GIF89a\xff\xff\xff\xff', 'latin1')]),
    ),
  () => bytes('image/svg+xml', SVG),
]

function damaged(random: Random): Buffer {
  const copy = Buffer.from(PNG)
  copy[random.whole(8, copy.length - 1)] = random.whole(0, 255)
  return copy
}

export function brokenBody(body: Body, random: Random): Body {
  const written = wireOf({ as: 'anonymous', method: 'POST', path: '/', query: [], headers: {}, body }).body
  return random.pick(BREAKINGS)(written ?? Buffer.from('{"title":"x"}'), random)
}
