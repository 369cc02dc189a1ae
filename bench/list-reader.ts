import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { BASE } from './service.ts'

// A process that reads a list again and again and measures the times.

/** A window with the whole calendar. */
export const WINDOW = 'start_date=1990-01-01&end_date=2100-01-01'

/** The ms between two requests. */
const EVERY = 10

/** Starts a reader for the service on this port. */
export function startListReader(port: number): ChildProcess {
  return fork(import.meta.filename, [String(port)], { serialization: 'advanced' })
}

/** Returns the ms of the lists read since the last call: median, 99th percentile, and longest. */
export async function askLists(reader: ChildProcess): Promise<number[]> {
  reader.send('tell')
  const [took] = await once(reader, 'message')
  return took
}

/** Describes these times in a sentence. */
export async function tellLists(reader: ChildProcess, when: string): Promise<string> {
  const took = (await askLists(reader)).map((ms) => ms.toFixed(1))
  return `a list ${when}: ${took.join(', ')} ms (median, 99 of 100, longest)`
}

function read(port: number): void {
  const took: number[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const options = { host: '127.0.0.1', port, agent, path: `${BASE}/events?${WINDOW}&per_page=10` }
  const ask = () => {
    const began = performance.now()
    get(options, (response) => {
      response.resume().once('end', () => {
        took.push(performance.now() - began)
        setTimeout(ask, EVERY)
      })
    })
  }
  ask()
  process.on('message', () => {
    const sorted = took.splice(0).sort((a, b) => a - b)
    process.send?.([0.5, 0.99, 1].map((part) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN))
  })
}

if (process.argv[1] === import.meta.filename) read(Number(process.argv[2]))
