import type { Language } from '../../base/config.ts'
import { type Content, type Html, html, trusted } from '../../http/page-html.ts'

// Letters: the same content as text and as HTML of one column, light and dark.

/** Its texts are in the language of the letter. */
export interface Letter {
  subject: string
  blocks: readonly Block[]
}

export type Block =
  | { kind: 'text' | 'small' | 'heading'; text: string }
  /** Somebody else's words; their lines stay. */
  | { kind: 'quote'; text: string }
  | { kind: 'button' | 'link'; text: string; url: string }
  | { kind: 'facts'; rows: readonly (readonly [label: string, value: string])[] }
  /** Each with a line below its title. */
  | { kind: 'entries'; entries: readonly Entry[] }

export interface Entry {
  title: string
  /** Empty for none. */
  url: string
  lines: readonly string[]
}

export interface WrittenLetter {
  subject: string
  text: string
  html: string
}

/** Longer subjects are cut. */
const LONGEST_SUBJECT = 150
/** Of a line of text: RFC 5322, 2.1.1, and easy to read. */
const WIDTH = 76

/** Of the site, for head and foot. */
export interface Letterhead {
  language: Language
  name: string
  url: string
  /** Why the reader gets it. */
  foot: readonly Block[]
}

export function writeLetter({ subject, blocks }: Letter, head: Letterhead): WrittenLetter {
  const line = onOneLine(subject)
  const cut = line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT - 1).trimEnd()}…` : line
  return { subject: cut, text: writeText(blocks, head), html: writeHtml(cut, blocks, head).markup }
}

/** No text can begin a header or another line. */
export const onOneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()

const linesOf = (text: string): string[] => text.replace(/\r\n?|[\u2028\u2029]/g, '\n').split('\n')

function writeText(blocks: readonly Block[], { name, url, foot }: Letterhead): string {
  const end = [...foot.map(asText), `${onOneLine(name)}\n${url}/`]
  return `${[...blocks.map(asText), '-- ', ...end].join('\n\n')}\n`
}

function asText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${wrapped(block.text)}\n${'='.repeat(Math.min([...onOneLine(block.text)].length, WIDTH))}`
    case 'text':
    case 'small':
      return wrapped(block.text)
    case 'quote':
      return linesOf(block.text)
        .flatMap((line) => wrapped(line, WIDTH - 2).split('\n'))
        .map((line) => `> ${line}`.trimEnd())
        .join('\n')
    case 'button':
    case 'link':
      return `${wrapped(block.text)}:\n${block.url}`
    case 'facts':
      return block.rows.map(([label, value]) => wrapped(`${label}: ${value}`)).join('\n')
    case 'entries':
      return block.entries
        .map(({ title, lines, url }) => {
          const below = [...lines.map(onOneLine), url].filter((line) => line !== '')
          return [`* ${wrapped(title, WIDTH - 2)}`, ...below].join('\n').replaceAll('\n', '\n  ')
        })
        .join('\n\n')
  }
}

function wrapped(text: string, width = WIDTH): string {
  const lines: string[] = []
  let line = ''
  for (const word of onOneLine(text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && longer.length > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line].join('\n')
}

/** Mail programs that know no style sheet read the attributes; dark ones the style sheet. */
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

function writeHtml(subject: string, blocks: readonly Block[], head: Letterhead): Html {
  const { language, name, url, foot } = head
  const plain = onOneLine(name)
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
<table role="presentation" class="back" style="width:100%;border-collapse:collapse;background-color:#f3f4f6"><tbody><tr><td style="padding:24px 12px">
<div style="max-width:600px;margin:0 auto">
<h1 class="faint" style="${FAINT};font-weight:600"><a href="${url}/" style="color:#545c66;text-decoration:none">${plain}</a></h1>
<div class="sheet" style="background-color:#ffffff;border:1px solid #dde1e6;border-radius:10px;padding:24px 24px 8px">
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
      return html`<h2 class="ink" style="${INK};font-size:20px;line-height:1.3;font-weight:700">${onOneLine(block.text)}</h2>\n`
    case 'text':
      return html`<p class="ink" style="${INK}">${onOneLine(block.text)}</p>\n`
    case 'small':
      return html`<p class="faint" style="${FAINT}">${onOneLine(block.text)}</p>\n`
    case 'quote':
      return html`<blockquote class="ink quote" style="${INK};border-left:3px solid #b9c0ca;padding:0 0 0 14px">${broken(linesOf(block.text))}</blockquote>\n`
    case 'button':
      return html`<p style="margin:0 0 20px"><a class="button" href="${block.url}" style="${FONT};display:inline-block;background-color:#1d4f91;color:#ffffff;font-size:16px;line-height:1.3;font-weight:600;text-decoration:none;border-radius:8px;padding:12px 20px">${onOneLine(block.text)}</a></p>\n`
    case 'link':
      return html`<p class="faint" style="${FAINT}"><a href="${block.url}" style="color:#545c66">${onOneLine(block.text)}</a></p>\n`
    case 'facts':
      return html`<p class="ink" style="${INK}">${block.rows.map(([label, value], at) => html`${at > 0 && html`<br>`}<strong>${onOneLine(label)}:</strong> ${onOneLine(value)}`)}</p>\n`
    case 'entries':
      return html`${block.entries.map(entryHtml)}`
  }
}

function entryHtml({ title, url, lines }: Entry): Html {
  const named: Content =
    url === ''
      ? onOneLine(title)
      : html`<a href="${url}" style="color:inherit;font-weight:600">${onOneLine(title)}</a>`
  return html`<p class="ink" style="${INK}">${named}${lines.filter((line) => line !== '').map((line) => html`<br><span class="faint" style="font-size:14px;color:#545c66">${onOneLine(line)}</span>`)}</p>\n`
}

const broken = (lines: readonly string[]): Content =>
  lines.map((line, at) => html`${at > 0 && html`<br>`}${onOneLine(line)}`)
