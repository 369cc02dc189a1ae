import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeFinding } from './fuzz-report.ts'
import { addFinding, type FuzzRun, restart } from './fuzz-run.ts'
import { memoryOf } from './fuzzed-service.ts'
import type { PlannedRequest } from './planned-request.ts'

const UPLOADS = 24
const SENT = 8_000_000
/** The most bytes of memory that all uploads may take. */
const ROOM = 120_000_000

/**
 * Starts uploads of anonymous callers that never end, and reports a finding if their bytes are held in
 * memory.
 */
export async function judgeHeldUploads(run: FuzzRun): Promise<void> {
  await restart(run)
  const before = await memoryOf(run.service, run.limits.hangMs)
  const path = `${run.service.restRoot}/wp/v2/media`
  const sockets = await Promise.all(Array.from({ length: UPLOADS }, () => holdUpload(run.service.port, path)))
  await sleep(500)
  const during = await memoryOf(run.service, run.limits.hangMs)
  for (const socket of sockets) socket.destroy()
  const held = during.heap + during.outside - before.heap - before.outside
  if (held <= ROOM) return
  const what = `${UPLOADS} uploads that never end hold ${Math.round(held / 1e6)} MB`
  const planned: PlannedRequest = {
    as: 'anonymous',
    method: 'POST',
    path,
    query: [],
    headers: {},
    body: { kind: 'none' },
  }
  const finding = { kind: 'memory', what, planned, number: undefined, alone: true, stack: undefined } as const
  addFinding(run, 'held uploads', finding, () => describeFinding({ ...finding, times: 1 }, run))
}

async function holdUpload(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  socket.resume()
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: ${SENT + 1}\r\n\r\n`,
  )
  const piece = Buffer.alloc(500_000, 0x61)
  for (let sent = 0; sent < SENT && socket.writable; sent += piece.length)
    if (!socket.write(piece))
      await Promise.race([once(socket, 'drain'), once(socket, 'close'), sleep(1000)]).catch(() => undefined)
  return socket
}
