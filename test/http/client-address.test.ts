import { deepEqual, equal } from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { clientAddress, trustedProxies } from '../../src/http/incoming.ts'
import { makeRateLimit, mayAskAgain } from '../../src/http/rate-limit.ts'

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

test('the client is the last hop that no believed proxy has added', () => {
  const trusted = trustedProxies(['127.0.0.1', '10.0.0.0/8', '::1'])
  for (const [request, expected] of [
    [from('192.0.2.1', '198.51.100.7'), '192.0.2.1'],
    [from('127.0.0.1'), '127.0.0.1'],
    [from('::ffff:127.0.0.1', '198.51.100.7'), '198.51.100.7'],
    [from('::1', '203.0.113.9, 198.51.100.7, 10.1.2.3'), '198.51.100.7'],
    [from('127.0.0.1', '10.1.2.3'), '10.1.2.3'],
    [from('127.0.0.1', 'nonsense'), '127.0.0.1'],
    [from('127.0.0.1', '198.51.100.7, nonsense, 10.0.0.1'), '10.0.0.1'],
  ] as const)
    equal(clientAddress(request, trusted), expected)
  equal(clientAddress(from('127.0.0.1', '198.51.100.7'), undefined), '127.0.0.1')
})

test('networks are given by bits, by a mask, or by name', () => {
  for (const [entry, inside, outside] of [
    ['10.0.0.0/8', '10.9.8.7', '11.0.0.1'],
    ['10.0.0.0/255.255.0.0', '10.0.8.7', '10.1.0.1'],
    ['loopback', '127.9.9.9', '128.0.0.1'],
    ['fd00::/8', 'fd12::1', 'fe80::1'],
  ] as const) {
    const trusted = trustedProxies([entry])
    equal(clientAddress(from(inside, '192.0.2.1'), trusted), '192.0.2.1', entry)
    equal(clientAddress(from(outside, '192.0.2.1'), trusted), outside, entry)
  }
})

test('a client may ask so often a second, twice as often at once, and others are not held to it', () => {
  const limit = makeRateLimit(2)
  const ask = (address: string, now: number) => mayAskAgain(limit, address, now)
  deepEqual(
    [0, 1, 2, 3, 4].map((now) => ask('192.0.2.1', now)),
    [true, true, true, true, false],
  )
  equal(ask('192.0.2.2', 5), true)
  equal(ask('192.0.2.1', 600), true)
  equal(ask('192.0.2.1', 601), false)
})

test('all addresses of an IPv6 network are one client', () => {
  const limit = makeRateLimit(1)
  equal(mayAskAgain(limit, '2001:db8:1:2::1', 0), true)
  equal(mayAskAgain(limit, '2001:db8:1:2:3:4:5:6', 0), true)
  equal(mayAskAgain(limit, '2001:0db8:1:2::9'.replace('0db8', 'db8'), 0), false)
  equal(mayAskAgain(limit, '2001:db8:1:3::1', 0), true)
})

test('the clients that are remembered are bounded', () => {
  const limit = makeRateLimit(1)
  for (let i = 0; i < 60_000; i++) mayAskAgain(limit, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, i)
  equal(limit.clients.size, 50_000)
})
