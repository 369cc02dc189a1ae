import { createServer } from 'node:net'
import { type Config, siteOf } from '../config.ts'
import { type Finding, failing, messageOf, ok, warning } from './finding.ts'

const ANSWERS_WITHIN_MS = 3000
const LOCAL = /^(localhost|127\.|\[?::1)/

/** Checks the port and the public address. */
export async function checkNetwork(config: Config): Promise<Finding[]> {
  return [await checkPort(config), checkAddress(config), ...checkProxy(config)]
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

/** The reason why nothing can listen on the port; undefined when it is free. The port is released at once. */
function bind(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

async function isKalends(host: string, port: number): Promise<boolean> {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${reachable}:${port}/healthz`, {
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    })
    const body: unknown = await response.json()
    return body !== null && typeof body === 'object' && 'status' in body && body.status === 'alive'
  } catch {
    return false
  }
}

function checkAddress(config: Config): Finding {
  const todo = 'Set KALENDS_SITE_URL to the public address before the calendar is used: links and ids begin with it.'
  let url: URL
  try {
    url = new URL(siteOf(config, config.port).url)
  } catch (error) {
    return failing('site address', `It cannot be read: ${messageOf(error)}.`, todo)
  }
  if (config.site_url === '')
    return warning('site address', `None is set, so all links begin with ${url.origin}.`, todo)
  if (LOCAL.test(url.hostname)) return warning('site address', `${url.href} leads to this machine alone.`, todo)
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
  if (trusted_proxy.length > 0) return [ok('proxy', `What ${trusted_proxy.join(', ')} says of addresses is believed.`)]
  if (isHttps)
    return [
      warning(
        'proxy',
        'An https address has a proxy in front, and none is trusted: all clients have its address, also for slowing down guesses and for limits.',
        'Set KALENDS_TRUSTED_PROXY to the address of the proxy.',
      ),
    ]
  if (!LOCAL.test(host) && host !== '0.0.0.0' && host !== '::') return []
  return [ok('proxy', 'None is trusted.')]
}
