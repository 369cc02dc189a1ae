import type { Command } from 'commander'
import { runCommand } from '../../base/run-command.ts'
import type { CommandGround } from '../../feature.ts'
import { withoutSecrets } from '../../http/request-log.ts'
import { describeFindings, examine } from './doctor.ts'

/** An error among the findings makes the exit code 1. */
export function registerDoctor(program: Command, { configure, features }: CommandGround): void {
  program
    .command('doctor')
    .description(
      'Check configuration, database, disk, clock, permissions and network, and say what to do. Changes ' +
        'nothing.',
    )
    .action((_, command: Command) =>
      runCommand(command, async (print) => {
        const findings = await examine(configure, Date.now(), features)
        for (const line of describeFindings(findings)) print(withoutSecrets(line))
        if (findings.some(({ state }) => state === 'error')) process.exitCode = 1
      }),
    )
}
