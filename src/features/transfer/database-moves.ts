import { rmSync, writeFileSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import { giveTo, ownerAt } from '../../base/files.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { findMove, placeAt, withoutPassword } from '../../store/storage/database-address.ts'

/**
 * Notes beside the SQLite file `from` that its calendar was copied to `to`: no service starts on it any more.
 * Returns a sentence for the operator, also on failure; undefined if `from` is no SQLite file. `now` is in
 * ms.
 */
export function noteMove(from: string, to: string, now: number): string | undefined {
  const place = placeAt(from)
  if (!place) return undefined
  const { file, note } = place
  try {
    writeFileSync(
      note,
      `The calendar in ${file} was copied to ${withoutPassword(to)} at ${formatUtc(now)} UTC.\n`,
    )
    giveTo(note, ownerAt(file))
    return `The service is not started on ${file} any more, unless ${note} is removed.`
  } catch (error) {
    return `Let no service be started on ${file} any more; that cannot be noted there: ${messageOf(error)}.`
  }
}

export function forgetMove(address: string): void {
  const place = placeAt(address)
  if (place) rmSync(place.note, { force: true })
}

/** Tells whether the calendar was copied to another database; warns of it on standard error. */
export function warnOfMove(address: string): boolean {
  const move = findMove(address)
  if (move) console.error(`Warning: this is an old calendar. ${move.told} ${move.todo}`)
  return move !== undefined
}
