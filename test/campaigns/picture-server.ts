import { drawPng } from '../support/pictures.ts'
import { startServer } from '../support/server.ts'

export const servePictures = () =>
  startServer((request, response) => {
    const [, number = '0'] = /(\d+)/.exec(request.url ?? '') ?? []
    drawPng(400, 300, `rgb(${Number(number) % 256}, 90, 160)`).then(
      (bytes) => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
      () => response.destroy(),
    )
  })
