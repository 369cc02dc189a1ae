import type { Reader } from '../support/service.ts'

/** Everybody who may ask. */
export const CALLERS = [
  'anonymous',
  'subscriber',
  'contributor',
  'author',
  'editor',
  'admin',
] as const satisfies Reader[]
/** Everybody who may own a record. */
export const OWNERS = ['subscriber', 'contributor', 'author', 'editor', 'admin'] as const
export type Owner = (typeof OWNERS)[number]

export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export type Status = (typeof STATUSES)[number]

export const KINDS = ['event', 'venue', 'organizer'] as const
export type Kind = (typeof KINDS)[number]
export const TERM_KINDS = ['category', 'tag'] as const
export type TermKind = (typeof TERM_KINDS)[number]

/** What the rights of records are asked for: those of a series are of all its occurrences. */
type Asked = Kind | 'series'

export const PATHS = {
  event: '/events',
  venue: '/venues',
  organizer: '/organizers',
  category: '/categories',
  tag: '/tags',
} as const

/** Statuses by whose record it is. */
interface Share {
  own: readonly Status[]
  others: readonly Status[]
}

const ALL = STATUSES
const NONE: readonly Status[] = []
const UNPUBLISHED = ['draft', 'pending', 'trash'] as const

/** The whole table: whose records, in which statuses, a caller may read, and change or move to the trash (rules 24.5, 26.2 and 26.4). */
export const RIGHTS: Readonly<Record<Reader, { reads: Share; changes: Share }>> = {
  anonymous: { reads: { own: NONE, others: ['publish'] }, changes: { own: NONE, others: NONE } },
  subscriber: { reads: { own: ALL, others: ['publish'] }, changes: { own: NONE, others: NONE } },
  contributor: { reads: { own: ALL, others: ['publish'] }, changes: { own: UNPUBLISHED, others: NONE } },
  author: { reads: { own: ALL, others: ['publish'] }, changes: { own: ALL, others: NONE } },
  editor: { reads: { own: ALL, others: ALL }, changes: { own: ALL, others: ALL } },
  admin: { reads: { own: ALL, others: ALL }, changes: { own: ALL, others: ALL } },
}

/** Who may make records, and who may make, change and remove terms of each kind (rule 26.3). */
export const MAKERS: Readonly<Record<'record' | TermKind, readonly Reader[]>> = {
  record: ['contributor', 'author', 'editor', 'admin'],
  category: ['author', 'editor', 'admin'],
  tag: ['editor', 'admin'],
}

/** Who may set the author of a record to somebody else (rule 16.4). */
export const MAY_NAME_AUTHORS: readonly Reader[] = ['editor', 'admin']

/**
 * The status of a new record by the requested one, for callers who may publish and for those who may not (rule 19.1).
 * `absent` is a create without a status; `publish to come` one with a publication date ahead.
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

/** One cell: a request and the answer it gets. */
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
  // A trashed event is there for those who could restore it (rule 24.5).
  return (kind === 'event' && status === 'trash' ? changes : reads)[whose].includes(status)
}

export function mayChange(caller: Reader, owner: Owner, status: Status): boolean {
  return RIGHTS[caller].changes[caller === owner ? 'own' : 'others'].includes(status)
}

/** Every cell of the records of one kind. */
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

/** The caller, if somebody, and somebody else: an editor, or for editors an author. */
function ownersFor(caller: Reader): Owner[] {
  const other = caller === 'editor' ? 'author' : 'editor'
  return caller === 'anonymous' ? [other] : [caller, other]
}

type Given = Pick<RecordCell, 'answer' | 'allow'>

/** Whether there is a record of this slug as far as the caller can tell: what was never announced is to nobody who may not read it. */
function isKnown(caller: Reader, owner: Owner, status: Status): boolean {
  const whose = caller === owner ? 'own' : 'others'
  return ['publish', 'private'].includes(status) || RIGHTS[caller].reads[whose].includes(status)
}

/** The answers where no record has the slug (rule 25.4). */
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

/** What a write to a series is addressed to: the series itself, or an occurrence with a `recurrence_scope`. */
const ADDRESSED = ['series', 'this', 'following', 'all'] as const
type Addressed = (typeof ADDRESSED)[number]

/** How a method is asked for: by itself, or by a POST that names it in `_method` or `X-HTTP-Method-Override` (rule 1.6). */
type Way = 'itself' | 'query' | 'header'

/** Both stand-ins come before any route is found, so that each is tried at half of what there is to address. */
function waysOf(method: Method, addressed: Addressed): Way[] {
  if (method !== 'PATCH' && method !== 'DELETE') return ['itself']
  return ['itself', addressed === 'series' || addressed === 'following' ? 'query' : 'header']
}

/** Reading has no scope. */
const methodsOf = (addressed: Addressed) => (addressed === 'following' || addressed === 'all' ? WRITES : METHODS)

/** One cell of series: like one of records, of the whole series or of an occurrence. */
export interface SeriesCell extends Omit<RecordCell, 'by'> {
  addressed: Addressed
  way: Way
}

/** Every cell of series, and of their occurrences in every scope. */
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

/** Addresses at which there is nothing, and what each caller is told there (rule 25.4). `{other}` is the id of a record of another kind. */
export interface MissingRow {
  paths: readonly string[]
  methods: readonly Method[]
  answer: { status: number; code: string; param?: string }
  /** The answer to callers without the right to write in general, where it is another. */
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
    paths: ['/venues', '/organizers', '/categories', '/tags'].flatMap((path) => [`${path}/987654`, `${path}/{other}`]),
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

/** The routes that are for administrators alone, with their methods; `{id}` is that of a webhook. */
export const ADMINISTRATORS_ROUTES: readonly { path: string; methods: readonly Method[] }[] = [
  { path: '', methods: ['GET', 'POST'] },
  { path: '/{id}', methods: ['GET', 'PUT', 'PATCH', 'DELETE'] },
  { path: '/{id}/test', methods: ['POST'] },
  { path: '/{id}/rotate', methods: ['POST'] },
  { path: '/{id}/deliveries', methods: ['GET'] },
  { path: '/{id}/deliveries/1/resend', methods: ['POST'] },
]

/** The routes that are the same for everybody but for what `Allow` lists, and who may POST there. All other methods find no route. */
export const OPEN_ROUTES: readonly { path: string; makers: readonly Reader[] }[] = [
  { path: '', makers: [] },
  { path: '/doc', makers: [] },
  { path: '/events', makers: MAKERS.record },
  { path: '/venues', makers: MAKERS.record },
  { path: '/organizers', makers: MAKERS.record },
  { path: '/categories', makers: MAKERS.category },
  { path: '/tags', makers: MAKERS.tag },
]
