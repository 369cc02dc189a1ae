import { type Trouble, warning } from '../../base/finding.ts'
import { DAY_MS, utcToMs } from '../../base/text/zones.ts'
import { type Ask, findLastBackup, isOldBackup } from '../../store/storage/ask.ts'
import { sayOfTransfer } from './transfer-texts.ts'

/**
 * Warns if the last known backup is old. If none is known, it does not: other programs may take them.
 * @param now in ms
 */
export async function listOldBackup(ask: Ask, now: number): Promise<Trouble[]> {
  const last = await findLastBackup(ask)
  if (last === '' || !isOldBackup(last, now)) return []
  const days = Math.floor((now - utcToMs(last)) / DAY_MS)
  const says = `The last one was taken at ${last}, ${days} days ago.`
  return [
    {
      finding: warning(
        'backup',
        says,
        'Take one every night: kalends backup. Those that are taken by other means are not known here.',
      ),
      shown: (language) => ({
        name: sayOfTransfer({ language }, 'Backups'),
        isStopped: true,
        reason: sayOfTransfer({ language }, 'The last one that is known was taken {count} days ago.', {
          count: String(days),
        }),
      }),
    },
  ]
}
