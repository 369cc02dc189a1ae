import { Command, CommanderError } from 'commander'
import { describeFailure, makeProgram } from '../../src/command-line.ts'

/** The output of a command, and its exit code. */
export interface CommandResult {
  out: string
  err: string
  code: number
}

/** Runs a command that `register` puts on the command line. */
export function runCommand(register: (program: Command) => void, words: readonly string[]): Promise<CommandResult> {
  return runProgram((program) => {
    register(program)
    return program
  }, words)
}

/**
 * Runs the whole command line in this process, with this environment alone, as `bin/kalends.js` runs it in its own. What a command has only in a process of
 * its own is not here: signals, the modes of new files, its title.
 */
export async function kalends(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const { exitCode } = process
  const result = await runProgram((bare) => makeProgram(words, env, bare), words)
  const code = result.code || Number(process.exitCode ?? 0)
  process.exitCode = exitCode
  return { ...result, code }
}

async function runProgram(
  make: (bare: Command) => Command | Promise<Command>,
  words: readonly string[],
): Promise<CommandResult> {
  const result: CommandResult = { out: '', err: '', code: 0 }
  const bare = new Command('kalends').exitOverride().configureOutput({
    // As wide as where there is no terminal.
    getOutHelpWidth: () => 80,
    writeOut: (text) => {
      result.out += text
    },
    writeErr: (text) => {
      result.err += text
    },
  })
  try {
    const program = await make(bare)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    const isSaid = error instanceof CommanderError
    if (!isSaid) result.err += `${describeFailure(error)}\n`
    result.code = isSaid ? error.exitCode : 1
  }
  return result
}
