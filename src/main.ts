import { describeFailure, makeProgram } from './command-line.ts'
import { withoutPassword } from './store/storage/database-address.ts'

function fail(error: unknown): never {
  console.error(describeFailure(error))
  process.exit(1)
}

// New files have no permissions for the group and for others.
process.umask(0o077)
// A reader that quits early, such as `head`, must not end the process.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(error)
})
// Every user of the machine can read the arguments of a process. If they contain a password, a title replaces
// them.
if (process.argv.some((word) => withoutPassword(word) !== word)) process.title = 'kalends'

const words = process.argv.slice(2)
const program = await makeProgram(words, process.env)
await program.parseAsync(words, { from: 'user' }).catch(fail)
