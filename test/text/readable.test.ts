import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readableText } from '../../src/base/text/long-texts.ts'

const BASE = 'https://calendar.example/'

describe('HTML as text that people read without markup', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', ''],
    ['One line', 'One line'],
    ['<p>One</p>\n<p>Two<br />and a line</p>', 'One\n\nTwo\nand a line'],
    ['<ul>\n<li>First</li>\n<li>Second <b>bold</b></li>\n</ul>', '- First\n- Second bold'],
    [
      'See <a href="https://example.org/a?b=1&amp;c=2">the page</a>.',
      'See the page (https://example.org/a?b=1&c=2).',
    ],
    [
      '<a href="/venue/hall/">Hall</a> and <a href="#top">top</a>',
      'Hall (https://calendar.example/venue/hall/) and top',
    ],
    ['<a href="mailto:a@example.org">a@example.org</a>', 'a@example.org'],
    ['<a href="https://example.org/">https://example.org/</a>', 'https://example.org/'],
    ['<a href="javascript:alert(1)">no</a>', 'no'],
    ['Fish &amp; chips &lt;fried&gt; &amp;amp;', 'Fish & chips <fried> &amp;'],
    ['<img src="x.png" alt="A poster"> below', 'A poster below'],
    ['a<style>b{}</style>c<script>d()</script>e', 'ace'],
    ['<h2>Title</h2><p>Text</p>', 'Title\n\nText'],
    ['un<b>brok</b>en', 'unbroken'],
  ]
  for (const [html, text] of cases) {
    test(`${JSON.stringify(html.slice(0, 40))} reads as ${JSON.stringify(text.slice(0, 40))}`, () => {
      equal(readableText(html, BASE), text)
    })
  }
})
