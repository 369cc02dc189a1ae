import assert from 'node:assert/strict'
import sharp from 'sharp'
import { credentialsOf, type TestService } from './service.ts'

export async function uploadPicture({ origin }: TestService, width: number, height: number): Promise<number> {
  const png = await sharp({ create: { width, height, channels: 3, background: '#246' } })
    .png()
    .toBuffer()
  const uploaded = await fetch(`${origin}/wp-json/wp/v2/media`, {
    method: 'POST',
    headers: {
      ...credentialsOf('admin'),
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename=a.png',
    },
    body: new Uint8Array(png),
  })
  assert.equal(uploaded.status, 201)
  return ((await uploaded.json()) as { id: number }).id
}
