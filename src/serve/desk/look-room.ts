import { isLookFile } from '../../base/look-files.ts'
import { readTexts } from '../../base/look-settings.ts'
import { Problem } from '../../base/problems.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { can } from '../../calendar/people/caller.ts'
import { findVersion } from '../../calendar/records/versions.ts'
import { holdName } from '../../store/storage/locks.ts'
import {
  faultOfSetting,
  isGiven,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerTexts,
  type OwnerValues,
  readOwnerSettings,
  SETTINGS_RECORD,
  setOwnerSettings,
  withOwnerSettings,
} from '../../store/storage/owner-settings.ts'
import { ASSETS_PATH } from '../pages/page-assets.ts'
import { html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'
import { type FormFaults, faultList } from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  fieldOf,
  sayAtDesk,
} from './desk-page.ts'
import { contrastNotes, lookControls, STYLE_SETTINGS } from './look-form.ts'
import { changesIn, type LookForm, typedSettings, typedTexts } from './look-values.ts'

// The look of the pages: a form beside a preview, which is the front page in a frame. The desk has a style of its own, which no look hides.

/** @throws Problem for callers who may not set the look over REST either */
function checkRight({ context: { caller } }: DeskRequest): void {
  if (!can(caller, 'manage_users')) throw new Problem('rest_forbidden')
}

async function showLook(request: DeskRequest): Promise<DeskAnswer> {
  checkRight(request)
  const { context, query } = request
  const { site, db } = context
  const view = lookView(request, await storedForm(request), await versionOf(db))
  return query.has('saved') ? { ...view, notice: sayAtDesk(site, 'The look is saved; all pages have it.') } : view
}

const versionOf = async (db: DeskRequest['context']['db']): Promise<string> =>
  String((await findVersion(db, 'settings', SETTINGS_RECORD)).sequence)

/** The form with the values in effect. */
async function storedForm({ context: { site, db }, start }: DeskRequest): Promise<LookForm> {
  const set = await readOwnerSettings(db)
  const config = withOwnerSettings(start, set)
  const given = new Set(OWNER_SETTINGS.filter((name) => isGiven(start, name)))
  const files = Object.entries(set).filter(([name]) => isLookFile(name) && !given.has(name))
  return {
    values: Object.fromEntries(OWNER_SETTINGS.flatMap((name) => (isLookFile(name) ? [] : [[name, config[name]]]))),
    texts: given.has('pages_texts') ? [] : readTexts(set.pages_texts ?? ''),
    shown: Object.fromEntries(files.map(([name, file]) => [name, pathTo(site, ASSETS_PATH + file)])),
    given,
    faults: {},
  }
}

function lookView(request: DeskRequest, form: LookForm, version: string): DeskView {
  const { site } = request.context
  const say = (text: MessageText) => sayAtDesk(site, text)
  const preview = deskPath(site, '/look/preview')
  return {
    ...(Object.keys(form.faults).length > 0 && { status: 422 }),
    title: say('Look'),
    room: 'look',
    framesOwn: true,
    body: html`<div class="look">${faultList(site, form.faults)}<form class="edit" method="post" action="${deskPath(site, '/look')}" enctype="multipart/form-data" novalidate data-guard data-look>
<input type="hidden" name="version" value="${version}"><div class="story">${lookControls(site, form)}</div>
<div class="savebar"><button type="submit" class="button main">${say('Save the look')}</button>${request.showLook && html`<button type="submit" class="button" formaction="${preview}" formenctype="application/x-www-form-urlencoded" formtarget="look-preview">${say('Try it out')}</button>`}</div></form>
${request.showLook && html`<iframe class="tried" name="look-preview" title="${say('The front page as it would look')}" src="${preview}"></iframe>`}
<details class="card plain"><summary>${say('Back to the plain look')}</summary><form method="post" action="${deskPath(site, '/look/reset')}"><p>${say('This takes back everything that was set here, the files and texts too.')}</p><button type="submit" class="button">${say('Take it all back')}</button></form></details></div>`,
  }
}

async function saveLook(request: DeskRequest): Promise<DeskAnswer> {
  checkRight(request)
  const { context } = request
  const stored = await storedForm(request)
  const { values, faults } = await changesIn(request, stored.given)
  const again = async (wrong: FormFaults) => {
    const typed = { values: { ...stored.values, ...typedSettings(request) }, texts: typedTexts(request) }
    return lookView(request, { ...stored, ...typed, faults: wrong }, await versionOf(context.db))
  }
  if (Object.keys(faults).length > 0) return again(faults)
  const isSaved = await writeLook(request, values, fieldOf(request, 'version'))
  if (isSaved) return { seeOther: `${deskPath(context.site, '/look')}?saved` }
  return again({
    site_name: sayAtDesk(
      context.site,
      'Somebody has changed the look meanwhile. What you typed is here; look at it, and save again.',
    ),
  })
}

/** Writes the values unless somebody has written others since this version; an empty one is any. */
function writeLook({ context }: DeskRequest, values: OwnerValues, version: string): Promise<boolean> {
  return context.write(async (tx) => {
    await holdName(tx, 'settings')
    if (version !== '' && version !== (await versionOf(tx))) return false
    await setOwnerSettings(tx, values)
    return true
  })
}

async function resetLook(request: DeskRequest): Promise<DeskAnswer> {
  checkRight(request)
  const { given } = await storedForm(request)
  const names = OWNER_SETTINGS.filter((name) => !given.has(name))
  await writeLook(request, Object.fromEntries(names.map((name) => [name, null])), '')
  return { seeOther: `${deskPath(request.context.site, '/look')}?saved` }
}

/** The settings that saving the form would give; a wrong value changes nothing. */
async function tried(request: DeskRequest, typed: OwnerTexts): Promise<OwnerTexts> {
  const set = await readOwnerSettings(request.context.db)
  for (const [name, value] of Object.entries(typed) as [OwnerSetting, string][])
    if (value === '') delete set[name]
    else if (faultOfSetting(name, value) === undefined) set[name] = value
  return set
}

/** Answers with the front page in the typed look. Nobody else sees it, and nothing is stored. */
async function previewLook(request: DeskRequest): Promise<DeskAnswer> {
  checkRight(request)
  const { context, showLook: show, start, method } = request
  if (!show) throw new Problem('rest_no_route')
  const set = await tried(request, method === 'POST' ? typedSettings(request) : {})
  const config = withOwnerSettings(start, set)
  const query = new URLSearchParams(Object.fromEntries(STYLE_SETTINGS.map((name) => [name, config[name]])))
  const banner = html`<div class="contrast">${contrastNotes(context.site, config.pages_accent, config.pages_scheme)}</div>`
  const document = await show.page(set, `/desk/look/style?${query}`, banner)
  return { document, isFramed: true }
}

/** The style sheet of a preview. */
async function previewStyle(request: DeskRequest): Promise<DeskAnswer> {
  checkRight(request)
  const { query, showLook: show } = request
  if (!show) throw new Problem('rest_no_route')
  const typed = STYLE_SETTINGS.map((name) => [name, query.get(name) ?? ''])
  return { style: await show.style(await tried(request, Object.fromEntries(typed))) }
}

export const lookPages: readonly DeskPage[] = [
  { at: '/look', get: showLook, post: saveLook },
  { at: '/look/reset', post: resetLook },
  { at: '/look/preview', get: previewLook, post: previewLook },
  { at: '/look/style', get: previewStyle },
]
