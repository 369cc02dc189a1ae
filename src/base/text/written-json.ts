/** A value that is written as JSON already. Answers and lists copy its bytes; code that needs its members parses them (`unwritten`). */
export interface WrittenJson {
  readonly bytes: Buffer
  toJSON: () => unknown
}

const written = new WeakSet<object>()

/** Makes such a value of bytes, which are one JSON value in UTF-8. */
export function writtenJson(bytes: Buffer): WrittenJson {
  const value = { bytes, toJSON: (): unknown => JSON.parse(bytes.toString('utf8')) }
  written.add(value)
  return value
}

/** A record that has been written as JSON for its answer. */
export interface WrittenRecord extends WrittenJson {
  readonly id: number
  /** The counts of terms in it, for `memory/event-pieces`. */
  readonly counts: readonly number[]
}

/** A record of this JSON, with this id. */
export function writtenRecord(id: number, { bytes, counts }: Pick<WrittenRecord, 'bytes' | 'counts'>): WrittenRecord {
  return Object.assign(writtenJson(bytes), { id, counts })
}

/** Returns a value with its members; a written value is parsed. */
export function unwritten(value: unknown): unknown {
  return isWritten(value) ? value.toJSON() : value
}

export function isWritten(value: unknown): value is WrittenJson {
  return typeof value === 'object' && value !== null && written.has(value)
}
