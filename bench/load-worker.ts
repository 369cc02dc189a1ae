import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import autocannon from 'autocannon'
import type { Asked, LoadJob, LoadResult, ProbeJob, ProbeResult } from './load.ts'

/** The process of the load generator: runs autocannon or a probe for its parent, one job after the other. */
process.on('message', async ({ id, job }: Asked) => {
  const result = job.do === 'load' ? await runAutocannon(job) : await runProbe(job)
  process.send?.({ id, result })
})
process.on('disconnect', () => process.exit())

interface Line {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  path: string
  body: string | undefined
}

function readLines(file: string): Line[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const [method, path = '/', body] = line.split('\t')
    return { method: method as Line['method'], path, body }
  })
}

function headersOf(line: Line, job: LoadJob | ProbeJob): Record<string, string> {
  return line.method === 'GET' || line.method === 'HEAD'
    ? job.headers
    : { authorization: job.authorization, 'content-type': 'application/json' }
}

async function runAutocannon(job: LoadJob): Promise<LoadResult> {
  const lines = readLines(job.file)
  let next = 0
  let began = 0
  let answered = 0
  const failed: Record<string, number> = {}
  let whole: LoadResult | undefined
  let instance: autocannon.Instance | undefined
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()

  const setupRequest = (template: autocannon.Request): autocannon.Request => {
    began ||= performance.now()
    if (job.once && next === lines.length) {
      whole = { requests: answered, seconds: (performance.now() - began) / 1000, failed }
      instance?.stop()
    }
    const line = lines[next % lines.length]
    next++
    if (!line) return template
    return {
      ...template,
      method: line.method,
      path: line.path,
      headers: headersOf(line, job),
      ...(line.body ? { body: line.body } : {}),
    }
  }
  const options = {
    url: `http://127.0.0.1:${job.port}`,
    connections: job.connections,
    duration: job.seconds,
    sampleInt: 250,
    timeout: 60,
  }
  instance = autocannon({ ...options, requests: [{ setupRequest }] }, (error, result) => {
    if (error) return reject(error)
    resolve({
      ...(whole ?? { requests: result.requests.total, seconds: result.duration }),
      failed: result.errors > 0 ? { ...failed, broken: result.errors } : failed,
    })
  })
  instance.on('response', (_client, status) => {
    answered++
    if (status >= 400) failed[status] = (failed[status] ?? 0) + 1
  })
  return promise
}

/** Sends requests one after the other over one connection. */
async function runProbe(job: ProbeJob): Promise<ProbeResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const micros: number[] = []
  let failed = 0
  const until = performance.now() + job.seconds * 1000
  for (const line of readLines(job.file)) {
    const began = process.hrtime.bigint()
    const status = await ask(job, line, agent)
    micros.push(Number(process.hrtime.bigint() - began) / 1000)
    if (status >= 400) failed++
    if (performance.now() > until) break
  }
  agent.destroy()
  return { micros, failed }
}

function ask(job: ProbeJob, line: Line, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: job.port,
        method: line.method,
        path: line.path,
        headers: headersOf(line, job),
        agent,
      },
      (response) => {
        response.on('error', reject)
        response.on('end', () => resolve(response.statusCode ?? 0))
        response.resume()
      },
    )
    asked.on('error', reject)
    asked.end(line.body)
  })
}
