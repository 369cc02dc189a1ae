import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { type FetchOptions, fetchPolitely, nameOrigin, SourceFailure } from '../imports/polite-fetch.ts'
import type { ShownRecord } from '../imports/shown-records.ts'
import { findInterface, readNamespaces } from '../imports/site-source.ts'
import { readToken } from '../sync/sync-token.ts'

// Finds the service that a push writes to, reads its records, writes records to it, and reads its refusals.

/** A service that a calendar is pushed to. */
export interface PushTarget {
  /** The addresses of its REST routes and of its namespace of events. */
  root: string
  base: string
  /**
   * Whether it is a Kalends: it has series, and makes one record for all creates with the same
   * Idempotency-Key.
   */
  isKalends: boolean
  /** Whether it takes uploads of images. If not, it fetches images by their addresses. */
  takesUploads: boolean
  /**
   * Tells whether it can hide meeting links. The service is asked once, when the first record has a link to
   * hide.
   */
  hidesLinks: () => Promise<boolean>
  options: FetchOptions
}

interface TargetTask {
  /** The address of the site, of its interface, or of a page of it. */
  url: string
  login: string
  password: string
  backOffMs: number
}

const OWN = 'kalends/v1'
const PLATFORM = 'wp/v2'

/**
 * Finds the interface of a service, and checks the login.
 * @throws SourceFailure when the service has no interface, does not answer, or does not know the login
 */
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

/**
 * Tells whether the document of an interface names a member; false for a document that is refused (4xx).
 * @throws SourceFailure when nothing answers
 */
async function namesMember(url: string, options: FetchOptions, name: string): Promise<boolean> {
  try {
    return (await fetchPolitely(url, options)).body.includes(`"${name}"`)
  } catch (error) {
    if (error instanceof SourceFailure && error.status >= 400 && error.status < 500) return false
    throw error
  }
}

/**
 * Returns the edition of the database of a service, read from one of its sync tokens; undefined for a service
 * without them.
 */
export async function readTargetEdition({
  root,
  isKalends,
  options,
}: PushTarget): Promise<string | undefined> {
  if (!isKalends) return undefined
  const { body } = await fetchPolitely(`${root}/${OWN}/changes?kinds=tag&per_page=1`, options)
  const page = parsedJson(body)
  const { sync_token, next_token }: ShownRecord = isRecord(page) ? page : {}
  return readToken(String(sync_token ?? next_token))?.edition
}

/** The statuses of an address at which there is no record. */
const NOTHING = [404, 410]
/** The statuses of a slug that no record has: 400 as well, since the interface calls the slug invalid. */
export const NO_SLUG = [400, ...NOTHING]

/**
 * Reads the record at an address; undefined where the status is one of `nothing`.
 * @throws SourceFailure for any other failure
 */
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
  /** The Idempotency-Key of a create: several requests with the same key make one record. */
  key?: string
  /** For a create: finds the record that an earlier attempt may have made although no answer came. */
  findMade?: () => Promise<ShownRecord | undefined>
}

/** Sends a request to a service, and returns the record that it answers with. @throws SourceFailure */
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
  const value = parsedJson(body)
  if (!isRecord(value)) throw new SourceFailure(url, 'answers with something else than a record.')
  return value
}

/** Returns the message of a refusal, followed by the texts on the parameters that it refuses. */
export function refusalOf({ body, message }: SourceFailure): string {
  const value = parsedJson(body)
  if (!isRecord(value) || typeof value.message !== 'string') return message
  const { params }: ShownRecord = isRecord(value.data) ? value.data : {}
  const named = isRecord(params) ? Object.values(params).map(String) : []
  return [value.message, ...named].join(' ')
}

/** Returns the member `data` of a refusal with this code; undefined for any other refusal. */
export function refusedWith({ body }: SourceFailure, code: string): ShownRecord | undefined {
  const value = parsedJson(body)
  if (!isRecord(value) || value.code !== code) return undefined
  return isRecord(value.data) ? value.data : {}
}
