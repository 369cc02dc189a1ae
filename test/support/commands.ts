import { Command, CommanderError } from 'commander'

/** The output of a command, and its exit code. */
export interface CommandResult {
  out: string
  err: string
  code: number
}

/** Runs a command that `register` puts on the command line. */
export async function runCommand(
  register: (program: Command) => void,
  words: readonly string[],
): Promise<CommandResult> {
  const result: CommandResult = { out: '', err: '', code: 0 }
  const program = new Command('kalends').exitOverride().configureOutput({
    writeOut: (text) => {
      result.out += text
    },
    writeErr: (text) => {
      result.err += text
    },
  })
  register(program)
  await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error
    result.code = error.exitCode
  })
  return result
}
