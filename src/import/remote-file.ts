import { NAMESPACE, parsed } from './find-interface.ts'
import { nameOrigin } from './named-origin.ts'
import { type Answered, fetchPolitely, SourceFailure } from './polite-fetch.ts'
import { isShown } from './shown-records.ts'
import { describeMarkup } from './web-page.ts'

/** An address that may lead to a file. */
export interface RemoteTask {
  url: string
  /** Whether the address says of itself that a calendar is there, so that anything else is an error. */
  isCalendar: boolean
  login: string | undefined
  password: string | undefined
  backOffMs: number
}

/** What an address leads to: a file, or else a site, with its page if it has one there. */
export type RemoteFound = RemoteFile | { page: Answered | undefined }

/** A file that an address answers with. */
export interface RemoteFile {
  answer: Answered
  /** The ending that files of its content type have; empty for types that say nothing. */
  extension: string
}

/** Without a word about JSON, which sites answer with other things than their page. */
const ACCEPTS = { calendar: 'text/calendar, */*;q=0.1', any: 'text/html, text/calendar;q=0.9, */*;q=0.8' }

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/calendar': '.ics',
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
}

/**
 * Finds the file or the site at an address. An address of `webcal:` is asked by http when nothing answers by https; no login is sent there.
 * @throws SourceFailure when it does not answer, or a calendar address answers with a web page
 */
export async function findRemoteFile(task: RemoteTask, mayBePlain: boolean): Promise<RemoteFound> {
  const { url, isCalendar } = task
  if (!isCalendar && NAMESPACE.test(new URL(url).pathname)) return { page: undefined }
  const answer = await askAddress(task, mayBePlain)
  if (!answer || (!isCalendar && isIndex(answer))) return { page: undefined }
  const markup = describeMarkup(answer.body.toString('utf8'), answer.url)
  if (markup !== undefined && !isCalendar) return { page: answer }
  if (markup !== undefined) throw new SourceFailure(answer.url, `is ${markup}, and not a calendar.`)
  const [type = ''] = (answer.headers['content-type'] ?? '').toLowerCase().split(';', 1)
  return { answer, extension: EXTENSIONS[type.trim()] ?? '' }
}

/** The answer at an address; undefined where a site may be that has no page there. */
async function askAddress(task: RemoteTask, mayBePlain: boolean): Promise<Answered | undefined> {
  const { url, isCalendar, login, password, backOffMs } = task
  const isTried = mayBePlain && login === undefined
  const named = nameOrigin(url, login, password)
  const accept = isCalendar ? ACCEPTS.calendar : ACCEPTS.any
  const options = { named, accept, backOffMs, leavesLogin: true, ...(isTried ? { attempts: 2 } : {}) }
  try {
    return await fetchPolitely(url, options)
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    if (isTried && error.status === 0) return askAddress({ ...task, url: url.replace(/^https:/, 'http:') }, false)
    if (!isCalendar && [403, 404, 405, 406, 410].includes(error.status)) return undefined
    throw error
  }
}

/** Whether an answer is the index of the routes of a site. */
function isIndex({ body }: Answered): boolean {
  const value = body.toString('latin1', 0, 100).trimStart().startsWith('{') ? parsed(body) : undefined
  return isShown(value) && Array.isArray(value.namespaces)
}
