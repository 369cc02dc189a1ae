import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryReading } from './block-probe.ts'
import type { FuzzReport } from './fuzz-campaign.ts'
import type { Finding, FuzzRun } from './fuzz-run.ts'
import { type PlannedRequest, wireOf } from './planned-request.ts'

/** The most bytes of a body that are shown in the command itself. */
const INLINE = 2000

export function describeFinding(
  finding: Finding,
  { ground, service }: Pick<FuzzRun, 'ground' | 'service'>,
): string {
  const { kind, what, planned, number, alone, stack } = finding
  const where = number === undefined ? '' : ` (request ${number} of seed ${ground.seed})`
  const lines = [
    `FOUND ${kind}: ${what}${where}${alone ? '' : ', not when sent again alone'}`,
    planned.method === 'RAW'
      ? `  raw request: ${planned.path}`
      : `  as ${planned.as}: ${curlOf(planned, service.port)}`,
    `  ${abbreviated(bodyText(planned))}`,
    ...(stack ? [stack.split('\n').slice(0, 6).join('\n')] : []),
  ]
  return lines.filter((line) => line.trim() !== '').join('\n')
}

export function curlOf(planned: PlannedRequest, port: number): string {
  const { method, target, headers, body } = wireOf(planned)
  const { 'content-length': _length, ...given } = headers
  const heads = Object.entries(given).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
  const data = body === undefined ? '' : ` --data-binary ${dataOf(body)}`
  const verb = method === 'HEAD' ? '-I' : `-X ${method}`
  return (
    `curl -sg --path-as-is ${verb}${heads.join('')}` +
    `${data} ${quoted(`http://127.0.0.1:${port}${target}`)}`
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

let folder: string | undefined
let files = 0

function dataOf(body: Buffer): string {
  const text = body.toString()
  if (body.length <= INLINE && !/[^\t\n\r\x20-\x7e]/.test(text) && !text.startsWith('@')) return quoted(text)
  folder ??= mkdtempSync(join(tmpdir(), 'kalends-fuzz-found-'))
  const file = join(folder, `${++files}.body`)
  writeFileSync(file, body)
  return `@${file}`
}

function bodyText(planned: PlannedRequest): string {
  const { body } = wireOf(planned)
  return body && body.length > 200 ? body.toString() : ''
}

export function abbreviated(text: string): string {
  const short = text
    .slice(0, 200_000)
    .replace(/(.{1,12}?)\1{9,}/gsu, (run, unit: string) => `{${unit}×${run.length / unit.length}}`)
  return short.length > 600 ? `${short.slice(0, 300)} … ${short.slice(-200)}` : short
}

export function describeReport(report: FuzzReport, database: string): string {
  const { counts, findings, memory, limits } = report
  const statuses = [...counts.byStatus].sort(([one], [other]) => one - other)
  const megabytes = ({ rss, heap, outside }: MemoryReading) =>
    `${Math.round(rss / 1e6)} MB resident, ${Math.round((heap + outside) / 1e6)} MB in use`
  return [
    `${database}, seed ${report.seed}: ${counts.requests} requests ` +
      `in ${report.seconds} s, ${report.records} records written`,
    `  answers: ${statuses.map(([status, times]) => `${status} × ${times}`).join(', ')}; ` +
      `cut off: ${counts.cut}`,
    `  longest stretch of the event loop: ${ms(report.longestAloneMs)} for one request alone ` +
      `(at most ${ms(limits.blockMs)}), ${ms(report.longestMs)} beside ` +
      `others; ${counts.unrepeated} long or shed ones not repeated alone`,
    memory
      ? `  memory: ${megabytes(memory.quarter)} at a quarter, ${megabytes(memory.end)} at the end`
      : '  memory: not comparable, the service was started anew',
    `  findings: ${findings.length}`,
    ...findings.map(({ kind, what, times }) => `    ${kind} × ${times}: ${what.slice(0, 160)}`),
  ].join('\n')
}

const ms = (value: number) => `${value.toFixed(1)} ms`
