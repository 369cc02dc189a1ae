/** Maximum octets of a content line, without its line break (RFC 5545, 3.1). */
const LONGEST_LINE = 75
/** UTF-16 code units of a line that need no folding: each takes at most three octets. */
const NEVER_FOLDED = LONGEST_LINE / 3

export const OWN_STATUS = 'X-KALENDS-STATUS'
/** The publication date in UTC; for an event never published, its local `date` (RFC 5545, 3.3.5). */
export const OWN_DATE = 'X-KALENDS-DATE'
/** The attendance mode; `unknown` for an event with an online link but no mode. */
export const OWN_ATTENDANCE = 'X-KALENDS-ATTENDANCE'
export const OWN_SHOWN = 'X-KALENDS-SHOWN'

export type Parameters = Readonly<Record<string, string>>

/** Writes a line with its break, folded at 75 octets, never within a character. `value` must be escaped. */
export function contentLine(name: string, value: string, parameters?: Parameters): string {
  if (!parameters) return `${folded(`${name}:${value}`)}\r\n`
  let head = name
  for (const [parameter, text] of Object.entries(parameters)) head += `;${parameter}=${parameterValue(text)}`
  return `${folded(`${head}:${value}`)}\r\n`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const ODD = /[\0-\x08\x0b-\x1f\x7f\ud800-\udfff]/
// A tab is allowed in texts, so `CONTROLS` does not have it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Escapes a TEXT value (RFC 5545, 3.3.11), and removes control characters. */
export function escapeText(text: string): string {
  return settled(text)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

/** Normalizes line breaks, removes or replaces what no value can hold. Most texts have neither (`ODD`). */
function settled(text: string): string {
  if (!ODD.test(text)) return text
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '').replace(LONE_SURROGATE, '\ufffd')
}

/** The value, quoted if it has `:`, `;` or `,`. Quotes and line breaks are encoded by RFC 6868. */
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
  // Each continuation line begins with a space, one of its octets.
  for (let from = 0, length = LONGEST_LINE; from < bytes.length; length = LONGEST_LINE - 1) {
    const to = characterEnd(bytes, Math.min(from + length, bytes.length))
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

function characterEnd(bytes: Buffer, end: number): number {
  let at = end
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
