// Writes the content lines of iCalendar: folding, escaping, parameters, and properties of our own.

/** Octets of a line without its end (RFC 5545, 3.1). */
const LONGEST_LINE = 75
/** A UTF-16 unit takes at most three octets, so the octets of a text this short need no counting. */
const NEVER_FOLDED = LONGEST_LINE / 3

/** Properties of our own: the status of an event that is not public, and the time in UTC at which a scheduled one becomes so. */
export const OWN_STATUS = 'X-KALENDS-STATUS'
export const OWN_DATE = 'X-KALENDS-DATE'

/** How people take part, `unknown` where an event with a link does not say, and when everybody sees the link of the meeting. */
export const OWN_ATTENDANCE = 'X-KALENDS-ATTENDANCE'
export const OWN_SHOWN = 'X-KALENDS-SHOWN'

/** The parameters of a property, by name. */
export type Parameters = Readonly<Record<string, string>>

/**
 * One property as a content line with its end, folded at 75 octets. The value stands as it is: texts are escaped by `escapeText` before.
 * A fold never parts the octets of a character.
 */
export function contentLine(name: string, value: string, parameters?: Parameters): string {
  if (!parameters) return `${folded(`${name}:${value}`)}\r\n`
  let head = name
  for (const [parameter, text] of Object.entries(parameters)) head += `;${parameter}=${parameterValue(text)}`
  return `${folded(`${head}:${value}`)}\r\n`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const ODD = /[\0-\x08\x0b-\x1f\x7f\ud800-\udfff]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes; a tab may stand in a text.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A text as the value of a property (RFC 5545, 3.3.11): line ends as `\n`, without control characters. */
export function escapeText(text: string): string {
  return settled(text)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

/** A text with line ends of one kind, and without what no property can hold. Nearly every text is so already. */
function settled(text: string): string {
  if (!ODD.test(text)) return text
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '').replace(LONE_SURROGATE, '\ufffd')
}

/** The value of a parameter: in quotes where a sign would end it, with the signs it cannot hold as RFC 6868 writes them. */
function parameterValue(text: string): string {
  const written = settled(text).replaceAll('^', '^^').replaceAll('\n', '^n').replaceAll('"', "^'")
  return /[:;,]/.test(written) ? `"${written}"` : written
}

function folded(line: string): string {
  if (line.length <= NEVER_FOLDED) return line
  const octets = Buffer.byteLength(line)
  if (octets <= LONGEST_LINE) return line
  if (octets === line.length) return foldedAscii(line)
  const bytes = Buffer.from(line)
  const parts: string[] = []
  // Lines after the first begin with the blank that marks them.
  for (let from = 0, room = LONGEST_LINE; from < bytes.length; room = LONGEST_LINE - 1) {
    const to = characterEnd(bytes, Math.min(from + room, bytes.length))
    parts.push(bytes.toString('utf8', from, to))
    from = to
  }
  return parts.join('\r\n ')
}

function foldedAscii(line: string): string {
  let all = line.slice(0, LONGEST_LINE)
  for (let from = LONGEST_LINE; from < line.length; from += LONGEST_LINE - 1)
    all += `\r\n ${line.slice(from, from + LONGEST_LINE - 1)}`
  return all
}

/** The last place up to `end` where a character ends. */
function characterEnd(bytes: Buffer, end: number): number {
  let at = end
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
