import type { Command } from 'commander'
import type { CommandGround } from '../../feature.ts'
import { openCalendar, runOnDatabase } from '../../store/storage/open-database.ts'
import { parseMailAddress } from './mail-address.ts'
import { exportAddress, forgetAddress } from './people-part.ts'

export function registerPeopleCommands(program: Command, { configure, features }: CommandGround): void {
  const open = () => openCalendar(configure(), features)
  const people = program
    .command('people')
    .description('Export or remove all that is kept of an e-mail address; users are not touched.')
  people
    .command('export')
    .description('Print all that is kept of an address, as JSON.')
    .argument('<address>', 'their e-mail address')
    .action((text: string, _options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print) => {
        const kept = await exportAddress(features, database.read, addressIn(text))
        print(JSON.stringify(kept, undefined, 2))
      }),
    )
  people
    .command('forget')
    .description('Remove all that is kept of an address, with messages that wait; published events stay.')
    .argument('<address>', 'their e-mail address')
    .action((text: string, _options: unknown, command: Command) =>
      runOnDatabase(command, open, async (database, print, by) => {
        const address = addressIn(text)
        const count = await database.write((tx) => forgetAddress(features, tx, address), by)
        print(`Rows removed: ${count}.`)
      }),
    )
}

/** @throws Error with one sentence if the address is not valid */
function addressIn(text: string): string {
  const address = parseMailAddress(text)
  if (address === undefined) throw new Error(`${text} is no e-mail address.`)
  return address
}
