import type { Feature } from './feature.ts'
import { accounts } from './features/accounts/accounts-feature.ts'
import { assistants } from './features/assistants/assistants-feature.ts'
import { demo } from './features/demo/demo-feature.ts'
import { desk } from './features/desk/desk-feature.ts'
import { doctor } from './features/doctor/doctor-feature.ts'
import { feeds } from './features/feeds/feeds-feature.ts'
import { imports } from './features/imports/imports-feature.ts'
import { mail } from './features/mail/mail-feature.ts'
import { metrics } from './features/metrics/metrics-feature.ts'
import { openidConnect } from './features/openid-connect/openid-connect-feature.ts'
import { pages } from './features/pages/pages-feature.ts'
import { push } from './features/push/push-feature.ts'
import { submissions } from './features/submissions/submissions-feature.ts'
import { sync } from './features/sync/sync-feature.ts'
import { transfer } from './features/transfer/transfer-feature.ts'
import { webhooks } from './features/webhooks/webhooks-feature.ts'

// To remove a feature, delete its folder and the two lines about it here.

export const features: readonly Feature[] = [
  accounts,
  feeds,
  pages,
  desk,
  sync,
  imports,
  push,
  transfer,
  webhooks,
  openidConnect,
  mail,
  submissions,
  assistants,
  doctor,
  metrics,
  demo,
]
