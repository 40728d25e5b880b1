import { quoteName } from '../config-finding.js';
import { type EntryParser, readResolvedText, reportWrongKind } from '../entry-parser.js';
import type { ServiceAccount } from '../server-entry.js';

/** Members of `auth`, with the names that they have in an entry. */
const MEMBERS = ['clientId', 'clientSecret', 'privateKey', 'issuer', 'scopes'] as const;

/**
 * Reads the credentials of a service account: `auth` with the type `client-credentials`. `auth` of an OpenAPI document
 * has its credentials. Other forms belong to other programs, and are reported as not supported.
 */
export async function readServiceAccount(parser: EntryParser): Promise<ServiceAccount | undefined> {
  const spot = parser.members.get('auth');
  if (spot === undefined || parser.members.has('openapi')) return undefined;
  if (spot.members.get('type')?.value !== 'client-credentials') {
    parser.reportWarning('config/not-followed', spot, 'this form of `auth` is not supported', {
      hint: 'a server that asks for a sign-in is asked how; give a fixed token by `headers`, or a service account by `"auth": { "type": "client-credentials", "clientId": …, "clientSecret": … }`',
    });
    return undefined;
  }
  const unknown = [...spot.members].find(([name]) => name !== 'type' && !MEMBERS.some(each => each === name));
  if (unknown)
    return parser.reportError('config/shape', unknown[1], `unknown key ${quoteName(`auth.${unknown[0]}`)}`, {
      expected: ['type', ...MEMBERS].join(', '),
    });
  if (parser.members.has('command'))
    return parser.reportError('config/target', spot, '`auth` is only for a server with `url`', {
      hint: 'pass credentials to a command by `env`',
    });
  const values: { -readonly [name in (typeof MEMBERS)[number]]?: string } = {};
  for (const name of MEMBERS) {
    const member = spot.members.get(name);
    const text = member && (await readResolvedText(parser, `auth.${name}`, member));
    if (text !== undefined) values[name] = text;
  }
  const { clientId, clientSecret, privateKey, ...more } = values;
  if (clientId === undefined || (clientSecret === undefined) === (privateKey === undefined))
    return reportWrongKind(parser, spot, '`clientId`, and `clientSecret` or `privateKey`');
  return {
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(privateKey === undefined ? {} : { privateKey }),
    ...more,
  };
}
