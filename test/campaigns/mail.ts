// Kills a service while it sends e-mail, and counts what is lost, astray and doubled:
//   npm run mail:kills [-- --kills 20]          TEST_POSTGRES=postgres://… for PostgreSQL
import { parseArgs } from 'node:util'
import { databaseName } from '../support/database.ts'
import { killWhileSending } from './mail-campaign.ts'

const { values } = parseArgs({ options: { kills: { type: 'string', default: '20' } } })
const figures = await killWhileSending(Number(values.kills))
console.log(JSON.stringify({ database: databaseName(), ...figures }))
process.exitCode = figures.lost + figures.astray + figures.unexplained === 0 ? 0 : 1
