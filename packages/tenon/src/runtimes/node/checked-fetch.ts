import { type LookupAddress, lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { AuthFetch } from '../../auth/guarded-fetch.js';
import type { UrlGuard } from '../../auth/url-guard.js';
import { TenonError } from '../../jsonrpc/error.js';

/**
 * A `fetch` for authorization servers that looks where a name leads before it connects: one that stands for an address of
 * the private network is refused, also when it has stood for a public one a moment before. The host that the user named
 * himself is not judged. It connects directly, without the proxy of any environment variable. Default on Node.
 */
export const checkedFetch: AuthFetch = (url, init, guard) => request(new URL(url), init, guard);

/** Adds the default `fetch` of Node to options. */
export function checkAddresses<T extends { readonly fetch?: AuthFetch | undefined }>(
  options: T,
): T & { readonly fetch: AuthFetch } {
  return { ...options, fetch: options.fetch ?? checkedFetch };
}

function request(url: URL, init: Parameters<AuthFetch>[1], guard: UrlGuard): ReturnType<AuthFetch> {
  const { request: send } = url.protocol === 'https:' ? https : http;
  const { method, headers, body, signal } = init;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      // Nothing here decompresses an answer.
      headers: { 'accept-encoding': 'identity', ...headers },
      signal: signal as NonNullable<RequestInit['signal']>,
      lookup: guarded(guard, url),
      agent: false,
    };
    const sent = send(url, options as http.RequestOptions, reply => {
      const heads = new Headers();
      for (const [name, value] of Object.entries(reply.headers)) heads.append(name, String(value));
      resolve({ status: reply.statusCode ?? 0, headers: heads, body: Readable.toWeb(reply) as never });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function guarded(guard: UrlGuard, url: URL): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error, '', 0);
      const fit = addresses.filter(({ address }) => guard.mayConnect(address, url));
      const [first] = fit;
      if (first === undefined) {
        const refused = new TenonError('auth/unsafe-url', `${name} stands for an address that may not be asked`, {
          expected: 'a public address',
          next: 'if you trust this server with your network, set `allowPrivate`',
        });
        return done(refused, '', 0);
      }
      if (options.all) (done as unknown as (error: null, all: LookupAddress[]) => void)(null, fit);
      else done(null, first.address, first.family);
    });
  };
}
