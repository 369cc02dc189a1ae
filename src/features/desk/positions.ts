// Reads positions in common notations: coordinates, links to maps, `geo:` URIs (RFC 5870) and plus codes.

/** In degrees. */
export interface Position {
  lat: number
  lng: number
}

const LONGEST = 2000

/** Reads a position; `near` completes a short plus code. Undefined for shortened links and other texts. */
export function parsePosition(text: string, near?: Position): Position | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > LONGEST) return undefined
  const found = readGeo(trimmed) ?? readLink(trimmed) ?? readPlusCode(trimmed, near) ?? readFigures(trimmed)
  return found && roundedPosition(found)
}

export const writtenPosition = ({ lat, lng }: Position): string => `${lat}, ${lng}`

function roundedPosition({ lat, lng }: Position): Position | undefined {
  const isPossible = Math.abs(lat) <= 90 && Math.abs(lng) <= 180
  return isPossible ? { lat: Number(lat.toFixed(6)), lng: Number(lng.toFixed(6)) } : undefined
}

function pairOf(lat: string | undefined, lng: string | undefined): Position | undefined {
  if (lat === undefined || lng === undefined) return undefined
  const pair = { lat: Number(lat), lng: Number(lng) }
  return lat.trim() !== '' && lng.trim() !== '' && Number.isFinite(pair.lat) && Number.isFinite(pair.lng)
    ? pair
    : undefined
}

const PAIR = /(-?\d{1,3}(?:\.\d{1,15})?)(?:,\s?|~|_|%2C)[\s+]{0,2}(-?\d{1,3}(?:\.\d{1,15})?)(?![\d.])/i

function pairIn(text: string | null | undefined): Position | undefined {
  const [, lat, lng] = PAIR.exec(text ?? '') ?? []
  return pairOf(lat, lng)
}

function readGeo(text: string): Position | undefined {
  if (!/^geo:/i.test(text)) return undefined
  const asked = pairIn(/[?&]q=([^&(]{1,100})/.exec(text)?.[1])
  const own = pairIn(text.slice('geo:'.length))
  // In `geo:0,0?q=…` the position is in the query.
  return asked && own?.lat === 0 && own.lng === 0 ? asked : own
}

const NAMED = [
  'll',
  'q',
  'query',
  'daddr',
  'destination',
  'to',
  'coordinate',
  'center',
  'pin',
  'cp',
  'sp',
  'map',
  'sll',
]

function readLink(text: string): Position | undefined {
  const url = /^https?:/i.test(text)
    ? URL.parse(text)
    : /^[\w.-]+\.[a-z]{2,}\//i.test(text)
      ? URL.parse(`https://${text}`)
      : null
  if (!url) return undefined
  const { searchParams, hash } = url
  const path = decoded(url.pathname)
  // The last `!3d…!4d…` is the place itself; `@` precedes the centre of the screen.
  const place = [...path.matchAll(/!3d(-?[\d.]{1,20})!4d(-?[\d.]{1,20})/g)].at(-1)
  if (place) return pairOf(place[1], place[2])
  const marked = pairOf(searchParams.get('mlat') ?? undefined, searchParams.get('mlon') ?? undefined)
  if (marked) return marked
  for (const name of NAMED) {
    const found = pairIn(searchParams.get(name))
    if (found) return /(^|\.)yandex\./.test(url.hostname) ? { lat: found.lng, lng: found.lat } : found
  }
  const [, lat, lng] = /map=\d{1,2}(?:\.\d{1,5})?\/(-?[\d.]{1,20})\/(-?[\d.]{1,20})/.exec(hash) ?? []
  return pairOf(lat, lng) ?? pairIn(path.replaceAll('+', ' '))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// The digits of plus codes (Open Location Code).

const DIGITS = '23456789CFGHJMPQRVWX'
/** In degrees, one for each of the first five pairs of digits. */
const STEPS = [20, 1, 0.05, 0.0025, 0.000125]
const WHOLE = 8

/** Reads a plus code. After five pairs, each digit selects one of five rows and four columns. */
function readPlusCode(text: string, near: Position | undefined): Position | undefined {
  const [, head, tail] =
    /^([23456789CFGHJMPQRVWX]{2,8})\+([23456789CFGHJMPQRVWX]{2,7})(?=$|[\s,])/i.exec(text) ?? []
  if (head === undefined || tail === undefined || head.length % 2 === 1) return undefined
  if (head.length === WHOLE) return middleOf(`${head}${tail}`.toUpperCase())
  return near && nearestTo(near, head, tail)
}

/** Of all full codes that end in this short one, returns the position nearest to `near`. */
function nearestTo(near: Position, head: string, tail: string): Position {
  const missing = WHOLE - head.length
  const size = STEPS[missing / 2 - 1] ?? 1
  const { lat, lng } = middleOf(`${plusCodeOf(near).slice(0, missing)}${head}${tail}`.toUpperCase())
  const nearer = (found: number, wanted: number) =>
    found - wanted > size / 2 ? found - size : wanted - found > size / 2 ? found + size : found
  return { lat: nearer(lat, near.lat), lng: nearer(lng, near.lng) }
}

function plusCodeOf({ lat, lng }: Position): string {
  let [south, west] = [Math.min(lat, 89.9999) + 90, lng + 180]
  return STEPS.slice(0, WHOLE / 2)
    .map((step) => {
      const [row, column] = [Math.floor(south / step), Math.floor(west / step)]
      ;[south, west] = [south - row * step, west - column * step]
      return `${DIGITS[row] ?? ''}${DIGITS[column] ?? ''}`
    })
    .join('')
}

function middleOf(code: string): Position {
  let [south, west, height, width] = [-90, -180, 0, 0]
  for (const [at, step] of STEPS.entries()) {
    const [row, column] = [DIGITS.indexOf(code[2 * at] ?? ''), DIGITS.indexOf(code[2 * at + 1] ?? '')]
    if (row < 0 || column < 0) break
    ;[south, west, height, width] = [south + row * step, west + column * step, step, step]
  }
  for (const digit of code.slice(2 * STEPS.length)) {
    const at = DIGITS.indexOf(digit)
    ;[height, width] = [height / 5, width / 4]
    ;[south, west] = [south + Math.floor(at / 4) * height, west + (at % 4) * width]
  }
  return { lat: south + height / 2, lng: west + width / 2 }
}

/** Compass points in four languages. `O` is west in French and Spanish, but east in German. */
const SIDES = 'NSEWO'

/** Reads coordinates: `53.27, -9.05`, `53,27; -9,05`, `N 53.27 W 9.05` or `53°16'12"N 9°3'0"W`. */
function readFigures(text: string): Position | undefined {
  const plain = text.toUpperCase().replaceAll('−', '-').replaceAll(/[()]/g, ' ')
  if (/[^\dNSEWO\s.,;:°º'′’"″”/-]/.test(plain)) return undefined
  const halves = halvesOf(plain.trim())
  if (!halves) return undefined
  const [first, second] = halves.map(readAngle)
  if (!first || !second) return undefined
  const isTurned = 'EWO'.includes(first.side || '?') || 'NS'.includes(second.side || '?')
  const [lat, lng] = isTurned ? [second, first] : [first, second]
  if ((lat.side && !'NS'.includes(lat.side)) || (lng.side && !'EWO'.includes(lng.side))) return undefined
  return { lat: lat.degrees, lng: lng.degrees }
}

/**
 * Splits at a semicolon, slash, comma with space, compass point, only comma, second of three, or only space.
 */
function halvesOf(text: string): readonly [string, string] | undefined {
  const signs = text.replaceAll('/', ';').replaceAll(', ', ';').split(';')
  if (signs.length === 2) return [signs[0] ?? '', signs[1] ?? '']
  const sides = [...text].flatMap((sign, at) => (SIDES.includes(sign) ? [at] : []))
  const [first = 0, second = 0] = sides
  if (sides.length === 2) {
    const middle = first === 0 ? second : first + 1
    return [text.slice(0, middle), text.slice(middle).replace(/^[\s,]+/, '')]
  }
  const commas = text.split(',')
  if (commas.length === 2) return [commas[0] ?? '', commas[1] ?? '']
  if (commas.length === 4) return [commas.slice(0, 2).join(','), commas.slice(2).join(',')]
  const words = text.split(/\s+/)
  return words.length === 2 ? [words[0] ?? '', words[1] ?? ''] : undefined
}

function readAngle(text: string): { degrees: number; side: string } | undefined {
  const sides = [...text].filter((sign) => SIDES.includes(sign))
  if (sides.length > 1) return undefined
  const figures = text.replaceAll(/[NSEWO]/g, ' ').trim()
  const isNegative = figures.startsWith('-')
  const parts = figures
    .replace(/^-/, '')
    .replaceAll(',', '.')
    .split(/[\s°º'′’"″”:]+/)
    .filter((part) => part !== '')
  const [degrees = Number.NaN, minutes = 0, seconds = 0, ...more] = parts.map((part) =>
    /^\d{1,3}(?:\.\d{1,15})?$/.test(part) ? Number(part) : Number.NaN,
  )
  const angle = degrees + minutes / 60 + seconds / 3600
  const [side = ''] = sides
  if (!Number.isFinite(angle) || more.length > 0 || minutes >= 60 || seconds >= 60) return undefined
  return { degrees: isNegative || side === 'S' || side === 'W' || side === 'O' ? -angle : angle, side }
}
