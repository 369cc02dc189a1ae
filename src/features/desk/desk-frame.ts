import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Site } from '../../base/config.ts'
import { type Caller, can, seesUnpublished } from '../../calendar/people/caller.ts'
import { LONGEST_TITLE } from '../pages/layout.ts'
import { type Asset, accentStyle, markOf, mediaTypeOf } from '../pages/page-assets.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { shortened } from '../pages/teasers.ts'
import { pathTo } from '../pages/viewing.ts'
import {
  type DeskView,
  deskPath,
  deskTranslatorFor,
  type RoomGroup,
  type RoomLink,
  type RoomName,
  sayAtDesk,
} from './desk-page.ts'
import type { DeskPart, FeatureRoom } from './desk-part.ts'
import type { DeskText } from './desk-texts.ts'

export interface FrameFor {
  site: Site
  assets: DeskAssets
  /** Undefined if nobody is signed in. */
  caller: Caller | undefined
  name: string
  /** The number of entries that wait in the inbox. */
  waiting: number
  /** True while the database or its disk refuses writes: forms that would write are hidden. */
  isReadOnly: boolean
  parts: readonly DeskPart[]
}

const ROOMS: readonly { group: RoomGroup; heading?: DeskText; rooms: readonly RoomLink[] }[] = [
  {
    group: 'calendar',
    rooms: [
      { room: 'today', path: '/', text: 'Today', isFirst: true },
      { room: 'events', path: '/events', text: 'Events', isFirst: true },
      { room: 'month', path: '/month', text: 'Month', isFirst: true },
      { room: 'inbox', path: '/inbox', text: 'Inbox', isFirst: true, isFor: seesUnpublished },
    ],
  },
  {
    group: 'directory',
    heading: 'Directory',
    rooms: [
      { room: 'venues', path: '/venues', text: 'Venues' },
      { room: 'organizers', path: '/organizers', text: 'Organizers' },
      { room: 'categories', path: '/categories', text: 'Categories' },
      { room: 'tags', path: '/tags', text: 'Tags' },
      { room: 'pictures', path: '/pictures', text: 'Pictures' },
      {
        room: 'duplicates',
        path: '/duplicates',
        text: 'Duplicates',
        isFor: (caller) => can(caller, 'edit_others'),
      },
    ],
  },
  {
    group: 'owner',
    rooms: [
      { room: 'people', path: '/people', text: 'People', isFor: (caller) => can(caller, 'manage_users') },
      { room: 'look', path: '/look', text: 'Look', isFor: (caller) => can(caller, 'manage_users') },
      {
        room: 'settings',
        path: '/settings',
        text: 'Settings',
        isFor: (caller) => can(caller, 'manage_users'),
      },
    ],
  },
]

export function frameDesk(frame: FrameFor, view: DeskView): string {
  const { site, assets } = frame
  const say = deskTranslatorFor(site)
  const isWrong = (view.status ?? 200) >= 400
  const title = shortened(view.title, LONGEST_TITLE)
  const named = isWrong ? say('Error: {title}', { title }) : title
  const { markup } = html`<!doctype html>
<html lang="${site.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<title>${named} · ${site.name}</title>
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${pathTo(site, assets.icon)}">
<link rel="stylesheet" href="${pathTo(site, assets.style)}">
<script type="module" src="${pathTo(site, assets.script)}"></script>${
    view.script !== undefined &&
    html`<script type="module" src="${pathTo(site, assets.root + view.script)}"></script>`
  }
</head>
${view.isAlone || !frame.caller ? alone(frame, view) : framed(frame, frame.caller, view)}
</html>
`
  return markup
}

function alone({ site }: FrameFor, view: DeskView): Html {
  return html`<body class="alone">
<main id="main"><a class="brand" href="${pathTo(
    site,
    '/',
  )}"><i class="mark" aria-hidden="true"></i><span>${site.name}</span></a>
<h1>${view.title}</h1>
${view.notice && html`<div class="notice" role="status">${view.notice}</div>`}
${view.body}
</main>
</body>`
}

function framed(frame: FrameFor, caller: Caller, view: DeskView): Html {
  const { site, name } = frame
  const say = (text: Parameters<typeof sayAtDesk>[1]) => sayAtDesk(site, text)
  const initials = initialsOf(name)
  // Voice control goes by what is seen, so the accessible name has to contain the initials (WCAG 2.5.3).
  const spoken = name.toUpperCase().includes(initials) ? name : `${name}, ${initials}`
  return html`<body class="desk">
<a class="skip" href="#main">${say('Skip to content')}</a>
<header class="bar">
<form role="search" aria-label="${say('Search everything')}" method="get" action="${deskPath(
    site,
    '/search',
  )}"><label class="hidden" for="everything">${say(
    'Search everything',
  )}</label><input id="everything" type="search" name="search" maxlength="300" placeholder="${say('Search')}\
" autocomplete="off"><kbd aria-hidden="true">/</kbd><button type="submit" class="hidden">${say('Search')}\
</button></form>
<div class="end"><a class="button quiet far" href="${pathTo(site, '/events/')}">${say('View site')}</a>${
    can(caller, 'edit') &&
    html`<a class="button main" href="${deskPath(site, '/events/new')}" accesskey="n">${say('New event')}</a>`
  }<a class="account" href="${deskPath(site, '/me')}" aria-label="${say(
    'Your account',
  )}: ${spoken}" title="${name}">${initials}</a></div>
</header>
${rail(frame, caller, view.room)}
<main id="main"${frame.isReadOnly && html` class="readonly"`}>
${
  frame.isReadOnly &&
  html`<p class="summary" role="alert">${say('The service can only be read just now; try again later.')}</p>`
}<div class="head"><div><h1>${view.title}</h1>${view.under && html`<p>${view.under}</p>`}</div>${
    view.actions && html`<div class="end">${view.actions}</div>`
  }</div>
${html`<div id="notice" role="status">${view.notice && html`<div class="notice">${view.notice}</div>`}</div>`}
${view.body}
</main>
</body>`
}

function rail({ site, waiting, parts }: FrameFor, caller: Caller, current: RoomName | undefined): Html {
  const item = ({ room, path, text, isFirst, isFor }: RoomLink | FeatureRoom): Content => {
    if (isFor && !isFor(caller)) return false
    const count = room === 'inbox' && waiting > 0 ? html`<span class="count due">${waiting}</span>` : ''
    return html`<li${!isFirst && html` class="more"`}><a href="${deskPath(site, path)}"${
      room === current && html` aria-current="page"`
    }>${typeof text === 'string' ? sayAtDesk(site, text) : text(site)}${count}</a></li>`
  }
  const ofFeatures = parts.flatMap(({ rooms = [] }) => rooms)
  const groups = ROOMS.map(
    ({ group, heading, rooms }) =>
      html`${heading && html`<p class="group">${sayAtDesk(site, heading)}</p>`}<ul>${[
        ...rooms,
        ...ofFeatures.filter((room) => room.in === group),
      ].map(item)}</ul>`,
  )
  return html`<nav class="rail" aria-label="${sayAtDesk(site, 'Desk')}"><a class="brand" href="${deskPath(
    site,
    '/',
  )}"><i class="mark" aria-hidden="true"></i><span>${site.name}</span></a>
${groups}
<details class="rooms"><summary>${sayAtDesk(site, 'More')}</summary>${groups}</details>
<form class="end" method="post" action="${deskPath(
    site,
    '/sign-out',
  )}"><button type="submit" class="button quiet">${sayAtDesk(site, 'Sign out')}</button></form></nav>`
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const first = [...(words[0] ?? '')][0] ?? ''
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : ''
  return (first + last).toUpperCase()
}

/** Files served to browsers; their paths contain a hash of the content. */
export interface DeskAssets {
  root: string
  style: string
  script: string
  icon: string
  byPath: ReadonlyMap<string, Asset>
}

export const DESK_ASSETS_PATH = '/desk/assets/'

const folder = new URL('./assets/', import.meta.url)
const pagesFolder = new URL('../pages/assets/', import.meta.url)

const STYLES = ['desk.css', 'event-form.css', 'look.css']

/** Reads the desk's files. Scripts import each other and must be of one version: all paths share a hash. */
export function readDeskAssets(accent: string, parts: readonly DeskPart[] = []): DeskAssets {
  const files = new Map(filesIn(folder))
  const ofFeatures = parts.flatMap(({ assets }) => (assets ? filesIn(assets) : []))
  for (const [name, bytes] of ofFeatures) files.set(name, bytes)
  files.set('squire.js', readFileSync(new URL(import.meta.resolve('squire-rte'))))
  for (const name of ['leaflet.js', 'leaflet.css'])
    files.set(name, readFileSync(new URL(import.meta.resolve(`leaflet/dist/${name}`))))
  const tokens = readFileSync(new URL('tokens.css', pagesFolder))
  const names = [...STYLES, ...ofFeatures.flatMap(([name]) => (name.endsWith('.css') ? [name] : []))]
  const sheets = names.flatMap((name) => [files.get(name) ?? Buffer.alloc(0), Buffer.from('\n')])
  files.set(
    'desk.css',
    Buffer.concat([tokens, Buffer.from('\n'), ...sheets, Buffer.from(accentStyle(accent))]),
  )
  files.set('mark.svg', Buffer.from(markOf(accent)))
  const hash = createHash('sha256')
  for (const bytes of files.values()) hash.update(bytes)
  const root = `${DESK_ASSETS_PATH}${hash.digest('base64url').slice(0, 10)}/`
  const assets = [...files].map(([name, bytes]) => ({
    path: root + name,
    mediaType: mediaTypeOf(name),
    bytes,
  }))
  return {
    root,
    style: `${root}desk.css`,
    script: `${root}desk.js`,
    icon: `${root}mark.svg`,
    byPath: new Map(assets.map((asset) => [asset.path, asset])),
  }
}

function filesIn(place: URL): [name: string, bytes: Buffer][] {
  const names = readdirSync(place).filter((name) => name.endsWith('.js') || name.endsWith('.css'))
  return names.map((name) => [name, readFileSync(new URL(name, place))])
}
