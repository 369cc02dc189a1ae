/**
 * Slots in the order of their keys, in blocks, so that adding one among a million moves at most a block. A
 * slot is the small number that stands for an event in the columns of the index.
 */
export interface SortedSlots {
  blocks: Block[]
  /** The number of slots before each block; outdated after a change until the next count. */
  before: Int32Array
  isCounted: boolean
  size: number
}

interface Block {
  slots: Int32Array
  size: number
}

/** Returns a negative number if `a` comes before `b`; never 0 for two different slots. */
export type Order = (a: number, b: number) => number

const FULL = 1024

export function emptySlots(): SortedSlots {
  return { blocks: [], before: UNCOUNTED, isCounted: true, size: 0 }
}

/** The initial `before`. A list of one block needs no other, since that block starts at 0. */
const UNCOUNTED = new Int32Array(0)

/** Makes a list of slots that are already sorted; its blocks share the memory of the array. */
export function slotsInOrder(slots: Int32Array<ArrayBuffer>): SortedSlots {
  const blocks: Block[] = []
  for (let from = 0; from < slots.length; from += FULL) {
    const some = slots.subarray(from, from + FULL)
    blocks.push({ slots: some, size: some.length })
  }
  return { blocks, before: UNCOUNTED, isCounted: false, size: slots.length }
}

export function addSlot(list: SortedSlots, slot: number, order: Order): void {
  const at = blockFor(list, slot, order)
  const block = list.blocks[at]
  if (!block) {
    list.blocks.push({ slots: Int32Array.of(slot), size: 1 })
    changed(list, 1)
    return
  }
  if (block.size >= FULL) {
    split(list, at)
    addSlot(list, slot, order)
    return
  }
  insertInto(block, placeIn(block, slot, order), slot)
  changed(list, 1)
}

/**
 * Removes a slot, whose key must be the same as when the slot was added.
 * @throws Error if the slot is not at the place of its key
 */
export function removeSlot(list: SortedSlots, slot: number, order: Order): void {
  const at = blockFor(list, slot, order)
  const block = list.blocks[at]
  const place = block ? placeIn(block, slot, order) : 0
  if (!block || block.slots[place] !== slot) throw new Error(`slot ${slot} is not where its key belongs`)
  block.slots.copyWithin(place, place + 1, block.size)
  block.size--
  if (block.size === 0) list.blocks.splice(at, 1)
  changed(list, -1)
}

/** A position in the order: before all slots with `key`, or after them if `isOpen`. */
export interface Bound {
  key: number
  isOpen: boolean
  keys: Float64Array
  /** Slots below this number are in the order of their keys, so they compare with the bound by `first`. */
  ordered: number
  first: number
}

export function boundAt(keys: Float64Array, ordered: number, key: number, isOpen: boolean): Bound {
  let low = 0
  let high = ordered
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = keys[middle] as number
    if (isOpen ? other <= key : other < key) low = middle + 1
    else high = middle
  }
  return { key, isOpen, keys, ordered, first: low }
}

/**
 * Returns the number of slots before a bound, without a call per slot, since a circle counts hundreds of
 * lists.
 */
export function lowerBound(list: SortedSlots, bound: Bound): number {
  const { key, isOpen, keys, ordered, first } = bound
  let low = 0
  let high = list.blocks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const { slots, size } = list.blocks[middle] as Block
    const slot = slots[size - 1] as number
    const isBefore =
      slot < ordered ? slot < first : isOpen ? (keys[slot] as number) <= key : (keys[slot] as number) < key
    if (isBefore) low = middle + 1
    else high = middle
  }
  const block = list.blocks[low]
  if (!block) return list.size
  return countBefore(list, low) + firstFrom(block, bound)
}

function firstFrom({ slots, size }: Block, { key, isOpen, keys, ordered, first }: Bound): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    const slot = slots[middle] as number
    const isBefore =
      slot < ordered ? slot < first : isOpen ? (keys[slot] as number) <= key : (keys[slot] as number) < key
    if (isBefore) low = middle + 1
    else high = middle
  }
  return low
}

export function sliceSlots(list: SortedSlots, from: number, to: number): number[] {
  const slots: number[] = []
  if (from >= to) return slots
  let at = blockAt(list, from)
  let place = from - countBefore(list, at)
  while (slots.length < to - from) {
    const block = list.blocks[at]
    if (!block) break
    if (place < block.size) slots.push(block.slots[place++] as number)
    else {
      at++
      place = 0
    }
  }
  return slots
}

/** Visits `slots[from]` up to `slots[to - 1]`; returns false to end the walk. */
export type Run = (slots: Int32Array, from: number, to: number) => unknown

/** Visits the slots at positions `from` to `to - 1`, a block at a time, until `visit` returns false. */
export function eachRun(list: SortedSlots, from: number, to: number, visit: Run): void {
  let left = to - from
  if (left <= 0) return
  let at = blockAt(list, from)
  let place = from - countBefore(list, at)
  for (; left > 0; at++, place = 0) {
    const block = list.blocks[at]
    if (!block) return
    const end = Math.min(block.size, place + left)
    left -= end - place
    if (visit(block.slots, place, end) === false) return
  }
}

export function eachSlot(
  list: SortedSlots,
  from: number,
  to: number,
  visit: (slot: number) => boolean,
): void {
  eachRun(list, from, to, (slots, start, end) => {
    for (let place = start; place < end; place++) if (!visit(slots[place] as number)) return false
    return true
  })
}

function insertInto(block: Block, place: number, slot: number): void {
  if (block.size === block.slots.length) {
    const wider = new Int32Array(Math.min(FULL, block.slots.length * 2))
    wider.set(block.slots)
    block.slots = wider
  }
  block.slots.copyWithin(place + 1, place, block.size)
  block.slots[place] = slot
  block.size++
}

function split(list: SortedSlots, at: number): void {
  const block = list.blocks[at] as Block
  const half = block.size >>> 1
  const upper = { slots: new Int32Array(FULL), size: block.size - half }
  upper.slots.set(block.slots.subarray(half, block.size))
  block.size = half
  list.blocks.splice(at + 1, 0, upper)
}

/**
 * Returns the index of the first block whose last slot does not precede `slot`; without one, of the last
 * block.
 */
function blockFor(list: SortedSlots, slot: number, order: Order): number {
  let low = 0
  let high = list.blocks.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const block = list.blocks[middle] as Block
    if (order(block.slots[block.size - 1] as number, slot) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function placeIn(block: Block, slot: number, order: Order): number {
  let low = 0
  let high = block.size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (order(block.slots[middle] as number, slot) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function blockAt(list: SortedSlots, place: number): number {
  count(list)
  let low = 0
  let high = list.blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((list.before[middle] as number) <= place) low = middle
    else high = middle - 1
  }
  return low
}

function countBefore(list: SortedSlots, at: number): number {
  if (at === 0) return 0
  count(list)
  return list.before[at] ?? list.size
}

function count(list: SortedSlots): void {
  if (list.isCounted) return
  list.isCounted = true
  if (list.blocks.length <= 1) return
  if (list.before.length < list.blocks.length) list.before = new Int32Array(list.blocks.length + 16)
  let sum = 0
  list.blocks.forEach((block, at) => {
    list.before[at] = sum
    sum += block.size
  })
}

function changed(list: SortedSlots, by: number): void {
  list.size += by
  list.isCounted = false
}
