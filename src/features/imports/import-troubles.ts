import { type Trouble, warning } from '../../base/finding.ts'
import { withoutPaths } from '../../base/text/urls.ts'
import { type Ask, MOST_NAMED } from '../../store/storage/ask.ts'
import { englishMessage, readKeptMessage, showMessage } from './import-messages.ts'
import { sayImport } from './import-texts.ts'

export async function listStuck(ask: Ask): Promise<Trouble[]> {
  const rows = await ask(`
    select name, paused, outcome from import_schedules where paused = 1 or failures > 0
    order by id limit ${MOST_NAMED}`)
  return rows.map((row) => {
    const [name, isPaused] = [String(row.name), Number(row.paused) === 1]
    const outcome = readKeptMessage(String(row.outcome))
    const why = withoutPaths(englishMessage(outcome))
    return {
      finding: warning(
        'imports',
        `${name} ${isPaused ? 'is paused' : 'failed at its last run'}${why === '' ? '.' : `: ${why}`}`,
        isPaused ? `kalends imports resume ${name} lets it go on.` : 'Look at its source; it is tried again.',
      ),
      shown: (language) => ({
        name: sayImport({ language }, 'Import “{name}”', { name }),
        isStopped: isPaused,
        reason: showMessage({ language }, outcome),
      }),
    }
  })
}
