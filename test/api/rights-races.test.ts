import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { rounds } from '../support/rounds.ts'
import { serviceForTests } from '../support/service.ts'
import { KINDS, type Kind, PATHS } from './permission-table.ts'

const SOON = '2027-05-01 10:00:00'
const RACES = rounds(8)
const AT_ONCE = 8

const service = serviceForTests()

async function plantDraft(kind: Kind, title: string): Promise<{ id: number; slug: string }> {
  const own = kind === 'event' ? { title, slug: title, start_date: SOON, end_date: SOON } : { [kind]: title }
  const author = service.userIds.contributor
  const { status, body } = await service.post(PATHS[kind], { ...own, status: 'draft', author })
  equal(status, 201, JSON.stringify(body))
  return { id: body.id, slug: body.slug }
}

const ACTIONS = [
  { name: 'changes', method: 'PATCH', body: { description: 'Changed by the contributor' } },
  { name: 'trashes', method: 'DELETE', body: undefined },
] as const

for (const kind of KINDS) {
  for (const by of ['id', 'slug'] as const) {
    for (const { name, method, body } of ACTIONS) {
      test(`${RACES} races: who ${name} a draft by ${by} never touches the published ${kind}`, async () => {
        const run = async (race: number) => {
          const { id, slug } = await plantDraft(kind, `${kind}-${by}-${method.toLowerCase()}-${race}`)
          const address = `${PATHS[kind]}/${by === 'id' ? id : `by-slug/${slug}`}`
          const publish = () => service.put(`${PATHS[kind]}/${id}`, { status: 'publish' }, 'editor')
          const action = () => service.request('contributor', method, address, body)
          const [published, done] =
            race % 2 === 0
              ? await Promise.all([publish(), action()])
              : await Promise.all([action(), publish()]).then((answers) => answers.toReversed())
          ok(published && done)
          equal(published.status, 200, JSON.stringify(published.body))
          if (done.status === 200) {
            equal(
              done.body.status,
              method === 'DELETE' ? 'trash' : 'draft',
              'what was answered was no longer theirs',
            )
          } else {
            deepEqual([done.status, done.body.code], [403, 'rest_forbidden'], JSON.stringify(done.body))
            const { body: left } = await service.get(`${PATHS[kind]}/${id}`, 'admin')
            deepEqual([left.status, left.description ?? ''], ['publish', ''])
          }
        }
        for (let race = 0; race < RACES; race += AT_ONCE)
          await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => run(race + i)))
      })

      test(`who ${name} a draft by ${by} is refused once the ${kind} is published`, async () => {
        const { database } = service.app
        const { id, slug } = await plantDraft(kind, `${kind}-${by}-${method.toLowerCase()}-overtaken`)
        const write = database.write
        database.write = async (work) => {
          database.write = write
          equal((await service.put(`${PATHS[kind]}/${id}`, { status: 'publish' }, 'editor')).status, 200)
          return write(work)
        }
        const address = `${PATHS[kind]}/${by === 'id' ? id : `by-slug/${slug}`}`
        const refused = await service.request('contributor', method, address, body)
        deepEqual([refused.status, refused.body.code], [403, 'rest_forbidden'], JSON.stringify(refused.body))
        const { body: left } = await service.get(`${PATHS[kind]}/${id}`, 'admin')
        deepEqual([left.status, left.description ?? ''], ['publish', ''])
      })
    }
  }
}
