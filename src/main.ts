import { describeFailure, makeProgram } from './command-line.ts'
import { withoutPassword } from './store/storage/database-address.ts'

function fail(error: unknown): never {
  console.error(describeFailure(error))
  process.exit(1)
}

// Files are for the user who runs this, and nobody else on the machine.
process.umask(0o077)
// A reader such as `head` that leaves early ends nothing.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(error)
})
// Every user may read a command line: a title replaces one with a password.
if (process.argv.some((word) => withoutPassword(word) !== word)) process.title = 'kalends'

const words = process.argv.slice(2)
const program = await makeProgram(words, process.env)
await program.parseAsync(words, { from: 'user' }).catch(fail)
