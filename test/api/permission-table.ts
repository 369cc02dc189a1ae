import type { Reader } from '../support/service.ts'

/** All callers. */
export const CALLERS = [
  'anonymous',
  'subscriber',
  'contributor',
  'author',
  'editor',
  'admin',
] as const satisfies Reader[]
/** All users who may own a record. */
export const OWNERS = ['subscriber', 'contributor', 'author', 'editor', 'admin'] as const
export type Owner = (typeof OWNERS)[number]

export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export type Status = (typeof STATUSES)[number]

export const KINDS = ['event', 'venue', 'organizer'] as const
export type Kind = (typeof KINDS)[number]
export const TERM_KINDS = ['category', 'tag'] as const
export type TermKind = (typeof TERM_KINDS)[number]

/** The kinds of requests. A write to a series needs rights to all its occurrences. */
type Asked = Kind | 'series'

export const PATHS = {
  event: '/events',
  venue: '/venues',
  organizer: '/organizers',
  category: '/categories',
  tag: '/tags',
} as const

/** Statuses of own records, and of those of others. */
interface Share {
  own: readonly Status[]
  others: readonly Status[]
}

const ALL = STATUSES
const NONE: readonly Status[] = []
const UNPUBLISHED = ['draft', 'pending', 'trash'] as const

/**
 * The rights of each caller: the statuses in which records may be read, and changed or trashed (rules 24.5,
 * 26.2 and 26.4).
 */
export const RIGHTS: Readonly<Record<Reader, { reads: Share; changes: Share }>> = {
  anonymous: { reads: { own: NONE, others: ['publish'] }, changes: { own: NONE, others: NONE } },
  subscriber: { reads: { own: ALL, others: ['publish'] }, changes: { own: NONE, others: NONE } },
  contributor: { reads: { own: ALL, others: ['publish'] }, changes: { own: UNPUBLISHED, others: NONE } },
  author: { reads: { own: ALL, others: ['publish'] }, changes: { own: ALL, others: NONE } },
  editor: { reads: { own: ALL, others: ALL }, changes: { own: ALL, others: ALL } },
  admin: { reads: { own: ALL, others: ALL }, changes: { own: ALL, others: ALL } },
}

/** The callers who may create records, and who may create, change and delete terms (rule 26.3). */
export const MAKERS: Readonly<Record<'record' | TermKind, readonly Reader[]>> = {
  record: ['contributor', 'author', 'editor', 'admin'],
  category: ['author', 'editor', 'admin'],
  tag: ['editor', 'admin'],
}

/** The callers who may make somebody else the author of a record (rule 16.4). */
export const MAY_NAME_AUTHORS: readonly Reader[] = ['editor', 'admin']

/**
 * The stored status of a new record by the requested one, for callers who may publish and for contributors
 * (rule 19.1). `absent` sends no status; `publish to come` sends a date of publication in the future.
 */
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

/** One cell of the table: a request and its answer. */
export interface RecordCell {
  caller: Reader
  owner: Owner
  status: Status
  by: 'id' | 'slug'
  method: Method
  answer: { status: number; code?: string }
  /** The `Allow` header. */
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

/** Returns all cells for records of one kind. */
export function recordCells(kind: Kind): RecordCell[] {
  return CALLERS.flatMap((caller) =>
    ownersFor(caller).flatMap((owner) =>
      STATUSES.flatMap((status) =>
        (['id', 'slug'] as const).flatMap((by) =>
          METHODS.map((method) => ({
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

/**
 * Returns the caller, unless anonymous, and another owner: an editor, or an author if the caller is an
 * editor.
 */
function ownersFor(caller: Reader): Owner[] {
  const other = caller === 'editor' ? 'author' : 'editor'
  return caller === 'anonymous' ? [other] : [caller, other]
}

type Given = Pick<RecordCell, 'answer' | 'allow'>

/**
 * Returns true when a slug counts as known to a caller. A record that was never public and that they may not
 * read does not exist for them.
 */
function isKnown(caller: Reader, owner: Owner, status: Status): boolean {
  const whose = caller === owner ? 'own' : 'others'
  return ['publish', 'private'].includes(status) || RIGHTS[caller].reads[whose].includes(status)
}

/** Returns the answer for a slug that does not exist (rule 25.4). */
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

/** The target of a write: the series, or an occurrence with a `recurrence_scope`. */
const ADDRESSED = ['series', 'this', 'following', 'all'] as const
type Addressed = (typeof ADDRESSED)[number]

/** How a method is sent: by itself, or as a POST with `_method` or `X-HTTP-Method-Override` (rule 1.6). */
type Way = 'itself' | 'query' | 'header'

/** `_method` and the header work the same on every route, so each is tried on half of the targets. */
function waysOf(method: Method, addressed: Addressed): Way[] {
  if (method !== 'PATCH' && method !== 'DELETE') return ['itself']
  return ['itself', addressed === 'series' || addressed === 'following' ? 'query' : 'header']
}

/** Returns the methods for a target. Reading has no scope, so two targets are only written. */
const methodsOf = (addressed: Addressed) =>
  addressed === 'following' || addressed === 'all' ? WRITES : METHODS

/** A cell for a series or one of its occurrences. */
export interface SeriesCell extends Omit<RecordCell, 'by'> {
  addressed: Addressed
  way: Way
}

/** Returns all cells for series and their occurrences in every scope. */
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

/** Addresses of nothing and their answers (rule 25.4). `{other}` is the id of a record of another kind. */
export interface MissingRow {
  paths: readonly string[]
  methods: readonly Method[]
  answer: { status: number; code: string; param?: string }
  /** The statuses for callers who may not write at all, where they differ. */
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

/** Routes for administrators only, with their methods. `{id}` is a webhook. */
export const ADMINISTRATORS_ROUTES: readonly { path: string; methods: readonly Method[] }[] = [
  { path: '', methods: ['GET', 'POST'] },
  { path: '/{id}', methods: ['GET', 'PUT', 'PATCH', 'DELETE'] },
  { path: '/{id}/test', methods: ['POST'] },
  { path: '/{id}/rotate', methods: ['POST'] },
  { path: '/{id}/deliveries', methods: ['GET'] },
  { path: '/{id}/deliveries/1/resend', methods: ['POST'] },
]

/**
 * Routes that answer all callers alike, except for `Allow`, with those who may POST. Other methods find no
 * route.
 */
export const OPEN_ROUTES: readonly { path: string; makers: readonly Reader[] }[] = [
  { path: '', makers: [] },
  { path: '/doc', makers: [] },
  { path: '/events', makers: MAKERS.record },
  { path: '/venues', makers: MAKERS.record },
  { path: '/organizers', makers: MAKERS.record },
  { path: '/categories', makers: MAKERS.category },
  { path: '/tags', makers: MAKERS.tag },
]
