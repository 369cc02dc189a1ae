import { after, before } from 'node:test'
import './clock.js'

/** Makes the clock of this process begin at a moment for the suite, whose fixtures are dates around it. */
export function beginAt(moment: string): void {
  const { now } = Date
  before(() => {
    const ahead = Date.parse(moment) - now()
    Date.now = () => now() + ahead
  })
  after(() => {
    Date.now = now
  })
}
