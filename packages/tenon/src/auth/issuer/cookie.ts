import type { IssuerHttpRequest } from './http-exchange.js';
import type { IssuerSettings } from './options.js';
import { hashSecret } from './secrets.js';

/** The browser in which something has begun: it has a secret that belongs to this one matter and no other. */
export interface BrowserCookie {
  readonly name: string;
  /** Writes it, for as long as the matter may last. */
  serialize(secret: string, seconds: number): string;
  serializeExpired(): string;
  read(request: IssuerHttpRequest): string | undefined;
}

/** By TLS its name says that this very host has set it. https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis */
export async function createCookie(id: string, { secure }: Pick<IssuerSettings, 'secure'>): Promise<BrowserCookie> {
  const name = `${secure ? '__Host-' : ''}tenon-${(await hashSecret(id)).slice(0, 16)}`;
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
