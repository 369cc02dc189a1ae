// @ts-check
// A worker that counts up until the SHA-256 hash of "token:number" begins with the required number of zero
// bits. It computes hashes itself: crypto.subtle is missing on plain http, and returns a promise for each.

const K = new Uint32Array(64)
const START = new Uint32Array(8)

/** Sets the constants of SHA-256: the first bits of the fractions of roots of primes (FIPS 180-4). */
for (let n = 2, found = 0; found < 64; n++) {
  let isPrime = true
  for (let d = 2; d * d <= n && isPrime; d++) isPrime = n % d !== 0
  if (!isPrime) continue
  if (found < 8) START[found] = (Math.sqrt(n) % 1) * 2 ** 32
  K[found++] = (Math.cbrt(n) % 1) * 2 ** 32
}

const W = new Uint32Array(64)
const turn = (/** @type {number} */ x, /** @type {number} */ n) => (x >>> n) | (x << (32 - n))

/** Returns the first 32 bits of the hash of an ASCII text. */
function firstWord(/** @type {string} */ text) {
  const blocks = Math.ceil((text.length + 9) / 64)
  const bytes = new DataView(new ArrayBuffer(blocks * 64))
  for (let i = 0; i < text.length; i++) bytes.setUint8(i, text.charCodeAt(i))
  bytes.setUint8(text.length, 0x80)
  bytes.setUint32(blocks * 64 - 4, text.length * 8)
  const h = START.slice()
  const at = (/** @type {Uint32Array} */ list, /** @type {number} */ i) => list[i] ?? 0
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < 16; i++) W[i] = bytes.getUint32(block * 64 + i * 4)
    for (let i = 16; i < 64; i++) {
      const [x, y] = [at(W, i - 15), at(W, i - 2)]
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
      W[i] = at(W, i - 16) + s0 + at(W, i - 7) + s1
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, l = 0] = h
    for (let i = 0; i < 64; i++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
      const t1 = (l + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(W, i)) | 0
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      l = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    for (const [i, word] of [a, b, c, d, e, f, g, l].entries()) h[i] = at(h, i) + word
  }
  return at(h, 0)
}

addEventListener('message', ({ data: { token, bits } }) => {
  for (let number = 0; ; number++) {
    if (firstWord(`${token}:${number}`) >>> (32 - bits) !== 0) continue
    postMessage(number)
    return
  }
})
