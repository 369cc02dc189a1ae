import { isWhole } from '../support/rounds.ts'
import type { Reader } from '../support/service.ts'

export const CALLERS = [
  'anonymous',
  'subscriber',
  'contributor',
  'author',
  'editor',
  'admin',
] as const satisfies Reader[]
export const OWNERS = ['subscriber', 'contributor', 'author', 'editor', 'admin'] as const
export type Owner = (typeof OWNERS)[number]

export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export type Status = (typeof STATUSES)[number]

export const KINDS = ['event', 'venue', 'organizer'] as const
export type Kind = (typeof KINDS)[number]
export const TERM_KINDS = ['category', 'tag'] as const
export type TermKind = (typeof TERM_KINDS)[number]

type Asked = Kind | 'series'

export const PATHS = {
  event: '/events',
  venue: '/venues',
  organizer: '/organizers',
  category: '/categories',
  tag: '/tags',
} as const

interface Share {
  own: readonly Status[]
  others: readonly Status[]
}

const ALL = STATUSES
const NONE: readonly Status[] = []
const UNPUBLISHED = ['draft', 'pending', 'trash'] as const

export const RIGHTS: Readonly<Record<Reader, { reads: Share; changes: Share }>> = {
  anonymous: { reads: { own: NONE, others: ['publish'] }, changes: { own: NONE, others: NONE } },
  subscriber: { reads: { own: ALL, others: ['publish'] }, changes: { own: NONE, others: NONE } },
  contributor: { reads: { own: ALL, others: ['publish'] }, changes: { own: UNPUBLISHED, others: NONE } },
  author: { reads: { own: ALL, others: ['publish'] }, changes: { own: ALL, others: NONE } },
  editor: { reads: { own: ALL, others: ALL }, changes: { own: ALL, others: ALL } },
  admin: { reads: { own: ALL, others: ALL }, changes: { own: ALL, others: ALL } },
}

export const MAKERS: Readonly<Record<'record' | TermKind, readonly Reader[]>> = {
  record: ['contributor', 'author', 'editor', 'admin'],
  category: ['author', 'editor', 'admin'],
  tag: ['editor', 'admin'],
}

export const MAY_NAME_AUTHORS: readonly Reader[] = ['editor', 'admin']

export const STORED_STATUS = {
  absent: { publisher: 'publish', contributor: 'draft' },
  publish: { publisher: 'publish', contributor: 'pending' },
  'publish to come': { publisher: 'future', contributor: 'pending' },
  future: { publisher: 'publish', contributor: 'pending' },
  'future to come': { publisher: 'future', contributor: 'pending' },
  draft: { publisher: 'draft', contributor: 'draft' },
  pending: { publisher: 'pending', contributor: 'pending' },
  private: { publisher: 'private', contributor: 'pending' },
  trash: { publisher: 'trash', contributor: 'pending' },
} as const

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export const METHODS: readonly Method[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface RecordCell {
  caller: Reader
  owner: Owner
  status: Status
  by: 'id' | 'slug'
  method: Method
  answer: { status: number; code?: string }
  allow: string
}

export function mayRead(caller: Reader, kind: Asked, owner: Owner, status: Status): boolean {
  const whose = caller === owner ? 'own' : 'others'
  const { reads, changes } = RIGHTS[caller]
  // A trashed event can be read by those who may restore it (rule 24.5).
  return (kind === 'event' && status === 'trash' ? changes : reads)[whose].includes(status)
}

export function mayChange(caller: Reader, owner: Owner, status: Status): boolean {
  return RIGHTS[caller].changes[caller === owner ? 'own' : 'others'].includes(status)
}

const FEW: Readonly<Record<'id' | 'slug' | Addressed, readonly Method[]>> = {
  id: ['GET', 'OPTIONS', 'POST', 'DELETE'],
  slug: ['GET', 'PUT', 'DELETE'],
  series: ['GET', 'OPTIONS', 'POST', 'DELETE'],
  this: ['GET', 'PATCH', 'DELETE'],
  following: ['PUT', 'DELETE'],
  all: ['POST', 'DELETE'],
}

export function recordCells(kind: Kind): RecordCell[] {
  return CALLERS.flatMap((caller) =>
    ownersFor(caller).flatMap((owner) =>
      STATUSES.flatMap((status) =>
        (['id', 'slug'] as const).flatMap((by) =>
          (isWhole ? METHODS : FEW[by]).map((method) => ({
            caller,
            owner,
            status,
            by,
            method,
            ...(by === 'slug' && !isKnown(caller, owner, status)
              ? answerToNothing(kind, caller, method)
              : answerTo(kind, caller, owner, status, method)),
          })),
        ),
      ),
    ),
  )
}

function ownersFor(caller: Reader): Owner[] {
  const other = caller === 'editor' ? 'author' : 'editor'
  return caller === 'anonymous' ? [other] : [caller, other]
}

type Given = Pick<RecordCell, 'answer' | 'allow'>

function isKnown(caller: Reader, owner: Owner, status: Status): boolean {
  const whose = caller === owner ? 'own' : 'others'
  return ['publish', 'private'].includes(status) || RIGHTS[caller].reads[whose].includes(status)
}

function answerToNothing(kind: Kind, caller: Reader, method: Method): Given {
  const isWriter = MAKERS.record.includes(caller)
  const allow = isWriter ? 'GET, DELETE, POST, PUT, PATCH' : 'GET'
  if (method === 'OPTIONS') return { allow, answer: { status: 200 } }
  const isUpdate = ['POST', 'PUT', 'PATCH'].includes(method)
  if (kind !== 'event' || !isUpdate) return { allow, answer: { status: 400, code: 'rest_invalid_param' } }
  if (isWriter) return { allow, answer: { status: 404, code: 'rest-event-not-found' } }
  return { allow, answer: { status: caller === 'anonymous' ? 401 : 403, code: 'rest_forbidden' } }
}

function answerTo(kind: Asked, caller: Reader, owner: Owner, status: Status, method: Method): Given {
  const all = kind === 'series' ? 'GET, POST, PUT, PATCH, DELETE' : 'GET, DELETE, POST, PUT, PATCH'
  const allow = mayChange(caller, owner, status) ? all : 'GET'
  return { allow, answer: answerToKnown(kind, caller, owner, status, method) }
}

function answerToKnown(
  kind: Asked,
  caller: Reader,
  owner: Owner,
  status: Status,
  method: Method,
): RecordCell['answer'] {
  if (method === 'OPTIONS') return { status: 200 }
  if (method === 'GET' || method === 'HEAD') {
    if (mayRead(caller, kind, owner, status)) return { status: 200 }
    const gone = kind === 'event' && status === 'trash'
    return { status: 403, code: gone ? 'event-no-longer-available' : `${kind}-not-accessible` }
  }
  if (caller === 'anonymous') return { status: 401, code: 'rest_forbidden' }
  if (!mayChange(caller, owner, status)) return { status: 403, code: 'rest_forbidden' }
  if (method === 'DELETE' && status === 'trash') return { status: 410, code: `${kind}-is-in-trash` }
  return { status: 200 }
}

const ADDRESSED = ['series', 'this', 'following', 'all'] as const
type Addressed = (typeof ADDRESSED)[number]

type Way = 'itself' | 'query' | 'header'

function waysOf(method: Method, addressed: Addressed): Way[] {
  if (method !== 'PATCH' && (method !== 'DELETE' || !isWhole)) return ['itself']
  return ['itself', addressed === 'series' || addressed === 'following' ? 'query' : 'header']
}

const methodsOf = (addressed: Addressed) =>
  !isWhole ? FEW[addressed] : addressed === 'following' || addressed === 'all' ? WRITES : METHODS

export interface SeriesCell extends Omit<RecordCell, 'by'> {
  addressed: Addressed
  way: Way
}

export function seriesCells(): SeriesCell[] {
  return CALLERS.flatMap((caller) =>
    ownersFor(caller).flatMap((owner) =>
      STATUSES.flatMap((status) =>
        ADDRESSED.flatMap((addressed) =>
          methodsOf(addressed).flatMap((method) =>
            waysOf(method, addressed).map((way) => ({
              caller,
              owner,
              status,
              addressed,
              way,
              method,
              ...answerTo(addressed === 'series' ? 'series' : 'event', caller, owner, status, method),
            })),
          ),
        ),
      ),
    ),
  )
}

export interface MissingRow {
  paths: readonly string[]
  methods: readonly Method[]
  answer: { status: number; code: string; param?: string }
  refused?: { anonymous: number; subscriber: number }
}

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const
const READS = ['GET', 'HEAD'] as const
const REFUSED = { anonymous: 401, subscriber: 403 }

export const MISSING: readonly MissingRow[] = [
  { paths: ['/events/987654'], methods: READS, answer: { status: 404, code: 'rest-event-not-found' } },
  {
    paths: ['/events/987654'],
    methods: WRITES,
    answer: { status: 404, code: 'rest-event-not-found' },
    refused: REFUSED,
  },
  { paths: ['/events/{other}'], methods: READS, answer: { status: 400, code: 'rest-invalid-event-id' } },
  {
    paths: ['/events/{other}'],
    methods: WRITES,
    answer: { status: 400, code: 'rest-invalid-event-id' },
    refused: REFUSED,
  },
  {
    paths: ['/events/by-slug/nowhere'],
    methods: ['GET', 'HEAD', 'DELETE'],
    answer: { status: 400, code: 'rest_invalid_param', param: 'slug' },
  },
  {
    paths: ['/events/by-slug/nowhere'],
    methods: ['POST', 'PUT', 'PATCH'],
    answer: { status: 404, code: 'rest-event-not-found' },
    refused: REFUSED,
  },
  {
    paths: ['/venues', '/organizers', '/categories', '/tags'].flatMap((path) => [
      `${path}/987654`,
      `${path}/{other}`,
    ]),
    methods: [...READS, ...WRITES],
    answer: { status: 400, code: 'rest_invalid_param', param: 'id' },
  },
  {
    paths: ['/venues/by-slug/nowhere', '/organizers/by-slug/nowhere'],
    methods: [...READS, ...WRITES],
    answer: { status: 400, code: 'rest_invalid_param', param: 'slug' },
  },
  {
    paths: ['/events/x', '/venues/x', '/organizers/x', '/categories/x', '/tags/x', '/nothing'],
    methods: [...READS, ...WRITES],
    answer: { status: 404, code: 'rest_no_route' },
  },
]

export const ADMINISTRATORS_ROUTES: readonly { path: string; methods: readonly Method[] }[] = [
  { path: '', methods: ['GET', 'POST'] },
  { path: '/{id}', methods: ['GET', 'PUT', 'PATCH', 'DELETE'] },
  { path: '/{id}/test', methods: ['POST'] },
  { path: '/{id}/rotate', methods: ['POST'] },
  { path: '/{id}/deliveries', methods: ['GET'] },
  { path: '/{id}/deliveries/1/resend', methods: ['POST'] },
]

export const OPEN_ROUTES: readonly { path: string; makers: readonly Reader[] }[] = [
  { path: '', makers: [] },
  { path: '/doc', makers: [] },
  { path: '/events', makers: MAKERS.record },
  { path: '/venues', makers: MAKERS.record },
  { path: '/organizers', makers: MAKERS.record },
  { path: '/categories', makers: MAKERS.category },
  { path: '/tags', makers: MAKERS.tag },
]
