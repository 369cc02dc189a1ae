import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { readConfig } from '../../src/base/config.ts'
import { commandGroups, registerCommands } from '../../src/commands.ts'
import { features } from '../../src/features.ts'

const configure = () => readConfig({}, {}, features)
const namesIn = ({ commands }: Command) =>
  commands.flatMap((command) => [command.name(), ...command.aliases()])

async function namesFor(asked: string | undefined): Promise<string[]> {
  const program = new Command()
  await registerCommands(program, { configure, features }, asked)
  return namesIn(program)
}

test('every command is there when it is asked for, with those of its group alone', async () => {
  for (const { names } of commandGroups(features))
    for (const name of names) deepEqual(await namesFor(name), names, name)
})

test('all commands are there when none of them is asked for, each once', async () => {
  const all = commandGroups(features).flatMap(({ names }) => names)
  equal(new Set(all).size, all.length)
  for (const asked of [undefined, 'usr', 'help']) deepEqual(await namesFor(asked), all)
})
