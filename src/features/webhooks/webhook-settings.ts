import { hosts, type SettingGroup } from '../../base/setting-kinds.ts'

const settings = {
  webhook_hosts: hosts(
    'The only hosts that webhooks are sent to, private ones ' +
      'and http included. Empty: all public hosts, by https.',
  ),
}

type WebhookSettings = typeof settings

declare module '../../base/config.ts' {
  interface FeatureSettings extends WebhookSettings {}
}

export const webhookSettings: SettingGroup = { heading: 'Webhooks', settings }
