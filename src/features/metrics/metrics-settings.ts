import { isIP } from 'node:net'
import { checked, isListenHost, type SettingGroup, word } from '../../base/setting-kinds.ts'

function isListenPlace(text: string): boolean {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const isBracketed = host.startsWith('[') && host.endsWith(']')
  return (
    Number(port) <= 65535 &&
    (isBracketed ? isIP(host.slice(1, -1)) === 6 : isIP(host) !== 6 && isListenHost(host))
  )
}

const settings = {
  metrics: checked(
    word(
      'Where Prometheus reads /metrics, as everybody can who reaches the port. Empty: nowhere.',
      'HOST:PORT',
      '',
    ),
    'takes HOST:PORT',
    (text) => text === '' || isListenPlace(text),
  ),
}

type MetricsSettings = typeof settings

declare module '../../base/config.ts' {
  interface FeatureSettings extends MetricsSettings {}
}

export const metricsSettings: SettingGroup = { heading: 'Metrics', settings }
