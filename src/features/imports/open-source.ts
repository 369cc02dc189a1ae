import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { askedMoment } from '../../base/run-command.ts'
import { formatUtc } from '../../base/text/zones.ts'
import type { DateOrder } from './csv-cells.ts'
import { besideWriting, type FileTask, fileSource } from './file-source.ts'
import { ImportError, message } from './import-messages.ts'
import { type FetchedAnswer, fetchPolitely, nameOrigin, SourceFailure } from './polite-fetch.ts'
import { NAMESPACE, siteSource } from './site-source.ts'
import type { Source } from './source-item.ts'
import { describeMarkup } from './source-text.ts'

interface SourceOptions {
  name?: string | undefined
  login?: string | undefined
  password?: string | undefined
  passwordFile?: string | undefined
  since?: string | undefined
  map?: readonly string[] | undefined
  dates?: DateOrder | undefined
  /**
   * Hosts that may be asked besides public ones, if somebody who does not operate the service imports. If
   * undefined, any host may be asked.
   */
  guest?: readonly string[] | undefined
}

interface Reader {
  zone: string
  /** In ms: the pause before the first retry. */
  backOffMs: number
}

interface OpenedSource {
  source: Source
  close: () => Promise<void>
}

const nothing = async () => undefined

/**
 * Opens a file or an address; the response shows whether that is a file or a site.
 * @throws Error when it cannot be opened
 */
export async function openSource(
  word: string,
  options: SourceOptions,
  reader: Reader,
): Promise<OpenedSource> {
  if (!/^(?:https?|webcals?):\/\//i.test(word))
    return { source: await fileBeside(fileTask(word, options, reader)), close: nothing }
  const target = URL.parse(word.replace(/^webcals?:/i, 'https:'))
  if (!target) throw new ImportError(message('{address} is no address.', { address: word }))
  if (target.username !== '' || target.password !== '')
    throw new Error(
      'Name the login with --login, and keep the password in a file (--password-file) or in ' +
        'KALENDS_IMPORT_PASSWORD.',
    )
  const { login } = options
  const password = await passwordOf(options)
  if (login !== undefined && password === undefined)
    throw new Error(
      'Keep the application password in a file (--password-file) or in KALENDS_IMPORT_PASSWORD.',
    )
  const name = options.name ?? target.href
  const { backOffMs } = reader
  const { guest } = options
  const isCalendar = isCalendarAddress(word, target)
  const asked = { url: target.href, isCalendar, login, password, backOffMs, guest }
  const found = await findRemoteFile(asked, /^webcal:/i.test(word))
  if ('extension' in found) return downloaded(found, { ...options, name }, reader)
  const task = {
    url: target.href,
    page: found.page,
    login,
    password,
    since: sinceOf(options),
    backOffMs,
    guest,
  }
  return { source: siteSource(task, name), close: nothing }
}

function isCalendarAddress(word: string, { pathname, searchParams }: URL): boolean {
  return (
    /^webcal/i.test(word) ||
    /\.(?:ics|ical)$/i.test(pathname) ||
    searchParams.get('format') === 'ics' ||
    searchParams.has('ical')
  )
}

/** The password on the first line of the file, else `password`. @throws Error when the file cannot be read */
export async function passwordOf({
  password,
  passwordFile,
}: Pick<SourceOptions, 'password' | 'passwordFile'>): Promise<string | undefined> {
  if (passwordFile === undefined) return password
  try {
    return (await readFile(passwordFile, 'utf8')).split('\n', 1)[0]?.trim()
  } catch {
    throw new Error(`The file ${passwordFile} cannot be read.`)
  }
}

function sinceOf({ since }: SourceOptions): string | undefined {
  if (since === undefined) return undefined
  return formatUtc(askedMoment(since, '--since takes a time in UTC such as 2026-11-20 or 2026-11-20 18:00'))
}

async function downloaded({ answer, extension }: RemoteFile, options: SourceOptions, reader: Reader) {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-import-'))
  const close = () => rm(folder, { recursive: true, force: true })
  try {
    const file = join(folder, `source${extension}`)
    await writeFile(file, answer.body)
    return { source: await fileBeside({ ...fileTask(file, options, reader), title: answer.url }), close }
  } catch (error) {
    await close()
    throw error
  }
}

function fileTask(file: string, { name, map = [], dates }: SourceOptions, { zone }: Reader): FileTask {
  return { file, name, map, dates, zone }
}

async function fileBeside(task: FileTask): Promise<Source> {
  return besideWriting(await fileSource(task), task)
}

interface RemoteTask {
  url: string
  /** True if the form of the address promises a calendar: other responses are errors. */
  isCalendar: boolean
  login: string | undefined
  password: string | undefined
  backOffMs: number
  guest: readonly string[] | undefined
}

type RemoteFound = RemoteFile | { page: FetchedAnswer | undefined }

interface RemoteFile {
  answer: FetchedAnswer
  extension: string
}

/** JSON is not named, since some sites would then not answer with their page. */
const ACCEPTS = { calendar: 'text/calendar, */*;q=0.1', any: 'text/html, text/calendar;q=0.9, */*;q=0.8' }

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/calendar': '.ics',
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
}

/**
 * Asks whether the address is a file or a page of a site. With `mayBePlain`, http is tried if nothing answers
 * by https, but never with a login.
 * @throws SourceFailure, also for a web page instead of a calendar
 */
async function findRemoteFile(task: RemoteTask, mayBePlain: boolean): Promise<RemoteFound> {
  const { url, isCalendar } = task
  if (!isCalendar && NAMESPACE.test(new URL(url).pathname)) return { page: undefined }
  const answer = await askAddress(task, mayBePlain)
  if (!answer || (!isCalendar && isIndex(answer))) return { page: undefined }
  const markup = describeMarkup(answer.body.toString('utf8'), answer.url)
  if (markup !== undefined && !isCalendar) return { page: answer }
  if (markup !== undefined)
    throw new SourceFailure(answer.url, message('is {markup}, and not a calendar.', { markup }))
  const [type = ''] = (answer.headers['content-type'] ?? '').toLowerCase().split(';', 1)
  return { answer, extension: EXTENSIONS[type.trim()] ?? '' }
}

async function askAddress(task: RemoteTask, mayBePlain: boolean): Promise<FetchedAnswer | undefined> {
  const { url, isCalendar, login, password, backOffMs, guest } = task
  const isTried = mayBePlain && login === undefined
  const named = nameOrigin(url, login, password, guest)
  const accept = isCalendar ? ACCEPTS.calendar : ACCEPTS.any
  const options = {
    named,
    accept,
    backOffMs,
    leavesLogin: true,
    ...(isTried || guest ? { attempts: 2 } : {}),
  }
  try {
    return await fetchPolitely(url, options)
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    if (isTried && error.status === 0)
      return askAddress({ ...task, url: url.replace(/^https:/, 'http:') }, false)
    if (!isCalendar && [403, 404, 405, 406, 410].includes(error.status)) return undefined
    throw error
  }
}

function isIndex({ body }: FetchedAnswer): boolean {
  const value = body.toString('latin1', 0, 100).trimStart().startsWith('{') ? parsedJson(body) : undefined
  return isRecord(value) && Array.isArray(value.namespaces)
}
