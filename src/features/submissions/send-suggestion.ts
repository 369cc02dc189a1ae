import { Problem } from '../../base/problems.ts'
import { DAY_MS, HOUR_MS } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { problemAnswer } from '../../calendar/locales/problem-answers.ts'
import type { Exchange } from '../../http/incoming.ts'
import { encodeOne, inMemory } from '../../store/media/image-sizes.ts'
import { isBehind } from '../../store/memory/event-memory.ts'
import { attempt } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import { findClashes, type NearEvent } from '../desk/clashes.ts'
import type { FormFaults } from '../desk/desk-inputs.ts'
import { isSwitchOn, lastTyped, sayAtDesk, type TypedForm } from '../desk/desk-page.ts'
import { viewingOf } from '../pages/page-ground.ts'
import { type Content, html } from '../pages/page-html.ts'
import { chosenFor } from '../pages/public-pages.ts'
import { pathTo } from '../pages/viewing.ts'
import {
  ageOfForm,
  hashOfSecret,
  isProof,
  issuedAt,
  LEAST_AGE,
  newSecret,
  PROOF_BITS,
  sealForm,
  secretOfForm,
} from './form-token.ts'
import { tellReceived } from './received.ts'
import { linkExpires, MINE_PATH, queueLetter } from './submission-letters.ts'
import { networkOf, termsAddress, termsVersion } from './submission-rules.ts'
import {
  countLastHour,
  dropPicture,
  dropSubmission,
  findSubmission,
  hasPicture,
  insertSubmission,
  isFormUsed,
  keepLink,
  keepPrivatePicture,
  type NewSubmission,
  type SendingOutcome,
} from './submission-store.ts'
import type { Aside, Submission } from './submission-tables.ts'
import { saySubmission } from './submission-texts.ts'
import {
  digestOf,
  EVENT_CONTROLS,
  hasManyLinks,
  onlyControls,
  type ReadSender,
  type ReadSuggestion,
  readSender,
  readSuggestion,
  SENDER_CONTROLS,
  TRAP,
} from './suggest-form.ts'
import {
  type Asked,
  type FormParts,
  formHeaders,
  inQueue,
  type KeptForm,
  keyOf,
  laidOut,
  type SuggestAnswer,
  type SuggestPage,
  type SuggestRoute,
  venueNames,
} from './suggest-route.ts'
import { ADD_PATH, doublesNote, faultSummary, MOST_PICTURE, suggestForm } from './suggest-view.ts'

export const SENT_PATH = `${ADD_PATH}sent/`

/** In ms: how long a cached form is used. */
const KEPT_MS = 60_000
/** Pictures are scaled down to fit, in pixels. */
const PICTURE_SIZE = { width: 1600, height: 1600, fit: 'inside', withoutEnlargement: true } as const

async function showForm({ route, context }: Asked): Promise<SuggestAnswer> {
  const { kept } = route
  const { site, now } = context
  const key = await keyOf(route)
  const proof = await proofNow(route, context)
  const version = versionOf(route, now)
  const name = `${site.language} ${site.namedLanguage !== undefined}`
  const known = kept.get(name)
  const token = sealForm(key, now)
  const parts = known?.version === version ? known : await makeKept(route, context, { version, proof, token })
  kept.set(name, parts)
  return { parts, token }
}

const versionOf = ({ service: { memory } }: SuggestRoute, now: number) =>
  `${memory.version} ${memory.settings} ${Math.floor(now / KEPT_MS)}`

/** The cached form with a new token; no database read, since anybody can request it. */
function keptForm(route: SuggestRoute, exchange: Exchange): FormParts | undefined {
  const { seal, kept, service, all } = route
  if (!seal || isBehind(service.memory)) return undefined
  const { language, isNamed } = chosenFor(all, exchange)
  const isNamedHere = isNamed && service.site.languages.length > 1
  const parts = kept.get(`${language} ${isNamedHere}`)
  const now = service.now()
  return parts?.version === versionOf(route, now) ? { parts, token: sealForm(seal, now) } : undefined
}

async function makeKept(
  route: SuggestRoute,
  context: Context,
  { version, proof, token }: { version: string; proof: number | undefined; token: string },
): Promise<KeptForm> {
  const viewing = await viewingOf(route.all.pages, context, ADD_PATH)
  const { title, body } = await formView(route, context, { typed: {}, token, proof })
  const page = laidOut(route, viewing, { title, body })
  const bytes = Buffer.from(page)
  return { version, headers: formHeaders(route.service), page: bytes, at: bytes.indexOf(token), free: [] }
}

/** Bits of proof of work that a suggestion needs; undefined if few suggestions came in the last hour. */
async function proofNow(route: SuggestRoute, { db, now }: Context): Promise<number | undefined> {
  const { settings, lately } = route
  if (settings.proofAbove === 0) return undefined
  if (Math.abs(now - lately.at) > KEPT_MS / 2) {
    const sent = await countLastHour(db, now)
    const begins = lately.at > 0 && lately.sent <= settings.proofAbove && sent > settings.proofAbove
    route.lately = { at: now, sent, since: begins ? now : lately.since }
  }
  return route.lately.sent > settings.proofAbove ? PROOF_BITS : undefined
}

interface ShownAgain {
  typed: TypedForm
  token: string
  proof: number | undefined
  faults?: FormFaults
  notes?: Content
  doubles?: readonly NearEvent[]
  hasPicture?: boolean
}

async function formView(
  route: SuggestRoute,
  context: Context,
  { typed, token, proof, faults = {}, notes, doubles = [], hasPicture = false }: ShownAgain,
): Promise<{ title: string; body: Content }> {
  const { settings } = route
  const { site } = context
  const viewing = await viewingOf(route.all.pages, context)
  const seen = doubles.map(({ id }) => id).join(' ')
  const send = doubles.length > 0 ? 'It is another event: send mine' : 'Send the suggestion'
  return {
    title: saySubmission(site, 'Suggest an event'),
    body: html`<p class="lead">\
${saySubmission(site, 'Editors of this calendar look at every suggestion before it is published.')}</p>\
${suggestForm({
  viewing: { context, venues: venueNames(viewing) },
  typed,
  faults,
  action: withForm(pathTo(site, ADD_PATH), token),
  notes: html`${notes}${faultSummary(context, faults)}${doublesNote(context, doubles)}`,
  hasPicture,
  sender: {
    isAddressNeeded: settings.mode === 'confirmed',
    months: settings.months,
    terms: termsAddress(site, settings.terms),
  },
  proof: proof === undefined ? undefined : { bits: proof, worker: pathTo(site, route.assets.proof.path) },
  buttons: html`${seen !== '' && html`<input type="hidden" name="seen" value="${seen}">`}\
<input type="hidden" name="proof" value=""><p class="ways"><button type="submit" class="button main">\
${saySubmission(site, send)}</button></p>`,
})}`,
  }
}

const withForm = (path: string, token: string) => `${path}${path.includes('?') ? '&' : '?'}form=${token}`

const tokenIn = ({ query }: Pick<Asked, 'query'>) => query.get('form') ?? ''

async function takesFile(asked: Asked): Promise<boolean> {
  const { route, context } = asked
  const token = tokenIn(asked)
  if (ageOfForm(await keyOf(route), token, context.now) !== 'good') return false
  return !(await isFormUsed(context.db, hashOfSecret(token)))
}

function readForm(asked: Asked, form: string) {
  const { route, context, sent } = asked
  return inQueue(asked, 'reads', async () =>
    Promise.all([
      readSuggestion(context, sent),
      readSender(context, sent, route.settings.mode === 'confirmed'),
      isFormUsed(context.db, form),
      hasPicture(context.db, form),
    ]),
  )
}

async function takeForm(asked: Asked): Promise<SuggestAnswer> {
  const { route, context, sent } = asked
  const { now, site } = context
  const token = tokenIn(asked)
  const key = await keyOf(route)
  const age = ageOfForm(key, token, now)
  if (lastTyped(sent, TRAP) !== '' || age === 'early' || age === 'none') return keepAsSpam(asked, token)
  const form = hashOfSecret(token)
  const [suggestion, sender, isUsed, isPictured] = await readForm(asked, form)
  const typed = { ...onlyControls(sent, [...SENDER_CONTROLS, 'terms']), ...suggestion.typed }
  const proof = await proofNow(route, context)
  const again = (shown: Partial<ShownAgain>, more: { status: number; retryAfter?: number }) =>
    formAgain(asked, { typed, token, proof, hasPicture: isPictured && !isUsed, ...shown }, more)
  if (age === 'old') {
    const notes = html`<div class="summary" role="alert"><p>\
${saySubmission(
  site,
  'This page was open for more than a day. What you typed is here: look at it, and send it again.',
)}</p></div>`
    return again({ token: sealForm(key, now - LEAST_AGE), notes }, { status: 422 })
  }
  const isAgreed = route.settings.terms === '' || isSwitchOn(sent, 'terms')
  const faults = {
    ...suggestion.faults,
    ...sender.faults,
    ...(!isAgreed && { terms: sayAtDesk(site, 'Is needed.') }),
  }
  const file = asked.files.find(({ size }) => size > 0)
  if (Object.keys(faults).length > 0) {
    const lost = file && { image: saySubmission(site, 'Choose the picture again, please.') }
    return again({ faults: { ...faults, ...lost } }, { status: 422 })
  }
  const picture = isUsed ? undefined : await takePicture(asked, form)
  if (picture !== undefined) return again({ faults: { image: picture } }, { status: 422 })
  const doubles = await unseenDoubles(asked, suggestion)
  if (doubles.length > 0) {
    const isKept = await hasPicture(context.db, form)
    return again({ doubles, hasPicture: isKept }, { status: 200 })
  }
  const aside = asideOf(asked, token, proof)
  const kept = await keepSuggestion(asked, { suggestion, sender, form, aside }, secretOfForm(key, token))
  if ('over' in kept) return overView(asked, kept.over, { typed, token, proof, hasPicture: isPictured })
  return success(asked, kept.secret)
}

/** Why a suggestion is set aside, or empty. A form from before proof of work was required needs none. */
function asideOf({ sent, route }: Asked, token: string, proof: number | undefined): Aside {
  if (hasManyLinks(sent)) return 'links'
  if (issuedAt(token) < route.lately.since + 2 * KEPT_MS) return ''
  return proof !== undefined && !isProof(token, lastTyped(sent, 'proof')) ? 'proof' : ''
}

/** Redirects to the next page, the same for spam. */
function success({ route, context }: Asked, secret: string): SuggestAnswer {
  const { site } = context
  if (route.settings.mode === 'confirmed') return { seeOther: pathTo(site, SENT_PATH) }
  const path = pathTo(site, MINE_PATH)
  return { seeOther: `${path}${path.includes('?') ? '&' : '?'}token=${secret}` }
}

async function formAgain(
  { route, context }: Asked,
  shown: ShownAgain,
  { status, retryAfter }: { status: number; retryAfter?: number },
): Promise<SuggestAnswer> {
  const view = await formView(route, context, shown)
  return { ...view, status, ...(retryAfter !== undefined && { retryAfter }) }
}

const OVER = {
  address: 'From this address there were enough suggestions today. Try again tomorrow.',
  block: 'From your network there were enough suggestions just now. Try again in an hour.',
  all: 'There were enough suggestions just now. Try again in an hour.',
  unconfirmed: 'Too many suggestions wait just now. Try again tomorrow.',
  soon: 'A message is on its way to this address already. Try again in a while.',
} as const

type Over = Extract<SendingOutcome, { over: unknown }>['over']

function overView(asked: Asked, over: Over, shown: ShownAgain): Promise<SuggestAnswer> {
  const { site } = asked.context
  const isLong = over === 'address' || over === 'unconfirmed'
  const notes = html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>\
${saySubmission(site, OVER[over])} ${saySubmission(site, 'What you typed is still here.')}</p></div>`
  const retryAfter = (isLong ? DAY_MS : HOUR_MS) / 1000
  return formAgain(asked, { ...shown, notes }, { status: over === 'unconfirmed' ? 503 : 429, retryAfter })
}

/** Stores the picture; returns what is wrong with it, or undefined. */
async function takePicture(asked: Asked, form: string): Promise<string | undefined> {
  const { route, context, incoming, files, sent } = asked
  const { site, now } = context
  if (isSwitchOn(sent, 'without_picture')) await context.write((tx) => dropPicture(tx, form))
  const file = files.find(({ size }) => size > 0)
  if (!file) return undefined
  if (file.size > MOST_PICTURE) return saySubmission(site, 'A picture has 10 MB at the most.')
  try {
    const copy = await inQueue(asked, 'uploads', async () =>
      encodeOne(inMemory(await file.read()), (picture) =>
        picture.autoOrient().resize(PICTURE_SIZE).toColourspace('srgb').webp({ quality: 80 }),
      ),
    )
    if (!copy)
      return saySubmission(site, 'This picture cannot be read: send it as JPEG or PNG, or leave it out.')
    const picture = {
      form,
      block: networkOf(incoming.address),
      mime_type: 'image/webp',
      content: copy.toString('base64'),
    }
    const { block } = route.settings.limits
    const isKept = await context.write((tx) => keepPrivatePicture(tx, picture, block, now))
    return isKept ? undefined : saySubmission(site, 'No more pictures are taken just now: send it without.')
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'rest_upload_image_too_large') throw error
    return problemAnswer(error, site.language, true).body.message
  }
}

/** Events that may be the same as the suggested one; none if the sender has already seen them all. */
async function unseenDoubles(asked: Asked, { draft }: ReadSuggestion): Promise<NearEvent[]> {
  if (!draft) return []
  const { context, sent } = asked
  const seen = new Set(lastTyped(sent, 'seen').split(' '))
  const [near] = await inQueue(asked, 'reads', () => findClashes([draft], context))
  const doubles = near?.doubles ?? []
  return doubles.every(({ id }) => seen.has(String(id))) ? [] : doubles
}

interface Kept {
  suggestion: ReadSuggestion
  sender: ReadSender
  form: string
  aside: Aside
}

async function keepSuggestion(asked: Asked, kept: Kept, secret: string): Promise<Sent> {
  const { route } = asked
  const { suggestion, sender, form, aside } = kept
  const { draft, title, typed } = suggestion
  const isConfirmed = route.settings.mode === 'confirmed'
  const row: NewSubmission = {
    ...sentColumns(asked, sender, typed),
    state: isConfirmed ? 'unconfirmed' : 'waiting',
    aside,
    title,
    start_utc: draft?.utc_start_date ?? '',
    end_utc: draft?.utc_end_date ?? '',
    form,
    terms: termsVersion(route.settings.terms, route.all.pages.look),
  }
  return insertWithLink(asked, row, secret)
}

function sentColumns({ context, incoming }: Asked, sender: ReadSender, typed: TypedForm) {
  const { sender_name, address, domain, note } = sender
  const block = networkOf(incoming.address)
  const { language } = context.site
  return {
    sender_name,
    address,
    domain,
    note,
    block,
    language,
    typed: JSON.stringify(typed),
    digest: digestOf(typed),
  }
}

type Sent = { secret: string } | { over: Over }

/**
 * Inserts a suggestion with a link to its page. Returns that page's secret: a new one if the token was used
 * before, perhaps by somebody else.
 */
function insertWithLink(asked: Asked, row: NewSubmission, secretOfToken: string): Promise<Sent> {
  const { route, context } = asked
  const { now } = context
  return inQueue(asked, 'writes', () =>
    context.write(async (tx) => {
      const outcome = await insertSubmission(tx, row, route.settings.limits, now)
      if ('over' in outcome) return outcome
      if ('again' in outcome) return { secret: secretOfToken }
      if ('forgotten' in outcome) return { secret: newSecret() }
      const secret = outcome.isReplay ? newSecret() : secretOfToken
      if (route.settings.mode === 'confirmed') {
        const kept = await findSubmission(tx, outcome.id)
        if (kept?.state !== 'unconfirmed') {
          if (kept) await queueNothing(tx, context, kept)
          return { secret }
        }
        if (await queueLetter(tx, context, kept, { kind: 'confirm' })) return { secret }
        await dropSubmission(tx, kept.id)
        return { over: 'soon' as const }
      }
      const link = { hash: hashOfSecret(secret), submission: outcome.id, purpose: 'sender' as const }
      await keepLink(tx, { ...link, expires_utc: linkExpires(row.end_utc, now) })
      if (row.state === 'waiting' && !outcome.isReplay) await tellReceived(tx, outcome.id, now)
      return { secret }
    }),
  )
}

/** Queues a bot's confirmation message and rolls it back: a faster answer would tell that it is spam. */
async function queueNothing(tx: Tx, context: Context, spam: Submission): Promise<void> {
  const undo = new Error('No message is sent.')
  await attempt(tx, async () => {
    await queueLetter(tx, context, spam, { kind: 'confirm' })
    throw undo
  }).catch((error: unknown) => {
    if (error !== undo) throw error
  })
}

/** Maximum characters of spam stored, as JSON. Of longer spam, only three fields are stored. */
const MOST_KEPT = 20_000

async function keepAsSpam(asked: Asked, token: string): Promise<SuggestAnswer> {
  const { route, context, sent } = asked
  // The same work as for a suggestion, so that the answer takes as long.
  const [suggestion] = await readForm(asked, hashOfSecret(token))
  await unseenDoubles(asked, suggestion)
  const sender = readSender(context, sent, false)
  const whole = onlyControls(sent, EVENT_CONTROLS)
  const isLong = JSON.stringify(whole).length > MOST_KEPT
  const typed = isLong ? onlyControls(sent, ['title', 'start_date', 'venue_name']) : whole
  const secret = newSecret()
  const row: NewSubmission = {
    ...sentColumns(asked, sender, typed),
    state: 'spam',
    aside: '',
    title: lastTyped(sent, 'title').slice(0, 500),
    start_utc: '',
    end_utc: '',
    form: hashOfSecret(`${token} ${secret}`),
    terms: '',
  }
  const kept = await insertWithLink(asked, row, secret)
  if ('over' in kept) {
    const typedAgain = { ...onlyControls(sent, SENDER_CONTROLS), ...whole }
    const key = await keyOf(route)
    const shown = { typed: typedAgain, token: sealForm(key, context.now), proof: undefined }
    return overView(asked, kept.over, shown)
  }
  return success(asked, kept.secret)
}

async function showSent({ context }: Asked): Promise<SuggestAnswer> {
  const { site } = context
  return {
    title: saySubmission(site, 'Look into your mail'),
    body: html`<p class="lead">\
${saySubmission(
  site,
  'We have sent you a message. Open the link in it and confirm: only then the editors see your suggestion.',
)}\
</p><p>${saySubmission(
      site,
      'If it does not come within some minutes, look among the unwanted messages, and check the address.',
    )}\
</p><p class="ways"><a class="button" href="${pathTo(site, ADD_PATH)}">\
${saySubmission(site, 'Suggest another event')}</a> <a class="button" href="${pathTo(site, '/events/')}">\
${sayAtDesk(site, 'Events')}</a></p>`,
  }
}

export const addPage: SuggestPage = { kept: keptForm, get: showForm, post: takeForm, takesFile }
export const sentPage: SuggestPage = { get: showSent }
