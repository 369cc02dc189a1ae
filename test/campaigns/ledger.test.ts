import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acknowledge, type Change, type Entry, keyOf, type Ledger, openLedger, settle } from './ledger.ts'

// The ledger must notice every loss, or the crash campaign proves nothing.

const venue = (id: number, name: string, city = 'Springfield'): Entry => ({
  kind: 'venues',
  id,
  slug: name,
  state: { venue: name, city },
  owner: 1,
})
const tag = (id: number, name: string): Entry => ({ kind: 'tags', id, slug: name, state: { name }, owner: 1 })
const stored = (...entries: Entry[]) => new Map(entries.map((entry) => [keyOf(entry.kind, entry.id), entry]))

function openCreate(ledger: Ledger, isShared = false): void {
  const changes: Change[] = [
    { kind: 'venues', id: undefined, name: 'new', after: { venue: 'new', city: 'Springfield' } },
    { kind: 'tags', id: undefined, name: 'along', after: { name: 'along' }, isShared },
  ]
  ledger.open.add({ writer: 1, request: 'POST /venues', changes })
}

test('a calendar as it was acknowledged has no problems', () => {
  const ledger = openLedger(stored(venue(1, 'a'), tag(1, 'b')))
  assert.deepEqual(settle(ledger, stored(venue(1, 'a'), tag(1, 'b'))), { problems: [], done: 0, undone: 0 })
})

test('what is lost, wrong, nobody’s, twice there or has another slug is noticed', () => {
  const settled = (...found: Entry[]) =>
    settle(openLedger(stored(venue(1, 'a'))), stored(...found)).problems.join('\n')
  assert.match(settled(), /^lost: venues:1 a$/)
  assert.match(settled(venue(1, 'a', 'Shelbyville')), /^wrong: venues:1 /)
  assert.match(settled(venue(1, 'a'), venue(2, 'b')), /^nobody's: venues:2 b$/)
  assert.match(settled(venue(1, 'a'), { ...venue(2, 'a'), slug: 'a-2' }), /^twice there: venues a/)
  assert.match(settled({ ...venue(1, 'a'), slug: 'other' }), /^another slug: venues:1 /)
})

test('an acknowledged write has to be there as it was answered', () => {
  const ledger = openLedger(stored())
  openCreate(ledger)
  const [attempt] = ledger.open
  assert.ok(attempt)
  const shown = new Map([
    ['venues:new', { id: 7, slug: 'new' }],
    ['tags:along', { id: 8, slug: 'along' }],
  ])
  acknowledge(ledger, attempt, shown)
  assert.deepEqual(settle(ledger, stored(venue(7, 'new'))).problems, ['lost: tags:8 along'])
})

test('an unanswered request is done as a whole or not at all', () => {
  const outcome = (...found: Entry[]) => {
    const ledger = openLedger(stored())
    openCreate(ledger)
    const { problems, done, undone } = settle(ledger, stored(...found))
    return { isWhole: problems.length === 0, done, undone }
  }
  assert.deepEqual(outcome(venue(7, 'new'), tag(8, 'along')), { isWhole: true, done: 1, undone: 0 })
  assert.deepEqual(outcome(), { isWhole: true, done: 0, undone: 1 })
  assert.equal(outcome(venue(7, 'new')).isWhole, false)
  assert.equal(outcome(tag(8, 'along')).isWhole, false)
})

test('what several may make is there by one of them, and by nobody else', () => {
  const ledger = openLedger(stored())
  openCreate(ledger, true)
  assert.deepEqual(settle(ledger, stored(tag(8, 'along'))).problems, ["nobody's: tags:8 along"])
  openCreate(ledger, true)
  assert.equal(settle(ledger, stored(venue(7, 'new'))).problems.length, 1)
})

test('an unanswered change leaves the old state or the new one, and the ledger goes on from it', () => {
  const ledger = openLedger(stored(venue(1, 'a')))
  const change = (city: string): Change => ({ kind: 'venues', id: 1, name: 'a', after: { venue: 'a', city } })
  ledger.open.add({ writer: 1, request: 'PUT /venues/1', changes: [change('Shelbyville')] })
  assert.equal(settle(ledger, stored(venue(1, 'a', 'Shelbyville'))).done, 1)
  assert.deepEqual(settle(ledger, stored(venue(1, 'a'))).problems.length, 1)
  ledger.open.add({ writer: 1, request: 'PUT /venues/1', changes: [change('Capital City')] })
  assert.match(settle(ledger, stored(venue(1, 'a', 'Nowhere'))).problems.join(), /^half done: PUT/)
})
