import { Argument, type Command, Option } from 'commander'
import { askedMoment, table } from '../../base/run-command.ts'
import { formatUtc, MINUTE_MS } from '../../base/text/zones.ts'
import { type CredentialScope, ROLES, type Role, SCOPES } from '../../calendar/people/caller.ts'
import { addCredential, listCredentials, revokeCredentials } from '../../calendar/people/credentials.ts'
import { addSignInLink, INVITATION_DAYS, LINK_MINUTES, linkTo } from '../../calendar/people/desk-passwords.ts'
import { listSessions } from '../../calendar/people/sessions.ts'
import {
  changeRole,
  deactivateUser,
  endSessions,
  getUserByLogin,
  insertUser,
  isActive,
  listUsers,
  RefusedUserChange,
  reactivateUser,
  removeUser,
  type User,
} from '../../calendar/people/users.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { runOnDatabase } from '../../store/storage/open-database.ts'
import type { Tx } from '../../store/storage/recording.ts'

type DeskSite = () => string | undefined

export function registerUserCommands(
  program: Command,
  open: () => Promise<Database>,
  deskSite: DeskSite,
  clock: () => number = Date.now,
): void {
  registerUser(
    program.command('user').description('Add, list, change and remove users.'),
    open,
    deskSite,
    clock,
  )
  registerPassword(
    program.command('password').description('Make, list and revoke application passwords and tokens.'),
    open,
    clock,
  )
}

function registerUser(
  user: Command,
  open: () => Promise<Database>,
  deskSite: DeskSite,
  clock: () => number,
): void {
  registerUserAdd(user, open, deskSite, clock)
  registerUserLink(user, open, deskSite, clock)
  registerUserList(user, open)
  registerUserRole(user, open)
  registerUserActive(user, open, clock)
  registerUserSessions(user, open, clock)
  registerUserRemove(user, open)
}

function registerUserAdd(
  user: Command,
  open: () => Promise<Database>,
  deskSite: DeskSite,
  clock: () => number,
): void {
  user
    .command('add')
    .description('Add a user and print an application password and a link to the desk, once.')
    .argument('<login>', 'what the user signs in with')
    .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory())
    .option('--email <address>', 'an e-mail address, which signs in as well')
    .option('--name <name>', 'the name shown; the login unless given')
    .action((login: string, options: { role: Role; email?: string; name?: string }, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const site = deskSite()
        const { password, link } = await database.write(async (tx) => {
          const added = await insertUser(tx, { login, ...options }, clock())
          const password = await addCredential(tx, added, 'password', 'First password', clock())
          return { password, link: site && (await linkFor(tx, added, login, site, clock())) }
        }, by)
        print(`Added ${login} as ${options.role}. Application password, shown only now: ${password}`)
        if (link) print(link)
      }),
    )
}

function registerUserLink(
  user: Command,
  open: () => Promise<Database>,
  deskSite: DeskSite,
  clock: () => number,
): void {
  user
    .command('link')
    .description(
      'Print a link at which a user chooses a password for the desk, also in place of a forgotten one.',
    )
    .argument('<login>', 'login or e-mail address')
    .action((login: string, _options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const site = deskSite()
        if (site === undefined) throw new Error('The desk is left out: KALENDS_DESK is off.')
        const add = async (tx: Tx) => linkFor(tx, await getUserByLogin(tx, login), login, site, clock())
        print(await database.write(add, by))
      }),
    )
}

async function linkFor(tx: Tx, user: User, login: string, site: string, now: number): Promise<string> {
  const link = linkTo(site, await addSignInLink(tx, user, now))
  const isShort = (await findLinkEnd(tx, user)) === formatUtc(now + LINK_MINUTES * MINUTE_MS)
  const life = isShort ? `${LINK_MINUTES} minutes` : `${INVITATION_DAYS} days`
  return `A link for ${login} to choose a password for the desk, good once and for ${life}: ${link}`
}

function registerUserActive(user: Command, open: () => Promise<Database>, clock: () => number): void {
  user
    .command('deactivate')
    .description('Keep a user from signing in anywhere; their records, passwords and tokens stay.')
    .argument('<login>', 'login or e-mail address')
    .action((login: string, _options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        await database.write(
          async (tx) => deactivateUser(tx, (await getUserByLogin(tx, login)).id, clock()),
          by,
        )
        print(`${login} signs in nowhere from now on.`)
      }),
    )
  user
    .command('reactivate')
    .description('Let a user sign in again who was deactivated.')
    .argument('<login>', 'login or e-mail address')
    .action((login: string, _options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        await database.write(async (tx) => reactivateUser(tx, (await getUserByLogin(tx, login)).id), by)
        print(`${login} may sign in again.`)
      }),
    )
}

function registerUserSessions(user: Command, open: () => Promise<Database>, clock: () => number): void {
  user
    .command('sessions')
    .description('List where a user is signed in to the desk.')
    .argument('<login>', 'login or e-mail address')
    .option('--end', 'end all of these sessions')
    .action((login: string, { end }: { end?: true }, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const found = await getUserByLogin(database.read, login)
        if (end) await database.write((tx) => endSessions(tx, found.id), by)
        const sessions = await listSessions(database.read, found, clock())
        const rows = sessions.map(({ created_utc, seen_utc, address, client }) => [
          created_utc,
          seen_utc,
          address,
          client,
        ])
        print(table([['SIGNED IN (UTC)', 'LAST USED (UTC)', 'ADDRESS', 'BROWSER'], ...rows]))
      }),
    )
}

function registerUserList(user: Command, open: () => Promise<Database>): void {
  user
    .command('list')
    .description('List all users.')
    .action((_options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print) => {
        const rows = (await listUsers(database.read)).map((user) => [
          `${user.id}`,
          user.login,
          user.role,
          user.email,
          isActive(user) ? 'yes' : 'no',
          user.name,
        ])
        print(table([['ID', 'LOGIN', 'ROLE', 'E-MAIL', 'ACTIVE', 'NAME'], ...rows]))
      }),
    )
}

function registerUserRole(user: Command, open: () => Promise<Database>): void {
  user
    .command('role')
    .description('Give a user another role.')
    .argument('<login>', 'login or e-mail address')
    .addArgument(new Argument('<role>', 'what the user may do from now on').choices(ROLES))
    .action((login: string, role: Role, _options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        await database.write(async (tx) => changeRole(tx, (await getUserByLogin(tx, login)).id, role), by)
        print(`${login} is now ${role}.`)
      }),
    )
}

function registerUserRemove(user: Command, open: () => Promise<Database>): void {
  user
    .command('remove')
    .description('Remove a user with all application passwords and tokens.')
    .argument('<login>', 'login or e-mail address')
    .option('--reassign <login>', 'the user who takes over the events, venues, organizers, images and series')
    .action((login: string, options: { reassign?: string }, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        await database.write(async (tx) => {
          const heir = options.reassign === undefined ? undefined : await getUserByLogin(tx, options.reassign)
          await removeUser(tx, (await getUserByLogin(tx, login)).id, heir?.id).catch(nameReassign)
        }, by)
        print(`Removed ${login}.`)
      }),
    )
}

/** Rethrows the error; if the user owns records, the message also names the option `--reassign`. */
function nameReassign(error: unknown): never {
  if (error instanceof RefusedUserChange && error.why === 'ownsRecords')
    throw new Error(error.message.replace(/\.$/, ' with --reassign LOGIN.'))
  throw error
}

function registerPassword(password: Command, open: () => Promise<Database>, clock: () => number): void {
  registerPasswordAdd(password, open, clock)
  registerPasswordList(password, open)
  registerPasswordRevoke(password, open)
}

function registerPasswordAdd(password: Command, open: () => Promise<Database>, clock: () => number): void {
  password
    .command('add')
    .description('Make an application password or a token and print it, once.')
    .argument('<login>', 'login or e-mail address')
    .option('--name <name>', 'what it is for, to tell it from others', 'Command line')
    .option('--token', 'a token for `Authorization: Bearer` in place of an application password')
    .option('--scope <scope,…>', `limit what it may do to one or more of: ${SCOPES.join(', ')}`)
    .option(
      '--expires <when>',
      'until when it is good: 12h, 90d or 4w from now, a date, or a date and time in UTC',
    )
    .action((login: string, options: NewCredential, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const kind = options.token ? 'token' : 'password'
        const now = clock()
        const limits = { scopes: parseScopes(options.scope), expires: parseExpiry(options.expires, now) }
        const secret = await database.write(
          async (tx) =>
            addCredential(tx, await getUserByLogin(tx, login), kind, options.name, now, undefined, limits),
          by,
        )
        print(`${kind === 'token' ? 'Token' : 'Application password'}, shown only now: ${secret}`)
      }),
    )
}

function registerPasswordList(password: Command, open: () => Promise<Database>): void {
  password
    .command('list')
    .description('List the application passwords and tokens of a user, without the secrets.')
    .argument('<login>', 'login or e-mail address')
    .action((login: string, _options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print) => {
        const credentials = await listCredentials(database.read, await getUserByLogin(database.read, login))
        const rows = credentials.map(({ id, kind, created_utc, scope, expires_utc, used_utc, name }) => [
          `${id}`,
          kind,
          created_utc,
          scope || 'all',
          expires_utc || 'never',
          used_utc || 'never',
          name,
        ])
        print(
          table([
            ['ID', 'KIND', 'CREATED (UTC)', 'SCOPE', 'EXPIRES (UTC)', 'LAST USED (UTC)', 'NAME'],
            ...rows,
          ]),
        )
      }),
    )
}

function registerPasswordRevoke(password: Command, open: () => Promise<Database>): void {
  password
    .command('revoke')
    .description('Revoke one application password or token of a user, or all of them.')
    .argument('<login>', 'login or e-mail address')
    .argument('[id]', 'the id that `password list` shows')
    .option('--all', 'every application password and token of the user')
    .action((login: string, id: string | undefined, options: { all?: true }, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const which = parseWhich(id, options.all === true)
        const revoked = await database.write(
          async (tx) => revokeCredentials(tx, await getUserByLogin(tx, login), which),
          by,
        )
        if (which !== 'all' && revoked === 0)
          throw new Error(`${login} has no credential with the id ${which}.`)
        print(`Revoked ${revoked} ${revoked === 1 ? 'credential' : 'credentials'} of ${login}.`)
      }),
    )
}

interface NewCredential {
  name: string
  token?: true
  scope?: string
  expires?: string
}

function parseScopes(text: string | undefined): CredentialScope[] | undefined {
  if (text === undefined) return undefined
  return text.split(',').map((entry) => {
    const scope = SCOPES.find((known) => known === entry.trim())
    if (!scope) throw new Error(`A scope is one of ${SCOPES.join(', ')}, not "${entry.trim()}".`)
    return scope
  })
}

const parseExpiry = (text: string | undefined, now: number): number | undefined =>
  text === undefined ? undefined : askedMoment(text, 'An expiry is such as 12h, 90d, 4w or 2027-12-31', now)

function parseWhich(id: string | undefined, all: boolean): number | 'all' {
  if (all && id === undefined) return 'all'
  if (!all && id !== undefined && /^\d{1,9}$/.test(id)) return Number(id)
  throw new Error('Give either the id that `password list` shows or --all.')
}

/** The UTC time until which the user's only link is valid. */
export async function findLinkEnd(db: Db, user: User): Promise<string | undefined> {
  const row = await db
    .selectFrom('sign_in_links')
    .select('expires_utc')
    .where('user', '=', user.id)
    .executeTakeFirst()
  return row?.expires_utc
}
