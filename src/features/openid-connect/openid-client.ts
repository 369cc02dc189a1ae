import { readFileSync } from 'node:fs'
import type { Config } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import type { Role } from '../../calendar/people/caller.ts'
import { type RoleRow, readRoles } from './claims.ts'

export interface OpenIdClient {
  issuer: URL
  id: string
  secret: string
  name: string
  roles: readonly RoleRow[]
  /** If undefined, only people with a row of `roles` may sign in. */
  defaultRole: Role | undefined
  hidesPasswords: boolean
}

/** A shorter secret could be guessed by trying it on a sealed cookie. */
const SHORTEST_SECRET = 16

/** Reads the settings; undefined if no issuer is set. @throws Error for wrong settings */
export function readOpenIdClient(config: Config): OpenIdClient | undefined {
  if (config.oidc_issuer === '') {
    if (config.passwords === 'off') throw new Error('KALENDS_PASSWORDS=off needs KALENDS_OIDC_ISSUER.')
    return undefined
  }
  if (config.oidc_client_id === '') throw new Error('KALENDS_OIDC_ISSUER needs KALENDS_OIDC_CLIENT_ID.')
  return {
    issuer: new URL(config.oidc_issuer),
    id: config.oidc_client_id,
    secret: readSecret(config.oidc_client_secret_file),
    name: config.oidc_name.trim(),
    roles: readRoles(config.oidc_roles),
    defaultRole: config.oidc_default_role === 'none' ? undefined : config.oidc_default_role,
    hidesPasswords: config.passwords === 'off',
  }
}

function readSecret(file: string): string {
  if (file === '') throw new Error('KALENDS_OIDC_ISSUER needs KALENDS_OIDC_CLIENT_SECRET_FILE.')
  let secret: string
  try {
    secret = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`KALENDS_OIDC_CLIENT_SECRET_FILE cannot be read: ${messageOf(error)}`)
  }
  if (secret.length < SHORTEST_SECRET)
    throw new Error(
      `The secret in KALENDS_OIDC_CLIENT_SECRET_FILE has fewer than ${SHORTEST_SECRET} characters.`,
    )
  return secret
}
