import { deepEqual, equal, match } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

async function iconsOf(settings: object) {
  await using service = await startService(settings)
  const ask = async (path: string) => {
    const response = await fetch(`${service.origin}${path}`)
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    }
  }
  const again = await Promise.all([ask('/favicon.ico'), ask('/favicon.ico')])
  deepEqual(again[0]?.bytes, again[1]?.bytes)
  return { ico: await ask('/favicon.ico'), touch: await ask('/apple-touch-icon.png') }
}

const pixel = async (png: Buffer, x: number, y: number) => {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)]
}

test('icons are where browsers and devices look for them, in the accent of the site', async () => {
  const { ico, touch } = await iconsOf({ pages_accent: '#b30' })
  deepEqual([ico.status, touch.status], [200, 200])
  equal(ico.headers.get('content-type'), 'image/x-icon')
  equal(touch.headers.get('content-type'), 'image/png')
  match(ico.headers.get('cache-control') ?? '', /max-age=86400/)
  deepEqual([...ico.bytes.subarray(0, 8)], [0, 0, 1, 0, 1, 0, 48, 48])
  const png = ico.bytes.subarray(ico.bytes.readUInt32LE(18))
  equal(png.length, ico.bytes.readUInt32LE(14))
  equal((await pixel(png, 0, 0))[3], 0)
  deepEqual(await pixel(png, 24, 5), [0xbb, 0x33, 0, 255])
  deepEqual(await pixel(png, 24, 28), [255, 255, 255, 255])
  const { width, height } = await sharp(touch.bytes).metadata()
  deepEqual([width, height], [180, 180])
  deepEqual(await pixel(touch.bytes, 0, 0), [0xbb, 0x33, 0, 255])
})

test('icons are made of the logo where it has pixels, of the mark where it has lines', async () => {
  const folder = temporaryFolder()
  const [png, svg] = [join(folder, 'logo.png'), join(folder, 'logo.svg')]
  const ground = { width: 60, height: 30, channels: 3, background: '#00f' } as const
  writeFileSync(png, await sharp({ create: ground }).png().toBuffer())
  writeFileSync(
    svg,
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  )
  const drawn = await iconsOf({ pages_logo: png })
  deepEqual(await pixel(drawn.touch.bytes, 90, 90), [0, 0, 255, 255])
  deepEqual(await pixel(drawn.touch.bytes, 90, 5), [255, 255, 255, 255])
  const marked = await iconsOf({ pages_logo: svg, pages_accent: '#0b6e5f' })
  deepEqual(await pixel(marked.touch.bytes, 0, 0), [0x0b, 0x6e, 0x5f, 255])
})
