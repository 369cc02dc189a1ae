import { createServer } from 'node:net'
import { type Config, type Site, siteOf } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { type Finding, failing, ok, warning } from '../../base/finding.ts'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { DAY_MS, formatUtc, utcToMs } from '../../base/text/zones.ts'
import { OWN_NAMESPACE } from '../../calendar/declare/resource.ts'
import type { Examined } from './examine.ts'

const ANSWERS_WITHIN_MS = 3000
/** In characters; a page of the feed with one change is shorter. */
const LONGEST_ANSWER = 2_000_000
const LOCAL = /^(localhost|127\.|\[?::1)/

/** Checks port, address and proxy, and asks the site. @param edition of the database; empty if unknown */
export async function checkNetwork(config: Config, edition: string): Promise<CheckedNetwork> {
  const port = await checkPort(config)
  const address = checkAddress(config)
  const isKnown = config.site_url !== '' && address.state !== 'error'
  const { findings, clock } = isKnown ? await checkSite(siteOf(config, config.port), edition) : NOT_ASKED
  return { findings: [port, address, ...findings, ...checkProxy(config)], clock }
}

/** `clock` is undefined if the site has sent no time. */
interface CheckedNetwork {
  findings: Finding[]
  clock: SiteClock | undefined
}

const NOT_ASKED: CheckedNetwork = { findings: [], clock: undefined }

async function checkSite({ url, restUrl }: Site, edition: string): Promise<CheckedNetwork> {
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS)
  try {
    const response = await fetch(`${restUrl}/${OWN_NAMESPACE}/changes?kinds=venue&per_page=1`, { signal })
    const clock = clockOf(url, response.headers)
    const finding = describeAnswer(url, response.status, editionIn(await beginningOf(response)), edition)
    return { findings: [finding], clock }
  } catch (error) {
    return { findings: [unreached(url, codeOf(error))], clock: undefined }
  }
}

function unreached(url: string, code: string): Finding {
  if (/^(ENOTFOUND|EAI_\w+)$/.test(code))
    return warning(
      'site answer',
      `${new URL(url).hostname} could not be looked up (${code}).`,
      'Look at its entry in the DNS and at KALENDS_SITE_URL, and whether this machine has a network.',
    )
  return warning(
    'site answer',
    `${url} could not be reached from here (${code}).`,
    'Start the service and its proxy. Some networks do not lead a machine to its own public address: ask ' +
      'from another one.',
  )
}

function describeAnswer(url: string, status: number, found: string | undefined, edition: string): Finding {
  if (found === undefined)
    return warning(
      'site answer',
      `${url} answers with ${status}, and not as Kalends does.`,
      'Look at KALENDS_SITE_URL, its entry in the DNS, the proxy behind it, and whether the service runs.',
    )
  if (edition === '' || found === edition) return ok('site answer', `${url} leads to this calendar.`)
  return warning(
    'site answer',
    `${url} leads to another calendar, or to a service that runs since before a restore.`,
    'Look at --database and KALENDS_SITE_URL, and restart the service after a restore.',
  )
}

/** The site's clock by `Date`, to which `Age` is added, since a cache keeps `Date`. */
function clockOf(site: string, headers: Headers): SiteClock | undefined {
  const sentMs = Date.parse(headers.get('date') ?? '') + Number(headers.get('age') ?? 0) * 1000
  return Number.isNaN(sentMs) ? undefined : { site, aheadMs: sentMs - Date.now() }
}

function editionIn(text: string): string | undefined {
  const page = parsedJson(text)
  if (!isRecord(page)) return undefined
  // A token begins with the edition.
  const token = parsedJson(Buffer.from(String(page.next_token ?? page.sync_token), 'base64url'))
  return Array.isArray(token) && typeof token[0] === 'string' ? token[0] : undefined
}

async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > LONGEST_ANSWER) break
  }
  return text
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error)
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return String(cause)
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  if (port === 0) return ok('port', 'Any free one is taken.')
  const error = await bind(host, port)
  if (error === undefined) return ok('port', `${host}:${port} is free.`)
  if (!('code' in error) || error.code !== 'EADDRINUSE')
    return failing(
      'port',
      `${host}:${port} cannot be listened on: ${error.message}.`,
      'Choose another with --host and --port.',
    )
  return (await isKalends(host, port))
    ? ok('port', `Kalends answers at ${host}:${port}.`)
    : failing(
        'port',
        `Something else has ${host}:${port}, or a Kalends that does not answer.`,
        'Stop it, or choose another with --port.',
      )
}

/** Returns undefined for a free port, which is released at once. */
function bind(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

async function isKalends(host: string, port: number): Promise<boolean> {
  const reachable =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${reachable}:${port}/healthz`, {
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    })
    const body: unknown = await response.json()
    return isRecord(body) && body.status === 'alive'
  } catch {
    return false
  }
}

function checkAddress(config: Config): Finding {
  const todo =
    'Set KALENDS_SITE_URL to the public address before the calendar is used: links and ids begin with it.'
  let url: URL
  try {
    url = new URL(siteOf(config, config.port).url)
  } catch (error) {
    return failing('site address', `It cannot be read: ${messageOf(error)}.`, todo)
  }
  if (config.site_url === '')
    return warning('site address', `None is set, so all links begin with ${url.origin}.`, todo)
  if (LOCAL.test(url.hostname))
    return warning('site address', `${url.href} leads to this machine alone.`, todo)
  if (url.protocol === 'http:')
    return warning(
      'site address',
      `${url.href} is not encrypted, and passwords and tokens go over it.`,
      'Serve it with TLS by a proxy, and set KALENDS_SITE_URL to https://…',
    )
  return ok('site address', url.href)
}

function checkProxy({ site_url, host, trusted_proxy }: Config): Finding[] {
  const isHttps = site_url.startsWith('https:')
  if (trusted_proxy.length > 0)
    return [ok('proxy', `What ${trusted_proxy.join(', ')} says of addresses is believed.`)]
  if (isHttps)
    return [
      warning(
        'proxy',
        'An https address has a proxy in front, and none is trusted: all clients have its address, also ' +
          'for slowing down guesses and for limits.',
        'Set KALENDS_TRUSTED_PROXY to the address of the proxy.',
      ),
    ]
  if (!LOCAL.test(host) && host !== '0.0.0.0' && host !== '::') return []
  return [ok('proxy', 'None is trusted.')]
}

const CLOCKS_DIFFER_S = 5
/** Larger than for a database: a site tells whole seconds, and its answer may take long. */
const SITE_DIFFERS_S = 60
/** A clock earlier than this is wrong. */
const WRITTEN_MS = Date.UTC(2026, 0, 1)

interface SiteClock {
  site: string
  /** Negative if the site's clock is behind that of this machine. */
  aheadMs: number
}

/** Compares `now` (in ms) with the clocks of database server and site, and with the last change. */
export function checkClock(
  now: number,
  examined: Examined | undefined,
  site: SiteClock | undefined,
): Finding {
  const shown = `${formatUtc(now)} UTC`
  const todo =
    'Set the clock of this machine and keep it right (NTP): schedules, expiries and ETags go by it.'
  if (now < WRITTEN_MS)
    return failing('clock', `It is ${shown}, which is before this program was written.`, todo)
  const { clock, lastChange = '' } = examined ?? {}
  const apart = (aheadMs: number, whose: string) =>
    warning(
      'clock',
      `It is ${shown}, and ${Math.round(Math.abs(aheadMs) / 1000)} seconds away from that ${whose}.`,
      todo,
    )
  if (clock !== undefined && Math.abs(clock - now) > CLOCKS_DIFFER_S * 1000)
    return apart(clock - now, 'by the database server')
  if (site && Math.abs(site.aheadMs) > SITE_DIFFERS_S * 1000) return apart(site.aheadMs, `of ${site.site}`)
  if (lastChange !== '' && utcToMs(lastChange) > now + DAY_MS)
    return warning(
      'clock',
      `It is ${shown}, and a record was changed at ${lastChange}, which is still to come.`,
      todo,
    )
  const others = [...(clock === undefined ? [] : ['the database server']), ...(site ? [site.site] : [])]
  return ok(
    'clock',
    `It is ${shown}${others.length === 0 ? '' : `, and so it is for ${others.join(' and ')}`}.`,
  )
}
