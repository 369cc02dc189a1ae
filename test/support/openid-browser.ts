import { equal, fail, ok } from 'node:assert/strict'
import type { TestProvider } from './openid-provider.ts'
import type { Answer, TestService } from './service.ts'

// Signing in by OpenID Connect as a browser does, step by step.

export interface Begun {
  /** At the provider. */
  location: string
  /** Of the sign-in under way. */
  cookie: string
}

const cookieIn = ({ headers }: Answer) => (headers.get('set-cookie') ?? '').split(';')[0] ?? ''

export async function begin(service: TestService, query = '', cookie = ''): Promise<Begun> {
  const answer = await service.page(`/desk/openid/start${query}`, cookie === '' ? {} : { cookie })
  equal(answer.status, 303, String(answer.body))
  return { location: answer.headers.get('location') ?? '', cookie: cookieIn(answer) }
}

/** Until the provider leads back to the calendar; returns path and query of that. */
export async function atProvider(provider: TestProvider, location: string): Promise<string> {
  const jar = new Map<string, string>()
  for (let url = location, left = 8; left > 0; left--) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    await answer.arrayBuffer()
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]?.split(/=(.*)/) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const to = answer.headers.get('location')
    ok(to, `${answer.status} at ${url}`)
    url = new URL(to, url).href
    if (!url.startsWith(provider.issuer)) return url.slice(new URL(url).origin.length)
  }
  return fail('the provider leads round in circles')
}

export async function comeBack(service: TestService, path: string, cookie: string): Promise<Answer> {
  return service.page(path, { cookie })
}

export interface SignedIn {
  answer: Answer
  /** Of the session. */
  cookie: string
}

/** The whole way. @param cookie of a session that there is already */
export async function signInBy(
  service: TestService,
  provider: TestProvider,
  { query = '', cookie = '' }: { query?: string; cookie?: string } = {},
): Promise<SignedIn> {
  const begun = await begin(service, query, cookie)
  const back = await atProvider(provider, begun.location)
  const answer = await comeBack(service, back, [cookie, begun.cookie].filter(Boolean).join('; '))
  return { answer, cookie: cookieIn(answer) }
}
