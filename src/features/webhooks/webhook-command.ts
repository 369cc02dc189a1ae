import { type Command, Option } from 'commander'
import { addList, table } from '../../base/run-command.ts'
import type { Topic } from '../../feature.ts'
import type { Database } from '../../store/storage/database.ts'
import { describeHeld } from '../../store/storage/edition.ts'
import { runOnDatabase } from '../../store/storage/open-database.ts'
import type { Writer } from '../../store/storage/recording.ts'
import { sendTest } from './send-webhooks.ts'
import {
  addWebhook,
  checkAddress,
  describeReason,
  disableWebhook,
  enableWebhook,
  getWebhook,
  hastenDeliveries,
  listDeliveries,
  listWebhooks,
  readTypes,
  removeWebhook,
  resendDelivery,
  resendFailed,
  rotateSecret,
} from './webhook-store.ts'
import type { WebhookColumns } from './webhook-tables.ts'

export interface WebhookPlaces {
  open: () => Promise<Database>
  hosts: () => readonly string[]
  topics?: readonly Topic[]
  clock?: () => number
}

export function registerWebhookCommands(
  program: Command,
  { clock = Date.now, topics = [], ...places }: WebhookPlaces,
): void {
  const webhook = program
    .command('webhook')
    .description('Notify other programs of every change as it happens.')
  const all = { ...places, topics, clock }
  registerAdd(webhook, all)
  registerList(webhook, all)
  registerDeliveries(webhook, all)
  registerChanges(webhook, all)
}

type OpenedPlaces = Required<WebhookPlaces>

function registerAdd(webhook: Command, { open, hosts, topics, clock }: OpenedPlaces): void {
  webhook
    .command('add')
    .description('Add an address, and print the secret that its messages are signed with, once.')
    .argument('<url>', 'where messages are sent to, by https')
    .option(
      '--events <types>',
      'which changes it is told of: event.*, venue.created and the like, separated by commas, or *',
      'event.*',
    )
    .option('--private', 'tell it everything, drafts and private records included, as administrators see it')
    .action((url: string, options: { events: string; private?: true }, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        checkAddress(url, hosts())
        const added = { url, events: readTypes(options.events, topics), is_private: options.private ? 1 : 0 }
        const { id, secret } = await database.write((tx) => addWebhook(tx, added, clock()), by)
        print(`Added webhook ${id}. Its secret, shown only now: ${secret}`)
      }),
    )
}

function registerList(webhook: Command, { open }: OpenedPlaces): void {
  addList(webhook)
    .description('List all webhooks, without their secrets.')
    .action((_options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print) => {
        const rows = (await listWebhooks(database.read)).map((row) => [
          `${row.id}`,
          row.is_private === 1 ? 'everything' : 'public',
          row.events,
          stateOf(row),
          row.url,
        ])
        for (const line of await describeHeld(database.read)) print(line)
        print(table([['ID', 'TOLD', 'EVENTS', 'STATE', 'ADDRESS'], ...rows]))
      }),
    )
}

function stateOf({ disabled_utc, disabled_why, failing_since_utc }: WebhookColumns): string {
  if (disabled_utc !== '') return `disabled at ${disabled_utc}: ${describeReason('en', disabled_why)}`
  return failing_since_utc === '' ? 'enabled' : `failing since ${failing_since_utc}`
}

function readId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new Error(`An id is a number, not "${text}"; the lists show them.`)
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`--limit and --page take numbers from 1 on, not "${text}".`)
}

interface Subcommand {
  name: string
  about: string
  argument?: '<delivery>'
  /** Returns what to print. @throws Error with one sentence */
  run: (id: number, database: Database, by: Writer, places: OpenedPlaces) => Promise<string>
}

const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: 'remove',
    about: 'Remove a webhook and the log of its messages.',
    run: async (id, database, by, { clock }) => {
      await database.write((tx) => removeWebhook(tx, id, clock()), by)
      return `Removed webhook ${id}.`
    },
  },
  {
    name: 'enable',
    about: 'Turn a webhook on; it first gets the messages that wait for it.',
    run: async (id, database, by, { clock }) => {
      await hastenDeliveries(database.write, id)
      await database.write((tx) => enableWebhook(tx, id, clock()), by)
      return `Enabled webhook ${id}.`
    },
  },
  {
    name: 'disable',
    about: 'Turn a webhook off; it gets no messages.',
    run: async (id, database, by, { clock }) => {
      await database.write((tx) => disableWebhook(tx, id, 'command', clock()), by)
      return `Disabled webhook ${id}.`
    },
  },
  {
    name: 'rotate',
    about:
      'Give a webhook a new secret and print it, once. For a day messages are signed with the old one too.',
    run: async (id, database, by, { clock }) => {
      const secret = await database.write((tx) => rotateSecret(tx, id, clock()), by)
      return `The new secret of webhook ${id}, shown only now: ${secret}`
    },
  },
  {
    name: 'test',
    about: 'Send a webhook one message of the type webhook.test, at once.',
    run: async (id, database, _by, { hosts, clock }) => {
      const { status, error } = await sendTest(
        database,
        await getWebhook(database.read, id),
        hosts(),
        clock(),
      )
      if (error !== '') throw new Error(`The message did not arrive. ${describeReason('en', error)}`)
      return `The receiver answered ${status}.`
    },
  },
  {
    name: 'resend',
    about: 'Have the service send a message again, with the same id.',
    argument: '<delivery>',
    run: async (id, database, by, { clock }) => {
      await database.write((tx) => resendDelivery(tx, id, undefined, clock()), by)
      return `Message ${id} is sent again as soon as the service runs.`
    },
  },
  {
    name: 'resend-failed',
    about: 'Have the service send again all messages to a webhook that failed for good, with the same ids.',
    run: async (id, database, by, { clock }) => {
      const count = await resendFailed((work) => database.write(work, by), id, clock())
      return `Messages that are sent again as soon as the service runs: ${count}.`
    },
  },
]

function registerChanges(webhook: Command, places: OpenedPlaces): void {
  for (const { name, about, argument = '<id>', run } of SUBCOMMANDS)
    webhook
      .command(name)
      .description(about)
      .argument(argument, `the id that \`webhook ${argument === '<id>' ? 'list' : 'deliveries'}\` shows`)
      .action((id: string, _options: unknown, command: Command) =>
        runOnDatabase(command, places.open, async (database, print, by) =>
          print(await run(readId(id), database, by, places)),
        ),
      )
}

function registerDeliveries(webhook: Command, { open }: OpenedPlaces): void {
  webhook
    .command('deliveries')
    .description('List the messages of the last 30 days, the newest first, and those that wait.')
    .argument('[id]', 'only those of one webhook: the id that `webhook list` shows')
    .addOption(new Option('--limit <number>', 'list at most this many').default('100'))
    .addOption(new Option('--page <number>', 'the page to list').default('1'))
    .action((id: string | undefined, { limit, page }: { limit: string; page: string }, command: Command) =>
      runOnDatabase(command, open, async (database, print) => {
        const [perPage, number] = [readCount(limit), readCount(page)]
        const found = await listDeliveries(database.read, id === undefined ? undefined : readId(id), {
          page: number,
          perPage,
        })
        const rows = found.map((row) => [
          `${row.id}`,
          `${row.webhook}`,
          row.created_utc,
          row.type,
          `${row.record}`,
          row.state,
          `${row.attempts}`,
          row.next_utc,
          row.state === 'sent' ? `${row.status}` : describeReason('en', row.error),
        ])
        print(
          table([
            ['ID', 'WEBHOOK', 'TIME (UTC)', 'TYPE', 'RECORD', 'STATE', 'TRIES', 'NEXT (UTC)', 'LAST'],
            ...rows,
          ]),
        )
      }),
    )
}
