import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { listHistory } from '../../src/features/accounts/audit-command.ts'
import { deskPrunings } from '../../src/features/desk/desk-rows.ts'
import { proposeChange } from '../../src/features/desk/review/review.ts'
import {
  discardUnsavedText,
  findUnsavedText,
  keepUnsavedText,
  listUnsavedTexts,
} from '../../src/features/desk/review/unsaved-texts.ts'
import { createRecord, removeRecord, updateRecord } from '../../src/features/desk/save-form.ts'
import { listTables } from '../../src/features/transfer/tables.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { callerContext, servedAt } from '../support/caller-context.ts'
import { featureTables } from '../support/feature-tables.ts'
import { pluck } from '../support/lists.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const events = servedAt('events')
const text = (record: number, values: Record<string, unknown>, form: string, version: number) => ({
  ...{ kind: 'event', record, form, version, values },
})
const later = <Context extends { now: number }>(context: Context, seconds: number): Context => ({
  ...context,
  now: context.now + seconds * 1000,
})

test('what somebody writes is kept for them alone, at most every five seconds and 200 kB', async () => {
  const editor = await callerContext(service, 'editor')
  const { id, version } = await createRecord(editor, events, { title: 'Saved', ...day })
  const typed = text(id, { title: 'Typed' }, '', version)
  equal(await keepUnsavedText(editor, typed), 'kept')
  equal(await keepUnsavedText(later(editor, 4), { ...typed, values: { title: 'Typed on' } }), 'too soon')
  equal(await keepUnsavedText(later(editor, 6), { ...typed, values: { title: 'Typed on' } }), 'kept')
  equal(
    await keepUnsavedText(later(editor, 60), { ...typed, values: { title: 'x'.repeat(200_001) } }),
    'too large',
  )
  deepEqual((await findUnsavedText(editor, 'event', id))?.values, { title: 'Typed on' })
  equal(await findUnsavedText(await callerContext(service, 'admin'), 'event', id), undefined)
  equal((await service.get(`/events/${id}`, 'editor')).body.title, 'Saved')
  await discardUnsavedText(editor, 'event', id)
  deepEqual(await listUnsavedTexts(editor), [])
})

test('it goes when it is saved, also of a new record, and in all forms when it is trashed', async () => {
  const author = await callerContext(service, 'author')
  await keepUnsavedText(author, text(0, { title: 'New' }, 'one', 0))
  const { id, version } = await createRecord(author, events, { title: 'New', ...day }, undefined, 'one')
  deepEqual(await listUnsavedTexts(author), [])
  await keepUnsavedText(later(author, 9), text(id, { title: 'Newer' }, '', version))
  await updateRecord(author, events, id, { title: 'Newer' })
  deepEqual(await listUnsavedTexts(author), [])
  for (const [at, form] of ['', 'one', 'two'].entries())
    await keepUnsavedText(later(author, 18 + at * 9), text(id, {}, form, version))
  equal((await listUnsavedTexts(author)).length, 3)
  await removeRecord(author, events, id)
  deepEqual(await listUnsavedTexts(author), [])
})

test('forms of two new records have a text each, and saving one leaves the other', async () => {
  const admin = await callerContext(service, 'admin')
  const typedIn = (form: string, record = 0) => ({
    kind: 'event',
    record,
    form,
    version: 0,
    values: { title: form },
  })
  equal(await keepUnsavedText(admin, typedIn('one')), 'kept')
  equal(await keepUnsavedText(later(admin, 9), typedIn('two')), 'kept')
  equal(await keepUnsavedText(later(admin, 18), typedIn('x'.repeat(65))), 'too large')
  equal((await findUnsavedText(admin, 'event', 0, 'one'))?.values.title, 'one')
  equal((await findUnsavedText(admin, 'event', 0))?.values.title, 'two')
  await createRecord(admin, events, { title: 'Two', ...day }, undefined, 'two')
  deepEqual(pluck(await listUnsavedTexts(admin), 'form'), ['one'])
  await discardUnsavedText(admin, 'event', 0, 'one')
  deepEqual(await listUnsavedTexts(admin), [])
})

test('nothing that caches go by moves, nothing stands in the history, and copies leave it out', async () => {
  const { database } = service.app
  const editor = await callerContext(service, 'editor')
  const contributor = await callerContext(service, 'contributor')
  const { id, version } = await service.event({ title: 'Theirs', ...day, author: contributor.caller.id })
  const acts = () => listHistory(database.read, {}, 10)
  // On PostgreSQL, cursors and ETags also list, behind dashes, transactions of other databases that ran
  // during the last change. They are removed here.
  const position = async () => (await database.cursor()).split('-')[0]
  const etag = async () =>
    (await service.get('/events', 'anonymous')).headers.get('etag')?.replace(/(?<=\.\d+)(?:-\d+)+(?=\.)/, '')
  const [before, told] = [await position(), await acts()]
  // An answer is named by its content once it has been requested twice.
  await etag()
  const shown = await etag()
  ok(shown)
  for (let i = 0; i < 20; i += 1)
    await keepUnsavedText(later(editor, 100 + 10 * i), text(i, { title: 'x' }, '', 0))
  const proposed = await proposeChange(
    contributor,
    events,
    id,
    { values: { title: 'Proposed' }, version },
    'Please',
  )
  ok('proposal' in proposed)
  equal(await position(), before)
  equal(await etag(), shown)
  deepEqual(await acts(), told)
  const names = (await listTables(database.read, await featureTables())).map(({ name }) => name)
  ok(names.includes('proposals') && !names.includes('unsaved_texts') && !names.includes('bulk_changes'))
})

test('it goes after thirty days, and of more than a hundred the oldest', async () => {
  const editor = await callerContext(service, 'editor')
  for (let i = 0; i < 105; i += 1)
    await keepUnsavedText(later(editor, 1000 + 10 * i), {
      kind: 'venue',
      record: i,
      form: '',
      version: 0,
      values: {},
    })
  equal((await listUnsavedTexts(editor)).length, 100)
  await dropOld(service.app.database, 0, editor.now + 29 * 86_400_000, undefined, deskPrunings)
  equal((await listUnsavedTexts(editor)).length, 100)
  await dropOld(service.app.database, 0, editor.now + 32 * 86_400_000, undefined, deskPrunings)
  deepEqual(await listUnsavedTexts(editor), [])
})
