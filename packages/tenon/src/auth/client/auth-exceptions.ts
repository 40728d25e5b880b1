import { findNearestKey, parseUrl, TenonError } from '@tenon/base';

/**
 * Deviations from the specification that the client accepts of one server, because its authorization server does not
 * conform. Each one removes a protection against the attack that it names, so set it only for a server that you trust,
 * in your own code or configuration.
 */
export interface AuthExceptions {
  /**
   * Accepts metadata whose `issuer` differs from the issuer that the resource names by the slash of its root:
   * `https://as.example` and `https://as.example/`. The client uses the spelling of the metadata for credentials, and
   * compares `iss` with it code point by code point.
   *
   * Attack: some authorization servers have one issuer with and one without the slash. A response of the one is then
   * taken for one of the other.
   * @default `false`
   * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
   */
  readonly ignoreIssuerSlash?: boolean | undefined;
  /**
   * Issuer of the authorization server, if the metadata of the resource does not name it. Metadata must have exactly
   * this `issuer`. Its endpoints must be at the origin of this issuer, or all at the origin that serves the metadata.
   *
   * Attack: the server can send the user to a sign-in page of its choice that claims to be this issuer, and receive the
   * tokens of that page.
   * @default the issuer that the metadata of the resource names
   * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
   */
  readonly issuer?: string | undefined;
  /**
   * Omits the parameter `resource`, which some authorization servers refuse.
   *
   * Attack: the token may be valid at other servers too. A malicious server can use the token that it receives there.
   * @default `false`
   * @see https://www.rfc-editor.org/rfc/rfc8707
   */
  readonly omitResource?: boolean | undefined;
  /**
   * Sends the requested scopes also when the client renews tokens, which some authorization servers require.
   *
   * Attack: the authorization server may grant each of these scopes again, also one that the user has revoked since.
   * @default `false`
   * @see https://www.rfc-editor.org/rfc/rfc6749#section-6
   */
  readonly sendScopeOnRefresh?: boolean | undefined;
  /**
   * Signs in at an authorization server without `code_challenge_methods_supported` in its metadata. The client uses
   * PKCE with S256 all the same.
   *
   * Attack: an authorization server without PKCE ignores it. An attacker who intercepts the code can then redeem it.
   * @default `false`
   * @see https://www.rfc-editor.org/rfc/rfc7636
   */
  readonly assumePkce?: boolean | undefined;
}

/** Exceptions by the URL of the MCP server. */
export type AuthExceptionsByServer = Readonly<Record<string, AuthExceptions>>;

const TYPES: Readonly<Record<keyof AuthExceptions, 'boolean' | 'string'>> = {
  ignoreIssuerSlash: 'boolean',
  issuer: 'string',
  omitResource: 'boolean',
  sendScopeOnRefresh: 'boolean',
  assumePkce: 'boolean',
};

/**
 * Returns the exceptions of each server.
 *
 * @throws TenonError `auth/options` for an unknown exception, a value of another type, or a key that is not a URL.
 */
export function resolveExceptions(given: AuthExceptionsByServer = {}): (server: string) => AuthExceptions {
  const byServer = new Map<string, AuthExceptions>();
  for (const [server, exceptions] of Object.entries(given)) {
    checkExceptions(exceptions);
    const url = parseUrl(server);
    if (!url)
      throw new TenonError('auth/options', 'invalid key of `exceptions`', {
        expected: 'the URL of an MCP server, as in `connect`',
        received: server.slice(0, 200),
      });
    byServer.set(url.href, exceptions);
  }
  return server => byServer.get(new URL(server).href) ?? {};
}

/**
 * Checks exceptions that a program has read.
 *
 * @throws TenonError `auth/options`
 */
export function checkExceptions(exceptions: AuthExceptions): void {
  for (const [name, value] of Object.entries(exceptions)) {
    const type = Object.hasOwn(TYPES, name) ? TYPES[name as keyof AuthExceptions] : undefined;
    if (type === undefined) {
      const nearest = findNearestKey(name, Object.keys(TYPES));
      throw new TenonError('auth/options', `unknown exception \`${name.slice(0, 60)}\``, {
        expected: Object.keys(TYPES).join(', '),
        hint: nearest === undefined ? undefined : `did you mean \`${nearest}\`?`,
      });
    }
    const isIssuer = name !== 'issuer' || parseUrl(String(value)) !== undefined;
    if (value === undefined || (typeof value === type && isIssuer)) continue;
    throw new TenonError('auth/options', `invalid exception \`${name}\``, {
      expected: name === 'issuer' ? 'the URL of an issuer' : `a ${type}`,
      received: typeof value === type ? String(value).slice(0, 200) : typeof value,
    });
  }
}
