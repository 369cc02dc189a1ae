import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

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

export async function connect(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  return socket
}
