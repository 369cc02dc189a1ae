import type { Config } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { type Finding, failing, ok, warning } from '../../base/finding.ts'
import { describeFault } from './exchange.ts'
import { type OpenIdClient, readOpenIdClient } from './openid-client.ts'
import { discover } from './provider.ts'

const ABOUT = 'sign-in'

export async function checkOpenId(config: Config): Promise<Finding[]> {
  let client: OpenIdClient | undefined
  try {
    client = readOpenIdClient(config)
  } catch (error) {
    return [failing(ABOUT, messageOf(error), 'Mend the setting (docs/sign-in.md).')]
  }
  return client ? [await checkIssuer(client), ...checkRoles(client)] : []
}

async function checkIssuer(client: OpenIdClient): Promise<Finding> {
  const { href } = client.issuer
  try {
    const metadata = await discover(client)
    const lacking = (['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const).filter(
      (name) => typeof metadata[name] !== 'string',
    )
    if (lacking.length === 0) return ok(ABOUT, `${metadata.issuer} answers as an OpenID Connect provider.`)
    return failing(ABOUT, `The document of ${href} lacks ${lacking.join(', ')}.`, 'Look at the provider.')
  } catch (error) {
    const { why, code } = await describeFault(error)
    return why === 'silent'
      ? failing(ABOUT, `${href} does not answer (${code}).`, 'Look at KALENDS_OIDC_ISSUER and the network.')
      : failing(
          ABOUT,
          `What ${href} answers is not the document of this issuer (${code}).`,
          'Set KALENDS_OIDC_ISSUER to the issuer as the provider writes it, without /.well-known/.',
        )
  }
}

function checkRoles({ roles, defaultRole }: OpenIdClient): Finding[] {
  if (roles.length > 0 || defaultRole !== undefined) return []
  return [
    warning(
      ABOUT,
      'No claim gives a role, so only people who were invited get in.',
      'Set KALENDS_OIDC_ROLES or KALENDS_OIDC_DEFAULT_ROLE, or leave it so.',
    ),
  ]
}
