import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AtDesk, deskHere } from '../support/desk.ts'
import { drawPng } from '../support/pictures.ts'
import { onDay, serviceForTests } from '../support/service.ts'

describe('the pictures of a calendar, on pages of their own', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')
  const author = deskHere(service, 'author')
  const contributor = deskHere(service, 'contributor')

  async function send(
    as: AtDesk,
    path: string,
    fields: Record<string, string>,
    files: readonly { name: string; bytes: Uint8Array<ArrayBuffer> }[],
  ): Promise<Response> {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.append(name, value)
    for (const { name, bytes } of files) body.append('picture', new Blob([bytes]), name)
    const headers = { cookie: as.cookie, origin: new URL(service.origin).origin }
    return fetch(new URL(path, service.origin), { method: 'POST', body, redirect: 'manual', headers })
  }

  const png = async (name: string, color = '#0b6e5f') => ({
    name,
    bytes: new Uint8Array(await drawPng(60, 40, color)),
  })

  async function upload(as: AtDesk, name: string, color?: string): Promise<number> {
    const answer = await send(as, '/desk/pictures', { as: 'data' }, [await png(name, color)])
    equal(answer.status, 200)
    const { markup } = (await answer.json()) as { markup: string }
    return Number(/\/desk\/pictures\/(\d+)/.exec(markup)?.[1])
  }

  const shownIn = (body: string) =>
    [...body.matchAll(/href="\/desk\/pictures\/(\d+)"/g)].map(([, id]) => Number(id))

  test('several are sent at once, found by their words, and listed where nothing shows them', async () => {
    const several = [await png('harbour.png', '#112233'), await png('choir.png', '#445566')]
    const sent = await send(editor, '/desk/pictures', {}, several)
    equal(sent.headers.get('location'), '/desk/pictures?added=2')
    const [found, ...others] = shownIn((await editor.get('/desk/pictures?search=harb')).body)
    ok(found)
    deepEqual(others, [])
    const event = { title: 'Regatta', ...onDay('2027-05-04', '10:00', '12:00'), image: found }
    await service.event(event)
    const unused = shownIn((await editor.get('/desk/pictures?only=unused')).body)
    ok(!unused.includes(found))
    ok(unused.length > 0)
    const tabs = [
      ...(await editor.get('/desk/pictures?search=o')).body.matchAll(/(\w+) <span>(\d+)<\/span><\/a>/g),
    ]
    deepEqual(
      tabs.map(([, name, count]) => `${name} ${count}`),
      ['All 2', 'Unused 1', 'text 2'],
    )
    match((await editor.get(`/desk/pictures/${found}`)).body, /Shown by[\s\S]*Regatta/)
    match((await editor.get('/desk/pictures?sent=none')).body, /role="alert"/)
    equal((await send(editor, '/desk/pictures', {}, [])).headers.get('location'), '/desk/pictures?sent=none')
  })

  test('HEIC and what is no picture are refused in a sentence, and the others are kept', async () => {
    const heic = new Uint8Array(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1'))
    const files = [{ name: 'IMG_1.HEIC', bytes: heic }, await png('kept.png', '#778899')]
    const sent = await send(editor, '/desk/pictures', {}, files)
    equal(sent.status, 422)
    match(await sent.text(), /IMG_1\.HEIC: Pictures in the format HEIC[^<]*JPEG or PNG/)
    equal(shownIn((await editor.get('/desk/pictures?search=kept')).body).length, 1)
    const data = await send(editor, '/desk/pictures', { as: 'data' }, files.slice(0, 1))
    equal(data.status, 422)
    match(JSON.stringify(await data.json()), /HEIC/)
  })

  test('text, caption, name and focal point change, each only where the form shows another', async () => {
    const id = await upload(editor, 'boat.png', '#aa0000')
    const shown = { shown_alt_text: '', shown_caption: '', shown_title: 'boat', shown_image_focus: '' }
    await editor.save(`/desk/pictures/${id}`, {
      ...shown,
      alt_text: 'A boat',
      caption: 'Photo: Anna',
      title: 'boat',
      image_focus: '1 0.5',
    })
    const media = async () => (await service.get(`~/wp-json/wp/v2/media/${id}?context=edit`, 'admin')).body
    const after = await media()
    deepEqual([after.alt_text, after.caption.raw, after.title.raw], ['A boat', 'Photo: Anna', 'boat'])
    await editor.save(`/desk/pictures/${id}`, {
      ...shown,
      alt_text: '',
      caption: 'Photo: Bert',
      title: 'boat',
      image_focus: '',
    })
    deepEqual([(await media()).alt_text, (await media()).caption.raw], ['A boat', 'Photo: Bert'])
    const event = { title: 'Boats', ...onDay('2027-05-05', '10:00', '12:00'), image: id }
    const made = await service.event(event)
    equal((await service.get(`/events/${made.id}`)).body.image.focal_x, 1)
    equal((await editor.post(`/desk/pictures/${id}`, { ...shown, alt_text: 'x'.repeat(1500) })).status, 422)
  })

  test('another file takes the place of one, and events show it at once', async () => {
    const id = await upload(editor, 'old.png', '#00aa00')
    const event = { title: 'Shows it', ...onDay('2027-05-06', '10:00', '12:00'), image: id }
    const made = await service.event(event)
    const image = async () => (await service.get(`/events/${made.id}`)).body.image
    const before = await image()
    equal((await send(editor, `/desk/pictures/${id}`, {}, [await png('new.png', '#0000aa')])).status, 303)
    const after = await image()
    equal(after.id, id)
    match(after.url, /new\.png$/)
    equal((await fetch(after.url)).status, 200)
    equal((await fetch(before.url)).status, 404)
    const refused = await send(editor, `/desk/pictures/${id}`, {}, [
      { name: 'a.png', bytes: new Uint8Array([1]) },
    ])
    equal(refused.status, 422)
    match((await image()).url, /new\.png$/)
  })

  test('one changes and deletes one’s own, an editor all; a contributor sends none', async () => {
    const [own, other] = [
      await upload(author, 'mine.png', '#123123'),
      await upload(editor, 'yours.png', '#321321'),
    ]
    match((await author.get(`/desk/pictures/${own}`)).body, /name="alt_text"/)
    doesNotMatch((await author.get(`/desk/pictures/${other}`)).body, /name="alt_text"/)
    equal((await author.post(`/desk/pictures/${other}`, { alt_text: 'Mine' })).status, 403)
    equal((await author.post(`/desk/pictures/${other}/delete`, { sure: '1' })).status, 403)
    const list = await contributor.get('/desk/pictures')
    doesNotMatch(list.body, /type="file"/)
    const open = (await service.get('~/wp-json/wp/v2/media?per_page=100', 'contributor')).body
    deepEqual(shownIn(list.body).toSorted(), open.map((one: { id: number }) => one.id).toSorted())
    equal((await send(contributor, '/desk/pictures', {}, [await png('no.png')])).status, 403)
    match((await author.post(`/desk/pictures/${own}/delete`, {})).body, /cannot be undone/)
    equal((await author.post(`/desk/pictures/${own}/delete`, { sure: '1' })).status, 303)
    equal((await author.get(`/desk/pictures/${own}`)).status, 404)
  })

  test('a long list goes on from page to page', async () => {
    const row = await service.app.database.read
      .selectFrom('images')
      .selectAll()
      .limit(1)
      .executeTakeFirstOrThrow()
    await service.app.database.write(async (tx) => {
      for (let n = 0; n < 60; n++) {
        const id = 900_000 + n
        await tx.insertInto('records').values({ id, kind: 'image' }).execute()
        await tx
          .insertInto('images')
          .values({ ...row, id, file: `many-${n}.png`, slug: `many-${n}`, search: 'many' })
          .execute()
      }
    })
    const first = await editor.get('/desk/pictures?search=many')
    equal(shownIn(first.body).length, 48)
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first.body) ?? []
    equal(shownIn((await editor.get(next.replaceAll('&amp;', '&'))).body).length, 12)
  })
})
