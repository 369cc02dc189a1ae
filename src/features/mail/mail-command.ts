import { type Command, Option } from 'commander'
import { type Config, siteOf } from '../../base/config.ts'
import { addList, askedCount, runCommand, table } from '../../base/run-command.ts'
import { formatUtc } from '../../base/text/zones.ts'
import type { CommandGround } from '../../feature.ts'
import type { Database } from '../../store/storage/database.ts'
import { openCalendar, runOnDatabase } from '../../store/storage/open-database.ts'
import { readStoredSettings, withStored } from '../../store/storage/stored-settings.ts'
import { writeLetter } from './letter.ts'
import { parseMailAddress } from './mail-address.ts'
import { openRelay } from './mail-relay.ts'
import { sayMail } from './mail-texts.ts'
import { listMessages } from './outbox.ts'
import { letterheadOf } from './send-mail.ts'

export function registerMailCommands(program: Command, { configure, features }: CommandGround): void {
  const open = () => openCalendar(configure(), features)
  const mail = program.command('mail').description('Try out e-mail, and list what is sent.')
  mail
    .command('test')
    .description('Send one message at once, and print what the relay answers.')
    .argument('<address>', 'where it goes')
    .action((address: string, _options: unknown, command: Command) =>
      runCommand(command, async (print) => print(await sendTest(configure(), open, address))),
    )
  addList(mail)
    .description('List messages that wait, and those of the last 30 days, the newest first.')
    .addOption(new Option('--limit <number>', 'list at most this many').default('100'))
    .action(({ limit }: { limit: string }, command: Command) =>
      runOnDatabase(command, open, async (database, print) => {
        const rows = await listMessages(database.read, askedCount('--limit', limit))
        const cells = rows.map((row) => [
          `${row.id}`,
          row.created_utc,
          row.topic,
          row.recipient,
          row.state.replace('_', ' '),
          `${row.attempts}`,
          row.next_utc,
          row.error,
        ])
        print(
          table([['ID', 'TIME (UTC)', 'TOPIC', 'TO', 'STATE', 'TRIES', 'NEXT (UTC)', 'ANSWER'], ...cells]),
        )
      }),
    )
}

/** @throws Error with one sentence if the address is invalid, e-mail is off, or the relay refuses */
async function sendTest(started: Config, open: () => Promise<Database>, text: string): Promise<string> {
  const to = parseMailAddress(text)
  if (to === undefined) throw new Error(`${text} is no e-mail address.`)
  const relay = await openRelay(started)
  if (!relay) throw new Error('E-mail is off: KALENDS_MAIL names no relay.')
  const config = withStored(started, await findOwnerSettings(open))
  const site = siteOf(config, config.port)
  const { language } = site
  const now = Date.now()
  const letter = {
    subject: sayMail(site, 'A test of e-mail'),
    blocks: [
      {
        kind: 'text',
        text: sayMail(site, '{name} can send e-mail. There is nothing to do.', { name: site.name }),
      },
    ],
  } as const
  const written = writeLetter(letter, letterheadOf(site, { language }))
  const messageId = `<test.${formatUtc(now).replace(/\D/g, '')}.${process.pid}@${relay.domain}>`
  const outgoing = { ...written, to, fromName: site.name, messageId }
  const { kind, answer } = await relay.send(outgoing, new AbortController().signal)
  relay.close()
  if (kind !== 'sent') throw new Error(`The message was not taken: ${answer}`)
  return `The relay answered: ${answer}`
}

async function findOwnerSettings(open: () => Promise<Database>) {
  const database = await open()
  try {
    return await readStoredSettings(database.read)
  } finally {
    await database.close()
  }
}
