import { setTimeout as sleep } from 'node:timers/promises'
import { returnSpareMemory } from '../../src/base/spare-memory.ts'

// A process that makes a hundred megabytes of objects, needs them no more, and is quiet then. Prints what it takes before, with them and afterwards, in MB.

const megabytes = () => Math.round(process.memoryUsage.rss() / 1_000_000)
const [quietMs = '0'] = process.argv.slice(2)
if (Number(quietMs) > 0) returnSpareMemory(Number(quietMs))
const before = megabytes()
let lists: object[][] = Array.from({ length: 100 }, () =>
  Array.from({ length: 10_000 }, (_, at) => ({ at, other: -at })),
)
const most = megabytes()
lists = []
await sleep(1500)
console.log(`${before} ${most} ${megabytes()} ${lists.length}`)
