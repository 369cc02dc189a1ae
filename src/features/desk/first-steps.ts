import { can } from '../../calendar/people/caller.ts'
import { isGiven } from '../../store/storage/stored-settings.ts'
import { type OwnerSetting, readOwnerSettings } from '../pages/owner-settings.ts'
import { type Content, html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  sayAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { checkAdministrator } from './people-room.ts'

// First steps in a new calendar; each disappears once it is done or dismissed.

interface FirstStep {
  name: string
  text: DeskText
  hint?: DeskText
  path: (request: DeskRequest) => string
  isDone: (request: DeskRequest) => Promise<boolean>
}

const LOOKS: readonly OwnerSetting[] = ['pages_logo', 'pages_accent']

const STEPS: readonly FirstStep[] = [
  {
    name: 'import',
    text: 'Import events — paste a table or drop a file',
    path: ({ context, featurePages }) =>
      deskPath(context.site, featurePages.has('/import') ? '/import' : '/events/new'),
    isDone: ({ context: { db } }) =>
      isThere(db.selectFrom('events').select('id').limit(1).executeTakeFirst()),
  },
  {
    name: 'look',
    text: 'Logo and colour',
    hint: 'So that it looks like yours.',
    path: ({ context }) => deskPath(context.site, '/look'),
    isDone: async ({ context: { db }, start }) => {
      const set = await readOwnerSettings(db)
      return LOOKS.some((name) => isGiven(start, name) || set[name] !== undefined)
    },
  },
  {
    name: 'invite',
    text: 'Invite somebody',
    hint: 'They get a link that is good for seven days.',
    path: ({ context }) => deskPath(context.site, '/people/new'),
    isDone: async ({ context: { db } }) =>
      (await db.selectFrom('users').select('id').limit(2).execute()).length > 1,
  },
  {
    name: 'website',
    text: 'Put it on your website',
    hint: 'A line of HTML shows the calendar on another page.',
    path: ({ context }) => pathTo(context.site, '/embed/'),
    isDone: async () => false,
  },
]

const isThere = async (row: Promise<unknown>): Promise<boolean> => (await row) !== undefined

/** Returns the steps still to do, for administrators only. */
export async function firstSteps(request: DeskRequest): Promise<Content> {
  const { context, showLook: hasPages } = request
  const { site, db, caller } = context
  if (!can(caller, 'manage_users')) return false
  const waved = new Set((await db.selectFrom('waved_steps').select('step').execute()).map(({ step }) => step))
  if (STEPS.every(({ name }) => waved.has(name))) return false
  const states = await Promise.all(
    STEPS.map(async (step) => ({ step, isOver: waved.has(step.name) || (await step.isDone(request)) })),
  )
  const left = states.flatMap(({ step, isOver }) =>
    isOver || (step.name === 'website' && !hasPages) ? [] : [step],
  )
  if (left.length === 0) return false
  const say = (text: DeskText) => sayAtDesk(site, text)
  return html`<section class="card first-list"><h2>${say('Still to do')}</h2><ul class="lines">${left.map(
    (step) =>
      html`<li><a class="title" href="${step.path(request)}">${say(step.text)}${
        step.hint && html`<small>${say(step.hint)}</small>`
      }</a><form method="post" action="${deskPath(
        site,
        '/steps',
      )}"><button type="submit" class="button quiet" name="step" value="${step.name}" aria-label="${say(
        'Not needed',
      )}: ${say(step.text)}">${say('Not needed')}</button></form></li>`,
  )}</ul></section>`
}

async function waveAway(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context } = request
  const step = STEPS.find(({ name }) => name === fieldOf(request, 'step'))
  if (step)
    await context.write(async (tx) => {
      await tx
        .insertInto('waved_steps')
        .values({ step: step.name })
        .onConflict((conflict) => conflict.column('step').doNothing())
        .execute()
    })
  return { seeOther: deskPath(context.site, '/') }
}

export const firstStepPages: readonly DeskPage[] = [{ at: '/steps', post: waveAway }]
