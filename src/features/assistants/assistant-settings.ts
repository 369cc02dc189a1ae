import { choice, type SettingGroup, wholeNumber } from '../../base/setting-kinds.ts'

const settings = {
  mcp: choice(
    'What assistants may do at /mcp: nothing; read; or with a password or token also write.',
    ['off', 'read', 'write'],
    'off',
  ),
  mcp_rate_limit: wholeNumber(
    'Requests a second of each address at /mcp; more are 429. 0: any number.',
    'NUMBER',
    10,
    0,
    1_000_000,
  ),
}

type AssistantSettings = typeof settings

declare module '../../base/config.ts' {
  interface FeatureSettings extends AssistantSettings {}
}

export const assistantSettings: SettingGroup = { heading: 'Assistants', settings }
