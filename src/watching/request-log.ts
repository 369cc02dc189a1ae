import { hostname } from 'node:os'
import type { Answered } from '../http/answered.ts'
import { shownUrl } from './redact.ts'

/** Waiting lines of the request log: one for each answer, written many at once. */
export interface RequestLog {
  /** Takes whole lines. */
  write: (text: string) => void
  /** Which answers have a line. */
  kept: 'all' | 'writes'
  lines: string
  timer: NodeJS.Timeout | undefined
}

/** Lines wait for this many characters, or for this time. */
const MOST_WAITING = 16_000
const LONGEST_WAIT_MS = 100

/** The members that all lines share, in the form of the rest of the log. */
const BOUND = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`
const INFO = 30

export function makeRequestLog(write: RequestLog['write'], kept: RequestLog['kept']): RequestLog {
  return { write, kept, lines: '', timer: undefined }
}

/** Adds the line of an answer. The line is built by hand, since every answer passes here; the address is without secrets. */
export function logAnswer(log: RequestLog, answered: Answered): void {
  const { method, url, route, status, ms, bytes, requestId } = answered
  if (log.kept === 'writes' && (method === 'GET' || method === 'HEAD')) return
  log.lines += `{"level":${INFO},"time":${Date.now()},${BOUND},"requestId":"${requestId}","method":${quoted(method)},"url":${quoted(shownUrl(url))},"route":${quoted(route)},"status":${status},"ms":${Math.round(ms * 100) / 100},"bytes":${bytes},"msg":"answered"}\n`
  if (log.lines.length >= MOST_WAITING) writeLines(log)
  else log.timer ??= setTimeout(() => writeLines(log), LONGEST_WAIT_MS).unref()
}

/** Writes the waiting lines. */
export function writeLines(log: RequestLog): void {
  clearTimeout(log.timer)
  log.timer = undefined
  const { lines } = log
  log.lines = ''
  if (lines !== '') log.write(lines)
}

const quoted = (text: string) => JSON.stringify(text)
