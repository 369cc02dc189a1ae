import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { LANGUAGES, type Language, readConfig, siteOf } from '../../src/base/config.ts'
import { line } from '../../src/base/fields/kinds.ts'
import { resources } from '../../src/calendar/resources.ts'
import { featureRoutes } from '../../src/feature.ts'
import { features } from '../../src/features.ts'
import { describeInterface } from '../../src/http/openapi.ts'
import { namespaceRoutes, type Route, type RouteAction } from '../../src/http/routes.ts'
import { ownRoutes } from '../../src/wordpress/platform.ts'

const { formats, routes } = await featureRoutes(features)
const GOLDEN = fileURLToPath(new URL('../../openapi/en.json', import.meta.url))

function siteIn(language: Language) {
  return siteOf(readConfig({ site_url: 'https://calendar.example.net:8443', language }, {}, []), 8080)
}

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as its readers do.
function documentIn(language: Language, change: (routes: Route[]) => Route[] = (routes) => routes): any {
  const site = siteIn(language)
  return JSON.parse(
    JSON.stringify(describeInterface(change(namespaceRoutes(site, formats)), ownRoutes(routes), { site })),
  )
}

const english = documentIn('en')

for (const language of LANGUAGES) {
  test(`a stock validator has nothing to say against the document in ${language}`, async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({
      source: JSON.stringify(documentIn(language)),
      absoluteRef: GOLDEN,
      config,
    })
    const found = problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    )
    deepEqual(found, [])
  })
}

test('the document is the one that was looked over; UPDATE=1 writes it anew', async () => {
  const text = `${JSON.stringify(english, null, 1)}\n`
  if (process.env.UPDATE) await writeFile(GOLDEN, text)
  const golden = JSON.parse(await readFile(GOLDEN, 'utf8'))
  deepEqual(english, golden)
})

test('paths and schemas are those that clients of the reference service know', () => {
  const records = ['events', 'venues', 'organizers'].flatMap((path) => [
    `/${path}`,
    `/${path}/{id}`,
    `/${path}/by-slug/{slug}`,
  ])
  const terms = ['categories', 'tags'].flatMap((path) => [`/${path}`, `/${path}/{id}`])
  const hooks = ['', '/test', '/rotate', '/deliveries', '/deliveries/resend', '/deliveries/{delivery}/resend']
  const webhooks = ['/webhooks', ...hooks.map((path) => `/webhooks/{id}${path}`)]
  const versions = ['events', 'venues', 'organizers', 'categories', 'tags', 'series'].flatMap((path) =>
    ['', '/{version}', '/{version}/restore'].map((end) => `/kalends/v1/${path}/{id}/history${end}`),
  )
  const paths = Object.keys(english.paths)
  // Of a namespace of ours, which features may add to.
  const isOurs = (path: string) => english.paths[path].servers?.[0]?.url.endsWith('/kalends/v1') === true
  deepEqual(
    paths.filter((path) => !isOurs(path)),
    ['/doc', ...records, ...terms, ...versions, '/batch/v1'],
  )
  const own = ['/series', '/series/{id}', '/settings', '/changes', ...webhooks]
  deepEqual(
    paths.filter((path) => own.includes(path)),
    own,
  )
  deepEqual(english.paths['/changes'].servers, [
    { url: 'https://calendar.example.net:8443/wp-json/kalends/v1' },
  ])
  deepEqual(english.paths['/batch/v1'].servers, [{ url: 'https://calendar.example.net:8443/wp-json' }])
  const known = ['ImageSize', 'CostDetails', 'Term', 'Image', 'DateDetails', 'Event', 'Venue', 'Organizer']
  deepEqual(Object.keys(english.components.schemas).slice(0, known.length), known)
  for (const name of known) equal(english.components.schemas[name].type, 'object', name)
})

test('the server address keeps its port and has no slash at the end', () => {
  deepEqual(english.servers, [{ url: 'https://calendar.example.net:8443/wp-json/tribe/events/v1' }])
})

test('every text of the document is in the language of the site', () => {
  const english = textsOf(documentIn('en'))
  for (const language of LANGUAGES.filter((other) => other !== 'en')) {
    const texts = textsOf(documentIn(language))
    equal(texts.length, english.length)
    deepEqual(
      texts.filter((text, i) => text === english[i]),
      [],
    )
  }
})

const isTextOf = (key: string, value: unknown) =>
  typeof value === 'string' && (key === 'description' || key === 'summary')

function textsOf(document: object): string[] {
  const texts: string[] = []
  JSON.stringify(document, (key, value) => {
    if (isTextOf(key, value)) texts.push(value)
    return value
  })
  return texts
}

test('a field declared on venues is described wherever venues are sent and answered', () => {
  const { components } = documentIn('en', (routes) => routes.map(withDressCode))
  const { Venue, NewVenue, VenueChange } = components.schemas
  deepEqual(Venue.properties.dress_code, { type: 'string', description: 'What to wear' })
  ok(!Venue.required.includes('dress_code'))
  deepEqual(NewVenue.properties.dress_code, {
    type: ['string', 'null'],
    maxLength: 1000,
    description: 'What to wear',
  })
  deepEqual(VenueChange.properties.dress_code, NewVenue.properties.dress_code)
})

const served = resources.map((one) => {
  const { resource } = one
  if (resource.name !== 'venue') return one
  const dress_code = { kind: line, about: 'What to wear' }
  return { ...one, resource: { ...resource, fields: { ...resource.fields, dress_code } } }
})

function withDressCode(route: Route): Route {
  const changed = (action: RouteAction): RouteAction => {
    return 'served' in action
      ? { ...action, served: served[resources.indexOf(action.served)] ?? action.served }
      : action
  }
  return {
    ...route,
    endpoints: route.endpoints.map((endpoint) => ({ ...endpoint, action: changed(endpoint.action) })),
  }
}
