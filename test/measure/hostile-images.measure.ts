import { test } from 'node:test'
import sharp from 'sharp'
import { stripMetadata } from '../../src/store/media/strip-metadata.ts'
import { holdsUpNobody } from '../support/longest-turn.ts'

test('a JPEG of nothing but fill bytes or comments holds up nobody', async () => {
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
  const [start, scan, comment] = [
    picture.subarray(0, 2),
    Buffer.from('ffda000378', 'hex'),
    Buffer.from('fffe000378', 'hex'),
  ]
  for (const bytes of [
    Buffer.concat([start, scan, Buffer.alloc(10_000_000, 0xff)]),
    Buffer.concat([start, Buffer.alloc(10_000_000, comment)]),
  ])
    await holdsUpNobody('removing metadata', 100, () => stripMetadata(bytes, 'image/jpeg', 1))
})
