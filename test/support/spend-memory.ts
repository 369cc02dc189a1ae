import { setTimeout as sleep } from 'node:timers/promises'
import { returnSpareMemory } from '../../src/base/spare-memory.ts'

// A process that makes a hundred megabytes of objects, drops them, and waits. Prints its memory in MB before, with them, and afterwards. With `quietMs`, it
// returns spare memory after that time and has up to 20 seconds for it, since other processes may be busy.

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
const isReturned = () => megabytes() < (before + most) / 2
for (let waits = 0; Number(quietMs) > 0 && !isReturned() && waits < 100; waits++) await sleep(200)
console.log(`${before} ${most} ${megabytes()} ${lists.length}`)
