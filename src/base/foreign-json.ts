// JSON that others have written, which may be anything.

/** An object of JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
