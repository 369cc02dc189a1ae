import { Command, CommanderError } from 'commander'
import { describeFailure, makeProgram } from '../../src/command-line.ts'

export interface CommandResult {
  out: string
  err: string
  code: number
}

export function runCommand(
  register: (program: Command) => void,
  words: readonly string[],
): Promise<CommandResult> {
  return runProgram((program) => {
    register(program)
    return program
  }, words)
}

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
    // The width of help texts without a terminal.
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
