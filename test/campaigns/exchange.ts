import { type Agent, request } from 'node:http'
import { credentialsOf, type Reader } from '../support/service.ts'

export interface Sent {
  as: Reader
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export interface Answered {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Record<string, unknown>
  broken: string
}

const ANSWER_MS = 60_000

const none = (broken: string): Answered => ({ status: 0, headers: {}, body: {}, broken })

export function exchange(port: number, sent: Sent, agent?: Agent): Promise<Answered> {
  const isBytes = sent.body instanceof Uint8Array
  const typed = sent.body === undefined || isBytes ? {} : { 'content-type': 'application/json' }
  const headers = { ...credentialsOf(sent.as), ...typed, ...sent.headers }
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      method: sent.method,
      path: sent.path,
      headers,
      agent: agent ?? false,
    }
    const asked = request({ ...options, signal: AbortSignal.timeout(ANSWER_MS) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error) => resolve(none(codeOf(error))))
      response.on('end', () => {
        const body = parsed(Buffer.concat(chunks).toString('utf8'))
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, broken: '' })
      })
    })
    asked.on('error', (error) => resolve(none(codeOf(error))))
    asked.end(sent.body === undefined || isBytes ? sent.body : JSON.stringify(sent.body))
  })
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
