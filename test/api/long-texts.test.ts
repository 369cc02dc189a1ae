import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { renderText } from '../../src/base/text/html.ts'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests()
test('what is worked out beside the others is what would have been worked out here', async () => {
  for (const [at, text] of [
    '<p>a</p>\n'.repeat(5000),
    `<b onclick="x">${'é & '.repeat(5000)}</b>`,
  ].entries()) {
    const made = await service.post('/venues', { venue: `Same ${at}`, description: text }, 'author')
    equal(made.body.description, renderText(text, false))
    const trusted = await service.post('/venues', { venue: `Another ${at}`, description: text }, 'admin')
    equal(trusted.body.description, renderText(text, true))
  }
})
