import { type FeatureTables, step } from '../../store/storage/migration.ts'

export interface IdentityColumns {
  issuer: string
  subject: string
  user: number
  /** The display name of the account, from the provider. */
  name: string
  connected_utc: string
  seen_utc: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    openid_identities: IdentityColumns
  }
}

export const openIdTables: FeatureTables = {
  feature: 'openid-connect',
  migrations: [
    step('openid-connect-0001-identities', ({ id, text }) => [
      `create table openid_identities (issuer ${text} not null, subject ${text} not null,
        "user" ${id} not null references users (id) on delete cascade, name ${text} not null,
        connected_utc ${text} not null, seen_utc ${text} not null, primary key (issuer, subject))`,
      'create unique index openid_identities_user on openid_identities ("user")',
    ]),
  ],
}
