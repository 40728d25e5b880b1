import type { Asked } from './exchange.js';
import type { Settings } from './options.js';
import { hashed } from './secrets.js';

/** The browser in which something has begun: it has a secret that belongs to this one matter and no other. */
export interface Cookie {
  readonly name: string;
  /** Writes it, for as long as the matter may last. */
  set(secret: string, seconds: number): string;
  clear(): string;
  read(asked: Asked): string | undefined;
}

/** By TLS its name says that this very host has set it. https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis */
export async function cookieFor(matter: string, { secure }: Pick<Settings, 'secure'>): Promise<Cookie> {
  const name = `${secure ? '__Host-' : ''}tenon-${(await hashed(matter)).slice(0, 16)}`;
  const attributes = `Path=/; ${secure ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`;
  return {
    name,
    set: (secret, seconds) => `${name}=${secret}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    read(asked) {
      const pairs = (asked.header('cookie') ?? '').split(/; */);
      return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
  };
}
