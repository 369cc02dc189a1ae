import { readToken } from '../../serve/sync/sync-token.ts'
import { type FetchOptions, fetchPolitely, nameOrigin, SourceFailure } from '../import/polite-fetch.ts'
import { isShownRecord, type ShownRecord } from '../import/shown-records.ts'
import { findInterface, parsed, readNamespaces } from '../import/site-source.ts'

// The service that a push writes to: found, asked and written to.

/** A service that a calendar is pushed to. */
export interface PushTarget {
  /** The root of its REST routes, and its namespace of events. */
  root: string
  base: string
  /** Whether it has series, and does a create with a key once. */
  isKalends: boolean
  /** Whether images can be uploaded; else it fetches them by their addresses. */
  takesUploads: boolean
  /** Whether it knows that links of meetings may be hidden. It is asked once, when there is one. */
  hidesLinks: () => Promise<boolean>
  options: FetchOptions
}

/** How a service is found and signed in to. */
interface TargetTask {
  /** The address of the site, of its interface, or of a page of it. */
  url: string
  login: string
  password: string
  backOffMs: number
}

const OWN = 'kalends/v1'
const PLATFORM = 'wp/v2'

/** @throws SourceFailure when it has no interface, does not answer, or does not know the login */
export async function openTarget({ url, login, password, backOffMs }: TargetTask): Promise<PushTarget> {
  const options = { named: nameOrigin(url, login, password), accept: 'application/json', backOffMs }
  try {
    const { root, base } = await findInterface(url, options)
    await fetchPolitely(`${root}/${PLATFORM}/users/me`, options)
    const namespaces = await readNamespaces(root, options)
    let hides: Promise<boolean> | undefined
    const hidesLinks = () => {
      hides ??= namesMember(`${base}/doc`, options, 'online_shown')
      return hides
    }
    const [isKalends, takesUploads] = [namespaces.includes(OWN), namespaces.includes(PLATFORM)]
    return { root, base, isKalends, takesUploads, hidesLinks, options }
  } catch (error) {
    if (!(error instanceof SourceFailure) || ![401, 403].includes(error.status)) throw error
    throw new SourceFailure(url, `does not let ${login} in: ${refusalOf(error)}`, error.status)
  }
}

/** Whether the document of an interface names a member; one that cannot be read names none. @throws SourceFailure when nothing answers */
async function namesMember(url: string, options: FetchOptions, name: string): Promise<boolean> {
  try {
    return (await fetchPolitely(url, options)).body.includes(`"${name}"`)
  } catch (error) {
    if (error instanceof SourceFailure && error.status >= 400 && error.status < 500) return false
    throw error
  }
}

/** The edition of the database of a service, read from its sync tokens; undefined for a service without them. */
export async function readTargetEdition({ root, isKalends, options }: PushTarget): Promise<string | undefined> {
  if (!isKalends) return undefined
  const { body } = await fetchPolitely(`${root}/${OWN}/changes?kinds=tag&per_page=1`, options)
  const page = parsed(body)
  const { sync_token, next_token }: ShownRecord = isShownRecord(page) ? page : {}
  return readToken(String(sync_token ?? next_token))?.edition
}

/** Statuses that say that there is nothing at an address; a slug without a record is an invalid one. */
const NOTHING = [404, 410]
export const NO_SLUG = [400, ...NOTHING]

/** The record at an address; undefined when there is none. @throws SourceFailure */
export async function readShown(
  { options }: PushTarget,
  url: string,
  nothing: readonly number[] = NOTHING,
): Promise<ShownRecord | undefined> {
  try {
    return await shownIn(url, await fetchPolitely(url, options))
  } catch (error) {
    if (error instanceof SourceFailure && nothing.includes(error.status)) return undefined
    throw error
  }
}

/** A request to the target. */
export interface TargetRequest {
  method: 'POST' | 'PUT' | 'DELETE'
  body?: string | FormData
  /** Of a create: the same key makes one record. */
  key?: string
  /** For a create: looks for a record that an earlier attempt may have made although no answer came. */
  findMade?: () => Promise<ShownRecord | undefined>
}

/** Sends to a service; returns the record it answers with. @throws SourceFailure */
export async function sendTo(
  { options, isKalends }: PushTarget,
  url: string,
  sent: TargetRequest,
): Promise<ShownRecord> {
  const { method, body, key, findMade } = sent
  const headers = {
    ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  const findDone = async () => {
    const made = await findMade?.()
    return made && { url, headers: {}, body: Buffer.from(JSON.stringify(made)) }
  }
  const sending = { method, headers, body, ...(isKalends || !findMade ? {} : { findDone }) }
  return shownIn(url, await fetchPolitely(url, { ...options, sending }))
}

async function shownIn(url: string, { body }: { body: Buffer }): Promise<ShownRecord> {
  const value = parsed(body)
  if (!isShownRecord(value)) throw new SourceFailure(url, 'answers with something else than a record.')
  return value
}

/** The message of a refusal, with the texts of the parameters that it refuses. */
export function refusalOf({ body, message }: SourceFailure): string {
  const value = parsed(body)
  if (!isShownRecord(value) || typeof value.message !== 'string') return message
  const { params }: ShownRecord = isShownRecord(value.data) ? value.data : {}
  const named = isShownRecord(params) ? Object.values(params).map(String) : []
  return [value.message, ...named].join(' ')
}

/** The member `data` of a refusal with this code. */
export function refusedWith({ body }: SourceFailure, code: string): ShownRecord | undefined {
  const value = parsed(body)
  if (!isShownRecord(value) || value.code !== code) return undefined
  return isShownRecord(value.data) ? value.data : {}
}
