import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { decodedText } from '../../src/base/text/html.ts'
import { addDays } from '../../src/base/text/moments.ts'
import { type AtDesk, deskAddresses, sitAtDesk } from '../support/desk.ts'
import { uploadPicture } from '../support/pictures.ts'
import { day, onDay, serviceForTests, type TestService, USERS } from '../support/service.ts'
import { storedRows } from '../support/stored-rows.ts'

type Login = (typeof USERS)[number]
type Form = Record<string, string>

interface Posted {
  path: string
  form: Form
}

interface Twin {
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  body?: object
}

type Row = (service: TestService, editor: AtDesk) => Promise<{ desk: Posted; rest: Twin }>

const make = async (service: TestService, room: string, more: object = {}): Promise<number> =>
  (await service.create(`/${room}`, { ...NEW[room], ...more }, 'editor')).id

let made = 0
const named = (naming: string) => ({ [naming]: `Made ${++made}` })
const TIMES = { start_date: '2027-05-04', start_time: '19:00', end_date: '2027-05-04', end_time: '20:00' }
const NAMING: Readonly<Record<string, string>> = {
  venues: 'venue',
  organizers: 'organizer',
  categories: 'name',
  tags: 'name',
}
const NEW: Readonly<Record<string, object>> = {
  events: { title: 'Of the editor', ...day },
  ...Object.fromEntries(
    Object.entries(NAMING).map(([room, naming]) => [
      room,
      {
        get [naming]() {
          return `Of the editor ${++made}`
        },
      },
    ]),
  ),
}

const restoring =
  (room: string): Row =>
  async (service) => {
    const trashed = async () => {
      const id = await make(service, room)
      await service.remove(`/${room}/${id}`, 'editor')
      return id
    }
    return {
      desk: { path: `/${room}/${await trashed()}/restore`, form: {} },
      rest: { method: 'PUT', path: `/${room}/${await trashed()}`, body: { status: 'draft' } },
    }
  }

const ofRoom = (room: string, naming: string): Record<string, Row> => ({
  [`/${room}/new`]: async () => ({
    desk: { path: `/${room}/new`, form: named(naming) },
    rest: { method: 'POST', path: `/${room}`, body: named(naming) },
  }),
  [`/${room}/:id`]: async (service, editor) => {
    const id = await make(service, room)
    const form = { ...named(naming), version: await versionIn(editor, `/desk/${room}/${id}`) }
    const other = await make(service, room)
    return {
      desk: { path: `/${room}/${id}`, form },
      rest: { method: 'PUT', path: `/${room}/${other}`, body: named(naming) },
    }
  },
  [`/${room}/:id/trash`]: async (service) => ({
    desk: { path: `/${room}/${await make(service, room)}/trash`, form: {} },
    rest: { method: 'DELETE', path: `/${room}/${await make(service, room)}` },
  }),
  ...(naming === 'name' ? {} : { [`/${room}/:id/restore`]: restoring(room) }),
  [`/${room}/:id/history`]: (service, editor) => putBack(service, editor, room, naming),
})

const putBack = async (service: TestService, editor: AtDesk, room: string, naming: string) => {
  const [id, other] = [await make(service, room), await make(service, room)]
  for (const one of [id, other]) await service.update(`/${room}/${one}`, named(naming), 'editor')
  const version = await versionIn(editor, `/desk/${room}/${id}/history`)
  return {
    desk: { path: `/${room}/${id}/history`, form: { version } },
    rest: { method: 'PUT', path: `/${room}/${other}`, body: named(naming) },
  } as const
}

const versionIn = async (editor: AtDesk, path: string) => {
  const { body } = await editor.get(path)
  const [, version] = /name="version" value="(\d+)"/.exec(body) ?? []
  ok(version, path)
  return version
}

const SETTINGS = '~/wp-json/kalends/v1/settings'
const changed = { title: 'Changed' }

const ROWS: Readonly<Record<string, Row>> = {
  ...Object.assign({}, ...Object.entries(NAMING).map(([room, naming]) => ofRoom(room, naming))),
  '/events/new': async () => ({
    desk: { path: '/events/new', form: { title: 'New', ...TIMES, status: 'draft' } },
    rest: { method: 'POST', path: '/events', body: { title: 'New', ...day, status: 'draft' } },
  }),
  '/events/preview': async () => ({
    desk: { path: '/events/preview', form: { title: 'New', ...TIMES } },
    rest: { method: 'POST', path: '/events', body: { title: 'New', ...day, status: 'draft' } },
  }),
  '/events/:id': async (service, editor) => {
    const id = await make(service, 'events')
    const form = { ...changed, version: await versionIn(editor, `/desk/events/${id}`) }
    const other = await make(service, 'events')
    return {
      desk: { path: `/events/${id}`, form },
      rest: { method: 'PUT', path: `/events/${other}`, body: changed },
    }
  },
  '/events/:id/trash': async (service) => ({
    desk: { path: `/events/${await make(service, 'events')}/trash`, form: {} },
    rest: { method: 'DELETE', path: `/events/${await make(service, 'events')}` },
  }),
  '/events/:id/unpublish': async (service) => ({
    desk: { path: `/events/${await make(service, 'events')}/unpublish`, form: { status: 'draft' } },
    rest: { method: 'PUT', path: `/events/${await make(service, 'events')}`, body: { status: 'draft' } },
  }),
  '/events/:id/restore': async (service) => ({
    desk: { path: `/events/${await make(service, 'events', { status: 'trash' })}/restore`, form: {} },
    rest: {
      method: 'PUT',
      path: `/events/${await make(service, 'events', { status: 'trash' })}`,
      body: { status: 'draft' },
    },
  }),
  '/events/:id/history': (service, editor) => putBack(service, editor, 'events', 'title'),
  '/events/many': async (service) => ({
    desk: {
      path: '/events/many',
      form: { do: 'trash', ids: String(await make(service, 'events')), sure: '1', key: `many ${++made}` },
    },
    rest: { method: 'DELETE', path: `/events/${await make(service, 'events')}` },
  }),
  '/month/move': async (service) => ({
    desk: { path: '/month/move', form: { id: String(await make(service, 'events')), day: '2027-06-01' } },
    rest: {
      method: 'PUT',
      path: `/events/${await make(service, 'events')}`,
      body: onDay('2027-06-01', '10:00:00', '12:00:00'),
    },
  }),
  '/pictures/:id': async (service) => {
    const id = await uploadPicture(service, 4, 4)
    return {
      desk: { path: `/pictures/${id}`, form: { alt_text: `Shown ${++made}` } },
      rest: { method: 'PUT', path: `~/wp-json/wp/v2/media/${id}`, body: { alt_text: `Shown ${++made}` } },
    }
  },
  '/pictures/:id/delete': async (service) => ({
    desk: { path: `/pictures/${await uploadPicture(service, 4, 4)}/delete`, form: { sure: '1' } },
    rest: {
      method: 'DELETE',
      path: `~/wp-json/wp/v2/media/${await uploadPicture(service, 4, 4)}?force=true`,
    },
  }),
  '/look': async () => ({
    desk: { path: '/look', form: { pages_sentence: `Sentence ${++made}` } },
    rest: { method: 'PUT', path: SETTINGS, body: { pages_sentence: `Sentence ${++made}` } },
  }),
  '/look/reset': async () => ({
    desk: { path: '/look/reset', form: {} },
    rest: { method: 'PUT', path: SETTINGS, body: { pages_sentence: '' } },
  }),
  '/inbox/:what/:id/:action': async (service) => ({
    desk: { path: `/inbox/event/${await make(service, 'events', { status: 'pending' })}/publish`, form: {} },
    rest: {
      method: 'PUT',
      path: `/events/${await make(service, 'events', { status: 'pending' })}`,
      body: { status: 'publish' },
    },
  }),
}

interface Apart {
  twin: string
  whom: readonly Login[]
  posted: (service: TestService) => Promise<Posted>
}

const merging = (room: string): Apart => ({
  twin: 'changes of all events, and a removal',
  whom: ['admin', 'editor'],
  posted: async (service) => ({
    path: `/${room}/${await make(service, room)}/merge`,
    form: { into: String(await make(service, room)) },
  }),
})

const pairOf = async (service: TestService) =>
  [await make(service, 'tags'), await make(service, 'tags')].join()

const APART: Readonly<Record<string, Apart>> = {
  ...Object.fromEntries(Object.keys(NAMING).map((room) => [`/${room}/:id/merge`, merging(room)])),
  '/quick': {
    twin: 'reads a line, and writes nothing',
    whom: ['admin', 'editor', 'author', 'contributor'],
    posted: async () => ({ path: '/quick', form: { line: 'Choir Tue 19:00' } }),
  },
  '/duplicates/merge': {
    twin: 'changes of all events, and a removal',
    whom: ['admin', 'editor'],
    posted: async (service) => ({
      path: '/duplicates/merge',
      form: { kind: 'tag', ids: await pairOf(service) },
    }),
  },
  '/duplicates/undo': {
    twin: 'a merge, taken back',
    whom: ['admin', 'editor'],
    posted: async (service) => {
      const editor = await sitAtDesk(service, 'editor')
      const { headers } = await editor.post('/desk/duplicates/merge', {
        kind: 'tag',
        ids: await pairOf(service),
      })
      const [, merge = ''] = /merged=(\d+)/.exec(headers.get('location') ?? '') ?? []
      return { path: '/duplicates/undo', form: { merge } }
    },
  },
  '/duplicates/apart': {
    twin: 'what those who merge say',
    whom: ['admin', 'editor'],
    posted: async (service) => ({
      path: '/duplicates/apart',
      form: { kind: 'tag', ids: await pairOf(service) },
    }),
  },
  '/pictures': {
    twin: 'POST /wp/v2/media',
    whom: ['admin', 'editor', 'author'],
    posted: async () => ({ path: '/pictures', form: {} }),
  },
  '/import': {
    twin: 'kalends import --dry-run',
    whom: ['admin', 'editor', 'author', 'contributor'],
    posted: async () => ({ path: '/import', form: { text: 'Date,Title\n2027-04-01,Choir' } }),
  },
  '/imports': {
    twin: 'kalends imports pause',
    whom: ['admin', 'editor'],
    posted: async (service) => {
      const desk = await sitAtDesk(service, 'editor')
      const sent = await desk.post('/desk/import', {
        text: `Date,Title\n2027-04-01,Choir ${++made}`,
        action: 'import',
      })
      equal(sent.status, 303)
      const { id } = await service.app.database.read
        .selectFrom('imports')
        .select('id')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
      return { path: '/imports', form: { action: 'undo', run: String(id) } }
    },
  },
  '/look/preview': {
    twin: 'shows what is typed, and writes nothing',
    whom: ['admin'],
    posted: async () => ({ path: '/look/preview', form: { pages_accent: '#aa3300' } }),
  },
  '/mail': {
    twin: 'kalends people forget',
    whom: ['admin'],
    posted: async () => ({ path: '/mail', form: { address: 'a@example.com', do: 'forget' } }),
  },
  '/settings': {
    twin: 'KALENDS_LANGUAGE and its kin, or settings over REST',
    whom: ['admin'],
    posted: async () => ({ path: '/settings', form: { clock: ++made % 2 === 0 ? '12' : '24' } }),
  },
  '/steps': {
    twin: 'hides a reminder',
    whom: ['admin'],
    posted: async () => ({ path: '/steps', form: { step: 'website' } }),
  },
  '/settings/zone/undo': {
    twin: 'changes of all events',
    whom: ['admin'],
    posted: async () => ({ path: '/settings/zone/undo', form: { change: '1' } }),
  },
  '/people/new': {
    twin: 'kalends user add',
    whom: ['admin'],
    posted: async () => ({ path: '/people/new', form: { login: `person${++made}`, role: 'author' } }),
  },
  '/people/:id': {
    twin: 'kalends user role',
    whom: ['admin'],
    posted: async ({ userIds }) => ({
      path: `/people/${userIds.subscriber}`,
      form: { do: 'save', name: `Called ${++made}` },
    }),
  },
}

const OWN: Readonly<Record<string, string>> = {
  '/me': 'one’s own name',
  '/me/password': 'one’s own password for the desk',
  '/me/sessions': 'one’s own sessions',
  '/me/passwords': 'one’s own application passwords, as `kalends user password`',
  '/me/passwords/:id': 'one’s own application passwords',
  '/authorize': 'one’s own application passwords',
  '/sign-out': 'one’s own session',
  '/import/:id': 'what one brings in oneself, row by row with one’s rights',
  '/events/undo': 'by a token that one person has, and only what they may change',
  '/events/words': 'says what is typed in words, and writes nothing',
  '/events/unsaved': 'what one types',
  '/events/:id/discard': 'what one has typed',
}

describe('what a role may do at the desk', () => {
  const service = serviceForTests()
  const desks = new Map<Login, AtDesk>()
  const at = (login: Login) => desks.get(login) as AtDesk

  before(async () => {
    for (const login of USERS) desks.set(login, await sitAtDesk(service, login))
  })

  test('every page that takes a form has its twin over REST or a command, or is one’s own', async () => {
    const posted = (await deskAddresses()).flatMap(({ at: address, methods }) =>
      methods.includes('POST') ? [address] : [],
    )
    const known = [ROWS, APART, OWN].flatMap((table) => Object.keys(table))
    deepEqual(known.toSorted(), posted.toSorted())
  })

  test('no list or form links to what its reader may not open, and one’s own events come first', async () => {
    const day = new Date().toISOString().slice(0, 10)
    const times = { start_date: `${addDays(day, -1)} 10:00:00`, end_date: `${addDays(day, 2)} 10:00:00` }
    for (let n = 0; n < 31; n++) await service.event({ title: `Of others ${n}`, ...times }, 'editor')
    const own = await service.create(
      '/events',
      { title: 'My own', ...times, status: 'pending' },
      'contributor',
    )
    await service.update(`/events/${own.id}`, { status: 'publish' }, 'editor')
    for (const room of Object.keys(NAMING)) await make(service, room)
    const lists = [
      '/',
      '/month',
      `/month?day=${day}`,
      '/events',
      '/search?search=of',
      ...Object.keys(NAMING).map((room) => `/${room}`),
    ]
    for (const login of ['contributor', 'subscriber'] as const) {
      const hrefs = new Set<string>()
      for (const path of lists) {
        const [, main = ''] = /<main(.*)<\/main>/s.exec((await at(login).get(`/desk${path}`)).body) ?? []
        for (const [, href = ''] of main.matchAll(/ href="([^"#]*)/g))
          hrefs.add(href.replace(service.origin, ''))
        if (login === 'contributor' && /^\/(month.*|events|)$/.test(path)) {
          match(main, new RegExp(`href="/desk/events/${own.id}"`), path)
          if (path !== '/events') ok(main.indexOf('My own') < main.indexOf('Of others'), path)
        }
      }
      for (const path of hrefs)
        if (/^\/desk\/events\/\d+$/.test(path)) {
          const [, main = ''] = /<main(.*)<\/main>/s.exec((await at(login).get(path)).body) ?? []
          for (const [, href = ''] of main.matchAll(/<a [^>]*href="([^"#]*)/g))
            hrefs.add(href.replace(service.origin, ''))
        }
      for (const href of hrefs) {
        const { status } = await at(login).get(decodedText(href))
        ok(status < 400, `${login} to ${href}: ${status}`)
      }
    }
  })

  for (const [page, row] of Object.entries(ROWS))
    test(`${page} refuses whom REST refuses, and writes nothing`, async () => {
      const refused: Login[] = []
      for (const login of USERS) {
        const { desk, rest } = await row(service, at('editor'))
        const { status } = await service.request(login, rest.method, rest.path, rest.body)
        if (status === 401 || status === 403) {
          refused.push(login)
          continue
        }
        ok(status < 300, `${login} ${rest.method} ${rest.path}: ${status}`)
        const answer = await at(login).post(`/desk${desk.path}`, desk.form)
        ok(answer.status < 400, `${login} at ${page}: ${answer.status} ${answer.body}`)
      }
      ok(refused.includes('subscriber'), 'REST refuses somebody')
      const { desk } = await row(service, at('editor'))
      const stored = await storedRows(service.app.database.read)
      for (const login of refused) {
        const { status, body } = await at(login).post(`/desk${desk.path}`, desk.form)
        // A bulk action events answers 200 and reports each event by itself.
        if (page !== '/events/many') ok([403, 404].includes(status), `${login} at ${page}: ${status} ${body}`)
      }
      deepEqual(await storedRows(service.app.database.read), stored)
    })

  for (const [page, { twin, whom, posted }] of Object.entries(APART))
    test(`${page} (${twin}) is for ${whom.join(', ')} alone`, async () => {
      const refused = await posted(service)
      const stored = await storedRows(service.app.database.read)
      for (const login of USERS.filter((one) => !whom.includes(one)))
        equal((await at(login).post(`/desk${refused.path}`, refused.form)).status, 403, login)
      deepEqual(await storedRows(service.app.database.read), stored)
      for (const login of whom) {
        const { path, form } = await posted(service)
        const { status, body } = await at(login).post(`/desk${path}`, form)
        ok(status < 400, `${login}: ${status} ${body}`)
      }
    })
})
