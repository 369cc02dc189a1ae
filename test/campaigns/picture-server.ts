import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

export async function servePictures(): Promise<{ origin: string; close: () => void }> {
  const server = createServer((request, response) => {
    const [, number = '0'] = /(\d+)/.exec(request.url ?? '') ?? []
    const background = { r: Number(number) % 256, g: 90, b: 160 }
    sharp({ create: { width: 400, height: 300, channels: 3, background } })
      .png()
      .toBuffer()
      .then(
        (bytes) => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
        () => response.destroy(),
      )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
