/** What says what is wrong with a page, a line for each objection. */
export async function markupValidator(
  boxes: 'lists' | 'switches' = 'lists',
): Promise<(text: string) => Promise<string[]>> {
  const name = 'html-validate'
  const { HtmlValidate, StaticConfigLoader } = await import(name)
  const loader = new StaticConfigLoader({
    extends: ['html-validate:recommended', 'html-validate:document'],
    rules: {
      'doctype-style': 'off',
      // Boxes that are ticked share a name: their values make a list. Or a hidden value stands for a box that is not ticked.
      ...(boxes === 'lists' && {
        'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'submit', 'button', 'reset'] }],
      }),
      'long-title': 'off',
      'no-inline-style': 'error',
      // The style sheet is of the same origin.
      'require-sri': 'off',
      'tel-non-breaking': 'off',
      // Both ways of writing it are right.
      'void-style': 'off',
    },
  })
  // Resolved once, since that takes a third of the time of each page.
  const config = await loader.getConfigFor('inline')
  loader.getConfigFor = () => config
  const validator = new HtmlValidate(loader)
  return async (text) => {
    const { results } = await validator.validateString(text)
    return results.flatMap(({ messages }: { messages: { ruleId: string; line: number; message: string }[] }) =>
      messages.map(({ ruleId, line, message }) => `${line} ${ruleId} ${message}`),
    )
  }
}
