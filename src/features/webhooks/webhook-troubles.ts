import { type Trouble, warning } from '../../base/finding.ts'
import { withoutPaths } from '../../base/text/urls.ts'
import { type Ask, MOST_NAMED } from '../../store/storage/ask.ts'
import { describeReason } from './webhook-store.ts'

export async function listFailing(ask: Ask): Promise<Trouble[]> {
  const rows = await ask(
    `select url, disabled_utc, disabled_why, failing_since_utc from webhooks
      where disabled_utc <> '' or failing_since_utc <> '' order by id limit ${MOST_NAMED}`,
  )
  return rows.map((row) => {
    const [url, since, why] = [String(row.url), String(row.failing_since_utc), String(row.disabled_why)]
    const isDisabled = row.disabled_utc !== ''
    return {
      finding: warning(
        'webhooks',
        isDisabled
          ? `${withoutPaths(url)} is told nothing any more: ${describeReason('en', why)}`
          : `${withoutPaths(url)} has taken no message since ${since}.`,
        'Mend the receiver; one that is disabled has to be enabled again.',
      ),
      shown: (language) => ({
        name: url,
        isStopped: isDisabled,
        reason: isDisabled ? describeReason(language, why) : '',
      }),
    }
  })
}
