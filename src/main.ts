import { describeFailure, makeProgram } from './command-line.ts'
import { withoutPassword } from './store/storage/database-address.ts'

function fail(error: unknown): never {
  console.error(describeFailure(error))
  process.exit(1)
}

// Runs the command that the process was started with.

// New files are readable for the user who runs this, and for nobody else on the machine.
process.umask(0o077)
// A reader of the output that leaves early, such as `head`, ends nothing: a command finishes its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(error)
})
// Every user of the machine may read the words of a command line. A title replaces those that have a password
// in them.
if (process.argv.some((word) => withoutPassword(word) !== word)) process.title = 'kalends'

const words = process.argv.slice(2)
const program = await makeProgram(words, process.env)
await program.parseAsync(words, { from: 'user' }).catch(fail)
