import { equal } from 'node:assert/strict'
import sharp from 'sharp'
import { credentialsOf, type TestService } from './service.ts'

export const drawPng = (width: number, height: number, background = 'teal'): Promise<Buffer<ArrayBuffer>> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer() as Promise<Buffer<ArrayBuffer>>

export async function uploadPicture({ origin }: TestService, width: number, height: number): Promise<number> {
  const png = await drawPng(width, height, '#246')
  const uploaded = await fetch(`${origin}/wp-json/wp/v2/media`, {
    method: 'POST',
    headers: {
      ...credentialsOf('admin'),
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename=a.png',
    },
    body: png,
  })
  equal(uploaded.status, 201)
  return ((await uploaded.json()) as { id: number }).id
}
