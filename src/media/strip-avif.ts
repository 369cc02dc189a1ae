/** A box of an ISO base media file: its type and where its content lies. */
interface Box {
  type: string
  /** Where the four letters of the type begin. */
  typeAt: number
  start: number
  end: number
}

/** A box that every reader ignores. */
const FREE = 'free'
/** Items that are no part of the picture: Exif, XMP and all others with a media type. */
const TOLD = new Set(['Exif', 'mime', 'uri '])
/** Boxes that hold other boxes, and boxes of data about the picture, which are erased. */
const CONTAINERS = new Set(['moov', 'trak'])
const DROPPED = new Set(['uuid', 'udta'])

/**
 * An AVIF without metadata. Everything stays in its place, since boxes refer to offsets: removed parts are overwritten
 * with zeros. The orientation is a property of the picture, and stays. @throws RangeError for a file whose boxes cannot be told apart
 */
export function stripAvif(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const rooms: [start: number, end: number][] = [[0, copy.length]]
  for (let room = rooms.pop(); room; room = rooms.pop()) {
    for (const box of boxesIn(copy, room[0], room[1])) {
      if (CONTAINERS.has(box.type)) rooms.push([box.start, box.end])
      if (DROPPED.has(box.type)) erase(copy, box)
      if (box.type === 'meta') eraseItems(copy, box)
    }
  }
  return copy.equals(bytes) ? bytes : copy
}

const MOST_BOXES = 10_000

function boxesIn(bytes: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = []
  for (let at = start; at + 8 <= end; ) {
    const short = bytes.readUInt32BE(at)
    const isLong = short === 1
    const size = short === 0 ? end - at : isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short
    const head = isLong ? 16 : 8
    if (size < head || at + size > end || boxes.length >= MOST_BOXES)
      throw new RangeError('A box is of no possible size.')
    const type = bytes.toString('latin1', at + 4, at + 8)
    boxes.push({ type, typeAt: at + 4, start: at + head, end: at + size })
    at += size
  }
  return boxes
}

function erase(bytes: Buffer, { typeAt, start, end }: Box): void {
  bytes.write(FREE, typeAt, 'latin1')
  bytes.fill(0, start, end)
}

/** Overwrites the items of a `meta` box that tell of the picture, and their types. */
function eraseItems(bytes: Buffer, meta: Box): void {
  const boxes = boxesIn(bytes, meta.start + 4, meta.end)
  const find = (type: string) => boxes.find((box) => box.type === type)
  const [infos, places, data] = [find('iinf'), find('iloc'), find('idat')]
  for (const box of boxes) if (DROPPED.has(box.type)) erase(bytes, box)
  if (!infos) return
  const told = new Set(typedItems(bytes, infos).flatMap((item) => (TOLD.has(item.type) ? [item] : [])))
  if (told.size === 0) return
  const ids = new Set([...told].map(({ id }) => id))
  let left = bytes.length
  for (const { id, start, end } of places ? itemPlaces(bytes, places, data?.start) : []) {
    if (!ids.has(id)) continue
    left -= end - start
    if (!(start >= 0 && end <= bytes.length && left >= 0)) throw new RangeError('An item lies where it cannot.')
    bytes.fill(0, start, end)
  }
  for (const { typeAt } of told) bytes.write('skip', typeAt, 'latin1')
}

interface Item {
  id: number
  type: string
  typeAt: number
}

/** The items of an `iinf` box. */
function typedItems(bytes: Buffer, { start, end }: Box): Item[] {
  const first = start + (bytes.readUInt8(start) === 0 ? 6 : 8)
  return boxesIn(bytes, first, end).map((entry) => {
    const version = bytes.readUInt8(entry.start)
    if (version < 2) throw new RangeError('An item has no type.')
    const id = version === 2 ? bytes.readUInt16BE(entry.start + 4) : bytes.readUInt32BE(entry.start + 4)
    const typeAt = entry.start + (version === 2 ? 8 : 10)
    return { id, type: bytes.toString('latin1', typeAt, typeAt + 4), typeAt }
  })
}

interface Place {
  id: number
  start: number
  end: number
}

/** Where the items of an `iloc` box lie; `data` is the start of the `idat` box. */
function itemPlaces(bytes: Buffer, { start, end }: Box, data: number | undefined): Place[] {
  const version = bytes.readUInt8(start)
  const sizes = bytes.readUInt16BE(start + 4)
  const [offset, length, base, index] = [
    sizes >> 12,
    (sizes >> 8) & 15,
    (sizes >> 4) & 15,
    version === 0 ? 0 : sizes & 15,
  ]
  let at = start + 6
  const take = (size: number): number => {
    if (at + size > end) throw new RangeError('The places of items end too early.')
    at += size
    if (size === 0) return 0
    return size === 8 ? Number(bytes.readBigUInt64BE(at - size)) : bytes.readUIntBE(at - size, size)
  }
  const places: Place[] = []
  for (let left = take(version < 2 ? 2 : 4); left > 0; left--) {
    const id = take(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : take(2) & 15
    take(2)
    const from = take(base) + (method === 1 ? (data ?? Number.NaN) : 0)
    for (let extents = take(2); extents > 0; extents--) {
      take(index)
      const first = from + take(offset)
      // No length means all that follows; no picture is written so.
      places.push({ id, start: first, end: first + take(length) })
    }
  }
  return places
}
