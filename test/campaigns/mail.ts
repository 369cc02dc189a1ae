// Kills a service while it sends e-mail, and counts what is lost, astray and doubled, on both databases:
//   npm run mail:kills [-- --kills 20] [--database sqlite]
import { parseArgs } from 'node:util'
import { DATABASES, SERVER } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { killWhileSending } from './mail-campaign.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, database: { type: 'string', multiple: true } },
})
let failures = 0
for (const database of values.database ?? DATABASES) {
  const server = database === 'postgres' ? await startPostgres() : undefined
  if (server) process.env[SERVER] = server.address()
  try {
    const figures = await killWhileSending(Number(values.kills))
    console.log(JSON.stringify({ database, ...figures }))
    failures += figures.lost + figures.astray + figures.unexplained
  } finally {
    await server?.close()
  }
}
process.exitCode = failures === 0 ? 0 : 1
