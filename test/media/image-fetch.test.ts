import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  type FetchedImage,
  type FetchLimits,
  fetchImage as fetchOrLack,
} from '../../src/calendar/images/images.ts'
import { isPublicAddress } from '../../src/store/media/public-addresses.ts'
import { PATIENCE_MS } from '../support/waiting.ts'

const PICTURE = Buffer.from('these bytes are looked at later')

const limits: FetchLimits = { hosts: ['127.0.0.1'], maxBytes: 100_000, timeoutMs: PATIENCE_MS }
const requests: IncomingMessage[] = []

const fetchImage: (...asked: Parameters<typeof fetchOrLack>) => Promise<FetchedImage | undefined> = async (
  ...asked
) => {
  const found = await fetchOrLack(...asked)
  return 'lack' in found ? undefined : found
}
const lackOf = async (...asked: Parameters<typeof fetchOrLack>) => {
  const found = await fetchOrLack(...asked)
  return 'lack' in found ? found.lack : undefined
}

const server = createServer((request, response) => {
  requests.push(request)
  answer(new URL(request.url ?? '', 'http://any'), response)
})
let port = 0
let base = ''

before(async () => {
  await new Promise<void>((ready) => server.listen(0, ready))
  port = (server.address() as AddressInfo).port
  base = `http://127.0.0.1:${port}`
})

after(() => {
  server.closeAllConnections()
  server.close()
})

const png = { 'content-type': 'image/png' }

const answers: Record<string, (response: ServerResponse, rest: string, query: URLSearchParams) => void> = {
  status: (response, rest) => response.writeHead(Number(rest), png).end(PICTURE),
  type: (response, _rest, query) =>
    response.writeHead(200, { 'content-type': query.get('is') ?? '' }).end(PICTURE),
  untyped: (response) => response.writeHead(200).end(PICTURE),
  to: (response, _rest, query) => response.writeHead(302, { location: query.get('url') ?? '' }).end(),
  hops: (response, rest) => {
    const next = rest === '1' ? '/poster.png' : `/hops/${Number(rest) - 1}`
    response.writeHead(307, { location: next }).end()
  },
  sized: (response, rest) => response.writeHead(200, png).end(Buffer.alloc(Number(rest))),
  announced: (response) => response.writeHead(200, { ...png, 'content-length': '5000000' }).flushHeaders(),
  endless: (response) => pour(response.writeHead(200, png)),
  cut: (response) => {
    response.writeHead(200, { ...png, 'content-length': '1000' }).write(PICTURE, () => response.destroy())
  },
  stalled: (response) => response.writeHead(200, png).write(PICTURE),
  silent: () => {},
}

function answer({ pathname, searchParams }: URL, response: ServerResponse): void {
  const [, what = '', rest = ''] = pathname.split('/')
  const special = answers[what]
  if (special) special(response, rest, searchParams)
  else response.writeHead(200, { 'content-type': 'Image/PNG; charset=binary' }).end(PICTURE)
}

function pour(response: ServerResponse): void {
  if (response.destroyed) return
  response.write(Buffer.alloc(10_000), () => setImmediate(pour, response))
}

describe('an image is fetched', () => {
  test('with its bytes, its type and the last part of its path', async () => {
    const image = await fetchImage(`${base}/a/gro%C3%9Fes%20poster.png?v=2`, limits)
    deepEqual(image, { bytes: PICTURE, mimeType: 'image/png', fileName: 'großes poster.png' })
  })

  test('and asked for without credentials', async () => {
    await fetchImage(`${base}/asked.png`, limits)
    const { headers } = requests.at(-1) ?? {}
    deepEqual([headers?.accept, headers?.authorization, headers?.cookie], ['image/*', undefined, undefined])
  })

  test('from a path whose escapes are wrong, under the name as it stands', async () => {
    equal((await fetchImage(`${base}/100%.png`, limits))?.fileName, '100%.png')
  })

  test('from a host named in any letter case, with or without a port', async () => {
    for (const host of ['LOCALHOST', `localhost:${port}`]) {
      ok(await fetchImage(`http://LocalHost:${port}/poster.png`, { ...limits, hosts: [host] }), host)
    }
  })

  test('through five redirects, and not through six', async () => {
    ok(await fetchImage(`${base}/hops/5`, limits))
    equal(await fetchImage(`${base}/hops/6`, limits), undefined)
  })

  test('up to the largest size and not a byte beyond', async () => {
    equal((await fetchImage(`${base}/sized/100000`, limits))?.bytes.length, 100_000)
    equal(await fetchImage(`${base}/sized/100001`, limits), undefined)
  })
})

describe('no image is fetched', () => {
  const refused: [why: string, path: string, lack: RegExp][] = [
    ['that is not there', '/status/404', /^the answer was 404$/],
    ['in part', '/status/206', /^the answer was 206$/],
    ['from a redirect that leads nowhere', '/status/302', /^it was redirected more than 5 times$/],
    ['of another type', '/type?is=text/plain', /^the answer is no image but text\/plain$/],
    ['of a type that only ends like an image', '/type?is=text/image/png', /no image but text\/image\/png$/],
    ['of no kind in particular', '/type?is=image/', /no image but image\/$/],
    ['without a type', '/untyped', /no image but of no type$/],
    [
      'that is announced as too large',
      '/announced',
      /^it has more than 100000 bytes, the most of KALENDS_IMAGE_BYTES$/,
    ],
    ['that never ends', '/endless', /^it has more than 100000 bytes/],
    ['that ends early', '/cut', /^its server does not answer as it should \(aborted\)$/],
    [
      'from a redirect to a scheme of files',
      '/to?url=file:///etc/hostname',
      /^only http and https addresses/,
    ],
    ['from a redirect in circles', '/to?url=/to?url=/to', /^it was redirected more than 5 times$/],
    ['from a redirect to no address at all', '/to?url=http://', /^the answer was 302$/],
  ]
  for (const [why, path, lack] of refused) {
    test(why, async () => match((await lackOf(base + path, limits)) ?? '', lack))
  }

  test('from a private address or a host that is not named, and it says how to name it', async () => {
    for (const host of ['10.0.0.1', 'localhost'])
      match(
        (await lackOf(`http://${host}:${port}/`, { ...limits, hosts: [] })) ?? '',
        new RegExp(`^${host} has no public address, .* KALENDS_IMAGE_HOSTS names it`),
      )
    equal(
      await lackOf(`http://localhost:${port}/`, limits),
      'localhost is not among the hosts of KALENDS_IMAGE_HOSTS',
    )
  })

  test('when the server takes too long to answer or to finish', async () => {
    for (const path of ['/silent', '/stalled']) {
      equal(await lackOf(base + path, { ...limits, timeoutMs: 150 }), 'it did not come within 0.15 seconds')
    }
  })

  test('when nobody listens', async () => {
    match((await lackOf('http://127.0.0.1:1/poster.png', limits)) ?? '', /ECONNREFUSED/)
  })

  test('from what is no address', async () => {
    for (const text of (
      '|poster.png|//127.0.0.1/x.png|data:image/' + 'png;base64,AAAA|file:///etc/hostname|http://'
    ).split('|')) {
      equal(await fetchImage(text, limits), undefined, text)
    }
  })
})

describe('no request is sent', () => {
  const unseen = async (url: string, hosts: string[]) => {
    const before = requests.length
    equal(await fetchImage(url, { ...limits, hosts }), undefined, url)
    equal(requests.length, before, `${url} was asked for`)
  }

  test('to this machine unless it is named, however its address is spelled', async () => {
    const spellings = '127.0.0.1 localhost localhost. 127.1 2130706433 0x7f000001 0177.0.0.1 0 0.0.0.0'.split(
      ' ',
    )
    const sixes = '[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1]'.split(' ')
    for (const host of [...spellings, ...sixes, '127.0.0.1.', '１２７.0.0.1'])
      await unseen(`http://${host}:${port}/poster.png`, [])
  })

  test('to a host that is not among those named', async () => {
    await unseen(`http://localhost:${port}/poster.png`, ['127.0.0.1'])
    await unseen(`http://127.0.0.1:${port}/poster.png`, ['localhost'])
    await unseen(`http://127.0.0.1:${port}/poster.png`, ['127.0.0.1.example.org', '127.0.0', '['])
  })

  test('with credentials in the address', async () => {
    await unseen(`http://me:secret@127.0.0.1:${port}/poster.png`, ['127.0.0.1'])
    await unseen(`http://me@127.0.0.1:${port}/poster.png`, ['127.0.0.1'])
  })

  test('beyond a redirect to a host that is not named, or with credentials', async () => {
    for (const url of [
      `http://localhost:${port}/poster.png`,
      `http://[::1]:${port}/poster.png`,
      `http://a:b@127.0.0.1:${port}/`,
    ]) {
      const before = requests.length
      equal(await fetchImage(`${base}/to?url=${encodeURIComponent(url)}`, limits), undefined)
      equal(requests.length, before + 1, `${url} was asked for`)
    }
  })
})

describe('a public address', () => {
  test('is one that is given out on the internet', () => {
    for (const ip of (
      '1.1.1.1 93.184.216.34 172.15.255.255 172.32.0.1 ' + '100.128.0.1 198.20.0.1 223.255.255.254'
    ).split(' ')) {
      equal(isPublicAddress(ip), true, ip)
    }
    for (const ip of ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888']) {
      equal(isPublicAddress(ip), true, ip)
    }
  })

  test('is none of the private, local or reserved ones of IPv4', () => {
    const networks =
      '0.0.0.0 0.1.2.3 10.0.0.1 127.0.0.1 127.255.255.254 172.16.0.1 172.31.255.255 192.168.1.1'.split(' ')
    const shared =
      '100.64.0.1 100.100.100.200 100.127.255.255 169.254.169.254 168.63.129.16 192.0.0.192'.split(' ')
    const reserved = '192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.9'.split(' ')
    const groups = ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255']
    for (const ip of [...networks, ...shared, ...reserved, ...groups]) equal(isPublicAddress(ip), false, ip)
  })

  test('is none of the local or reserved ones of IPv6, nor one that carries an IPv4 address', () => {
    const local = ':: ::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1 100::1'.split(' ')
    const carrying =
      '::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::8.8.8.8 64:ff9b:1::1 2002:808:808::1 2001:0:808:808::1'.split(' ')
    const reserved = ['2001:db8::1', '2001:2::1', '2001:10::1', '3fff::1', '5f00::1', '4000::1']
    for (const ip of [...local, ...carrying, ...reserved]) equal(isPublicAddress(ip), false, ip)
  })

  test('is no text that is not a plain address', () => {
    for (const text of (
      '|localhost|1.1.1|0x01.1.1.1|01.1.1.1|16843009|[2606:4700::1]|1.1.1.1 ' + '|2606:4700::1%1'
    ).split('|')) {
      equal(isPublicAddress(text), false, text)
    }
  })
})
