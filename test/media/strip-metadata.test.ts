import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp, { type Sharp } from 'sharp'
import { inMemory, prepareImage } from '../../src/store/media/image-sizes.ts'
import { stripMetadata } from '../../src/store/media/strip-metadata.ts'

const SECRETS = ['51/1 30/1 11/1', 'Secret Street', 'serial-4711', 'Anna Private', 'GPSLatitude']

const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description exif:GPSLatitude="51,30.2N"
xmlns:exif="http://ns.adobe.com/exif/1.0/">Secret Street</rdf:Description></rdf:RDF></x:xmpmeta>\
<?xpacket end="w"?>`

const EXIF = {
  IFD0: { Artist: 'Anna Private', Make: 'serial-4711' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 11/1',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 40/1',
  },
}

function picture(width = 400, height = 300): Sharp {
  const patch = (background: string) => ({
    create: { width: width / 2, height: height / 2, channels: 3, background },
  })
  return sharp({ create: { width, height, channels: 3, background: '#b02020' } }).composite([
    { input: patch('#20b020') as never, left: width / 2, top: 0 },
    { input: patch('#2020b0') as never, left: 0, top: height / 2 },
  ])
}

const told = (image: Sharp) => image.withExif(EXIF).withXmp(XMP).withIccProfile('p3')

const FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const
const mimeTypeOf = (format: string) => `image/${format}`

async function strip(bytes: Buffer, format: string, orientation = 1): Promise<Buffer> {
  const stripped = await stripMetadata(bytes, mimeTypeOf(format), orientation)
  ok(stripped)
  return stripped
}

function assertSilent(bytes: Buffer): void {
  const text = bytes.toString('latin1')
  for (const secret of SECRETS) ok(!text.includes(secret), `${secret} is in the file`)
}

const pixelsOf = (bytes: Buffer) => sharp(bytes).autoOrient().raw().toBuffer()

for (const format of FORMATS) {
  describe(`of a ${format} image`, () => {
    test('positions, names and devices go; pixels and the colour profile stay', async () => {
      const bytes = await told(picture())[format]().toBuffer()
      ok(SECRETS.some((secret) => bytes.includes(secret)))
      const before = await sharp(bytes).metadata()
      ok(before.exif && before.xmp && before.icc)
      const stripped = await strip(bytes, format)
      assertSilent(stripped)
      const after = await sharp(stripped).metadata()
      equal(after.xmp, undefined)
      equal(after.exif, undefined)
      deepEqual(after.icc, before.icc)
      deepEqual(await pixelsOf(stripped), await pixelsOf(bytes))
      equal(await strip(stripped, format), stripped)
    })

    test('the whole image as it is stored says nothing either, in any size', async () => {
      const bytes = await told(picture(2700, 90))[format]().toBuffer()
      const image = await prepareImage(inMemory(bytes), 'poster')
      ok(image?.original)
      for (const file of [image.full, image.original, ...Object.values(image.sizes)]) {
        assertSilent(file.bytes)
        equal((await sharp(file.bytes).metadata()).exif, undefined)
      }
    })

    test('nothing is changed when there is nothing to remove', async () => {
      const bytes = await picture()[format]().toBuffer()
      equal(await strip(bytes, format), bytes)
    })

    test('a file cut off anywhere gives an image or nothing, and no error', async () => {
      const bytes = await told(picture(40, 30))[format]().toBuffer()
      for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 400)) {
        const stripped = await stripMetadata(bytes.subarray(0, length), mimeTypeOf(format), 6)
        ok(stripped === undefined || stripped.length <= bytes.length + 100)
      }
    })

    test('a file with a byte wrong anywhere gives an image or nothing, and no error', async () => {
      const bytes = await told(picture(40, 30))[format]().toBuffer()
      for (let at = 0; at < Math.min(bytes.length, 1500); at++) {
        const damaged = Buffer.from(bytes)
        damaged[at] = at % 3 === 0 ? 0xff : at % 3 === 1 ? 0 : (damaged[at] ?? 0) ^ 0x55
        const stripped = await stripMetadata(damaged, mimeTypeOf(format), 1)
        ok(stripped === undefined || stripped.length <= bytes.length + 100)
      }
    })
  })
}

describe('how an image is held up', () => {
  for (const format of ['jpeg', 'webp', 'png'] as const) {
    for (const orientation of [3, 6, 8]) {
      test(`stays with a ${format} image (${orientation})`, async () => {
        const bytes = await told(picture()).withMetadata({ orientation })[format]().toBuffer()
        const before = await sharp(bytes).metadata()
        equal(before.orientation, orientation)
        const stripped = await strip(bytes, format, orientation)
        assertSilent(stripped)
        const after = await sharp(stripped).metadata()
        deepEqual([after.orientation, after.autoOrient], [orientation, before.autoOrient])
        deepEqual(await pixelsOf(stripped), await pixelsOf(bytes))
        const image = await prepareImage(inMemory(bytes), 'turned')
        deepEqual(
          [image?.full.width, image?.full.height],
          [before.autoOrient.width, before.autoOrient.height],
        )
        assertSilent(image?.full.bytes ?? Buffer.alloc(0))
      })
    }
  }
})

describe('what cameras and programs put into a JPEG', () => {
  const segment = (marker: number, content: string) => {
    const body = Buffer.from(content, 'latin1')
    const head = Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255])
    return Buffer.concat([head, body])
  }

  test('goes: comments, IPTC, previews, makers’ notes, and what stands behind the image', async () => {
    const bytes = await picture().jpeg({ progressive: true }).toBuffer()
    const full = Buffer.concat([
      bytes.subarray(0, 2),
      segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0Secret Street'),
      segment(0xed, 'Photoshop 3.0\0Anna Private'),
      segment(0xfe, 'serial-4711'),
      segment(0xe2, 'MPF\0Secret Street'),
      segment(0xef, 'GPSLatitude'),
      bytes.subarray(2),
      Buffer.from('\xff\xd8\xff\xe1Secret Street\xff\xd9', 'latin1'),
    ])
    deepEqual(await strip(full, 'jpeg'), bytes)
    const image = await prepareImage(inMemory(full), 'poster')
    deepEqual(image?.full.bytes, bytes)
  })

  test('goes where its parts cannot be told apart: the image is made anew from its pixels', async () => {
    const bytes = await told(picture()).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const torn = Buffer.concat([bytes.subarray(0, 2), Buffer.from('junk'), bytes.subarray(2)])
    equal(await stripMetadata(torn, 'image/jpeg', 6), undefined)
    const image = await prepareImage(inMemory(torn), 'poster')
    deepEqual([image?.full.width, image?.full.height, image?.full.ending], [300, 400, '.jpg'])
    equal(image?.original, undefined)
    assertSilent(image?.full.bytes ?? Buffer.alloc(0))
    deepEqual(Object.keys(image?.sizes ?? {}), ['medium', 'thumbnail'])
  })
})

describe('a moving image', () => {
  const frames = Buffer.concat([Buffer.alloc(60 * 40 * 3, 250), Buffer.alloc(60 * 40 * 3, 5)])
  const moving = () => sharp(frames, { raw: { width: 60, height: 80, channels: 3, pageHeight: 40 } })

  test('as GIF loses comments and XMP and keeps its movement', async () => {
    const bytes = await moving()
      .gif({ loop: 3, delay: [50, 70] })
      .toBuffer()
    const comment = Buffer.from('\x21\xfe\x0dSecret Street\0', 'latin1')
    const xmp = Buffer.from('\x21\xff\x0bXMP DataXMP\x0cAnna Private\0', 'latin1')
    const table = 13 + 3 * 2 ** (((bytes[10] ?? 0) & 7) + 1) * Number(((bytes[10] ?? 0) & 0x80) !== 0)
    const full = Buffer.concat([
      bytes.subarray(0, table),
      comment,
      xmp,
      bytes.subarray(table),
      Buffer.from('serial-4711'),
    ])
    const stripped = await strip(full, 'gif')
    deepEqual(stripped, bytes)
    const image = await prepareImage(inMemory(full), 'moving')
    deepEqual(image?.full.bytes, bytes)
    const { pages, delay, loop } = await sharp(stripped).metadata()
    deepEqual([pages, delay, loop], [2, [50, 70], 3])
  })

  test('as WebP loses Exif and XMP and keeps its movement', async () => {
    const bytes = await told(moving())
      .webp({ delay: [50, 70] })
      .toBuffer()
    const stripped = await strip(bytes, 'webp')
    assertSilent(stripped)
    const { pages, delay, exif, icc } = await sharp(stripped).metadata()
    deepEqual([pages, delay, exif], [2, [50, 70], undefined])
    ok(icc)
  })
})
