import { registerPushCommand } from '../../src/features/push/push-command.ts'
import { openGround } from '../support/command-ground.ts'
import { type CommandResult, runCommand } from '../support/commands.ts'
import { PASSWORD, type TestService } from '../support/service.ts'

process.env.KALENDS_PUSH_PASSWORD = PASSWORD

export function pushTo(service: TestService, address: string, ...words: string[]): Promise<CommandResult> {
  return runCommand(
    (program) => registerPushCommand(program, () => openGround(service), []),
    ['push', '--login', 'admin', ...words, address],
  )
}
