import type { PagesPart } from '../pages/pages-part.ts'
import { sayMail } from './mail-texts.ts'

export const subscribeLinks: PagesPart = {
  links: [],
  subscribes: {
    list: (site, query) => ({
      path: query === '' ? '/subscribe/' : `/subscribe/?${query}`,
      text: sayMail(site, 'By e-mail'),
    }),
    event: (site, id) => ({ path: `/subscribe/?event=${id}`, text: sayMail(site, 'Remind me by e-mail') }),
  },
}
