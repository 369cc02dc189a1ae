// The kinds of settings. Each reads its value from text, and refuses a wrong text with the end of a sentence.

/**
 * A setting, which is given as the variable `KALENDS_<NAME>` or as a flag of the same name; the flag wins.
 */
export interface Setting<Value> {
  about: string
  /** The placeholder of the value in `--help` and the documentation. */
  value: string
  default: Value
  /** Reads the value. @throws Error with the end of a sentence that starts with the setting's name. */
  read: (text: string) => Value
}

/** Makes a setting that takes any text. */
export const word = (about: string, value: string, fallback: string): Setting<string> => ({
  about,
  value,
  default: fallback,
  read: (text) => text,
})

/** Makes a setting that takes a whole number from `least` to `most`. */
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

/** Splits a text at its commas and returns its entries, trimmed and without empty ones. */
export const readEntries = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

/** Makes a setting that takes entries with commas between them, each of which passes the test. */
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

/** Makes a setting that takes one of a few words. */
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

/**
 * Returns a setting that takes only values that pass a test. `problem` ends the sentence about one that
 * fails, which repeats that value.
 */
export const checked = (
  setting: Setting<string>,
  problem: string,
  test: (text: string) => boolean,
): Setting<string> => tested(setting, test, (text) => `${problem}, not "${text}"`)

/**
 * Makes a setting that refuses values as `checked` does, but does not repeat them in the sentence: they may
 * hold passwords.
 */
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
