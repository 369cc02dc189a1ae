import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { startService, type TestService } from '../support/service.ts'
import { concert, formToken, leadsTo, seenBy, suggest } from '../support/suggestions.ts'

/** Two nodes on one database. */
async function startNodes(settings: Record<string, string> = {}) {
  const own = { submissions: 'open', trusted_proxy: 'loopback', ...settings }
  const one = await startService(own)
  const other = await startService({ ...own, database: one.config.database })
  const close = async () => {
    await other.close()
    await one.close()
  }
  return { one, other, nodes: [one, other] as const, [Symbol.asyncDispose]: close }
}

const statesOf = async ({ app }: TestService) =>
  pluck(await app.database.read.selectFrom('submissions').select('state').execute(), 'state').sort()

describe('suggestions at the same moment on two nodes', () => {
  test('a token is good on both nodes, and for one suggestion', async () => {
    await using here = await startNodes()
    const token = await formToken(here.one)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        suggest(here.nodes[at % 2] ?? here.one, { ...concert, title: `Text ${at}` }, { token }),
      ),
    )
    deepEqual([...new Set(answers.map(({ status }) => status))], [303])
    const states = await statesOf(here.one)
    deepEqual(
      states.filter((state) => state === 'waiting'),
      ['waiting'],
    )
    equal(states.length, 8)
  })

  test('the same form sent many times at once counts once and leads to one page', async () => {
    await using here = await startNodes()
    const [token, from] = [await formToken(here.other), '192.0.2.7']
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        suggest(here.nodes[at % 2] ?? here.one, { ...concert, start_date: '2027-03-03' }, { token, from }),
      ),
    )
    equal(new Set(answers.map(leadsTo)).size, 1)
    deepEqual(await statesOf(here.one), ['waiting'])
  })

  test('limits count what comes to either node', async () => {
    await using here = await startNodes({ submissions_network: '16', submissions_address: '400' })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        suggest(
          here.nodes[at % 2] ?? here.one,
          { ...concert, title: `Evening ${at}`, address: `p${at}@example.org` },
          { from: `192.0.2.${at + 1}` },
        ),
      ),
    )
    equal(answers.filter(({ status }) => status === 303).length, 4)
    equal(answers.filter(({ status }) => status === 429).length, 8)
    equal((await statesOf(here.one)).length, 4)
  })

  test('two editors who publish at once make one event, and the second hears of it', async () => {
    await using here = await startNodes()
    await suggest(here.one, { ...concert, title: 'Once only' })
    const row = await here.one.app.database.read.selectFrom('submissions').select('id').executeTakeFirst()
    const desks = await Promise.all([sitAtDesk(here.one, 'editor'), sitAtDesk(here.other, 'admin')])
    const seen = await seenBy(desks[0], row?.id)
    notEqual(seen, '')
    const answers = await Promise.all(
      desks.map((desk) => desk.post(`/desk/suggestions/${row?.id}`, { act: 'publish', seen })),
    )
    deepEqual(pluck(answers, 'status'), [303, 303])
    equal(answers.filter((answer) => leadsTo(answer).includes('done=decided')).length, 1)
    equal((await here.one.get('/events?search=once&start_date=2027-01-01')).body.total, 1)
  })
})
