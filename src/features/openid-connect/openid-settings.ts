import { checked, choice, type SettingGroup, word } from '../../base/setting-kinds.ts'

const LOCAL = ['localhost', '127.0.0.1', '[::1]']

/** True for https, or http on this machine, without user, query, fragment and `.well-known`. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '' || /[?#]|\/\.well-known\//.test(text)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL.includes(url.hostname))
}

const settings = {
  oidc_issuer: checked(
    word('The OpenID Connect provider by which people sign in. Empty: none.', 'URL', ''),
    'takes the https address of an issuer, without /.well-known/',
    (text) => text === '' || isIssuer(text),
  ),
  oidc_client_id: word('The name that the provider knows this calendar by.', 'ID', ''),
  oidc_client_secret_file: word('The file that has the secret of the client.', 'FILE', ''),
  oidc_name: checked(
    word('What the button of the sign-in page calls the provider.', 'NAME', 'OpenID Connect'),
    'takes 1 to 60 characters',
    (text) => text.trim() !== '' && text.length <= 60,
  ),
  oidc_roles: word(
    'Who gets which role: claim, value, `=` and role, parted by semicolons, as in `groups staff=author`. ' +
      'Of several the most powerful counts.',
    'ROWS',
    '',
  ),
  oidc_default_role: choice(
    'The role of everybody else at the provider; none: they do not get in.',
    ['none', 'administrator', 'editor', 'author', 'contributor', 'subscriber'],
    'none',
  ),
  passwords: choice(
    'Whether the sign-in page asks for a password of the desk; /desk/sign-in?local does in any case.',
    ['on', 'off'],
    'on',
  ),
}

type OpenIdSettings = typeof settings

declare module '../../base/config.ts' {
  interface FeatureSettings extends OpenIdSettings {}
}

export const openIdSettings: SettingGroup = { heading: 'Sign-in', settings }
