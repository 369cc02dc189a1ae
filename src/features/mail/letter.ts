import type { Language } from '../../base/config.ts'
import { beginningOf } from '../../base/text/characters.ts'
import { type Content, type Html, html, trusted } from '../pages/page-html.ts'

// Writes a letter as plain text and as HTML, in one column, with light and dark colours.

export interface Letter {
  subject: string
  blocks: readonly Block[]
}

export type Block =
  | { kind: 'text' | 'small' | 'heading'; text: string }
  /** A text by somebody else; its line breaks are kept. */
  | { kind: 'quote'; text: string }
  | { kind: 'button' | 'link'; text: string; url: string }
  | { kind: 'facts'; rows: readonly (readonly [label: string, value: string])[] }
  | { kind: 'entries'; entries: readonly Entry[] }
  | ({ kind: 'picture' } & LetterPicture)

/** A picture that the site itself serves. */
export interface LetterPicture {
  url: string
  /** Empty for a decorative picture. */
  alt: string
  /** Width of the image file, in pixels. */
  width: number
  height: number
}

export interface Entry {
  title: string
  /** Empty for no link. */
  url: string
  lines: readonly string[]
}

export interface WrittenLetter {
  subject: string
  text: string
  html: string
}

export interface Letterhead {
  language: Language
  name: string
  url: string
  /** URL of a square picture; empty for none. */
  icon: string
  foot: readonly Block[]
}

const LONGEST_SUBJECT = 150
/** Longer texts are cut, since some mail programs hide what is beyond 100 kB. */
const LONGEST_LINE = 300
const LONGEST_TEXT = 2000
const LONGEST_QUOTE = 4000
/** Line length of the plain text: below the limit of RFC 5322, 2.1.1, and easy to read. */
const WIDTH = 76

export function writeLetter({ subject, blocks }: Letter, head: Letterhead): WrittenLetter {
  const short = cut(onOneLine(subject), LONGEST_SUBJECT)
  return { subject: short, text: writeText(blocks, head), html: writeHtml(short, blocks, head).markup }
}

/** Characters that change the direction of the following text, or hide parts of it. */
const TURNING = /[\u202a-\u202e\u2066-\u206f\ufff9-\ufffb]/g

export const withoutTurning = (text: string): string => text.replace(TURNING, '')

/** The text on one line, so that it cannot begin a header, and without `TURNING`. */
export const onOneLine = (text: string): string =>
  withoutTurning(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${beginningOf(text, longest - 1).trimEnd()}…` : text

const line = (text: string): string => cut(onOneLine(text), LONGEST_LINE)
const paragraph = (text: string): string => cut(onOneLine(text), LONGEST_TEXT)

const quoted = (text: string): string[] =>
  cut(text, LONGEST_QUOTE)
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .split('\n')
    .map(onOneLine)

function writeText(blocks: readonly Block[], { name, url, foot }: Letterhead): string {
  const end = [...foot.map(asText), `${line(name)}\n${url}/`]
  return `${[...blocks.map(asText), '-- ', ...end].filter(Boolean).join('\n\n')}\n`
}

function asText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${wrapped(line(block.text))}\n${'='.repeat(Math.min([...line(block.text)].length, WIDTH))}`
    case 'text':
    case 'small':
      return wrapped(paragraph(block.text))
    case 'quote':
      return quoted(block.text)
        .flatMap((one) => wrapped(one, WIDTH - 2).split('\n'))
        .map((one) => `> ${one}`.trimEnd())
        .join('\n')
    case 'button':
    case 'link':
      return `${wrapped(line(block.text))}:\n${block.url}`
    case 'facts':
      return block.rows.map(([label, value]) => wrapped(`${line(label)}: ${paragraph(value)}`)).join('\n')
    case 'entries':
      return block.entries
        .map(({ title, lines, url }) => {
          const below = [...lines.map(line), url].filter((one) => one !== '')
          return [`* ${wrapped(line(title), WIDTH - 2)}`, ...below].join('\n').replaceAll('\n', '\n  ')
        })
        .join('\n\n')
    case 'picture':
      return block.alt === '' ? '' : wrapped(`[${line(block.alt)}]`)
  }
}

function wrapped(text: string, width = WIDTH): string {
  const lines: string[] = []
  let last = ''
  for (const word of text.split(' ')) {
    const longer = last === '' ? word : `${last} ${word}`
    if (last !== '' && longer.length > width) {
      lines.push(last)
      last = word
    } else last = longer
  }
  return [...lines, last].join('\n')
}

/** Only the dark colours: light ones are in attributes, for mail programs without style sheets. */
const STYLE = trusted(`
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.back{background-color:#15171b!important}
.sheet{background-color:#1f2227!important;border-color:#3a3f47!important}
.ink,.ink a{color:#eceef1!important}
.faint,.faint a{color:#aab1bb!important}
.quote{border-color:#5b6472!important}
.button{background-color:#9cc2ff!important;color:#10141b!important}
}`)

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const INK = `${FONT};font-size:16px;line-height:1.5;color:#1b1f24;margin:0 0 16px;overflow-wrap:anywhere`
const FAINT = `${FONT};font-size:14px;line-height:1.45;color:#545c66;margin:0 0 12px;overflow-wrap:anywhere`
const HEADING = `${INK};font-size:20px;line-height:1.3;font-weight:700`
const QUOTE = `${INK};border-left:3px solid #b9c0ca;padding:0 0 0 14px`
const BUTTON =
  `${FONT};display:inline-block;background-color:#1d4f91;color:#ffffff;font-size:16px;line-height:1.3;` +
  'font-weight:600;text-decoration:none;border-radius:8px;padding:12px 20px'
const LINE = 'font-size:14px;color:#545c66'
const BACK = 'width:100%;border-collapse:collapse;background-color:#f3f4f6'
const SHEET = 'background-color:#ffffff;border:1px solid #dde1e6;border-radius:10px;padding:24px 24px 8px'
const ICON = 'width:32px;height:32px;border-radius:6px;vertical-align:middle;margin-right:8px'
const PICTURE = 'display:block;width:100%;height:auto;border-radius:6px'
const COLUMN = 550

function writeHtml(subject: string, blocks: readonly Block[], head: Letterhead): Html {
  const { language, name, url, icon, foot } = head
  const mark = icon !== '' && html`<img src="${icon}" alt="" width="32" height="32" style="${ICON}">`
  const brand = html`<a href="${url}/" style="color:#545c66;text-decoration:none">${mark}${line(name)}</a>`
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>${STYLE}</style>
</head>
<body class="back" style="margin:0;padding:0;background-color:#f3f4f6">
<table role="presentation" class="back" style="${BACK}"><tbody><tr><td style="padding:24px 12px">
<div style="max-width:600px;margin:0 auto">
<h1 class="faint" style="${FAINT};font-weight:600">${brand}</h1>
<div class="sheet" style="${SHEET}">
${blocks.map(asHtml)}</div>
<div class="faint" style="padding:16px 0 0">
${foot.map(asHtml)}</div>
</div>
</td></tr></tbody></table>
</body>
</html>
`
}

function asHtml(block: Block): Html {
  switch (block.kind) {
    case 'heading':
      return html`<h2 class="ink" style="${HEADING}">${line(block.text)}</h2>\n`
    case 'text':
      return html`<p class="ink" style="${INK}">${paragraph(block.text)}</p>\n`
    case 'small':
      return html`<p class="faint" style="${FAINT}">${paragraph(block.text)}</p>\n`
    case 'quote':
      return html`<blockquote class="ink quote" style="${QUOTE}">${broken(quoted(block.text))}</blockquote>\n`
    case 'button': {
      const link = html`<a class="button" href="${block.url}" style="${BUTTON}">${line(block.text)}</a>`
      return html`<p style="margin:0 0 20px">${link}</p>\n`
    }
    case 'link': {
      const link = html`<a href="${block.url}" style="color:#545c66">${line(block.text)}</a>`
      return html`<p class="faint" style="${FAINT}">${link}</p>\n`
    }
    case 'facts':
      return html`<p class="ink" style="${INK}">${broken(block.rows.map(factHtml))}</p>\n`
    case 'entries':
      return html`${block.entries.map(entryHtml)}`
    case 'picture':
      return pictureHtml(block)
  }
}

const factHtml = ([label, value]: readonly [string, string]): Html =>
  html`<strong>${line(label)}:</strong> ${paragraph(value)}`

function pictureHtml({ url, alt, width, height }: LetterPicture): Html {
  const shown = Math.min(width, COLUMN)
  const size = html`width="${shown}" height="${Math.round((height * shown) / width)}"`
  const style = `${PICTURE};max-width:${shown}px`
  return html`<p style="margin:0 0 16px"><img src="${url}" alt="${line(alt)}" ${size} style="${style}"></p>\n`
}

function entryHtml({ title, url, lines }: Entry): Html {
  const named: Content =
    url === '' ? line(title) : html`<a href="${url}" style="color:inherit;font-weight:600">${line(title)}</a>`
  const below = lines
    .filter((one) => one !== '')
    .map((one) => html`<span class="faint" style="${LINE}">${line(one)}</span>`)
  return html`<p class="ink" style="${INK}">${broken([named, ...below])}</p>\n`
}

const broken = (lines: readonly Content[]): Content => lines.map((one, at) => [at > 0 && html`<br>`, one])

/** The first entries whose HTML takes at most `bytes` together. */
export function entriesWithin(entries: readonly Entry[], bytes: number): Entry[] {
  let left = bytes
  return entries.filter((entry) => {
    left -= Buffer.byteLength(entryHtml(entry).markup)
    return left >= 0
  })
}
