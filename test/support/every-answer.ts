import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { send } from './send.ts'
import { credentialsOf, type Reader } from './service.ts'

const LISTS = [
  '/tribe/events/v1/events?per_page=50&start_date=2020-01-01',
  '/tribe/events/v1/events?per_page=50&start_date=2020-01-01&status=publish,draft,private,future,pending',
  '/tribe/events/v1/events?search=lantern&start_date=2020-01-01',
  '/tribe/events/v1/venues?per_page=50',
  '/tribe/events/v1/organizers?per_page=50',
  '/tribe/events/v1/categories?per_page=50',
  '/tribe/events/v1/tags?per_page=50',
  '/kalends/v1/series?per_page=50',
  '/wp/v2/media?per_page=50',
  '/wp/v2/users/me',
]

/** The most single records requested at once. */
const AT_ONCE = 8

interface ListPage {
  total_pages?: number
}

/**
 * Reads the lists above, all pages of those that name `total_pages`, and the single records on them, as anonymous caller and as administrator.
 * Returns the texts of the answers by reader and path.
 * @param port the port of the service on 127.0.0.1
 */
export async function readEveryAnswer(port: number): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const read = async (as: Reader, path: string) => {
    const url = `http://127.0.0.1:${port}/wp-json${path}`
    const { text } = await send(agent, 'GET', url, { headers: credentialsOf(as), body: undefined })
    answers.set(`${as} ${path}`, withoutBlanks(text))
    return text
  }
  for (const as of ['anonymous', 'admin'] as const) {
    const singles = new Set<string>()
    for (const list of LISTS) {
      const first: ListPage & object = JSON.parse(await read(as, list))
      const pages = [first]
      for (let page = 2; page <= (first.total_pages ?? 1); page++)
        pages.push(JSON.parse(await read(as, `${list}&page=${page}`)))
      for (const id of pages.flatMap(idsIn)) singles.add(`${list.replace(/\?.*/, '')}/${id}`)
    }
    const left = singles.values()
    const readOn = async () => {
      for (const single of left) await read(as, single)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  }
  agent.destroy()
  assert.ok(answers.size > LISTS.length)
  return answers
}

/** Removes the blanks that lists from memory may have before the counts of terms. */
export function withoutBlanks(text: string): string {
  return text.replaceAll(/("count":) +/g, '$1')
}

/** Returns the ids in the lists of a page. A page that is itself an array, as those of media are, gives none. */
function idsIn(page: object): number[] {
  const lists = Object.values(page).filter((member): member is { id: number }[] => Array.isArray(member))
  return lists.flat().map(({ id }) => id)
}
