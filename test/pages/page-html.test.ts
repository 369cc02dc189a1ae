import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { lastDayOf } from '../../src/features/pages/page-dates.ts'
import { html, link, trusted } from '../../src/features/pages/page-html.ts'

const folder = fileURLToPath(new URL('../../src/features/pages', import.meta.url))
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(`${folder}/${name}`, 'utf8') }))

test('text in a template is escaped, markup stays, lists are joined, and nothing is left out', () => {
  equal(html`<p title="${`"'<&>`}">${'<b>'}</p>`.markup, '<p title="&quot;&#39;&lt;&amp;&gt;">&lt;b&gt;</p>')
  equal(html`${html`<b>${'&'}</b>`}${trusted('<i>')}`.markup, '<b>&amp;</b><i>')
  equal(html`${[html`<b>`, '<', [1, 2]]}${undefined}${null}${false}${0}${''}`.markup, '<b>&lt;120')
})

test('addresses of schemes that act on the machine of the reader lead nowhere', () => {
  for (const kept of 'https://a.b/ http://a mailto:a@b.c tel:+1 webcal://a geo:1,2 /a #a ?a'.split(' '))
    equal(link(kept), kept)
  for (const refused of [
    'javascript:x',
    'JaVaScRiPt:x',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    ' javascript:x',
    'file:///x',
  ])
    equal(link(refused), '#', refused)
})

test('attributes in templates are quoted', () => {
  for (const { name, text } of sources) doesNotMatch(text, /<[a-z][^>`]*\s[\w-]+=\$\{/, name)
})

test('trusted markup comes from places that clean it', () => {
  const callers = sources
    .filter(({ name, text }) => name !== 'page-html.ts' && /\btrusted\((?!\{)/.test(text))
    .map(({ name }) => name)
  deepEqual(callers.sort(), 'event-view.ts layout.ts linked-view.ts look.ts series-view.ts'.split(' '))
  for (const { name, text } of sources)
    for (const [, argument = ''] of text.matchAll(/\btrusted\(\s*([^\n)]*)/g))
      if (name.endsWith('-view.ts')) match(argument, /^renderedForPage\(/, name)
      else if (name === 'look.ts') match(argument, /^markdownHtml\(/, name)
})

test('what ends before five in the morning ends on the evening before', () => {
  equal(lastDayOf('2026-11-21 22:00:00', '2026-11-22 04:30:00'), '2026-11-21')
  equal(lastDayOf('2026-11-21 22:00:00', '2026-11-22 05:00:00'), '2026-11-22')
  equal(lastDayOf('2026-11-22 01:00:00', '2026-11-22 03:00:00'), '2026-11-22')
})

test('the style sheet and the script stay within their weight', () => {
  // Sizes after compression.
  const size = (name: string) => gzipSync(readFileSync(`${folder}/assets/${name}`)).length
  ok(size('calendar.js') < 3300)
  ok(size('calendar.css') < 6000)
})
