import { type Message, message } from './import-messages.ts'
import { type FileLine, linesOf, textIn, textOfBytes, withLineFeeds, withoutUtf16 } from './source-text.ts'

/** A property (RFC 5545, 3.1): name in capitals, value not yet decoded. */
export interface Property {
  name: string
  parameters: Readonly<Record<string, string>>
  value: string
}

export interface Component {
  name: string
  line: number
  properties: Property[]
  parts: Component[]
  joined: number[]
  unread: number[]
}

/** A component, or why it cannot be read. `isEnd`: the file ends inside it. */
export type ReadComponent = Component | { line: number; reason: Message; isEnd?: true }

const LONGEST_LINE = 1_000_000
const LONGEST_PROPERTY = 2_000_000
const MOST_LINES = 5000
const DEEPEST = 20
const TOO_LONG = message('It has more than {most} lines.', { most: `${MOST_LINES}` })

interface OpenComponent {
  open: Component[]
  count: number
  fault: Message | undefined
  /** Line of `BEGIN:VCALENDAR`; 0 outside a calendar. */
  calendar: number
  properties: Property[]
  /** True once VCALENDAR was yielded: it precedes other components even without properties. */
  isNamed: boolean
}

/**
 * Yields the top-level components of an iCalendar file in UTF-8, UTF-16 or Windows-1252. VCALENDAR, with the
 * properties of a calendar, precedes its components, and comes again with properties that follow some. A
 * fault loses only its component.
 */
export async function* componentsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadComponent> {
  const reading: OpenComponent = {
    open: [],
    count: 0,
    fault: undefined,
    calendar: 0,
    properties: [],
    isNamed: true,
  }
  for await (const { number, text } of unfolded(bytes)) {
    const done = readLine(reading, number, text)
    if (done) yield done
  }
  const { line, name } = reading.open[0] ?? { line: reading.calendar, name: 'VCALENDAR' }
  if (line > 0)
    yield { line, reason: message('This {name} has no end: the file is cut off.', { name }), isEnd: true }
}

interface Unfolded {
  number: number
  text: string | undefined
}

async function* unfolded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Unfolded> {
  let number = 0
  let parts: Uint8Array[] = []
  let size = 0
  const whole = (): Unfolded => {
    const text = size > LONGEST_PROPERTY ? undefined : textOfBytes(Buffer.concat(parts))
    parts = []
    size = 0
    return { number, text }
  }
  for await (const line of linesOf(withLineFeeds(withoutUtf16(bytes)), LONGEST_LINE)) {
    const part = partOf(line)
    const isFolded = part !== undefined && (part[0] === BLANK || part[0] === TAB)
    if (!isFolded && !isContinued(parts)) {
      if (number > 0) yield whole()
      number = line.number
    }
    size += part?.length ?? LONGEST_PROPERTY + 1
    if (isContinued(parts)) parts.push((parts.pop() ?? EMPTY).subarray(0, -1))
    if (part && size <= LONGEST_PROPERTY) parts.push(isFolded ? part.subarray(1) : part)
  }
  if (number > 0) yield whole()
}

const BLANK = 32
const TAB = 9
const EQUALS = 61

/** True if the last line ends with `=` and is quoted-printable: the next one continues it. */
function isContinued(parts: readonly Uint8Array[]): boolean {
  return parts.at(-1)?.at(-1) === EQUALS && QUOTED.test(textIn((parts[0] ?? EMPTY).subarray(0, 200)))
}

const EMPTY = new Uint8Array()
const QUOTED = /^[^:]*;ENCODING=QUOTED-PRINTABLE[;:]/i

function decodeQuoted(value: string): string {
  const bytes = Buffer.from(value).toString('latin1').replace(/=$/, '')
  const decoded = bytes.replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return textOfBytes(Buffer.from(decoded, 'latin1')).replaceAll('\r\n', '\n')
}

function partOf(line: FileLine): Uint8Array | undefined {
  return 'bytes' in line ? line.bytes : undefined
}

function readLine(
  reading: OpenComponent,
  number: number,
  text: string | undefined,
): ReadComponent | undefined {
  const { open } = reading
  const [, edge = '', named = ''] = /^(BEGIN|END):\s*([\w-]+)\s*$/i.exec(text ?? '') ?? []
  const name = named.toUpperCase()
  if (name === 'VCALENDAR') return calendarEdge(reading, edge.toUpperCase(), number)
  if (edge.toUpperCase() === 'BEGIN') {
    const head = open.length === 0 ? calendarHead(reading) : undefined
    beginComponent(reading, name, number)
    return head
  }
  if (edge.toUpperCase() === 'END') return endComponent(reading, name)
  const component = open.at(-1)
  if (!component) {
    const property = text === undefined ? undefined : readProperty(text)
    if (property && reading.properties.length < MOST_LINES) reading.properties.push(property)
  } else if (text === undefined) reading.fault ??= message('Line {line} is too long.', { line: `${number}` })
  else if (!hasRoom(reading)) reading.fault ??= TOO_LONG
  else readInto(component, number, text)
  return undefined
}

function readInto(component: Component, number: number, text: string): void {
  const before = component.properties.at(-1)
  if (before && TEXTS.has(before.name) && !beginsProperty(text, before.name)) {
    component.joined.push(number)
    if (before.value.length < LONGEST_PROPERTY) before.value += `\\n${text}`
    return
  }
  const property = readProperty(text)
  if (property) component.properties.push(property)
  else if (!/^x-/i.test(text)) component.unread.push(number)
}

/** Text properties that some programs break into lines without folding them. */
const TEXTS = new Set([
  ...[
    'SUMMARY',
    'DESCRIPTION',
    'LOCATION',
    'COMMENT',
    'CONTACT',
    'CATEGORIES',
    'X-ALT-DESC',
    'STYLED-DESCRIPTION',
  ],
])

/** Names of RFC 5545, 7986 and 9073, and some of vCalendar 1.0. */
const KNOWN = new Set(
  (
    'ATTACH CATEGORIES CLASS COMMENT DESCRIPTION GEO LOCATION PERCENT-COMPLETE PRIORITY RESOURCES ' +
    'STATUS SUMMARY COMPLETED DTEND DUE DTSTART DURATION FREEBUSY TRANSP TZID TZNAME TZOFFSETFROM ' +
    'TZOFFSETTO TZURL ATTENDEE CONTACT ORGANIZER RECURRENCE-ID RELATED-TO URL UID EXDATE RDATE RRULE ' +
    'EXRULE ACTION REPEAT TRIGGER CREATED DTSTAMP LAST-MODIFIED SEQUENCE REQUEST-STATUS ' +
    'NAME REFRESH-INTERVAL SOURCE COLOR IMAGE CONFERENCE ' +
    'LOCATION-TYPE PARTICIPANT-TYPE RESOURCE-TYPE CALENDAR-ADDRESS STYLED-DESCRIPTION STRUCTURED-DATA ' +
    'DALARM AALARM'
  ).split(' '),
)

/**
 * True if a line after a text property begins a new property: it has a known name, a name `X-…`, or a form
 * that texts do not have. Else it continues the text, which some programs break without folding.
 */
function beginsProperty(line: string, before: string): boolean {
  const [, name = '', sign, next = ''] = /^([a-z][\w-]*)([;:=])(.?)/i.exec(line) ?? []
  const isCompact = before !== 'DESCRIPTION' && next !== ' '
  const isUpper = name === name.toUpperCase()
  // As part of a text a mistyped property would be published.
  if (sign === '=') return isUpper && KNOWN.has(name)
  if (KNOWN.has(name.toUpperCase())) return isUpper || name === name.toLowerCase() || isCompact
  if (/^x-/i.test(name) || (sign === ';' && /^[\w-]+;[\w-]+=/.test(line))) return true
  return name !== '' && isUpper && isCompact
}

/**
 * VCALENDAR with the properties since the last call; undefined if there are none and VCALENDAR was yielded
 * before. A file of concatenated calendars has several.
 */
function calendarHead(reading: OpenComponent): Component | undefined {
  const properties = reading.properties.splice(0)
  if (properties.length === 0 && reading.isNamed) return undefined
  reading.isNamed = true
  return { name: 'VCALENDAR', line: reading.calendar, properties, parts: [], joined: [], unread: [] }
}

function calendarEdge(reading: OpenComponent, edge: string, number: number): ReadComponent | undefined {
  const [outer] = reading.open
  const isEnd = edge === 'END'
  reading.open = []
  const rest = isEnd && reading.properties.length > 0 ? calendarHead(reading) : undefined
  reading.isNamed = isEnd
  reading.calendar = isEnd ? 0 : number
  return outer ? { line: outer.line, reason: message('This {name} has no end.', { name: outer.name }) } : rest
}

function hasRoom(reading: OpenComponent): boolean {
  reading.count += 1
  return reading.count <= MOST_LINES
}

function beginComponent(reading: OpenComponent, name: string, line: number): void {
  const { open } = reading
  const component: Component = { name, line, properties: [], parts: [], joined: [], unread: [] }
  if (open.length === 0) {
    reading.count = 0
    reading.fault = undefined
  } else if (!hasRoom(reading)) reading.fault ??= TOO_LONG
  else open.at(-1)?.parts.push(component)
  if (open.length < DEEPEST) open.push(component)
  else reading.fault ??= message('It has more than {most} nested components.', { most: `${DEEPEST}` })
}

function endComponent(reading: OpenComponent, name: string): ReadComponent | undefined {
  const at = reading.open.findLastIndex((component) => component.name === name)
  if (at === -1) return undefined
  const [outer] = reading.open
  reading.open.length = at
  if (at > 0 || !outer) return undefined
  return reading.fault === undefined ? outer : { line: outer.line, reason: reading.fault }
}

function readProperty(line: string): Property | undefined {
  const name = /^[\w-]+/.exec(line)?.[0]
  if (name === undefined) return undefined
  const parameters: Record<string, string> = {}
  let at = name.length
  while (line[at] === ';') {
    PARAMETER.lastIndex = at + 1
    const [whole = '', parameter = '', quoted, plain = ''] = PARAMETER.exec(line) ?? []
    if (whole === '') return undefined
    parameters[parameter.toUpperCase()] = decodeParameter(quoted ?? plain).replaceAll('\\"', '"')
    at += whole.length + 1
    while (line[at] === ',') {
      MORE.lastIndex = at
      at += MORE.exec(line)?.[0].length ?? 1
    }
  }
  if (line[at] !== ':') return undefined
  // Some programs do not quote a TZID with a colon (`tzone://Microsoft/Utc`): the value follows the last one.
  const end = parameters.TZID === undefined ? at : line.lastIndexOf(':')
  if (end > at) parameters.TZID += line.slice(at, end)
  const value = line.slice(end + 1)
  const isQuoted = /^quoted-printable$/i.test(parameters.ENCODING ?? '')
  return { name: name.toUpperCase(), parameters, value: isQuoted ? decodeQuoted(value) : value }
}

const PARAMETER = /([\w-]+)=(?:"((?:[^"\\]|\\"?)*)"|((?:[^";:,\\]|\\[",]?)*))/y
const MORE = /,(?:"[^"]*"|[^";:,]*)/y

/** Decodes `^n`, `^^` and `^'` (RFC 6868). */
function decodeParameter(text: string): string {
  return text.replace(/\^([n^'])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign === "'" ? '"' : '^'))
}

/** Decodes the escapes of TEXT (RFC 5545, 3.3.11). */
export function decodeText(value: string): string {
  return value.replace(/\\([nN;,\\:"])/g, (_, sign: string) => (sign === 'n' || sign === 'N' ? '\n' : sign))
}

export function decodeTexts(value: string): string[] {
  return [...value.matchAll(/(?:\\[\s\S]|[^,\\])+/g)].map(([text]) => decodeText(text).trim()).filter(Boolean)
}

export function propertyOf({ properties }: Component, name: string): Property | undefined {
  return properties.find((property) => property.name === name)
}

export function propertiesOf({ properties }: Component, name: string): Property[] {
  return properties.filter((property) => property.name === name)
}

export function textOf(component: Component, name: string): string {
  return decodeText(propertyOf(component, name)?.value ?? '').trim()
}
