import { checkOrigin } from '@tenon/base';
import { quoteName } from '../config-finding.js';
import { type EntryParser, MAX_VALUES, readResolvedText, readTextList, reportWrongKind } from '../entry-parser.js';
import type { JsonNode } from '../json-node.js';
import type { OpenApiSettings } from '../server-entry.js';

type Credential = NonNullable<OpenApiSettings['auth']>[string];

/** Keys of an entry that only an OpenAPI document has. */
export const OPENAPI_KEYS = ['apiUrl', 'resources', 'serverOrigins'] as const;

/** Members of a credential for HTTP Basic. */
const BASIC = ['username', 'password'] as const;

/** Reads the settings of an OpenAPI document. The document is read later, so that its security schemes are not known here. */
export async function readOpenApiSettings(parser: EntryParser): Promise<OpenApiSettings | undefined> {
  const auth = await readAuth(parser);
  const resourcesSpot = parser.members.get('resources');
  const resources = resourcesSpot && readTextList(parser, resourcesSpot);
  const serverOrigins = readOrigins(parser);
  if (!auth && !resources && !serverOrigins) return undefined;
  return { ...(auth && { auth }), ...(resources && { resources }), ...(serverOrigins && { serverOrigins }) };
}

async function readAuth(parser: EntryParser): Promise<OpenApiSettings['auth']> {
  const spot = parser.members.get('auth');
  if (spot === undefined) return undefined;
  const expected = 'an object with a credential for each security scheme of the document';
  if (spot.kind !== 'object' || spot.members.size > MAX_VALUES) return reportWrongKind(parser, spot, expected);
  if (isServiceAccount(spot))
    return parser.reportError('config/target', spot, 'a service account is only for a server with `url`', {
      hint: 'pass the credentials of the API by the keys of its security schemes',
    });
  const credentials: [string, Credential][] = [];
  for (const [id, each] of spot.members) {
    const credential = await readCredential(parser, id, each);
    if (credential !== undefined) credentials.push([id, credential]);
  }
  return Object.fromEntries(credentials);
}

const isServiceAccount = ({ members }: JsonNode): boolean =>
  members.get('type')?.value === 'client-credentials' && members.has('clientId');

async function readCredential(parser: EntryParser, id: string, spot: JsonNode): Promise<Credential | undefined> {
  const key = `auth.${id}`;
  if (spot.kind !== 'object') return readResolvedText(parser, key, spot);
  const unknown = [...spot.members].find(([name]) => !BASIC.some(each => each === name));
  if (unknown)
    return parser.reportError('config/shape', unknown[1], `unknown key ${quoteName(`${key}.${unknown[0]}`)}`, {
      expected: BASIC.join(', '),
    });
  const [username, password] = BASIC.map(name => spot.members.get(name));
  if (!username || !password) return reportWrongKind(parser, spot, 'a text, or `username` and `password`');
  const texts = [
    await readResolvedText(parser, `${key}.username`, username),
    await readResolvedText(parser, `${key}.password`, password),
  ] as const;
  if (texts[0] === undefined || texts[1] === undefined) return undefined;
  return { username: texts[0], password: texts[1] };
}

function readOrigins(parser: EntryParser): string[] | undefined {
  const spot = parser.members.get('serverOrigins');
  const origins = spot && readTextList(parser, spot);
  const wrong = origins?.findIndex(each => checkOrigin(each) !== undefined) ?? -1;
  if (!spot || wrong === -1) return origins;
  return parser.reportError('config/url', spot.items[wrong] ?? spot, 'invalid origin', {
    expected: 'a scheme and a host, such as https://api.example.com',
    hint: 'remove the path',
  });
}

/** Lists the texts of credentials by their paths in the entry. */
export function listCredentialValues(auth: NonNullable<OpenApiSettings['auth']>): [path: string, value: string][] {
  return Object.entries(auth).flatMap(([id, credential]) =>
    typeof credential === 'string'
      ? [[`auth.${id}`, credential] as [string, string]]
      : BASIC.map((name): [string, string] => [`auth.${id}.${name}`, credential[name]]),
  );
}
