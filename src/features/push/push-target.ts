import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { type FetchOptions, fetchPolitely, nameOrigin, SourceFailure } from '../imports/polite-fetch.ts'
import type { ShownRecord } from '../imports/shown-records.ts'
import { findInterface, readNamespaces } from '../imports/site-source.ts'
import { readToken } from '../sync/sync-token.ts'

export interface PushTarget {
  root: string
  base: string
  /** True for another Kalends: it has series, and creates one record per Idempotency-Key. */
  isKalends: boolean
  /** True if images are uploaded; if false, the target fetches them by their addresses. */
  takesUploads: boolean
  /** Whether the target can hide meeting links; asked once, at the first hidden link. */
  hidesLinks: () => Promise<boolean>
  options: FetchOptions
}

interface TargetTask {
  url: string
  login: string
  password: string
  backOffMs: number
}

const OWN = 'kalends/v1'
const PLATFORM = 'wp/v2'

/**
 * Finds the REST API of the service and logs in.
 * @throws SourceFailure if there is no API, or the service does not answer or refuses the login
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
 * True if the document at `url` mentions the member; false if the service refuses it (4xx).
 * @throws SourceFailure for other failures
 */
async function namesMember(url: string, options: FetchOptions, name: string): Promise<boolean> {
  try {
    return (await fetchPolitely(url, options)).body.includes(`"${name}"`)
  } catch (error) {
    if (error instanceof SourceFailure && error.status >= 400 && error.status < 500) return false
    throw error
  }
}

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

const NOTHING = [404, 410]
/** Statuses which mean that no record has a slug: the REST API then also answers 400 (invalid parameter). */
export const NO_SLUG = [400, ...NOTHING]

/** Returns the record at `url`; undefined if the status of the answer is in `nothing`. */
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

export interface TargetRequest {
  method: 'POST' | 'PUT' | 'DELETE'
  body?: string | FormData
  /** Idempotency-Key: repeated requests with it create one record. */
  key?: string
  findMade?: () => Promise<ShownRecord | undefined>
}

/** Sends a write; returns the record in the answer. */
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

/** The message of the refusal, followed by the messages on single parameters. */
export function refusalOf({ body, message }: SourceFailure): string {
  const value = parsedJson(body)
  if (!isRecord(value) || typeof value.message !== 'string') return message
  const { params }: ShownRecord = isRecord(value.data) ? value.data : {}
  const named = isRecord(params) ? Object.values(params).map(String) : []
  return [value.message, ...named].join(' ')
}

export function refusedWith({ body }: SourceFailure, code: string): ShownRecord | undefined {
  const value = parsedJson(body)
  if (!isRecord(value) || value.code !== code) return undefined
  return isRecord(value.data) ? value.data : {}
}
