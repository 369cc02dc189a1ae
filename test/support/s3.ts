// An S3-compatible server for tests: on the loopback interface, with its files in a temporary folder.
import { once } from 'node:events'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { freePort } from './postgres.ts'

export const BUCKET = 'images'

export type Conditions = 'kept' | 'ignored' | 'refused'

export interface S3Server {
  place: (prefix?: string) => string
  url: string
  names: () => Promise<string[]>
  halt: () => Promise<void>
  start: () => Promise<void>
  close: () => Promise<void>
}

export async function startS3(conditions: Conditions = 'kept'): Promise<S3Server> {
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER'
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER'
  const folder = await mkdtemp(join(tmpdir(), 'kalends-s3-'))
  const bucket = join(folder, BUCKET)
  const s3 = new S3rver({ directory: folder, silent: true, configureBuckets: [{ name: BUCKET }] })
  await s3.configureBuckets()
  const handle = withConditions(s3.callback(), conditions, (name) =>
    exists(join(bucket, `${name}._S3rver_object`)),
  )
  const port = await freePort()
  let server: Server = await listen(handle, port)
  const halt = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((done) => server.close(done))
  }
  const endpoint = `http://127.0.0.1:${port}`
  return {
    place: (prefix = '') => `s3://${BUCKET}/${prefix}?endpoint=${endpoint}`,
    url: `${endpoint}/${BUCKET}`,
    names: async () => {
      const files = await readdir(bucket, { recursive: true })
      const objects = files.filter((file) => file.endsWith('._S3rver_object'))
      return objects.map((file) => file.slice(0, -'._S3rver_object'.length)).sort()
    },
    halt,
    start: async () => {
      server = await listen(handle, port)
    },
    close: async () => {
      await halt()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listen(handle: RequestListener, port: number): Promise<Server> {
  const server = createServer(handle).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/**
 * Adds `If-None-Match: *`, which the server does not support. Such writes run one after the other, so that
 * the check of a name stays true.
 */
function withConditions(
  handle: RequestListener,
  conditions: Conditions,
  isTaken: (name: string) => Promise<boolean>,
): RequestListener {
  let last: Promise<unknown> = Promise.resolve()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const name = decodeURIComponent(new URL(request.url ?? '', 'http://s3').pathname).slice(BUCKET.length + 2)
    if (conditions === 'refused') return refuse(response, 501, 'NotImplemented')
    if (await isTaken(name)) return refuse(response, 412, 'PreconditionFailed')
    handle(request, response)
    await once(response, 'close')
  }
  return (request, response) => {
    // This server signs the slash behind the bucket otherwise than Amazon and the SDK. Without the header it
    // checks no signature.
    if (request.url?.startsWith(`/${BUCKET}/?`)) delete request.headers.authorization
    const isConditional = request.method === 'PUT' && request.headers['if-none-match'] === '*'
    if (!isConditional || conditions === 'ignored') handle(request, response)
    else last = last.then(() => answer(request, response)).catch(() => response.destroy())
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
