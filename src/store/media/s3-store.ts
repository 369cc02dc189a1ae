import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Problem } from '../../base/problems.ts'
import { mimeTypeOf } from './image-sizes.ts'
import { isKey, type ListedFile, MEDIA_CACHE_CONTROL, type MediaStore } from './media-store.ts'

export interface S3Place {
  bucket: string
  prefix: string
  /** Undefined for Amazon's own S3. */
  endpoint: string | undefined
  region: string | undefined
}

/** All in ms. */
export interface S3Limits {
  connect: number
  /** Longest pause between two bytes. */
  idle: number
  /** Longest wait for the beginning of an answer. */
  answer: number
  /** Longest time to store a file. */
  put: number
}

const LIMITS: S3Limits = { connect: 3000, idle: 15_000, answer: 10_000, put: 30_000 }

/**
 * Maximum attempts: `ATTEMPTS` if the connection or the store fails; `CONFLICT_ATTEMPTS`, with pauses of
 * `CONFLICT_MS` ms, while another writer is busy with the name.
 */
const ATTEMPTS = 3
const CONFLICT_ATTEMPTS = 5
const CONFLICT_MS = 100

/** Minimum ms between two reports, since in an outage every request fails. */
const REPORT_EVERY = 1000

const FORM = 'An S3-compatible store is written s3://BUCKET/PREFIX?endpoint=URL&region=NAME'

/**
 * Parses `s3://BUCKET/PREFIX?endpoint=…&region=…`.
 * @throws Error with one sentence that does not repeat the address
 */
export function parseS3Address(address: string): S3Place {
  const url = URL.parse(address)
  const endpoint = url?.searchParams.get('endpoint') ?? undefined
  const server = endpoint === undefined ? undefined : URL.parse(endpoint)
  if (url?.username || url?.password || server?.username || server?.password)
    throw new Error(
      `${FORM}; its credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment.`,
    )
  const prefix = url?.pathname.replace(/^\/|\/$/g, '') ?? ''
  const isPlace = url?.protocol === 's3:' && /^[a-z0-9][a-z0-9.-]+$/.test(url.hostname) && url.port === ''
  const isServer = server === undefined || /^https?:$/.test(server?.protocol ?? '')
  const isKnown = [...(url?.searchParams.keys() ?? [])].every(
    (name) => name === 'endpoint' || name === 'region',
  )
  if (!isPlace || !isServer || !isKnown || (prefix !== '' && !isKey(prefix))) throw new Error(`${FORM}.`)
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? undefined,
  }
}

/**
 * Returns a store in a bucket, with credentials from the usual places of the SDK. If the bucket fails, calls
 * reject with `rest_unavailable`, and `report` gets an error without secrets, at most once a second. A
 * removed file leaves an empty one, so that its name stays taken. With conditional writes (`If-None-Match:
 * *`) one of several writers of a name wins; without them, two nodes may both succeed.
 */
export function s3MediaStore(place: S3Place, report: (error: Error) => void, limits = LIMITS): MediaStore {
  const client = connect(place, limits)
  const limited = makeLimited(place, report)
  /** Keys that `put` is writing; another `put` of such a key returns false. */
  const busy = new Set<string>()
  const nameOf = (key: string) => {
    if (!isKey(key)) throw new Error(`"${key}" is no key of a media file.`)
    return { Bucket: place.bucket, Key: place.prefix + key }
  }
  const sizeOf = async (key: string) => {
    const ask = new HeadObjectCommand(nameOf(key))
    const found = await limited(limits.answer, (abortSignal) => client.send(ask, { abortSignal }))
    return found && (found.ContentLength ?? 0)
  }
  const replace = async (input: PutObjectCommandInput) => {
    await limited(limits.put, (abortSignal) => client.send(new PutObjectCommand(input), { abortSignal }))
  }
  // Sent now, so that an operator hears of a wrong bucket at the start, not at the first upload.
  const absent = new GetObjectCommand({ Bucket: place.bucket, Key: `${place.prefix}.absent` })
  limited(limits.answer, (abortSignal) => client.send(absent, { abortSignal })).catch(() => undefined)
  return {
    put: async (key, bytes, mimeType) => {
      const input = { ...nameOf(key), ...contentOf(bytes, mimeType) }
      if (busy.has(key)) return false
      busy.add(key)
      try {
        if ((await sizeOf(key)) !== undefined) return false
        return (await limited(limits.put, (abortSignal) => putNew(client, input, abortSignal))) === true
      } finally {
        busy.delete(key)
      }
    },
    read: async (key) => {
      if (!isKey(key)) return undefined
      const ask = new GetObjectCommand(nameOf(key))
      const found = await limited(limits.answer, (abortSignal) => client.send(ask, { abortSignal }))
      if (!(found?.Body instanceof Readable)) return undefined
      if (found.ContentLength)
        return { stream: found.Body, mimeType: mimeTypeOf(key), size: found.ContentLength }
      found.Body.destroy()
      return undefined
    },
    remove: async (key) => {
      if (await sizeOf(key))
        await replace({ ...nameOf(key), Body: new Uint8Array(), CacheControl: 'no-store' })
    },
    check: async () => undefined,
    list: () => listObjects(client, place, limited, limits),
    restore: (key, bytes, mimeType) => replace({ ...nameOf(key), ...contentOf(bytes, mimeType) }),
  }
}

/** Skips names that this service never makes. */
async function* listObjects(
  client: S3Client,
  { bucket, prefix }: S3Place,
  limited: Limited,
  limits: S3Limits,
): AsyncGenerator<ListedFile> {
  let next: string | undefined
  do {
    const ask = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: next })
    const page = await limited(limits.answer, (abortSignal) => client.send(ask, { abortSignal }))
    for (const { Key = '', Size = 0, LastModified } of page?.Contents ?? []) {
      const key = Key.slice(prefix.length)
      if (isKey(key))
        yield { key, size: Size, modified: LastModified?.getTime() ?? Date.now(), isLeftover: false }
    }
    next = page?.NextContinuationToken
  } while (next !== undefined)
}

function connect({ endpoint, region }: S3Place, limits: S3Limits): S3Client {
  const named = region ?? process.env.AWS_REGION ?? (endpoint === undefined ? undefined : 'us-east-1')
  return new S3Client({
    ...(named === undefined ? {} : { region: named }),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: limits.connect, socketTimeout: limits.idle },
  })
}

const contentOf = (bytes: Uint8Array, mimeType: string) => ({
  Body: bytes,
  ContentLength: bytes.length,
  ContentType: mimeType,
  CacheControl: MEDIA_CACHE_CONTROL,
})

/** Returns false if the name is taken. Omits the condition for a store that has no conditional writes. */
async function putNew(
  client: S3Client,
  input: PutObjectCommandInput,
  abortSignal: AbortSignal,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(new PutObjectCommand({ ...input, IfNoneMatch: '*' }), { abortSignal })
      return true
    } catch (error) {
      const status = statusOf(error)
      if (status === 412) return false
      if (status === 501) return client.send(new PutObjectCommand(input), { abortSignal }).then(() => true)
      // Another writer is busy with the name, and may still fail.
      if (status !== 409 || attempt === CONFLICT_ATTEMPTS) throw error
      await sleep(CONFLICT_MS)
    }
  }
}

type Limited = <T>(ms: number, work: (abortSignal: AbortSignal) => Promise<T>) => Promise<T | undefined>

/**
 * Returns a function that runs `work` for at most `ms`. It returns undefined for a missing object, and throws
 * a Problem for any other failure.
 */
function makeLimited({ bucket }: S3Place, report: (error: Error) => void): Limited {
  let reported = Number.NEGATIVE_INFINITY
  return async (ms, work) => {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), ms)
    try {
      return await work(abort.signal)
    } catch (error) {
      if (statusOf(error) === 404 && !isNoBucket(error)) return undefined
      if (performance.now() - reported >= REPORT_EVERY) {
        reported = performance.now()
        report(new Error(`The media store s3://${bucket} fails: ${describe(error)}.`))
      }
      throw new Problem('rest_unavailable', { retryAfter: 1 })
    } finally {
      // A response body that has begun to arrive may take longer.
      clearTimeout(timer)
    }
  }
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

const isNoBucket = (error: unknown) => error instanceof Error && error.name === 'NoSuchBucket'

/** Describes an error without its message, which may repeat keys and signatures. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'for no known reason'
  if (error.message === 'Region is missing') return 'no region is named (AWS_REGION)'
  if (error.name === 'CredentialsProviderError')
    return 'there are no credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const status = statusOf(error)
  return status === undefined ? code : `${code} (${status})`
}
