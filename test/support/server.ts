import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export async function startServer(answer: RequestListener): Promise<{ origin: string; close: () => void }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** Starts a server that ends with the test that asks for it. Returns its origin. */
export async function serverHere(answer: RequestListener): Promise<string> {
  const { origin, close } = await startServer(answer)
  after(close)
  return origin
}
