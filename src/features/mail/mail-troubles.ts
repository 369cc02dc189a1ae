import { type Trouble, warning } from '../../base/finding.ts'
import type { Ask } from '../../store/storage/ask.ts'
import { sayMail } from './mail-texts.ts'

/** Failed attempts, within about twenty minutes, after which the operator is told. */
const TOLD_AFTER = 4

/** Lists problems with e-mail for the operator, without any addresses. */
export async function listMailTroubles(ask: Ask): Promise<Trouble[]> {
  const rows = await ask(
    `select state, count(*) as n, max(status) as status from mail_messages
      where state = 'given_up' or (state <> 'sent' and attempts >= ${TOLD_AFTER})
      group by state order by state`,
  )
  return rows.map((row) => {
    const isStopped = row.state === 'given_up'
    const [number, status] = [String(row.n), String(row.status)]
    const says = isStopped ? 'E-mails given up: {number}.' : 'E-mails that wait for the relay: {number}.'
    const reason = row.status === 0 ? 'The relay could not be reached.' : 'The relay answered {status}.'
    return {
      finding: warning(
        'e-mail',
        `${sayMail({ language: 'en' }, says, { number })} ${sayMail({ language: 'en' }, reason, { status })}`,
        'kalends mail list shows them, kalends mail test ADDRESS what the relay says.',
      ),
      shown: (language) => ({
        name: sayMail({ language }, says, { number }),
        isStopped,
        reason: sayMail({ language }, reason, { status }),
      }),
    }
  })
}
