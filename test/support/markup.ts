import { type ReceivedMail, readMessage } from './relay.ts'
export async function markupValidator(
  boxes: 'lists' | 'switches' = 'lists',
): Promise<(text: string) => Promise<string[]>> {
  const name = 'html-validate'
  const { HtmlValidate, StaticConfigLoader } = await import(name)
  const loader = new StaticConfigLoader({
    extends: ['html-validate:recommended', 'html-validate:document'],
    rules: {
      'doctype-style': 'off',
      // Checked boxes of a list share a name. A hidden value may stand for an unchecked box.
      ...(boxes === 'lists' && {
        'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'submit', 'button', 'reset'] }],
      }),
      'long-title': 'off',
      'no-inline-style': 'error',
      // The style sheet has the same origin, so it needs no integrity hash.
      'require-sri': 'off',
      'tel-non-breaking': 'off',
      // Both spellings of void elements are valid.
      'void-style': 'off',
    },
  })
  // Resolved once: it would take a third of the time of each page.
  const config = await loader.getConfigFor('inline')
  loader.getConfigFor = () => config
  const validator = new HtmlValidate(loader)
  return async (text) => {
    const { results } = await validator.validateString(text)
    return results.flatMap(
      ({ messages }: { messages: { ruleId: string; line: number; message: string }[] }) =>
        messages.map(({ ruleId, line, message }) => `${line} ${ruleId} ${message}`),
    )
  }
}

/** Mail programs need styles in attributes. */
export async function faultsOfMessage(html: string): Promise<string[]> {
  const faults = await (await markupValidator())(html)
  return faults.filter((fault) => !fault.includes(' no-inline-style '))
}

/** As python's `email` and html-validate read all of them. */
export async function faultsOfMail(received: readonly ReceivedMail[]): Promise<string[]> {
  const all = received.map(async (one) => {
    const { defects, parts } = readMessage(one)
    const html = parts.find(({ type }) => type === 'text/html')?.text ?? ''
    return [...defects, ...(await faultsOfMessage(html)), ...(html.length < 100_000 ? [] : ['too long'])]
  })
  return (await Promise.all(all)).flat()
}
