import { UNIT_MS } from '../../base/run-command.ts'

export const IMPORT_PASSWORD = 'KALENDS_IMPORT_PASSWORD'

/** Writes a time of whole minutes (in ms) as `askedSpan` reads it, such as `2h`. */
export function spanText(ms: number): string {
  const unit = ['d', 'h'].find((name) => ms % (UNIT_MS[name] ?? ms) === 0) ?? 'm'
  return `${ms / (UNIT_MS[unit] ?? ms)}${unit}`
}
