import { isIP } from 'node:net'

/** A setting of the service, from the environment variable `KALENDS_<NAME>` or a flag, which wins. */
export interface Setting<Value> {
  about: string
  value: string
  default: Value
  /** @throws Error with the end of a sentence that begins with the name of the setting */
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

/** Splits at commas, trims the entries and drops empty ones. */
export const readEntries = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

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
    const entries = readEntries(text)
    const wrong = entries.find((entry) => !test(entry))
    if (wrong !== undefined) throw new Error(`takes ${described}, not "${wrong}"`)
    return entries
  },
})

function isHost(text: string): boolean {
  const url = URL.parse(`http://${text}`)
  return url !== null && url.hostname !== '' && url.href === `http://${url.host}/` && !/[@/?#]/.test(text)
}

export const hosts = (about: string): Setting<string[]> => list(about, 'HOST,…', 'names of hosts', isHost)

export function isListenHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9][a-z0-9.-]*$/i.test(text)
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

/** Adds a check to the setting; its error is `problem`, which ends a sentence, and the refused value. */
export const checked = (
  setting: Setting<string>,
  problem: string,
  test: (text: string) => boolean,
): Setting<string> => tested(setting, test, (text) => `${problem}, not "${text}"`)

/** Like `checked`, without the refused value, which may contain a password. */
export const discreet = (
  setting: Setting<string>,
  problem: string,
  test: (text: string) => boolean,
): Setting<string> => tested(setting, test, () => problem)

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

export interface SettingGroup {
  heading: string
  settings: Readonly<Record<string, Setting<unknown>>>
}

export interface HasSettings {
  settings?: SettingGroup
  /** Environment variables that are not settings and that a single command reads, such as passwords. */
  variables?: readonly string[]
}
