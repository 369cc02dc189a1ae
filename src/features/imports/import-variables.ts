import { UNIT_MS } from '../../base/run-command.ts'

/** `--login` uses it. */
export const IMPORT_PASSWORD = 'KALENDS_IMPORT_PASSWORD'

/** Writes whole minutes as `askedSpan` reads them. */
export function spanText(ms: number): string {
  const unit = ['d', 'h'].find((name) => ms % (UNIT_MS[name] ?? ms) === 0) ?? 'm'
  return `${ms / (UNIT_MS[unit] ?? ms)}${unit}`
}
