import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { inMemory, type PreparedImage, prepareImage } from '../../src/store/media/image-sizes.ts'
import { drawPng } from '../support/pictures.ts'

// Both are made before the first image is prepared, since preparing disables the readers of other formats in
// this process.
const drawing = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="9" height="9"/></svg>',
)
const scan = await plain(400, 300).tiff().toBuffer()

const TOO_LARGE = { code: 'rest_upload_image_too_large', details: { data: { limit: 64_000_000 } } }

function plain(width: number, height: number) {
  return sharp({
    create: { width, height, channels: 3, background: { r: 200, g: 40, b: 40 } },
    limitInputPixels: false,
  })
}

async function prepared(bytes: Buffer, fileName = 'poster'): Promise<PreparedImage> {
  const image = await prepareImage(inMemory(bytes), fileName)
  ok(image)
  return image
}

async function dimensions({ full, sizes }: PreparedImage): Promise<Record<string, string>> {
  const measured: Record<string, string> = {}
  for (const [name, { bytes, width, height, ending }] of Object.entries({ full, ...sizes })) {
    deepEqual((await sharp(bytes).metadata()).autoOrient, { width, height }, name)
    measured[name] = `${width}x${height} ${ending}`
  }
  return measured
}

describe('the sizes of an image', () => {
  test('are none when it is as small as a thumbnail', async () => {
    for (const [width, height] of [
      [120, 90],
      [150, 150],
      [1, 1],
    ] as const) {
      const bytes = await plain(width, height).png().toBuffer()
      const image = await prepared(bytes)
      deepEqual(image, {
        stem: 'poster',
        mimeType: 'image/png',
        full: { ending: '.png', bytes, width, height },
        sizes: {},
      })
    }
  })

  test('are those smaller than the image, in the order answers list them', async () => {
    const image = await prepared(await plain(1200, 900).jpeg().toBuffer())
    deepEqual(Object.entries(await dimensions(image)), [
      ['full', '1200x900 .jpg'],
      ['medium', '300x225 -300x225.jpg'],
      ['large', '1024x768 -1024x768.jpg'],
      ['thumbnail', '150x150 -150x150.jpg'],
      ['medium_large', '768x576 -768x576.jpg'],
    ])
    equal(image.original, undefined)
  })

  test('start with a thumbnail as soon as one side is longer than it', async () => {
    deepEqual(await dimensions(await prepared(await plain(200, 100).png().toBuffer())), {
      full: '200x100 .png',
      thumbnail: '150x100 -150x100.png',
    })
  })

  test('share a file where their dimensions are the same', async () => {
    const { sizes } = await prepared(await plain(1000, 1333).jpeg().toBuffer())
    deepEqual([sizes.large?.ending, sizes.medium_large?.ending], ['-768x1024.jpg', '-768x1024.jpg'])
    equal(sizes.large, sizes.medium_large)
  })

  test('leave out the width of 768 where the image is narrower, however tall', async () => {
    const names = Object.keys((await prepared(await plain(700, 2500).jpeg().toBuffer())).sizes)
    deepEqual(names, ['medium', 'large', 'thumbnail', '1536x1536', '2048x2048'])
  })

  test('show the middle of the image in the thumbnail', async () => {
    const side = (background: string) => drawPng(200, 200, background)
    const strip = await plain(600, 200)
      .composite([
        { input: await side('#000'), left: 0, top: 0 },
        { input: await side('#fff'), left: 400, top: 0 },
      ])
      .png()
      .toBuffer()
    const { dominant } = await sharp((await prepared(strip)).sizes.thumbnail?.bytes).stats()
    deepEqual(dominant, (await sharp(await plain(9, 9).png().toBuffer()).stats()).dominant)
  })
})

describe('an image of more than 2560 pixels', () => {
  test('is shown as a scaled copy, with the original kept as it came', async () => {
    const bytes = await plain(3000, 1500).jpeg().toBuffer()
    const image = await prepared(bytes)
    deepEqual(await dimensions(image), {
      full: '2560x1280 -scaled.jpg',
      medium: '300x150 -300x150.jpg',
      large: '1024x512 -1024x512.jpg',
      thumbnail: '150x150 -150x150.jpg',
      medium_large: '768x384 -768x384.jpg',
      '1536x1536': '1536x768 -1536x768.jpg',
      '2048x2048': '2048x1024 -2048x1024.jpg',
    })
    deepEqual(image.original, { ending: '.jpg', bytes })
  })

  test('is not copied when it has just that many', async () => {
    const image = await prepared(await plain(2560, 20).png().toBuffer())
    deepEqual([image.full.ending, image.original], ['.png', undefined])
  })
})

describe('every format', () => {
  for (const [format, mimeType, extension] of [
    ['jpeg', 'image/jpeg', 'jpg'],
    ['png', 'image/png', 'png'],
    ['gif', 'image/gif', 'gif'],
    ['webp', 'image/webp', 'webp'],
    ['avif', 'image/avif', 'avif'],
  ] as const) {
    test(`${format} keeps its own in all sizes, whatever the file was called`, async () => {
      const image = await prepared(await plain(400, 300)[format]().toBuffer(), 'poster.txt')
      equal(image.mimeType, mimeType)
      deepEqual(await dimensions(image), {
        full: `400x300 .${extension}`,
        medium: `300x225 -300x225.${extension}`,
        thumbnail: `150x150 -150x150.${extension}`,
      })
      for (const { bytes } of Object.values(image.sizes)) {
        equal((await sharp(bytes).metadata()).mediaType, mimeType)
      }
    })
  }

  test('of colour is turned into the colours of screens', async () => {
    const print = await plain(400, 300).toColourspace('cmyk').jpeg().toBuffer()
    const deep = await plain(400, 300).toColourspace('rgb16').png().toBuffer()
    for (const bytes of [print, deep]) {
      const { space, depth } = await sharp((await prepared(bytes)).sizes.medium?.bytes).metadata()
      deepEqual([space, depth], ['srgb', 'uchar'])
    }
  })

  test('keeps what is see-through', async () => {
    const glass = await sharp({
      create: { width: 400, height: 300, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0.5 } },
    })
      .png()
      .toBuffer()
    equal((await sharp((await prepared(glass)).sizes.medium?.bytes).metadata()).hasAlpha, true)
  })

  test('is measured and scaled the way it is held up', async () => {
    const sideways = await plain(400, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const image = await prepared(sideways)
    deepEqual(await dimensions(image), {
      full: '300x400 .jpg',
      medium: '225x300 -225x300.jpg',
      thumbnail: '150x150 -150x150.jpg',
    })
    equal((await sharp(image.sizes.medium?.bytes).metadata()).orientation, undefined)
  })

  test('that moves is never replaced by a copy, and its sizes show the first frame', async () => {
    const frames = Buffer.concat([Buffer.alloc(2600 * 20 * 3, 250), Buffer.alloc(2600 * 20 * 3, 5)])
    const moving = await sharp(frames, { raw: { width: 2600, height: 40, channels: 3, pageHeight: 20 } })
      .gif()
      .toBuffer()
    const image = await prepared(moving)
    deepEqual(
      [image.full.width, image.full.height, image.full.bytes, image.original],
      [2600, 20, moving, undefined],
    )
    const { channels } = await sharp(image.sizes.thumbnail?.bytes).stats()
    ok((channels[0]?.min ?? 0) > 200)
  })
})

describe('no image is made', () => {
  const png = plain(400, 300).png().toBuffer()

  test('of drawings, scans, other formats and text that is called one', async () => {
    for (const bytes of [
      drawing,
      scan,
      ...['%PDF-1.4', 'GIF89a', '', '<!doctype html><script>'].map(Buffer.from),
    ])
      equal(await prepareImage(inMemory(bytes), 'poster.png'), undefined)
  })

  test('of a file that is cut short or damaged', async () => {
    const noise = Buffer.from(Array.from({ length: 200 * 200 * 3 }, (_, i) => (i * 7919) % 251))
    const whole = await sharp(noise, { raw: { width: 200, height: 200, channels: 3 } })
      .png()
      .toBuffer()
    ok(await prepareImage(inMemory(whole), 'poster.png'))
    equal(await prepareImage(inMemory(whole.subarray(0, whole.length / 2)), 'poster.png'), undefined)
    const damaged = Buffer.from(whole)
    damaged.fill(0x55, 60, whole.length - 60)
    equal(await prepareImage(inMemory(damaged), 'poster.png'), undefined)
  })

  test('of few bytes that unfold to too many pixels', async () => {
    const bomb = await plain(8100, 8100).toColourspace('b-w').png().toBuffer()
    ok(bomb.length < 400_000)
    await rejects(prepareImage(inMemory(bomb), 'poster.png'), TOO_LARGE)
  })

  test('of a header that promises more pixels than there could be', async () => {
    const liar = Buffer.from(await png)
    liar.writeUInt32BE(60_000, 16)
    liar.writeUInt32BE(60_000, 20)
    equal(await prepareImage(inMemory(liar), 'poster.png'), undefined)
  })

  test('of one file, and the next is made all the same', async () => {
    const [first, second] = await Promise.all([
      prepareImage(inMemory(Buffer.from('no')), 'a.png'),
      prepareImage(inMemory(await png), 'b.png'),
    ])
    deepEqual([first, second?.stem], [undefined, 'b'])
  })
})

describe('the name of a stored file', () => {
  const names: [given: string, stem: string][] = [
    ['poster.png', 'poster'],
    ['Summer Fair (final) v2.PNG', 'Summer-Fair-final-v2'],
    ['café crème.jpeg', 'cafe-creme'],
    ['poster.php.png', 'poster-php'],
    ['../../etc/passwd', 'passwd'],
    ['..\\windows\\poster.png', 'poster'],
    ['.htaccess', 'htaccess'],
    ['-_-.png', 'image'],
    ['海報.png', 'image'],
    ['', 'image'],
    ['a b\u0000c\n.png', 'a-b-c'],
    [`${'long'.repeat(100)}.png`, 'long'.repeat(20)],
  ]
  for (const [given, stem] of names) {
    test(`is ${stem} for ${JSON.stringify(given).slice(0, 40)}`, async () => {
      equal((await prepared(await plain(2, 2).png().toBuffer(), given)).stem, stem)
    })
  }
})
