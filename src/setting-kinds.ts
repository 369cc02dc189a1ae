import { isIP } from 'node:net'

/** One setting: read from `KALENDS_<NAME>` or from the flag of the same name, the flag winning. */
export interface Setting<Value> {
  about: string
  /** The placeholder of the value in `--help` and the documentation. */
  value: string
  default: Value
  /** The typed value. @throws Error with the end of a sentence that starts with the setting's name. */
  read: (text: string) => Value
}

export const word = (about: string, value: string, fallback: string): Setting<string> => ({
  about,
  value,
  default: fallback,
  read: (text) => text,
})

export const wholeNumber = (
  about: string,
  value: string,
  fallback: number,
  least: number,
  most: number,
): Setting<number> => ({
  about,
  value,
  default: fallback,
  read: (text) => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new Error(`takes a whole number from ${least} to ${most}, not "${text}"`)
    return number
  },
})

/** Entries with commas between them, each of which passes the test. */
export const list = (
  about: string,
  value: string,
  described: string,
  test: (entry: string) => boolean,
): Setting<string[]> => ({
  about,
  value,
  default: [],
  read: (text) => {
    const entries = text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean)
    const wrong = entries.find((entry) => !test(entry))
    if (wrong !== undefined) throw new Error(`takes ${described}, not "${wrong}"`)
    return entries
  },
})

/** A host as in an address, perhaps with a port. */
export function isHost(text: string): boolean {
  const url = URL.parse(`http://${text}`)
  return url !== null && url.hostname !== '' && url.href === `http://${url.host}/` && !/[@/?#]/.test(text)
}

export function isListenHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9][a-z0-9.-]*$/i.test(text)
}

export function isListenPlace(text: string): boolean {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const isBracketed = host.startsWith('[') && host.endsWith(']')
  return Number(port) <= 65535 && (isBracketed ? isIP(host.slice(1, -1)) === 6 : isIP(host) !== 6 && isListenHost(host))
}

/** Names for local ranges. */
const RANGE_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** The address of a proxy, or of a network of them. */
export function isProxy(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0) return RANGE_NAMES.has(text)
  return more.length === 0 && (bits === undefined || isMask(bits, version))
}

function isMask(bits: string, version: number): boolean {
  if (version === 4 && isIP(bits) === 4) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128)
}

export const choice = <const Value extends string>(
  about: string,
  choices: readonly Value[],
  fallback: Value,
): Setting<Value> => ({
  about,
  value: choices.join('|'),
  default: fallback,
  read: (text) => {
    const found = choices.find((entry) => entry === text)
    if (found === undefined) throw new Error(`takes one of ${choices.join(', ')}, not "${text}"`)
    return found
  },
})

export const checked = (setting: Setting<string>, problem: string, test: (text: string) => boolean): Setting<string> =>
  tested(setting, test, (text) => `${problem}, not "${text}"`)

/** As `checked`, for values that may hold what nobody else is to read: they are not repeated. */
export const discreet = (setting: Setting<string>, problem: string, test: (text: string) => boolean): Setting<string> =>
  tested(setting, test, () => problem)

const tested = (
  setting: Setting<string>,
  test: (text: string) => boolean,
  problem: (text: string) => string,
): Setting<string> => ({
  ...setting,
  read: (text) => {
    if (!test(text)) throw new Error(problem(text))
    return text
  },
})
