import type { Parsed } from '../base/fields/field.ts'
import { type Kind, settledText } from '../base/fields/kinds.ts'
import { Problem, type ProblemCode } from '../base/problems.ts'
import { isUuid } from '../base/text/characters.ts'
import { singleLine } from '../base/text/html.ts'
import type { Context } from '../calendar/declare/context.ts'
import { parseFields } from '../calendar/declare/parse.ts'
import { defineFields, type Fields } from '../calendar/declare/resource.ts'
import { about } from '../calendar/locales/messages.ts'
import { type Caller, isLoggedIn, isUnlimited } from '../calendar/people/caller.ts'
import {
  addCredential,
  type Credential,
  isCredentialName,
  listCredentials,
  renameCredential,
  revokeCredentials,
} from '../calendar/people/credentials.ts'
import { findUser, RefusedUserChange, type User } from '../calendar/people/users.ts'
import { type Answer, okAnswer } from '../http/format.ts'
import { postFilters } from '../http/post-filters.ts'
import { type MatchedRequest, type PlainOperation, plainRoute, type Route, UPDATES } from '../http/routes.ts'
import type { Db } from '../store/storage/database.ts'
import { platformTime } from './platform-resource.ts'

// Routes of application passwords. A user reaches only their own.

/** Where programs send a user for an application password. */
export const CONSENT_PATH = '/wp-admin/authorize-application.php'

const credentialName: Kind<string> = {
  wire: { type: 'string' },
  valid: (value) => typeof value !== 'string' || isCredentialName(singleLine(value)),
  read: (value) => (typeof value === 'string' ? singleLine(value) : undefined),
}

const name = { kind: credentialName, about: about('What the application password is for') }

const shaping = defineFields({ context: postFilters.context })
const newPassword = defineFields({
  app_id: {
    kind: settledText,
    about: about('The UUID by which the program names itself'),
    valid: (value) => value === '' || isUuid(String(value)),
  },
  name: { ...name, required: true },
})
const changes = defineFields({ name })
const nothing = defineFields({})

interface Theirs {
  user: User
  passwords: readonly Credential[]
  addressed: Credential | undefined
}

/** True if the caller may act on the addressed password; a limited credential reaches only itself. */
const reaches = (caller: Caller, { addressed }: Theirs) =>
  isUnlimited(caller) || (addressed !== undefined && addressed.id === caller.credential?.id)

/**
 * An operation on the passwords of the user in the path. `refusal` refuses every other caller, even an
 * administrator, and credentials of the user for which `mayReach` is false.
 */
function forOwner<F extends Fields>(
  methods: PlainOperation['methods'],
  refusal: ProblemCode,
  fields: F,
  answer: (theirs: Theirs, sent: Parsed<F>, context: Context) => Promise<Answer>,
  mayReach: typeof reaches = reaches,
): PlainOperation {
  const isRead = methods[0] === 'GET'
  return {
    methods,
    audience: 'people',
    queue: isRead ? 'reads' : 'writes',
    ...(isRead ? { query: fields } : { body: fields }),
    answer: async (request, _ground, context) => {
      const sent = await parseFields(fields, request.values(fields), context)
      const theirs = await findTheirs(request, refusal, context)
      if (!mayReach(context.caller, theirs)) throw new Problem(refusal)
      return answer(theirs, sent, context)
    },
  }
}

async function findTheirs(
  { variables }: MatchedRequest,
  refusal: ProblemCode,
  { caller, db }: Context,
): Promise<Theirs> {
  const { user_id = '', uuid = '' } = variables
  const isMe = user_id.toLowerCase() === 'me'
  if (isMe && !isLoggedIn(caller)) throw new Problem('rest_not_logged_in')
  const user = isMe || Number(user_id) === caller.id ? await findUser(db, caller.id) : undefined
  if (!user) throw new Problem(refusal)
  const passwords = await listPasswords(db, user)
  return { user, passwords, addressed: passwords.find((password) => password.uuid === uuid.toLowerCase()) }
}

async function listPasswords(db: Db, user: User): Promise<Credential[]> {
  return (await listCredentials(db, user)).filter(({ kind }) => kind === 'password')
}

const notFound = () => new Problem('rest_application_password_not_found')

function addressedIn({ addressed }: Theirs): Credential {
  if (!addressed) throw notFound()
  return addressed
}

/** Leaves out the secret. `last_ip` is always null: the address of the last use is not stored. */
function present({ uuid, app_id, name, created_utc, used_utc }: Credential, audience = 'edit') {
  const known = { uuid, app_id, name }
  if (audience === 'embed') return known
  const last_used = used_utc === '' ? null : platformTime(used_utc)
  return { ...known, created: platformTime(created_utc), last_used, last_ip: null }
}

const addressOf = ({ site }: Context, { user }: Theirs, { uuid }: Credential) =>
  `${site.restUrl}/wp/v2/users/${user.id}/application-passwords/${uuid}`

const linksOf = (context: Context, theirs: Theirs, password: Credential) => ({
  _links: { self: [{ href: addressOf(context, theirs, password) }] },
})

const list = forOwner(
  ['GET'],
  'rest_cannot_list_application_passwords',
  shaping,
  async (theirs, { context: audience }, context) =>
    okAnswer(
      theirs.passwords.map((password) => ({
        ...present(password, audience),
        ...linksOf(context, theirs, password),
      })),
    ),
)

const create = forOwner(
  ['POST'],
  'rest_cannot_create_application_passwords',
  newPassword,
  async (theirs, { app_id = '', name = '' }, context) => {
    const { user } = theirs
    const [password, made] = await context.write(async (tx) => {
      const limits = { program: app_id.toLowerCase() }
      const secret = await addCredential(tx, user, 'password', name, context.now, undefined, limits).catch(
        refusedAs,
      )
      return [secret, (await listPasswords(tx, user)).at(-1)] as const
    })
    if (!made) throw notFound()
    return {
      status: 201,
      headers: { Location: addressOf(context, theirs, made) },
      body: { ...present(made), password, ...linksOf(context, theirs, made) },
    }
  },
)

function refusedAs(error: unknown): never {
  throw error instanceof RefusedUserChange ? new Problem('too-many-passwords') : error
}

const removeAll = forOwner(
  ['DELETE'],
  'rest_cannot_delete_application_passwords',
  nothing,
  async ({ user }, _sent, context) => {
    const count = await context.write((tx) => revokeCredentials(tx, user, 'password'))
    return okAnswer({ deleted: true, count })
  },
)

const introspect = forOwner(
  ['GET'],
  'rest_cannot_introspect_app_password_for_non_authenticated_user',
  shaping,
  async (theirs, { context: audience }, context) => {
    const own = theirs.passwords.find(({ id }) => id === context.caller.credential?.id)
    if (!own) throw new Problem('rest_no_authenticated_app_password')
    return okAnswer({ ...present(own, audience), ...linksOf(context, theirs, own) })
  },
  () => true,
)

const read = forOwner(
  ['GET'],
  'rest_cannot_read_application_password',
  shaping,
  async (theirs, { context: audience }, context) => {
    const password = addressedIn(theirs)
    return okAnswer({ ...present(password, audience), ...linksOf(context, theirs, password) })
  },
)

const rename = forOwner(
  UPDATES,
  'rest_cannot_edit_application_password',
  changes,
  async (theirs, { name }, context) => {
    const password = addressedIn(theirs)
    const renamed = { ...password, name: name ?? password.name }
    const isThere = await context.write((tx) => renameCredential(tx, theirs.user, password.id, renamed.name))
    if (!isThere) throw notFound()
    return okAnswer({ ...present(renamed), ...linksOf(context, theirs, password) })
  },
)

const remove = forOwner(
  ['DELETE'],
  'rest_cannot_delete_application_password',
  nothing,
  async (theirs, _sent, context) => {
    const password = addressedIn(theirs)
    const count = await context.write((tx) => revokeCredentials(tx, theirs.user, password.id))
    if (count === 0) throw notFound()
    return okAnswer({ deleted: true, previous: present(password) })
  },
)

const ADDRESS = '/users/{user_id}/application-passwords'

/** `introspect` stands before `{uuid}`, which would match it as well. */
export const passwordRoutes: readonly Route[] = [
  plainRoute(ADDRESS, [list, create, removeAll]),
  plainRoute(`${ADDRESS}/introspect`, [introspect]),
  plainRoute(`${ADDRESS}/{uuid}`, [read, rename, remove]),
]
