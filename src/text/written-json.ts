/** A value that is JSON already. An answer, and a list of such values, copies its bytes; whatever else looks at it reads it again. */
export interface WrittenJson {
  readonly bytes: Buffer
  toJSON: () => unknown
}

const written = new WeakSet<object>()

/** A value of these bytes, which are one JSON value in UTF-8. */
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

/** A value with members to look at: one that is written already is read again. */
export function unwritten(value: unknown): unknown {
  return isWritten(value) ? value.toJSON() : value
}

export function isWritten(value: unknown): value is WrittenJson {
  return typeof value === 'object' && value !== null && written.has(value)
}
