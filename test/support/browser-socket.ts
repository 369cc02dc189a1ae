import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/**
 * Waits until a browser prints its socket on standard error, and returns the address: the only group of
 * `pattern`. Throws when the browser ends before.
 */
export async function socketAddress({ stderr }: ChildProcess, pattern: RegExp): Promise<string> {
  if (!stderr) throw new Error('The browser says nothing.')
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = pattern.exec(line) ?? []
    if (address === undefined) continue
    stderr.resume()
    return address
  }
  throw new Error('The browser has not started.')
}

/** Opens a WebSocket. Rejects when it cannot be opened. */
export async function connect(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  return socket
}
