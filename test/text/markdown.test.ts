// The Markdown in the pages and texts of the look.
import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { markdownHtml } from '../../src/features/pages/markdown.ts'

test('a text of nothing but marks is shown as it was typed', () => {
  const marks = '*a_'.repeat(6600)
  equal(markdownHtml(marks, 'below'), `<p>${marks}</p>`)
  const usual = 'Some *words* and **others**.\n\n'.repeat(200)
  match(markdownHtml(usual, 'below'), /<em>words<\/em> and <strong>others<\/strong>/)
})
