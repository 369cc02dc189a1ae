import { type Answered, type FetchOptions, fetchPolitely, SourceFailure } from './polite-fetch.ts'
import { isShown, type Shown } from './shown-records.ts'
import { describeMarkup } from './web-page.ts'

/** The address of a site's interface. */
export interface Interface {
  /** The root of its REST routes. */
  root: string
  /** The namespace of events. */
  base: string
}

/** The address of a namespace of events, or one in it. */
export const NAMESPACE = /^((.*)\/[a-z][a-z0-9-]*\/events\/v1)(?:\/.*)?$/

/**
 * Finds the interface of a site: the given namespace, the one that its page links to, or one at a known path. `known` is the page, once it was read.
 * @throws SourceFailure when there is none, or the site does not answer
 */
export async function findInterface(address: string, options: FetchOptions, known?: Answered): Promise<Interface> {
  const [path = ''] = address.split(/[?#]/, 1)
  const given = path.replace(/\/+$/, '')
  const [, base, root] = NAMESPACE.exec(given) ?? []
  if (base !== undefined && root !== undefined) return { root, base }
  const page = known ?? (await fetchPolitely(`${given}/`, { ...options, accept: 'text/html' }).catch(ignoreMissing))
  const found = rootOf(page?.headers) ?? `${given}/wp-json`
  const namespace = (await readNamespaces(found, options)).find((name) => /^[a-z][a-z0-9-]*\/events\/v1$/.test(name))
  const markup = page && describeMarkup(page.body.toString('utf8'), page.url)
  if (namespace === undefined)
    throw new SourceFailure(
      address,
      `does not lead to an event interface${markup === undefined ? '' : ` but to ${markup}`}; give the address of its namespace, such as https://host/wp-json/tribe/events/v1, or of a calendar file.`,
    )
  return { root: found, base: `${found}/${namespace}` }
}

/** The namespaces in an index of REST routes; none if there is no index. @throws SourceFailure when the site does not answer */
export async function readNamespaces(root: string, options: FetchOptions): Promise<string[]> {
  const index = await fetchPolitely(`${root}/`, options).catch(ignoreMissing)
  const value = index && parsed(index.body)
  const { namespaces }: Shown = isShown(value) ? value : {}
  return Array.isArray(namespaces) ? namespaces.map(String) : []
}

/** Ignores that the site has no page of its own. @throws any other failure */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof SourceFailure) || error.status === 0 || error.status === 401) throw error
}

function rootOf(headers: Answered['headers'] | undefined): string | undefined {
  const links = [headers?.link ?? []].flat().flatMap((link) => link.split(','))
  const link = links.find((one) => one.includes('rel="https://api.w.org/"'))
  const root = link?.slice(link.indexOf('<') + 1, link.indexOf('>'))
  return root?.replace(/\/+$/, '')
}

/** The value of a JSON text; undefined for any other text. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
