import { Argument, type Command, Option } from 'commander'
import type { Database } from '../storage/database.ts'
import { addCredential, listCredentials, revokeCredential } from './credentials.ts'
import { ROLES, type Role } from './roles.ts'
import { changeRole, getUserByLogin, hasUsers, insertUser, listUsers, removeUser } from './users.ts'

/** Puts the commands `user` and `password` on the command line; they open the database, and close it when done. */
export function registerUserCommands(
  program: Command,
  open: () => Promise<Database>,
  clock: () => number = Date.now,
): void {
  registerUser(program.command('user').description('Add, list, change and remove users.'), open, clock)
  registerPassword(
    program.command('password').description('Give and take application passwords and tokens.'),
    open,
    clock,
  )
}

/**
 * Makes the user `admin` with an application password when there are no users at all.
 * @param now milliseconds since the epoch
 * @returns what to sign in with, which cannot be read again; undefined when there are users, also when another process just made them
 */
export async function createFirstAdministrator(
  database: Database,
  now: number,
): Promise<{ login: string; password: string } | undefined> {
  if (await hasUsers(database.read)) return undefined
  try {
    return await database.write(async (tx) => {
      if (await hasUsers(tx)) return undefined
      const user = await insertUser(tx, { login: 'admin', name: 'Administrator', role: 'administrator' }, now)
      return { login: user.login, password: await addCredential(tx, user, 'password', 'First start', now) }
    })
  } catch (error) {
    if (await hasUsers(database.read)) return undefined
    throw error
  }
}

function registerUser(user: Command, open: () => Promise<Database>, clock: () => number): void {
  user
    .command('add')
    .description('Add a user and print an application password, once.')
    .argument('<login>', 'what the user signs in with')
    .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory())
    .option('--email <address>', 'an e-mail address, which signs in as well')
    .option('--name <name>', 'the name shown; the login unless given')
    .action((login: string, options: { role: Role; email?: string; name?: string }, command: Command) =>
      run(command, open, async (database, print) => {
        const password = await database.write(async (tx) => {
          const added = await insertUser(tx, { login, ...options }, clock())
          return addCredential(tx, added, 'password', 'First password', clock())
        })
        print(`Added ${login} as ${options.role}. Application password, shown only now: ${password}`)
      }),
    )

  user
    .command('list')
    .description('List all users.')
    .action((_options: unknown, command: Command) =>
      run(command, open, async (database, print) => {
        const rows = (await listUsers(database.read)).map(({ id, login, role, email, name }) => [
          `${id}`,
          login,
          role,
          email,
          name,
        ])
        print(table([['ID', 'LOGIN', 'ROLE', 'E-MAIL', 'NAME'], ...rows]))
      }),
    )

  user
    .command('role')
    .description('Give a user another role.')
    .argument('<login>', 'login or e-mail address')
    .addArgument(new Argument('<role>', 'what the user may do from now on').choices(ROLES))
    .action((login: string, role: Role, _options: unknown, command: Command) =>
      run(command, open, async (database, print) => {
        await database.write(async (tx) => changeRole(tx, (await getUserByLogin(tx, login)).id, role))
        print(`${login} is now ${role}.`)
      }),
    )

  user
    .command('remove')
    .description('Remove a user with all application passwords and tokens.')
    .argument('<login>', 'login or e-mail address')
    .option('--reassign <login>', 'the user who takes over the events, venues, organizers and images')
    .action((login: string, options: { reassign?: string }, command: Command) =>
      run(command, open, async (database, print) => {
        await database.write(async (tx) => {
          const heir = options.reassign === undefined ? undefined : await getUserByLogin(tx, options.reassign)
          await removeUser(tx, (await getUserByLogin(tx, login)).id, heir?.id)
        })
        print(`Removed ${login}.`)
      }),
    )
}

function registerPassword(password: Command, open: () => Promise<Database>, clock: () => number): void {
  password
    .command('add')
    .description('Make an application password or a token and print it, once.')
    .argument('<login>', 'login or e-mail address')
    .option('--name <name>', 'what it is for, to tell it from others', 'Command line')
    .option('--token', 'a token for `Authorization: Bearer` in place of an application password')
    .action((login: string, options: { name: string; token?: true }, command: Command) =>
      run(command, open, async (database, print) => {
        const kind = options.token ? 'token' : 'password'
        const secret = await database.write(async (tx) =>
          addCredential(tx, await getUserByLogin(tx, login), kind, options.name, clock()),
        )
        print(`${kind === 'token' ? 'Token' : 'Application password'}, shown only now: ${secret}`)
      }),
    )

  password
    .command('list')
    .description('List the application passwords and tokens of a user, without the secrets.')
    .argument('<login>', 'login or e-mail address')
    .action((login: string, _options: unknown, command: Command) =>
      run(command, open, async (database, print) => {
        const credentials = await listCredentials(database.read, await getUserByLogin(database.read, login))
        const rows = credentials.map(({ id, kind, created_utc, name }) => [`${id}`, kind, created_utc, name])
        print(table([['ID', 'KIND', 'CREATED (UTC)', 'NAME'], ...rows]))
      }),
    )

  password
    .command('revoke')
    .description('Take one application password or token away from a user, or all.')
    .argument('<login>', 'login or e-mail address')
    .argument('[id]', 'the id that `password list` shows')
    .option('--all', 'every application password and token of the user')
    .action((login: string, id: string | undefined, options: { all?: true }, command: Command) =>
      run(command, open, async (database, print) => {
        const which = parseWhich(id, options.all === true)
        const revoked = await database.write(async (tx) => revokeCredential(tx, await getUserByLogin(tx, login), which))
        print(`Revoked ${revoked} ${revoked === 1 ? 'credential' : 'credentials'} of ${login}.`)
      }),
    )
}

function parseWhich(id: string | undefined, all: boolean): number | 'all' {
  if (all && id === undefined) return 'all'
  if (!all && id !== undefined && /^\d{1,9}$/.test(id)) return Number(id)
  throw new Error('Give either the id that `password list` shows or --all.')
}

/** Runs a command on the open database. What goes wrong ends it with one sentence and exit code 1. */
async function run(
  command: Command,
  open: () => Promise<Database>,
  work: (database: Database, print: (text: string) => void) => Promise<void>,
): Promise<void> {
  try {
    const database = await open()
    try {
      await work(database, (text) => command.configureOutput().writeOut?.(`${text}\n`))
    } finally {
      await database.close()
    }
  } catch (error) {
    command.showHelpAfterError(false).error(error instanceof Error ? error.message : String(error), { exitCode: 1 })
  }
}

/** Rows in aligned columns. */
function table(rows: string[][]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
