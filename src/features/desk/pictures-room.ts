import { randomUUID } from 'node:crypto'
import { limits } from '../../base/fields/limits.ts'
import { Problem } from '../../base/problems.ts'
import { plainText } from '../../base/text/html.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { changeTexts, mayDeleteImage, mayEditImage } from '../../calendar/images/image-texts.ts'
import { deleteImage, findOpenImage, imageUrl, withImages } from '../../calendar/images/images.ts'
import { can } from '../../calendar/people/caller.ts'
import type { ImageRow, PagedKind } from '../../store/storage/schema.ts'
import { media } from '../../wordpress/platform-media.ts'
import { pictureOf } from '../pages/cards.ts'
import { isUncropped } from '../pages/event-rows.ts'
import { writtenDate, writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html, link } from '../pages/page-html.ts'
import { type FormFaults, faultList, faultsOf, guarded, plainField, UNSENT_BY_ENTER } from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  fieldOf,
  recordIdIn,
  sayAtDesk,
} from './desk-page.ts'
import { faultOfSent, focalPointIn, keepSent, prepareSent, typedFocus } from './event-form/event-picture.ts'
import { countInWords } from './event-list.ts'
import { focusChoice } from './picture-library.ts'
import {
  changeFocus,
  countImages,
  findUnused,
  type ImageUse,
  listLatestImages,
  listUses,
  replaceFile,
} from './picture-store.ts'
import { type PictureText, sayOfPictures } from './picture-texts.ts'
import { findHrefs, linkOrText } from './record-links.ts'

const pictureTranslator =
  (site: Context['site']) =>
  (text: PictureText, values?: Readonly<Record<string, string>>): string =>
    sayOfPictures(site, text, values)

const PER_PAGE = 48
/** At most this many uses of each kind are listed on a picture's page. */
const MOST_USES = 20

const LISTS = [
  [undefined, 'All'],
  ['unused', 'Unused'],
  ['untold', 'Without text'],
] as const satisfies readonly (readonly [string | undefined, PictureText])[]

interface AskedPictures {
  search: string
  only: 'unused' | 'untold' | undefined
  before: number | undefined
}

function askedIn({ query }: Pick<DeskRequest, 'query'>): AskedPictures {
  const only = query.get('only')
  const before = query.get('before') ?? ''
  return {
    search: (query.get('search') ?? '').trim().slice(0, limits.search.characters),
    only: only === 'unused' || only === 'untold' ? only : undefined,
    before: /^[1-9]\d{0,14}$/.test(before) ? Number(before) : undefined,
  }
}

function pathOf({ site }: Context, { search, only, before }: Partial<AskedPictures>): string {
  const query = new URLSearchParams({
    ...(search && { search }),
    ...(only && { only }),
    ...(before !== undefined && { before: String(before) }),
  }).toString()
  return deskPath(site, query === '' ? '/pictures' : `/pictures?${query}`)
}

async function showPictures(request: DeskRequest): Promise<DeskView> {
  return listView(
    request,
    request.query.get('sent') === 'none' ? [sayOfPictures(request.context.site, 'Choose a picture')] : [],
  )
}

async function listView(request: DeskRequest, faults: readonly string[]): Promise<DeskView> {
  const { context, query } = request
  const { site, caller } = context
  const say = pictureTranslator(site)
  const asked = askedIn(request)
  const found = await listLatestImages(context, PER_PAGE + 1, asked)
  const rows = found.slice(0, PER_PAGE)
  const unused = await findUnused(
    context.db,
    rows.map(({ id }) => id),
  )
  const { search } = asked
  const counts = await Promise.all(LISTS.map(([only]) => countImages(context, { search, only })))
  const tabs = LISTS.map(
    ([only, text], at) =>
      html`<a href="${pathOf(context, { search, only })}"${
        only === asked.only && html` aria-current="page"`
      }>${say(text)} <span>${countInWords(context, counts[at] ?? 0)}</span></a>`,
  )
  const last = rows.at(-1)
  const added = query.get('added')?.replace(/\D/g, '').slice(0, 3)
  const nothing = asked.search !== '' || asked.only ? 'Nothing matches.' : 'Nothing here yet.'
  return {
    title: say('Pictures'),
    room: 'pictures',
    script: 'pictures-room.js',
    ...(faults.length > 0 && { status: 422 }),
    notice:
      query.get('removed') !== null
        ? say('Deleted')
        : added && say('Pictures added: {count}', { count: added }),
    body: html`${
      faults.length > 0 &&
      html`<div class="summary" role="alert" tabindex="-1" id="faults"><ul>${faults.map(
        (fault) => html`<li>${fault}</li>`,
      )}</ul></div>`
    }${can(caller, 'upload') && uploadForm(context)}
<nav class="tabs" aria-label="${say('Pictures')}">${tabs}</nav>
<form class="tools" method="get" role="search">${
      asked.only && html`<input type="hidden" name="only" value="${asked.only}">`
    }<input type="search" name="search" maxlength="${String(
      limits.search.characters,
    )}" value="${asked.search}" aria-label="${say('Search pictures')}" placeholder="${say(
      'Search pictures',
    )}"><button type="submit" class="button">${say('Search')}</button></form>
${rows.length === 0 && html`<p class="nothing">${say(nothing)}</p>`}<ul class="pictures">${rows.map((row) =>
      cardOf(context, row, unused.has(row.id)),
    )}</ul>
${
  (asked.before !== undefined || found.length > PER_PAGE) &&
  html`<nav class="pages" aria-label="${say('More pages')}">${
    asked.before !== undefined &&
    html`<a class="button" href="${pathOf(context, { ...asked, before: undefined })}">${say(
      'To the start of the list',
    )}</a>`
  }${
    found.length > PER_PAGE &&
    html`<a class="button" rel="next" href="${pathOf(context, { ...asked, before: last?.id })}">${say(
      'Next page',
    )}</a>`
  }</nav>`
}`,
  }
}

function uploadForm({ site, images: { maxBytes } }: Context): Html {
  const say = pictureTranslator(site)
  const most = writtenNumber(site, Math.floor(maxBytes / 1_000_000))
  const tooLarge = say('The picture is larger than {most} MB: choose a smaller one.', { most })
  return html`<form class="card upload" method="post" enctype="multipart/form-data" action="${deskPath(
    site,
    '/pictures',
  )}" data-most="${maxBytes}" data-too-large="${tooLarge}" data-failed="${say(
    'It could not be sent; try again in a moment.',
  )}"><input type="hidden" name="key" value="${randomUUID()}"><div class="field">\
<label for="pictures-sent">${say(
    'Upload pictures',
  )}</label><input type="file" id="pictures-sent" name="picture" accept="image/*" multiple \
aria-describedby="pictures-hint"><p class="hint" id="pictures-hint">${say('Up to {most} MB together.', {
    most,
  })}</p></div><p class="hint dropped" hidden>${say(
    'Or drop pictures here, or paste one.',
  )}</p><div><button type="submit" class="button main">${say('Upload')}</button></div></form>`
}

function pictureName({ site }: Context, row: ImageRow): string {
  return row.alt_text || plainText(row.title) || sayOfPictures(site, '(no title)')
}

function cardOf(context: Context, row: ImageRow, isUnused: boolean): Html {
  const { site } = context
  const picture = pictureOf(context, row)
  const notes = [
    row.alt_text === '' && sayOfPictures(site, 'Without text'),
    isUnused && sayOfPictures(site, 'Unused'),
  ].filter((note) => note !== false)
  return html`<li><a href="${deskPath(
    site,
    `/pictures/${row.id}`,
  )}"><span class="thumb"><img${isUncropped(picture) && html` class="whole"`} src="${link(
    picture.src,
  )}" alt="" loading="lazy"></span>\
<span class="name" dir="auto">${pictureName(context, row)}</span></a>${
    notes.length > 0 && html`<small>${notes.join(' · ')}</small>`
  }</li>`
}

/** Stores the sent pictures. A script sends them one at a time and gets JSON back. */
async function sendPictures(request: DeskRequest): Promise<DeskAnswer> {
  const { context, files } = request
  const { site, caller } = context
  if (!can(caller, 'upload')) throw new Problem('rest_forbidden')
  const sent = files.filter(({ size }) => size > 0)
  const isForScript = fieldOf(request, 'as') === 'data'
  if (sent.length === 0 && !isForScript) return { seeOther: deskPath(site, '/pictures?sent=none') }
  const faults: string[] = []
  const ids: number[] = []
  for (const file of sent) {
    const kept = await keepSent(context, file, fieldOf(request, 'key'))
    if ('id' in kept) ids.push(kept.id)
    else faults.push(isForScript ? kept.fault : `${file.fileName.slice(0, LONGEST_NAME)}: ${kept.fault}`)
  }
  if (isForScript) {
    const row = ids[0] === undefined ? undefined : await findOpenImage(context, ids[0])
    return row
      ? { data: { markup: cardOf(context, row, true).markup } }
      : { status: 422, data: { fault: faults.join(' ') } }
  }
  if (faults.length > 0) return listView(request, faults)
  return { seeOther: deskPath(site, `/pictures?added=${ids.length}`) }
}

const LONGEST_NAME = 100

/** @throws Problem rest_no_route if there is no such picture, or the caller may not see it */
async function getPicture(request: DeskRequest): Promise<ImageRow> {
  const row = await findOpenImage(request.context, recordIdIn(request) ?? 0)
  if (!row) throw new Problem('rest_no_route')
  return row
}

const TEXTS = ['alt_text', 'caption', 'title'] as const

async function showPicture(request: DeskRequest): Promise<DeskView> {
  const view = await pictureView(request.context, await getPicture(request))
  return request.query.has('saved') ? { ...view, notice: sayOfPictures(request.context.site, 'Saved') } : view
}

async function pictureView(
  context: Context,
  row: ImageRow,
  typed: Partial<Record<(typeof TEXTS)[number], string>> = {},
  faults: FormFaults = {},
): Promise<DeskView> {
  const { site, caller } = context
  const say = pictureTranslator(site)
  const mayEdit = mayEditImage(caller, row)
  const own = deskPath(site, `/pictures/${row.id}`)
  const focus = typedFocus(row)
  const size = `${writtenNumber(site, row.width)} × ${writtenNumber(site, row.height)}`
  const picture = html`<div class="picture whole"><img src="${link(
    imageUrl(row, context.images.mediaUrl),
  )}" width="${row.width}" height="${row.height}" alt="${row.alt_text}"></div><p class="hint">${size}, ${say(
    '{size} kB',
    { size: writtenNumber(site, Math.ceil(row.filesize / 1000)) },
  )}, ${writtenDate(site, row.date_utc.slice(0, 10), dayOf(wallNow(site.timezone, context.now)))}</p>`
  const field = (name: (typeof TEXTS)[number], label: PictureText, hint?: PictureText, type?: string) =>
    html`<input type="hidden" name="shown_${name}" value="${row[name]}">${plainField(
      {
        name,
        label: say(label),
        value: typed[name] ?? row[name],
        ...(hint && { hint: say(hint) }),
        ...(type && { type }),
        attributes: html` dir="auto"`,
      },
      faults,
    )}`
  return {
    title: pictureName(context, row),
    room: 'pictures',
    script: 'pictures-room.js',
    ...(Object.keys(faults).length > 0 && { status: 422 }),
    under: html`<a href="${deskPath(site, '/pictures')}">${say('Pictures')}</a>`,
    body: mayEdit
      ? html`${faultList(site, faults)}<form class="edit" method="post" enctype="multipart/form-data" \
novalidate${guarded(site)}>${UNSENT_BY_ENTER}<div class="story">${picture}
${field('alt_text', 'What it shows', 'For those who do not see it.')}${field(
  'caption',
  'Caption',
  undefined,
  'lines',
)}${field('title', 'Name', 'Found by the search.')}</div>
<aside class="aside"><section class="card"><h2>${say(
          'What stays in view',
        )}</h2><input type="hidden" name="shown_image_focus" value="${focus}">${focusChoice(
          site,
          focus,
        )}<p class="hint">${say('Pages crop pictures around this point.')}</p></section>
<section class="card"><h2>${say('Replace the file')}</h2>${replaceField(
          context,
          faults,
        )}</section>${await usesCard(context, row)}</aside>
<div class="savebar"><input type="hidden" name="key" value="${randomUUID()}">\
<button type="submit" class="button main">${say('Save')}</button>${
          mayDeleteImage(caller, row) &&
          html`<a class="button quiet bad end" href="${own}/delete">${say('Delete permanently')}</a>`
        }</div></form>`
      : html`<div class="edit"><div class="story">${picture}${
          row.caption !== '' && html`<p dir="auto">${plainText(row.caption)}</p>`
        }</div><aside class="aside">${await usesCard(context, row)}</aside></div>`,
  }
}

function replaceField({ site, images: { maxBytes } }: Context, faults: FormFaults): Html {
  const most = writtenNumber(site, Math.floor(maxBytes / 1_000_000))
  const tooLarge = sayOfPictures(site, 'The picture is larger than {most} MB: choose a smaller one.', {
    most,
  })
  const fault = faults.picture
  return html`<div class="field"><label class="hidden" for="picture">${sayOfPictures(
    site,
    'Replace the file',
  )}</label><input type="file" id="picture" name="picture" accept="image/*" data-most="${maxBytes}" \
data-too-large="${tooLarge}" aria-describedby="picture-hint">\
<p class="hint" id="picture-hint">${sayOfPictures(site, 'All that show it show the new one.')}</p>${
    fault && html`<p class="error" id="picture-error">${fault}</p>`
  }</div>`
}

async function usesCard(context: Context, { id }: ImageRow): Promise<Html> {
  const { site } = context
  const uses = await listUses(context, id, MOST_USES + 1)
  const shown = (kind: PagedKind) => uses.filter((use) => use.kind === kind).slice(0, MOST_USES)
  const all = [...shown('event'), ...shown('venue'), ...shown('organizer')]
  const hrefs = await hrefsOf(context, all)
  const today = dayOf(wallNow(site.timezone, context.now))
  const lines = all.map(({ kind, id: record, name, start }) => {
    const title = plainText(name) || sayOfPictures(site, '(no title)')
    const when = start && html` <small>${writtenDate(site, dayOf(start), today)}</small>`
    return html`<li>${linkOrText(hrefs.get(`${kind} ${record}`), title, {
      attributes: html` dir="auto"`,
    })}${when}</li>`
  })
  return html`<section class="card"><h2>${sayOfPictures(site, 'Shown by')}</h2>${
    lines.length > 0
      ? html`<ul class="plain">${lines}${uses.length > all.length && html`<li>…</li>`}</ul>`
      : html`<p class="hint">${sayOfPictures(site, 'Nothing shows it.')}</p>`
  }</section>`
}

async function hrefsOf(context: Context, uses: readonly ImageUse[]): Promise<Map<string, string>> {
  const kinds = ['event', 'venue', 'organizer'] as const
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const ids = uses.flatMap((use) => (use.kind === kind ? [use.id] : []))
      return [...(await findHrefs(context, kind, ids))].map(([id, href]) => [`${kind} ${id}`, href] as const)
    }),
  )
  return new Map(found.flat())
}

/** Saves the picture; of its texts, those that differ from what the form first showed. */
async function savePicture(request: DeskRequest): Promise<DeskAnswer> {
  const { context, form, files } = request
  const row = await getPicture(request)
  if (!mayEditImage(context.caller, row)) throw new Problem('rest_forbidden')
  const typed: Partial<Record<(typeof TEXTS)[number], string>> = {}
  for (const name of TEXTS)
    if (name in form && fieldOf(request, name) !== fieldOf(request, `shown_${name}`))
      typed[name] = fieldOf(request, name)
  const again = (faults: FormFaults) => pictureView(context, row, typed, faults)
  const file = files.find(({ size }) => size > 0)
  const focus = fieldOf(request, 'image_focus')
  const isFocused =
    !file &&
    'image_focus' in form &&
    focus !== ('shown_image_focus' in form ? fieldOf(request, 'shown_image_focus') : typedFocus(row))
  try {
    const { fields } = media.resource
    const values = await parseFields(fields, typed, context, { extent: 'partial', mayAsk: true })
    const { file: _file, ...texts } = values as Parameters<typeof changeTexts>[2] & { file?: unknown }
    const prepared = file && (await prepareSent(context, file))
    await context.write(async (tx) => {
      if (Object.keys(texts).length > 0) await changeTexts(tx, row.id, texts, context)
      if (isFocused) await changeFocus(tx, row.id, focalPointIn(focus), context)
      if (prepared) await replaceFile(tx, row.id, prepared, context)
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const faults = faultsOf(context.site, error, media.resource.fields)
    if (faults) return again(faults)
    if (!file || error.code === 'rest_forbidden') throw error
    return again({ picture: await faultOfSent(context, file, error) })
  }
  return { seeOther: deskPath(context.site, `/pictures/${row.id}?saved`) }
}

async function askToDelete(request: DeskRequest): Promise<DeskView> {
  const { context } = request
  const { site } = context
  const row = await getPicture(request)
  if (!mayDeleteImage(context.caller, row)) throw new Problem('rest_forbidden')
  const own = deskPath(site, `/pictures/${row.id}`)
  const uses = await usesCard(context, row)
  const form: Content = html`<form method="post" action="${own}/delete"><input type="hidden" name="sure" \
value="1"><p class="ways"><button type="submit" class="button bad">${sayOfPictures(
    site,
    'Delete permanently',
  )}</button><a class="button quiet" href="${own}">${sayOfPictures(site, 'Back')}</a></p></form>`
  return {
    title: sayAtDesk(site, 'Remove “{name}”?', { name: pictureName(context, row) }),
    room: 'pictures',
    under: html`<a href="${own}">${sayOfPictures(site, 'Back to the form')}</a>`,
    body: html`<div class="confirm">${uses}<p>${sayOfPictures(
      site,
      'This cannot be undone.',
    )}</p>${form}</div>`,
  }
}

async function deletePicture(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const row = await getPicture(request)
  if (!mayDeleteImage(context.caller, row)) throw new Problem('rest_forbidden')
  if (fieldOf(request, 'sure') !== '1') return askToDelete(request)
  await context.write((tx) => deleteImage(tx, row, context))
  return { seeOther: deskPath(context.site, '/pictures?removed') }
}

const keepingFiles =
  (post: (request: DeskRequest) => Promise<DeskAnswer>) =>
  (request: DeskRequest): Promise<DeskAnswer> =>
    withImages(request.context, () => post(request))

export const picturePages: readonly DeskPage[] = [
  { at: '/pictures', get: showPictures, post: keepingFiles(sendPictures) },
  { at: '/pictures/:id', get: showPicture, post: keepingFiles(savePicture) },
  { at: '/pictures/:id/delete', get: askToDelete, post: keepingFiles(deletePicture) },
]
