import type { Command } from 'commander'
import { type Print, runOnOpened } from '../../base/run-command.ts'
import { formatUtc } from '../../base/text/zones.ts'
import type { Database } from '../../store/storage/database.ts'
import { renewEdition, setHeld } from '../../store/storage/edition.ts'
import { raiseSequences } from '../../store/storage/history.ts'

/** Commands for a database that was copied or restored by other means. */
export function registerCopiesCommands(program: Command, open: () => Promise<Database>): void {
  const add = (name: string, about: string, work: (database: Database, print: Print) => Promise<void>) =>
    program
      .command(name)
      .description(about)
      .action((_, command: Command) =>
        runOnOpened(
          command,
          async () => ({ database: await open() }),
          ({ database }, print) => work(database, print),
        ),
      )

  add(
    'invalidate-etags',
    'Make clients fetch everything anew. Run it on a database ' +
      'that was restored by other means than kalends restore.',
    async (database, print) => {
      await database.write(async (tx) => {
        await renewEdition(tx)
        await raiseSequences(tx, formatUtc(Date.now()))
      })
      print('All ETags that clients hold are invalid now.')
    },
  ).alias('restored')
  add(
    'hold',
    'Turn webhooks, e-mail and scheduled imports off. Run it on a copy before it is started.',
    async (database, print) => {
      await database.write((tx) => setHeld(tx, true))
      print('Webhooks, e-mail and scheduled imports are off until kalends resume.')
    },
  )
  add(
    'resume',
    'Turn webhooks, e-mail and scheduled imports on again. A restore in another place turns them off.',
    async (database, print) =>
      print(
        (await database.write((tx) => setHeld(tx, false)))
          ? 'Webhooks, e-mail and scheduled imports are on again.'
          : 'Nothing was turned off.',
      ),
  )
}
