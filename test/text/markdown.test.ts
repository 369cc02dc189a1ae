// The Markdown in the pages and texts of the look.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdownHtml } from '../../src/base/text/markdown.ts'
import { longestTurn } from '../support/longest-turn.ts'

/** Milliseconds of processor time; without a bound the text below takes 2,500. */
const BUSY = 500

test('a text of nothing but marks is shown as it was typed, at once', async () => {
  markdownHtml('*warm*', 'below')
  const marks = '*a_'.repeat(6600)
  const busy = await longestTurn(async () => {
    assert.equal(markdownHtml(marks, 'below'), `<p>${marks}</p>`)
  })
  assert.ok(busy < BUSY, `${busy} ms`)
  const usual = 'Some *words* and **others**.\n\n'.repeat(200)
  assert.match(markdownHtml(usual, 'below'), /<em>words<\/em> and <strong>others<\/strong>/)
})
