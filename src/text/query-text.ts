/** A parameter for the end of a query string, with its ampersand; empty when there is no value. Lists are joined by commas. */
export function parameter(name: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  return `&${name}=${encoded(String(value))}`
}

/** The parameters of a record, in its order. */
export function parametersOf(values: Readonly<Record<string, unknown>>): string {
  let text = ''
  for (const name in values) text += parameter(name, values[name])
  return text
}

function encoded(text: string): string {
  if (text.length === WALL_LENGTH && WALL_TIME.test(text))
    return `${text.slice(0, 10)}+${text.slice(11, 13)}%3A${text.slice(14, 16)}%3A${text.slice(17)}`
  if (/^[\w.-]*$/.test(text)) return text
  return encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+')
}

const WALL_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const WALL_LENGTH = 19
