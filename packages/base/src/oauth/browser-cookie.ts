import { hashSha256 } from '../encoding/sha256.js';
import { requireKnownOptions } from '../options/check-options.js';
import type { AuthHttpRequest } from './http-exchange.js';

/** Cookie that identifies the browser in which a sign-in began. Its value is a secret. */
export interface BrowserCookie {
  /** Name of the cookie. It depends on the flow, so that sign-ins in several tabs do not interfere. */
  readonly name: string;
  /**
   * Returns a `set-cookie` header.
   *
   * @param seconds Maximum duration of the flow.
   */
  serialize(secret: string, seconds: number): string;
  /** Returns a `set-cookie` header that deletes the cookie. */
  serializeExpired(): string;
  /** Returns the secret from a request. `undefined` when the browser sent none. */
  read(request: AuthHttpRequest): string | undefined;
}

/**
 * Creates the cookie of the flow `id`. With `secure`, the prefix of the name ensures that only this host can set the
 * cookie.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis
 */
export function createCookie(id: string, options: { readonly secure: boolean }): BrowserCookie {
  requireKnownOptions('createCookie', options, { secure: true });
  const { secure } = options;
  const name = `${secure ? '__Host-' : ''}tenon-${hashSha256(id).slice(0, 16)}`;
  const attributes = `Path=/; ${secure ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`;
  return {
    name,
    serialize: (secret, seconds) => `${name}=${secret}; Max-Age=${seconds}; ${attributes}`,
    serializeExpired: () => `${name}=; Max-Age=0; ${attributes}`,
    read(request) {
      const pairs = (request.header('cookie') ?? '').split(/; */);
      return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
  };
}
